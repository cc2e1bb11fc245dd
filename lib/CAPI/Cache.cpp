//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn-c/Cache.h"

#include "KeptCode.h"
#include "Session.h"

using namespace sattn;

static void ignore(const llvm::Twine &) {}

char *sattn_cache_describe(sattn_cache_info *info) {
  cache::Counts counts = cache::counts();
  sattn_cache_info unused;
  sattn_cache_info &found = info ? *info : unused;
  found = {0, 0, counts.hits, counts.misses};
  std::optional<cache::Settings> settings =
      cache::Settings::fromEnvironment(ignore);
  if (!settings)
    return nullptr;
  if (auto opened = cache::DiskCache::open(*settings, ignore)) {
    cache::DiskCache::Usage usage = opened->usage();
    found.entries = usage.entries;
    found.bytes = usage.bytes;
  }
  return capi::copyText(settings->folder);
}

void sattn_cache_clear(void) {
  if (auto settings = cache::Settings::fromEnvironment(ignore))
    if (auto opened = cache::DiskCache::open(*settings, ignore))
      opened->clear();
}

char *sattn_cache_cubin(const char *ptx, size_t size, const char *chip,
                        size_t *cubin_size, char **messages) {
  if (!ptx || !chip || !cubin_size) {
    const char *missing = !ptx    ? "PTX"
                          : !chip ? "a chip"
                                  : "a place for the cubin's size";
    capi::giveError(messages,
                    llvm::Twine("expected ") + missing + ", but got null");
    return nullptr;
  }
  std::string said;
  std::string cubin =
      run::getOrAssemble({ptx, size}, chip, [&](const llvm::Twine &message) {
        said += ("remark: " + message + "\n").str();
      });
  capi::giveText(messages, said);
  if (cubin.empty())
    return nullptr;
  char *copy = capi::copyText(cubin);
  *cubin_size = copy ? cubin.size() : 0;
  return copy;
}
