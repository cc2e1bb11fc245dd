//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef SATTN_DIALECT_WGTILE_ANALYSIS_SYNCANALYSIS_H
#define SATTN_DIALECT_WGTILE_ANALYSIS_SYNCANALYSIS_H

#include "sattn/Dialect/WGTile/Analysis/SyncState.h"
#include <functional>

namespace wgtile {

/// A forward dataflow analysis: the states of synchronization in which each op
/// of a kernel may be reached, as a fixed point. States of equal counters are
/// joined, so that branches do not multiply them, and what is known of a value
/// is forgotten after its last use, so that they join soon. Loops and branches
/// are followed by their interfaces. The regions of an op without these
/// interfaces may run any number of times, each by itself (the loop over
/// tiles), except for roles, of which a thread runs one.
class SyncAnalysis {
public:
  /// Called for an op in each state in which it may be reached.
  using Visitor =
      llvm::function_ref<void(mlir::Operation *op, const SyncState &before)>;

  /// A function that changes the effects of an op before they are applied, to
  /// follow less.
  using Adjust = std::function<void(
      mlir::Operation *op, llvm::SmallVectorImpl<SyncEffect> &effects)>;

  explicit SyncAnalysis(mlir::Operation *kernel, Adjust adjust = {});

  /// Reports an error at the kernel and fails where its stages may be held in
  /// too many combinations to follow.
  llvm::LogicalResult run(SyncListener listener, Visitor visitor);

  const ValueNumbers &getNumbers() const { return numbers; }

private:
  using States = std::map<SyncState::Counters, SyncState>;

  /// Returns whether that changed anything.
  static bool join(States &states, SyncState state);
  void forget(States &states, llvm::ArrayRef<unsigned> dead,
              mlir::Operation *parent) const;
  llvm::LogicalResult runBlock(mlir::Block &block, States &states);
  llvm::LogicalResult runRegions(mlir::Operation *op, States &states);

  /// The values that no op after an op uses, and of these the ones that its
  /// regions do not use.
  struct LastUses {
    llvm::SmallVector<unsigned> values, asOperands;
  };

  mlir::Operation *kernel;
  Adjust adjust;
  ValueNumbers numbers;
  llvm::DenseMap<mlir::Operation *, LastUses> lastUses;
  SyncListener *listener = nullptr;
  Visitor *visitor = nullptr;
};

} // namespace wgtile

#endif // SATTN_DIALECT_WGTILE_ANALYSIS_SYNCANALYSIS_H
