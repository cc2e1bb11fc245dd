//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef SATTN_LIB_DIALECT_WGTILE_ANALYSIS_SYNCSTATEDETAIL_H
#define SATTN_LIB_DIALECT_WGTILE_ANALYSIS_SYNCSTATEDETAIL_H

#include "sattn/Dialect/WGTile/Analysis/SyncState.h"

namespace wgtile::detail {

/// Groups of one kind that are told apart. Older ones count as one, which is
/// exact for waits that leave fewer pending.
inline constexpr int64_t kMaxGroups = 16;

llvm::StringRef describe(AsyncKind kind);

/// Returns whether that changed anything.
template <typename T>
bool insertAll(std::set<T> &set, const std::set<T> &other) {
  size_t before = set.size();
  set.insert(other.begin(), other.end());
  return set.size() != before;
}

} // namespace wgtile::detail

#endif // SATTN_LIB_DIALECT_WGTILE_ANALYSIS_SYNCSTATEDETAIL_H
