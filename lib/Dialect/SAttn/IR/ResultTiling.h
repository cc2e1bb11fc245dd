//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Tiling methods that ops share which are tiled by their results alone.

#ifndef LIB_DIALECT_SATTN_IR_RESULTTILING_H
#define LIB_DIALECT_SATTN_IR_RESULTTILING_H

#include "sattn/Dialect/SAttn/IR/SAttnDialect.h"

namespace sattn {

/// The op on a tile: its results are cut, each where `getResultTilePosition`
/// says, and all other operands stay whole. The caller sets `origin`, whose
/// values stand before the tile, on the only one of `tiledOps`.
llvm::FailureOr<mlir::TilingResult>
cutResults(mlir::OpBuilder &b, mlir::TilingInterface op,
           llvm::ArrayRef<mlir::OpFoldResult> offsets,
           llvm::ArrayRef<mlir::OpFoldResult> sizes);

/// The schedule hints of an op's parameters; no hints without parameters.
TileSchedule getScheduleOf(MetaAttr meta);

/// The tensor that a loop over tiles writes to if `value` is its argument for
/// that, else `value` itself. Sizes that a tile computes are then the same
/// values for its program and for the place of its results.
mlir::Value getDestination(mlir::Value value);

} // namespace sattn

#endif // LIB_DIALECT_SATTN_IR_RESULTTILING_H
