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
    remark("disk cache: '" + settings.folder + "/" + name +
           "': " + llvm::toString(std::move(reason)) + "; it is made anew");
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
           "': an entry is not kept: " + llvm::toString(std::move(reason)));
  else
    prune();
}

namespace {
/// An entry and whether it was found.
struct Result {
  std::optional<Entry> entry;
  bool isHit;
};
} // namespace

static Result readOrMake(const DiskCache &cache, const Key &key,
                         llvm::function_ref<std::optional<Entry>()> make,
                         RemarkFn remark) {
  if (std::optional<Entry> entry = cache.read(key, remark))
    return {std::move(entry), true};
  DiskCache::Lock lock = cache.lock(key);
  // Another process may have written it meanwhile.
  if (std::optional<Entry> entry = cache.read(key, [](const llvm::Twine &) {}))
    return {std::move(entry), true};
  std::optional<Entry> entry = make();
  if (entry)
    cache.write(key, *entry, remark);
  return {std::move(entry), false};
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
  Result result = readOrMake(*cache, key, compile, remark);
  ++(result.isHit ? hits : misses);
  return std::move(result.entry);
}

std::optional<std::string>
sattn::cache::getOrMake(const Key &key,
                        llvm::function_ref<std::optional<std::string>()> make,
                        RemarkFn remark) {
  // Faults of the folder were told when the program was compiled.
  auto ignore = [](const llvm::Twine &) {};
  std::optional<Settings> settings = Settings::fromEnvironment(ignore);
  if (!settings)
    return std::nullopt;
  std::optional<DiskCache> cache = DiskCache::open(*settings, ignore);
  if (!cache)
    return std::nullopt;
  auto makeEntry = [&]() -> std::optional<Entry> {
    if (std::optional<std::string> text = make())
      return Entry{std::move(*text)};
    return std::nullopt;
  };
  Result result = readOrMake(*cache, key, makeEntry, remark);
  if (!result.entry || result.entry->size() != 1)
    return std::nullopt;
  return std::move(result.entry->front());
}
