//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Parts of tile programs that several ops have.

#ifndef LIB_DIALECT_SATTN_IR_TILEPARTS_H
#define LIB_DIALECT_SATTN_IR_TILEPARTS_H

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"

namespace sattn {

/// Whether a scalar operand is zero, one, or known only at run time.
struct Scale {
  mlir::Value value;
  bool isZero = false, isOne = false, isConstant = false;

  explicit Scale(mlir::Value value);
};

/// Whether a float is not 0, or is a NaN.
mlir::Value isNotZero(mlir::OpBuilder &b, mlir::Location loc,
                      mlir::Value scalar);

/// A tile's place in the batch dimensions of an operand, which has `baseRank`
/// others after them. `batch` is the place in those of the result; an extent of
/// 1, which may be known only at run time, serves all.
llvm::SmallVector<mlir::OpFoldResult>
placeInBatches(mlir::OpBuilder &b, mlir::Location loc, mlir::Value operand,
               int64_t baseRank, llvm::ArrayRef<mlir::OpFoldResult> batch);

/// sum + left * right, M x K and K x N; a transposed factor is K x M or N x K.
mlir::Value multiplyTiles(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::Value left, bool isLeftTransposed,
                          mlir::Value right, bool isRightTransposed,
                          mlir::Value sum);

/// The tile of this shape from `first` on, in the source's last dimensions, at
/// `lead` of the others; `padding`, zeros if null, beyond its end. With `rows`
/// these are how many rows are read, at most the tile's; padding is in the
/// others.
mlir::Value readTile(mlir::OpBuilder &b, mlir::Location loc, mlir::Value source,
                     llvm::ArrayRef<mlir::OpFoldResult> lead,
                     llvm::ArrayRef<mlir::OpFoldResult> first,
                     llvm::ArrayRef<int64_t> shape,
                     mlir::OpFoldResult rows = {},
                     mlir::TypedAttr padding = {});

} // namespace sattn

#endif // LIB_DIALECT_SATTN_IR_TILEPARTS_H
