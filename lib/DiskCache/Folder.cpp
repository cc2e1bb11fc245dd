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

static llvm::Error systemError(int number = errno) {
  return llvm::errorCodeToError(
      std::error_code(number, std::generic_category()));
}

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

/// Refuses a file or folder that others than the user may change. The group's
/// bits include those of access control lists.
static llvm::Error checkWriters(const struct stat &status) {
  if (status.st_uid != geteuid())
    return llvm::createStringError("expected user " + llvm::Twine(geteuid()) +
                                   " to be the owner, but got user " +
                                   llvm::Twine(status.st_uid));
  if (status.st_mode & (S_IWGRP | S_IWOTH))
    return llvm::createStringError(
        "expected only its owner to have the right to write, but others do");
  return llvm::Error::success();
}

std::optional<DiskCache> DiskCache::open(const Settings &settings,
                                         RemarkFn remark) {
  auto refuse = [&](llvm::Error reason) {
    remark("disk cache: folder '" + settings.folder +
           "': " + llvm::toString(std::move(reason)));
    return std::nullopt;
  };
  if (std::error_code error = llvm::sys::fs::create_directories(
          settings.folder, /*IgnoreExisting=*/true,
          llvm::sys::fs::perms::owner_all))
    return refuse(llvm::errorCodeToError(error));
  int folder =
      ::open(settings.folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0)
    return refuse(systemError());
  DiskCache cache(settings, folder);
  struct stat status;
  if (fstat(folder, &status) != 0)
    return refuse(systemError());
  if (llvm::Error reason = checkWriters(status))
    return refuse(std::move(reason));
  return cache;
}

DiskCache::DiskCache(DiskCache &&other)
    : settings(std::move(other.settings)),
      descriptor(std::exchange(other.descriptor, -1)) {}

DiskCache::~DiskCache() {
  if (descriptor >= 0)
    close(descriptor);
}

llvm::Expected<std::string> DiskCache::readFile(const std::string &name) const {
  Descriptor file(openat(descriptor, name.c_str(),
                         O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  struct stat status;
  if (file.number < 0 || fstat(file.number, &status) != 0)
    return systemError();
  if (!S_ISREG(status.st_mode))
    return llvm::createStringError("expected a file, but got another kind");
  if (llvm::Error reason = checkWriters(status))
    return reason;
  // Nobody wrote more than the limit.
  if (static_cast<uint64_t>(status.st_size) > settings.maxBytes)
    return llvm::createStringError(
        "expected at most " + llvm::Twine(settings.maxBytes) +
        " bytes, but got " + llvm::Twine(status.st_size));
  std::string contents(status.st_size, '\0');
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
  return contents;
}

llvm::Error DiskCache::writeFile(const std::string &name,
                                 StringRef contents) const {
  // Beyond this limit a write would end the process by a signal.
  rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && contents.size() > limit.rlim_cur)
    return systemError(EFBIG);
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
    int number = errno;
    unlinkat(descriptor, unfinished.c_str(), 0);
    return systemError(number);
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
  return llvm::Error::success();
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
