//===- DiskCache.cpp - Compiled programs on disk --------------------------===//
//
// Reading, writing and counting entries.
//
//===----------------------------------------------------------------------===//

#include "sattn/DiskCache/DiskCache.h"

#include "EntryFile.h"

#include <atomic>

using namespace sattn::cache;

static std::atomic<int64_t> hits{0}, misses{0};

Counts sattn::cache::counts() { return {hits, misses}; }

std::optional<Entry> DiskCache::read(const Key &key, RemarkFn remark) const {
  std::string name = key.fileName();
  auto refuse = [&](llvm::Error reason) {
    remark("disk cache: '" + settings.folder + "/" + name + "': " +
           llvm::toString(std::move(reason)) + "; the program is compiled");
    return std::nullopt;
  };
  llvm::Expected<std::string> contents = readFile(name);
  if (!contents) {
    llvm::Error reason = contents.takeError();
    bool isMissing = false;
    llvm::visitErrors(reason, [&](const llvm::ErrorInfoBase &info) {
      isMissing |= info.convertToErrorCode() ==
                   std::make_error_code(std::errc::no_such_file_or_directory);
    });
    if (!isMissing)
      return refuse(std::move(reason));
    llvm::consumeError(std::move(reason));
    return std::nullopt;
  }
  std::optional<Entry> entry = decode(key, *contents);
  if (!entry)
    return refuse(llvm::createStringError(
        "expected an entry with its checksum, but got other bytes"));
  return entry;
}

void DiskCache::write(const Key &key, const Entry &entry,
                      RemarkFn remark) const {
  std::string contents = encode(key, entry);
  if (contents.size() > settings.maxBytes)
    return;
  if (llvm::Error reason = writeFile(key.fileName(), contents))
    remark("disk cache: folder '" + settings.folder +
           "': the program is not kept: " + llvm::toString(std::move(reason)));
  else
    prune();
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
