//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_KERNELS_PADARGUMENTS_H
#define SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_KERNELS_PADARGUMENTS_H

#include "sattn/Dialect/WGTile/IR/WGTile.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace wgtile {

/// Alignment in bytes of a TMA-compatible tensor's rows.
inline constexpr int64_t kRowAlignment = 16;

/// Elements that TMA moves at once.
int64_t getChunk(mlir::MemRefType type);

/// Whether a copy with aligned rows may stand for memory of this type.
bool canPad(mlir::MemRefType type);

/// Whether this copy has at most `maxBytes` bytes.
mlir::Value createFits(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value memref, int64_t maxBytes);

/// Scratch memory of the shape of `memref` whose rows start at multiples of 16
/// bytes if `isPadded`, else `memref` itself. With `isRead` it begins as a copy
/// of `memref`.
mlir::Value createPadded(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::Value memref, mlir::Value isPadded, bool isRead);

/// Whether the kernel stores every element of an argument and reads none.
bool isOverwritten(mlir::BlockArgument argument);

} // namespace wgtile

#endif // SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_KERNELS_PADARGUMENTS_H
