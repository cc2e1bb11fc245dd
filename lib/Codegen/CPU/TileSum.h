//===- TileSum.h - Sums of matrix products in register tiles ----*- C++ -*-===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LIB_CODEGEN_CPU_TILESUM_H
#define SATTN_LIB_CODEGEN_CPU_TILESUM_H

#include "RegisterTileSizes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/TilingInterface.h"

namespace sattn {

/// The loop that only adds up matrix products, of which `op` is one: it carries
/// the sum alone, which only `op`, or its adder, uses. Its right operand are
/// panels from outside, which each row of tiles reads again. Null if there is
/// none.
mlir::scf::ForOp findSum(mlir::linalg::MatmulOp op);

/// Puts the loop `sum` that adds up the matrix products `op` into loops over
/// panels of `columns` columns and over rows of register tiles, in bands, and
/// appends the matrix products of one. A tile then stays in registers until its
/// sum is complete; the op that uses the sum takes it tile by tile.
mlir::LogicalResult
tileSum(mlir::RewriterBase &rewriter, mlir::scf::ForOp sum,
        mlir::linalg::MatmulOp op, const RegisterTileSizes &sizes,
        int64_t columns,
        llvm::SmallVectorImpl<mlir::TilingInterface> &products);

} // namespace sattn

#endif // SATTN_LIB_CODEGEN_CPU_TILESUM_H
