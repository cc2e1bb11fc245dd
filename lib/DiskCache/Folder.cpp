//===- Folder.cpp - A folder that processes share -------------------------===//
//
// Files and locks. Failures of the system are answers here, as in a full disk;
// LLVM's streams and temporary files end the process or set signal handlers.
//
//===----------------------------------------------------------------------===//

#include "sattn/DiskCache/DiskCache.h"

#include "llvm/Support/CachePruning.h"
#include "llvm/Support/FileSystem.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace sattn::cache;
using llvm::StringRef;

static constexpr const char *kPrefix = "llvmcache-";
static constexpr const char *kLockName = "lock";
/// Age in seconds from which an unfinished file has no writer any more.
static constexpr time_t kUnfinishedAge = 60;

static std::string systemError() { return std::strerror(errno); }

namespace {
/// Closes a file.
struct Descriptor {
  explicit Descriptor(int number) : number(number) {}
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  ~Descriptor() {
    if (number >= 0)
      close(number);
  }
  int number;
};
} // namespace

/// What allows others than the user to change a file or folder; empty if
/// nothing does. The group's bits include those of access control lists.
static std::string findOtherWriters(const struct stat &status) {
  if (status.st_uid != geteuid())
    return "expected one of user " + std::to_string(geteuid()) +
           ", but got one of user " + std::to_string(status.st_uid);
  if (status.st_mode & (S_IWGRP | S_IWOTH))
    return "expected one that only its user can write, but others can";
  return "";
}

std::optional<DiskCache> DiskCache::open(const Settings &settings,
                                         RemarkFn remark) {
  auto refuse = [&](const std::string &reason) {
    remark("disk cache: folder '" + settings.folder + "': " + reason);
    return std::nullopt;
  };
  if (std::error_code error = llvm::sys::fs::create_directories(
          settings.folder, /*IgnoreExisting=*/true,
          llvm::sys::fs::perms::owner_all))
    return refuse(error.message());
  int folder =
      ::open(settings.folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0)
    return refuse(systemError());
  DiskCache cache(settings, folder);
  struct stat status;
  if (fstat(folder, &status) != 0)
    return refuse(systemError());
  if (std::string reason = findOtherWriters(status); !reason.empty())
    return refuse(reason);
  return cache;
}

DiskCache::DiskCache(DiskCache &&other)
    : settings(std::move(other.settings)),
      descriptor(std::exchange(other.descriptor, -1)) {}

DiskCache::~DiskCache() {
  if (descriptor >= 0)
    close(descriptor);
}

std::string DiskCache::readFile(const std::string &name,
                                std::string &contents) const {
  Descriptor file(openat(descriptor, name.c_str(),
                         O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  struct stat status;
  if (file.number < 0 || fstat(file.number, &status) != 0)
    return systemError();
  if (!S_ISREG(status.st_mode))
    return "expected a file";
  if (std::string reason = findOtherWriters(status); !reason.empty())
    return reason;
  // Nobody wrote more than the limit.
  if (static_cast<uint64_t>(status.st_size) > settings.maxBytes)
    return "expected at most " + std::to_string(settings.maxBytes) +
           " bytes, but got " + std::to_string(status.st_size);
  contents.resize(status.st_size);
  size_t filled = 0;
  while (filled < contents.size()) {
    ssize_t count =
        ::read(file.number, &contents[filled], contents.size() - filled);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return systemError();
    if (count == 0)
      break;
    filled += count;
  }
  contents.resize(filled);
  // The order in which pruneCache removes entries. File systems are mounted so
  // that a read does not set this time, or only once a day.
  timespec times[2] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
  (void)futimens(file.number, times);
  return "";
}

std::string DiskCache::writeFile(const std::string &name,
                                 StringRef contents) const {
  // Beyond this limit a write would end the process by a signal.
  rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && contents.size() > limit.rlim_cur)
    return std::strerror(EFBIG);
  static std::atomic<unsigned> counter{0};
  std::string unfinished =
      name + "." + std::to_string(getpid()) + "-" + std::to_string(counter++);
  // A process of the same number may have left one.
  unlinkat(descriptor, unfinished.c_str(), 0);
  Descriptor file(openat(descriptor, unfinished.c_str(),
                         O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                         S_IRUSR | S_IWUSR));
  if (file.number < 0)
    return systemError();
  auto giveUp = [&] {
    std::string reason = systemError();
    unlinkat(descriptor, unfinished.c_str(), 0);
    return reason;
  };
  while (!contents.empty()) {
    ssize_t count = ::write(file.number, contents.data(), contents.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return giveUp();
    contents = contents.drop_front(count);
  }
  if (renameat(descriptor, unfinished.c_str(), descriptor, name.c_str()) != 0)
    return giveUp();
  return "";
}

void DiskCache::forEachFile(
    llvm::function_ref<void(const char *, bool)> action) const {
  // A description of its own, since the position in the folder belongs to it.
  int copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *folder = copy < 0 ? nullptr : fdopendir(copy);
  if (!folder) {
    if (copy >= 0)
      close(copy);
    return;
  }
  while (dirent *file = readdir(folder)) {
    StringRef name = file->d_name;
    if (name.starts_with(kPrefix))
      action(file->d_name, !name.contains('.'));
  }
  closedir(folder);
}

void DiskCache::prune() const {
  forEachFile([&](const char *name, bool isEntry) {
    struct stat status;
    if (!isEntry && fstatat(descriptor, name, &status, 0) == 0 &&
        time(nullptr) - status.st_mtime > kUnfinishedAge)
      unlinkat(descriptor, name, 0);
  });
  llvm::CachePruningPolicy policy;
  policy.Interval = std::chrono::seconds(0);
  policy.Expiration = std::chrono::hours(24 * 90);
  policy.MaxSizeBytes = settings.maxBytes;
  llvm::pruneCache(settings.folder, policy);
}

DiskCache::Usage DiskCache::usage() const {
  Usage usage;
  forEachFile([&](const char *name, bool isEntry) {
    struct stat status;
    if (fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
      return;
    usage.entries += isEntry;
    usage.bytes += status.st_size;
  });
  return usage;
}

void DiskCache::clear() const {
  forEachFile([&](const char *name, bool) { unlinkat(descriptor, name, 0); });
}

/// Sets or removes the lock of one byte. Locks of open file descriptions hold
/// between threads too, and end with the process, however it ends.
static bool setLock(int descriptor, uint64_t offset, short type) {
  struct flock lock = {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = static_cast<off_t>(offset);
  lock.l_len = 1;
  return fcntl(descriptor, F_OFD_SETLK, &lock) == 0;
}

DiskCache::Lock DiskCache::lock(const Key &key) const {
  Lock lock;
  int file = openat(descriptor, kLockName,
                    O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK,
                    S_IRUSR | S_IWUSR);
  if (file < 0)
    return lock;
  // A byte of one file for each key: no files to remove afterwards.
  std::memcpy(&lock.offset, key.bytes.data(), sizeof(lock.offset));
  lock.offset >>= 2;
  using Clock = std::chrono::steady_clock;
  Clock::time_point end = Clock::now() + settings.lockTimeout;
  std::chrono::milliseconds pause(1);
  while (!setLock(file, lock.offset, F_WRLCK)) {
    bool isHeld = errno == EAGAIN || errno == EACCES;
    if ((!isHeld && errno != EINTR) || Clock::now() >= end) {
      close(file);
      return lock;
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::milliseconds(16));
  }
  lock.descriptor = file;
  return lock;
}

DiskCache::Lock::Lock(Lock &&other)
    : descriptor(std::exchange(other.descriptor, -1)), offset(other.offset) {}

DiskCache::Lock::~Lock() {
  if (descriptor < 0)
    return;
  // A child that was forked meanwhile shares the lock.
  setLock(descriptor, offset, F_UNLCK);
  close(descriptor);
}
