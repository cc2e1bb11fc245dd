//===- DiskCacheTest.cpp - Entries on disk --------------------------------===//
//
// Entries, locks, limits and killed writers, in a folder of each test's own.
//
//===----------------------------------------------------------------------===//

#include "sattn/DiskCache/DiskCache.h"

#include "EntryFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <random>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace sattn::cache;

static Key makeKey(int64_t number) { return KeyHasher().add(number).finish(); }

namespace {
class DiskCacheTest : public testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> folder;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("sattn-cache", folder));
    settings.folder = folder.str().str();
    settings.lockTimeout = std::chrono::milliseconds(50);
  }
  void TearDown() override {
    llvm::sys::fs::remove_directories(settings.folder);
  }

  std::optional<DiskCache> open() {
    return DiskCache::open(settings, [&](const llvm::Twine &message) {
      remarks.push_back(message.str());
    });
  }
  std::optional<Entry> read(int64_t key) {
    return open()->read(makeKey(key), [&](const llvm::Twine &message) {
      remarks.push_back(message.str());
    });
  }
  void write(int64_t key, const Entry &entry) {
    open()->write(makeKey(key), entry, [&](const llvm::Twine &message) {
      remarks.push_back(message.str());
    });
  }
  std::string pathOf(int64_t key) {
    return settings.folder + "/" + makeKey(key).fileName();
  }

  Settings settings;
  std::vector<std::string> remarks;
};
} // namespace

TEST(KeyTest, FieldsHaveEnds) {
  EXPECT_NE(KeyHasher().add("ab").add("c").finish().bytes,
            KeyHasher().add("a").add("bc").finish().bytes);
  EXPECT_NE(KeyHasher().add("").finish().bytes, KeyHasher().finish().bytes);
  EXPECT_EQ(makeKey(1).bytes, makeKey(1).bytes);
}

TEST(KeyTest, TheProgramHasABuildId) {
  auto *address = reinterpret_cast<const void *>(&makeKey);
  EXPECT_EQ(buildIdOf(address).size(), 20u);
  EXPECT_NE(buildIdOf(address),
            buildIdOf(reinterpret_cast<const void *>(&std::getenv)));
}

TEST(KeyTest, ContentsOfFiles) {
  llvm::SmallString<128> path;
  int file = -1;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("sattn-key", "", file, path));
  Key empty = KeyHasher().addFile(path).finish();
  ASSERT_EQ(::write(file, "x", 1), 1);
  close(file);
  EXPECT_NE(KeyHasher().addFile(path).finish().bytes, empty.bytes);
  llvm::sys::fs::remove(path);
  EXPECT_NE(KeyHasher().addFile(path).finish().bytes, empty.bytes);
}

TEST(EntryFileTest, OnlyTheWholeFileIsAnEntry) {
  Entry entry{"manifest", "", std::string("\0\1", 2)};
  std::string contents = encode(makeKey(1), entry);
  EXPECT_EQ(decode(makeKey(1), contents), entry);
  EXPECT_EQ(decode(makeKey(2), contents), std::nullopt);
  EXPECT_EQ(decode(makeKey(1), contents + "x"), std::nullopt);
  for (size_t i = 0; i < contents.size(); ++i) {
    EXPECT_EQ(decode(makeKey(1), contents.substr(0, i)), std::nullopt);
    std::string changed = contents;
    changed[i] ^= 1;
    EXPECT_EQ(decode(makeKey(1), changed), std::nullopt) << "byte " << i;
  }
}

TEST_F(DiskCacheTest, ReadsWhatItWrote) {
  EXPECT_EQ(read(1), std::nullopt);
  write(1, {"a", "b"});
  EXPECT_EQ(read(1), (Entry{"a", "b"}));
  write(1, {"c"});
  EXPECT_EQ(read(1), Entry{"c"});
  EXPECT_EQ(open()->usage().entries, 1);
  open()->clear();
  EXPECT_EQ(read(1), std::nullopt);
  EXPECT_EQ(open()->usage().bytes, 0);
  EXPECT_TRUE(remarks.empty());
}

TEST_F(DiskCacheTest, OthersMayWriteTheEntry) {
  write(1, {"a"});
  ASSERT_EQ(chmod(pathOf(1).c_str(), 0620), 0);
  EXPECT_EQ(read(1), std::nullopt);
  ASSERT_EQ(remarks.size(), 1u);
  EXPECT_NE(remarks[0].find("expected only its owner"), std::string::npos);
  write(1, {"b"});
  EXPECT_EQ(read(1), Entry{"b"});
}

TEST_F(DiskCacheTest, OthersMayWriteTheFolder) {
  ASSERT_EQ(chmod(settings.folder.c_str(), 0777), 0);
  EXPECT_FALSE(open());
  EXPECT_EQ(remarks.size(), 1u);
}

TEST_F(DiskCacheTest, NoFile) {
  write(1, {"a"});
  ASSERT_EQ(rename(pathOf(1).c_str(), (settings.folder + "/moved").c_str()), 0);
  ASSERT_EQ(symlink("moved", pathOf(1).c_str()), 0);
  EXPECT_EQ(read(1), std::nullopt);
  ASSERT_EQ(unlink(pathOf(1).c_str()), 0);
  ASSERT_EQ(mkfifo(pathOf(1).c_str(), 0600), 0);
  EXPECT_EQ(read(1), std::nullopt);
  ASSERT_EQ(unlink(pathOf(1).c_str()), 0);
  ASSERT_EQ(mkdir(pathOf(1).c_str(), 0700), 0);
  EXPECT_EQ(read(1), std::nullopt);
  EXPECT_EQ(remarks.size(), 3u);
  write(1, {"a"});
  EXPECT_EQ(remarks.size(), 4u);
}

TEST_F(DiskCacheTest, TheLeastRecentlyUsedGoes) {
  Entry entry{std::string(1000, 'x')};
  settings.maxBytes = 3500;
  for (int64_t key = 0; key < 3; ++key) {
    write(key, entry);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_TRUE(read(0));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  write(3, entry);
  EXPECT_FALSE(read(1));
  EXPECT_TRUE(read(0) && read(2) && read(3));
  write(4, {std::string(4000, 'x')});
  EXPECT_FALSE(read(4));
  EXPECT_LE(open()->usage().bytes, 3500);
}

TEST_F(DiskCacheTest, LocksExcludeThreadsAndEnd) {
  std::optional<DiskCache> cache = open();
  auto start = std::chrono::steady_clock::now();
  auto elapsed = [&] { return std::chrono::steady_clock::now() - start; };
  {
    DiskCache::Lock held = cache->lock(makeKey(1));
    cache->lock(makeKey(2));
    EXPECT_LT(elapsed(), settings.lockTimeout);
    cache->lock(makeKey(1));
    EXPECT_GE(elapsed(), settings.lockTimeout);
  }
  start = std::chrono::steady_clock::now();
  cache->lock(makeKey(1));
  EXPECT_LT(elapsed(), settings.lockTimeout);
}

TEST_F(DiskCacheTest, AKilledHolderReleases) {
  settings.lockTimeout = std::chrono::seconds(60);
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  pid_t child = fork();
  if (child == 0) {
    DiskCache::Lock held = open()->lock(makeKey(1));
    (void)!::write(ready[1], "x", 1);
    pause();
    _exit(0);
  }
  char byte;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  std::thread killer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  });
  auto start = std::chrono::steady_clock::now();
  open()->lock(makeKey(1));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
  killer.join();
}

TEST_F(DiskCacheTest, KilledWritersLeaveNoPartOfAnEntry) {
  // The entry tells its own length, so that a mixture would show.
  auto makeEntry = [](uint32_t size) {
    return Entry{std::to_string(size), std::string(size, char(size))};
  };
  std::mt19937 random(1);
  int found = 0;
  for (int round = 0; round < 100; ++round) {
    pid_t child = fork();
    if (child == 0) {
      std::mt19937 sizes(round);
      while (true)
        write(1, makeEntry(sizes() % 1000000));
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 8000));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    if (std::optional<Entry> entry = read(1)) {
      ++found;
      EXPECT_EQ(*entry, makeEntry(std::stoul(entry->front())));
    }
  }
  EXPECT_GT(found, 0);
  EXPECT_EQ(remarks, std::vector<std::string>());
}

TEST_F(DiskCacheTest, UnfinishedFilesGo) {
  std::string left = pathOf(1) + ".1-0", fresh = pathOf(1) + ".1-1";
  for (const std::string &path : {left, fresh})
    close(::open(path.c_str(), O_CREAT | O_WRONLY, 0600));
  timespec old[2] = {{1, 0}, {1, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, left.c_str(), old, 0), 0);
  write(2, {"a"});
  EXPECT_FALSE(llvm::sys::fs::exists(left));
  EXPECT_TRUE(llvm::sys::fs::exists(fresh));
  EXPECT_EQ(open()->usage().entries, 1);
}
