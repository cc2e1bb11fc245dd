//===- SumTaker.h - Ops that take a sum tile by tile ------------*- C++ -*-===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LIB_CODEGEN_CPU_SUMTAKER_H
#define SATTN_LIB_CODEGEN_CPU_SUMTAKER_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace sattn {

/// The only user of an accumulator tile, which takes it element by element:
/// an elementwise op, or a branch between such ops.
struct SumTaker {
  mlir::Operation *op = nullptr;
  /// The tensor that it writes to, row by row.
  mlir::Value destination;
  /// Whether rows of the destination are columns of the sum.
  bool isTransposed = false;

  explicit operator bool() const { return op; }
};

/// The taker of a sum; none if other ops use the sum.
SumTaker findSumTaker(mlir::scf::ForOp sum);

/// A tile of a sum, and the part of it that is written: its offset and size.
struct TakenTile {
  mlir::scf::ForOp sum;
  mlir::Value tile, written;
  llvm::ArrayRef<mlir::OpFoldResult> offsets, sizes;
};

/// Makes an op that uses a sum take one tile of it; returns the result.
mlir::FailureOr<mlir::Value> takeTile(mlir::RewriterBase &rewriter,
                                      mlir::Operation *op,
                                      const TakenTile &taken);

/// Whether a map swaps the two dimensions of a matrix.
bool isTransposedMap(mlir::AffineMap map);

} // namespace sattn

#endif // SATTN_LIB_CODEGEN_CPU_SUMTAKER_H
