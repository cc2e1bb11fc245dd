//===- DiskCache.cpp - Compiled programs on disk --------------------------===//
//
// Reading, writing and counting entries.
//
//===----------------------------------------------------------------------===//

#include "sattn/DiskCache/DiskCache.h"

#include "EntryFile.h"

#include <atomic>
#include <cerrno>
#include <cstring>

using namespace sattn::cache;

static std::atomic<int64_t> hits{0}, misses{0};

Counts sattn::cache::counts() { return {hits, misses}; }

std::optional<Entry> DiskCache::read(const Key &key, RemarkFn remark) const {
  std::string name = key.fileName(), contents;
  std::string reason = readFile(name, contents);
  if (reason == std::strerror(ENOENT))
    return std::nullopt;
  std::optional<Entry> entry;
  if (reason.empty() && !(entry = decode(key, contents)))
    reason = "expected a whole entry with its checksum, but got other bytes";
  if (!entry)
    remark("disk cache: '" + settings.folder + "/" + name + "': " + reason +
           "; the program is compiled");
  return entry;
}

void DiskCache::write(const Key &key, const Entry &entry,
                      RemarkFn remark) const {
  std::string contents = encode(key, entry);
  if (contents.size() > settings.maxBytes)
    return;
  std::string reason = writeFile(key.fileName(), contents);
  if (reason.empty())
    prune();
  else
    remark("disk cache: folder '" + settings.folder +
           "': the program is not kept: " + reason);
}

std::optional<Entry>
sattn::cache::getOrCompile(const Key &key,
                           llvm::function_ref<std::optional<Entry>()> compile,
                           RemarkFn remark) {
  std::optional<Settings> settings = Settings::fromEnvironment(remark);
  if (!settings)
    return compile();
  std::optional<DiskCache> cache = DiskCache::open(*settings, remark);
  if (!cache) {
    ++misses;
    return compile();
  }
  std::optional<Entry> entry = cache->read(key, remark);
  if (!entry) {
    DiskCache::Lock lock = cache->lock(key);
    // Another process may have written it meanwhile.
    entry = cache->read(key, [](const llvm::Twine &) {});
    if (!entry) {
      ++misses;
      if ((entry = compile()))
        cache->write(key, *entry, remark);
      return entry;
    }
  }
  ++hits;
  return entry;
}
