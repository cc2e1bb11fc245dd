//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_SYNCANALYSIS_H
#define SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_SYNCANALYSIS_H

#include "SyncState.h"

#include <functional>

namespace wgtile {

/// Follows every way through a kernel until no new state of synchronization
/// turns up. Loops and branches are followed by their interfaces; the regions
/// of an op that has none may run any number of times, each by itself (the
/// roles of a thread block, the loop over tiles).
class SyncAnalysis {
public:
  /// Hears of an op in each state in which it may be reached.
  using Visitor =
      llvm::function_ref<void(mlir::Operation *op, const SyncState &before)>;

  /// Changes the effects of an op before they are applied, to follow less.
  using Adjust = std::function<void(
      mlir::Operation *op, llvm::SmallVectorImpl<SyncEffect> &effects)>;

  explicit SyncAnalysis(mlir::Operation *kernel, Adjust adjust = {})
      : kernel(kernel), adjust(std::move(adjust)), numbers(kernel) {}

  /// Fails where there are too many states to follow.
  llvm::LogicalResult run(SyncListener listener, Visitor visitor);

  const ValueNumbers &getNumbers() const { return numbers; }

private:
  using States = std::set<SyncState>;

  llvm::LogicalResult runBlock(mlir::Block &block, States &states);
  llvm::LogicalResult runRegions(mlir::Operation *op, States &states);

  mlir::Operation *kernel;
  Adjust adjust;
  ValueNumbers numbers;
  SyncListener *listener = nullptr;
  Visitor *visitor = nullptr;
};

} // namespace wgtile

#endif // SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_SYNCANALYSIS_H
