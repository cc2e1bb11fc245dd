//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef SATTN_DIALECT_WGTILE_ANALYSIS_MATCHSTAGES_H
#define SATTN_DIALECT_WGTILE_ANALYSIS_MATCHSTAGES_H

#include "sattn/Dialect/WGTile/IR/WGTile.h"

#include "llvm/ADT/MapVector.h"

#include <set>

namespace wgtile {

/// The contents of a kernel's stages at their commits, and the takes that tiles
/// belong to, as the synchronization analysis found them on all paths.
struct StageContents {
  /// A tile of a stage and its instance.
  using Copy = std::pair<int64_t, int64_t>;
  struct Copies {
    /// Copied into on every path to the commit; on some.
    std::set<Copy> always, maybe;
  };
  llvm::MapVector<mlir::Operation *, Copies> ofCommit;
  llvm::MapVector<mlir::Operation *, std::set<mlir::Operation *>> takesOfTile;
};

/// Checks that the consumers take, in each run of the kernel, the stages that
/// the producer commits, one by one and in the same order over all rings, and
/// that each tile that they read of a stage was copied into it. Refuses roles
/// whose loops and branches it cannot compare.
llvm::LogicalResult matchStages(mlir::Operation *kernel,
                                const StageContents &contents);

} // namespace wgtile

#endif // SATTN_DIALECT_WGTILE_ANALYSIS_MATCHSTAGES_H
