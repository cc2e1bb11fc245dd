//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DISKCACHE_DISKCACHE_H
#define SATTN_DISKCACHE_DISKCACHE_H

#include "sattn/DiskCache/Key.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace sattn::cache {

/// A compiled program as the texts that its user made of it.
using Entry = std::vector<std::string>;

/// A listener that gets a sentence about an entry or a folder that cannot be
/// used. A cache never fails: the program is compiled instead.
using RemarkFn = llvm::function_ref<void(const llvm::Twine &)>;

/// Place and limits of a cache.
struct Settings {
  std::string folder;
  /// Bytes of all entries. When a write exceeds them, the least recently used
  /// entries are removed.
  uint64_t maxBytes = uint64_t(512) << 20;
  /// Longest wait for another process that compiles the same program.
  std::chrono::milliseconds lockTimeout = std::chrono::seconds(60);

  /// Settings of the environment. The folder is $SATTN_CACHE_DIR, else
  /// $XDG_CACHE_HOME/sattn, else ~/.cache/sattn; $SATTN_CACHE_BYTES replaces
  /// the limit. Nothing with SATTN_CACHE=0, without a home folder, and in a
  /// program that runs with another user's rights.
  static std::optional<Settings> fromEnvironment(RemarkFn remark);
};

/// A folder of entries. Processes share it without further agreement: entries
/// appear whole or not at all, and one that is incomplete, changed, or writable
/// by another user is not used. Objects keep the folder open.
class DiskCache {
public:
  /// Opens the folder, and makes it if it is missing. Nothing if that fails, or
  /// if another user owns the folder or may write to it.
  static std::optional<DiskCache> open(const Settings &settings,
                                       RemarkFn remark);

  DiskCache(DiskCache &&other);
  DiskCache &operator=(DiskCache &&) = delete;
  ~DiskCache();

  /// The entry, which becomes the most recently used one.
  std::optional<Entry> read(const Key &key, RemarkFn remark) const;

  /// Writes an entry, replacing what the key's file holds, and then removes the
  /// least recently used entries while there are too many bytes.
  void write(const Key &key, const Entry &entry, RemarkFn remark) const;

  /// The right to compile the program of a key, until it is destroyed or its
  /// process ends.
  class Lock {
  public:
    Lock(Lock &&other);
    Lock &operator=(Lock &&) = delete;
    ~Lock();

  private:
    friend class DiskCache;
    Lock() = default;

    int descriptor = -1;
    uint64_t offset = 0;
  };

  /// Waits for the key's lock, but not longer than the timeout. The result
  /// excludes nobody where the time has passed, or where the file system has no
  /// locks.
  Lock lock(const Key &key) const;

  /// Numbers of the folder.
  struct Usage {
    int64_t entries = 0;
    int64_t bytes = 0;
  };
  Usage usage() const;

  /// Removes all entries, those of other builds included.
  void clear() const;

private:
  DiskCache(Settings settings, int descriptor)
      : settings(std::move(settings)), descriptor(descriptor) {}

  llvm::Expected<std::string> readFile(const std::string &name) const;
  llvm::Error writeFile(const std::string &name,
                        llvm::StringRef contents) const;
  /// Names of entries, and of files that a writer left unfinished.
  void forEachFile(
      llvm::function_ref<void(const char *name, bool isEntry)> action) const;
  void prune() const;

  Settings settings;
  /// The folder.
  int descriptor;
};

/// Numbers of calls of getOrCompile in this process that found an entry, and
/// that compiled.
struct Counts {
  int64_t hits = 0;
  int64_t misses = 0;
};
Counts counts();

/// The entry of the cache that the environment names, or what `compile` makes,
/// which is kept. Of several processes that need an entry at the same time one
/// compiles. Nothing if `compile` fails.
std::optional<Entry>
getOrCompile(const Key &key, llvm::function_ref<std::optional<Entry>()> compile,
             RemarkFn remark);

/// The text that the cache of the environment has for the key, or the result
/// of `make`, which is kept. Of several processes that need it at the same time
/// one makes it. Not counted. Nothing where there is no cache, in which case
/// `make` is not called, and where `make` fails.
std::optional<std::string>
getOrMake(const Key &key, llvm::function_ref<std::optional<std::string>()> make,
          RemarkFn remark);

} // namespace sattn::cache

#endif // SATTN_DISKCACHE_DISKCACHE_H
