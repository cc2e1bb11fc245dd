//===- WindowLoop.h - Loops of a tile over windows of a tensor --*- C++ -*-===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LIB_CODEGEN_CPU_WINDOWLOOP_H
#define SATTN_LIB_CODEGEN_CPU_WINDOWLOOP_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"

namespace sattn {

/// The induction variable of `tiles` that an index is, by number; nothing if it
/// is none.
std::optional<unsigned> findCounter(mlir::OpFoldResult index,
                                    mlir::scf::ForallOp tiles);

/// A constant upper bound of a size, if one is known.
std::optional<int64_t> getBound(mlir::OpFoldResult size);

/// ifTrue where the condition holds, else ifFalse.
mlir::OpFoldResult selectIndex(mlir::OpBuilder &b, mlir::Location loc,
                               mlir::Value condition, mlir::OpFoldResult ifTrue,
                               mlir::OpFoldResult ifFalse);

/// How often tiles must read each element of a tensor of so many elements, on
/// average, for a copy of all of it.
mlir::OpFoldResult getReadsOfPacked(mlir::OpBuilder &b, mlir::Location loc,
                                    mlir::Value elements);

/// A loop of a tile whose iterations read one window of an operand after the
/// other.
struct WindowLoop {
  mlir::scf::ForOp loop;
  /// The ops that compute the loop's bounds from the tile's indices, and the
  /// window's place from the iteration.
  llvm::SetVector<mlir::Operation *> bounds, place;
  /// The induction variables of the tiles' loop that the bounds depend on.
  llvm::SmallBitVector counters;

  /// The loop around `window` and `op`; nothing if there is none, or if its
  /// trip count cannot be computed outside the tiles.
  static std::optional<WindowLoop> find(mlir::tensor::ExtractSliceOp window,
                                        mlir::linalg::MatmulOp op,
                                        mlir::scf::ForallOp tiles);

  /// Whether an index is the same in all iterations.
  bool isFixed(mlir::OpFoldResult index) {
    auto value = llvm::dyn_cast<mlir::Value>(index);
    return !value || loop.isDefinedOutsideOfLoop(value);
  }

  /// Adds the ops that compute an index from the iteration to `place`; false if
  /// they cannot be repeated elsewhere.
  bool addPlace(mlir::OpFoldResult index);

  /// Clones the ops of `place` for an iteration. Returns the mapping from
  /// values in the loop to their clones.
  mlir::IRMapping clonePlace(mlir::OpBuilder &b, mlir::Value iteration) const;

  /// Builds, before the loop over tiles, the number of iterations of all tiles
  /// of one column, or of all tiles.
  mlir::Value count(mlir::OpBuilder &b, mlir::Location loc,
                    mlir::scf::ForallOp tiles, std::optional<unsigned> column);
};

} // namespace sattn

#endif // SATTN_LIB_CODEGEN_CPU_WINDOWLOOP_H
