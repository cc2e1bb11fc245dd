//===- TileRows.h - Elementwise ops and reductions in vectors ---*- C++ -*-===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LIB_CODEGEN_CPU_TILEROWS_H
#define SATTN_LIB_CODEGEN_CPU_TILEROWS_H

#include "RegisterTileSizes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace sattn {

/// Whether rows are apart from each other: an elementwise op, or one that
/// reduces each row; not the beginning of a sum that registers hold.
bool isRowwise(mlir::linalg::LinalgOp op, const RegisterTileSizes &sizes);

/// Tiles such an op to parts of rows that vectors hold: a transposition, and
/// the reduction of several rows, to squares that registers transpose.
mlir::LogicalResult tileRows(mlir::RewriterBase &rewriter,
                             mlir::linalg::LinalgOp op,
                             const RegisterTileSizes &sizes);

} // namespace sattn

#endif // SATTN_LIB_CODEGEN_CPU_TILEROWS_H
