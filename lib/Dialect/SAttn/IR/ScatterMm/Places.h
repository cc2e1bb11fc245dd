//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Where the matrices of a sattn.scatter_mm are, by its lists.

#ifndef LIB_DIALECT_SATTN_IR_SCATTERMM_PLACES_H
#define LIB_DIALECT_SATTN_IR_SCATTERMM_PLACES_H

#include "sattn/Dialect/SAttn/IR/ScatterMm/ScatterMmOp.h"

namespace sattn {

/// An entry of a list, unchanged.
mlir::Value readEntry(mlir::OpBuilder &b, mlir::Location loc, mlir::Value list,
                      mlir::Value position);

/// The row and the column in a grid, (..., G, H, R, N), of the matrix at an
/// offset. Computed in the offset's type, since 64-bit divisions are slow on
/// GPUs.
llvm::SmallVector<mlir::OpFoldResult> locate(mlir::OpBuilder &b,
                                             mlir::Location loc,
                                             mlir::Value offset,
                                             mlir::Value grid, int64_t rows);

/// Number of entries.
mlir::OpFoldResult countEntries(mlir::OpBuilder &b, ScatterMmOp op);

/// Clamps an entry to the last one: the last of several entries that share a
/// tile may be past it, and nothing is stored for those.
mlir::Value clampEntry(mlir::OpBuilder &b, ScatterMmOp op, mlir::Value entry);

/// The place in the grid of `out` of an entry's matrix. It follows from other
/// operands, so that it is the same value wherever `out` is a slice of itself.
llvm::SmallVector<mlir::OpFoldResult>
locateEntry(mlir::OpBuilder &b, ScatterMmOp op, mlir::Value entry);

} // namespace sattn

#endif // LIB_DIALECT_SATTN_IR_SCATTERMM_PLACES_H
