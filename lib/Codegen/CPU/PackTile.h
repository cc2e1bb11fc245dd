//===- PackTile.h - Panels of one tile's right operand ----------*- C++ -*-===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LIB_CODEGEN_CPU_PACKTILE_H
#define SATTN_LIB_CODEGEN_CPU_PACKTILE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace sattn {

/// Makes `op` read its right operand, a window of static size of a tensor from
/// outside the loop over tiles, transposed or padded or neither, from panels of
/// `columns` columns and elements of type `packed`. They are copied from it row
/// by row in memory, so that prefetching follows the rows, and without tests of
/// bounds where the window is not clipped. One that is transposed is taken in
/// squares of `lanes` elements, which divide the columns. Right operands of
/// other kinds stay. Returns the window if each iteration of a loop of the tile
/// packs its own, else null.
mlir::tensor::ExtractSliceOp packRightTile(mlir::RewriterBase &rewriter,
                                           mlir::linalg::MatmulOp op,
                                           mlir::Type packed, int64_t columns,
                                           int64_t lanes);

} // namespace sattn

#endif // SATTN_LIB_CODEGEN_CPU_PACKTILE_H
