//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn-c/Cache.h"

#include "Session.h"

#include "sattn/DiskCache/DiskCache.h"

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
