//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_WGTILE_UTILS_PACKEDROWS_H
#define SATTN_DIALECT_WGTILE_UTILS_PACKEDROWS_H

#include "sattn/Dialect/WGTile/IR/WGTile.h"

namespace wgtile {

/// Whether an index is a multiple of a number, as far as its expression shows.
bool isKnownMultipleOf(mlir::Value index, int64_t factor);

/// Whether TMA can load a tile by fewer, longer rows if the rows of its source
/// follow one another: the tile has whole rows of the source, they are not
/// themselves whole rows of the swizzle, and only MMAs read it, from the left.
bool mayPackRows(LoadOp load);

/// The row of a packed map, whose rows have `rowElements` elements, at which
/// the first row of a load begins.
mlir::Value createPackedRow(mlir::OpBuilder &b, LoadOp load,
                            int64_t rowElements);

} // namespace wgtile

#endif // SATTN_DIALECT_WGTILE_UTILS_PACKEDROWS_H
