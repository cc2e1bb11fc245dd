//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef SATTN_DIALECT_WGTILE_ANALYSIS_VERIFYCOPIES_H
#define SATTN_DIALECT_WGTILE_ANALYSIS_VERIFYCOPIES_H

#include "sattn/Dialect/WGTile/Analysis/SyncState.h"

namespace wgtile {

/// The commits and takes of stages that all threads fill and read. A stage that
/// is taken was filled by each commit that it may be of: always, or under the
/// condition that the loop has the iteration that takes it
/// (`wgtile-pipeline`).
class CooperativeStages {
public:
  /// Records the stages in the state before an op.
  void collect(mlir::Operation *op, const SyncState &before,
               const ValueNumbers &numbers);
  llvm::LogicalResult verify() const;

private:
  struct Commit {
    /// Whether a copy into the stage was started on some path, on all paths.
    bool isFilled = false, isAlwaysFilled = true;
    /// Numbers of stages that were committed before and not taken.
    std::set<int64_t> ahead;
  };
  bool isMatched(mlir::Operation *take, mlir::Operation *commit,
                 const Commit &stage) const;

  llvm::MapVector<mlir::Operation *, Commit> commits;
  llvm::MapVector<mlir::Operation *, std::set<mlir::Operation *>> takes;
};

} // namespace wgtile

#endif // SATTN_DIALECT_WGTILE_ANALYSIS_VERIFYCOPIES_H
