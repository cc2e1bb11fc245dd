//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_WGTILE_ANALYSIS_TILETRIPCOUNT_H
#define SATTN_DIALECT_WGTILE_ANALYSIS_TILETRIPCOUNT_H

#include "sattn/Dialect/WGTile/Analysis/Monotonicity.h"
#include "sattn/Dialect/WGTile/IR/WGTile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace wgtile {

/// The cost of a tile: the trip counts of its loops whose bounds vary between
/// tiles, and the ops that compute them.
class TileTripCount {
public:
  explicit TileTripCount(ForEachTileOp loop) : loop(loop) {}

  /// Finds the loops and the ops that their bounds need; false if no loop's
  /// bounds can be computed elsewhere.
  bool find();

  /// How the sum of the loops' trip counts changes from row to row; Unknown if
  /// a loop's step is not 1. Loops that a pass split from one loop share
  /// bounds, which cancel.
  Monotonicity findRowMonotonicity();

  /// The values that the trip counts are computed from: arguments of the
  /// kernel, and sizes of arguments whose contents are not read.
  llvm::ArrayRef<mlir::Value> getInputs() const { return inputs.getArrayRef(); }

  /// Builds the sum of the trip counts, i32. `mapping` maps inputs and tile
  /// indices to values at the builder's place.
  mlir::Value build(mlir::OpBuilder &b, mlir::Location loc,
                    mlir::IRMapping mapping);

private:
  ForEachTileOp loop;
  llvm::SmallVector<mlir::scf::ForOp> loops;
  /// The ops that compute the bounds, operands first.
  llvm::SetVector<mlir::Operation *> ops;
  llvm::SetVector<mlir::Value> inputs;
  /// Whether a value can be computed elsewhere, from the kernel's arguments and
  /// a tile's indices, and then whether it differs from tile to tile.
  enum class Kind { Other, Same, Differs };
  llvm::DenseMap<mlir::Value, Kind> kinds;

  Kind classify(mlir::Value value);
  Kind classifyOp(mlir::Operation *op);
  Kind classifyArgument(mlir::BlockArgument argument);
  llvm::SmallVector<mlir::Value> getNeeded(mlir::Operation *op);
  void collect(mlir::Value value);
};

} // namespace wgtile

#endif // SATTN_DIALECT_WGTILE_ANALYSIS_TILETRIPCOUNT_H
