//===- RowBands.h - Register tiles of a band of rows ------------*- C++ -*-===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LIB_CODEGEN_CPU_ROWBANDS_H
#define SATTN_LIB_CODEGEN_CPU_ROWBANDS_H

#include "RegisterTileSizes.h"

#include "mlir/IR/PatternMatch.h"

namespace sattn {

/// Loops over the register tiles of a band, one below the other, and replaces
/// each in `strip` by the value that `makeTile` makes of its first row and of
/// it. Tiles of all bands are slices of one tensor: bufferization would copy
/// a slice for a band.
mlir::FailureOr<mlir::Value> loopOverBand(
    mlir::RewriterBase &rewriter, mlir::Location loc, mlir::Value strip,
    RowBand band,
    llvm::function_ref<mlir::FailureOr<mlir::Value>(mlir::Value, mlir::Value)>
        makeTile);

} // namespace sattn

#endif // SATTN_LIB_CODEGEN_CPU_ROWBANDS_H
