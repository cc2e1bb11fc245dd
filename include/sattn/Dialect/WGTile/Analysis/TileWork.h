//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_WGTILE_ANALYSIS_TILEWORK_H
#define SATTN_DIALECT_WGTILE_ANALYSIS_TILEWORK_H

#include "sattn/Dialect/WGTile/Analysis/Trend.h"
#include "sattn/Dialect/WGTile/IR/WGTile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace wgtile {

/// The ops and values from which a tile's work is computed.
class TileWork {
public:
  explicit TileWork(ForEachTileOp loop) : loop(loop) {}

  /// Finds the loops and the ops that their bounds need; false if no loop's
  /// bounds can be computed elsewhere.
  bool find();

  /// How the work changes from row to row: the sum of the loops' trip counts,
  /// if all have a step of 1. Loops that a pass cut from one loop have bounds
  /// in common, which cancel.
  Trend findRowTrend();

  /// What it is computed from: arguments of the kernel, and sizes of arguments,
  /// whose contents are not read for them.
  llvm::ArrayRef<mlir::Value> getInputs() const { return inputs.getArrayRef(); }

  /// Computes the number of iterations, i32, with `mapping` of inputs and tile
  /// indices.
  mlir::Value build(mlir::OpBuilder &b, mlir::Location loc,
                    mlir::IRMapping mapping);

private:
  ForEachTileOp loop;
  llvm::SmallVector<mlir::scf::ForOp> loops;
  /// In an order in which they can be computed.
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

#endif // SATTN_DIALECT_WGTILE_ANALYSIS_TILEWORK_H
