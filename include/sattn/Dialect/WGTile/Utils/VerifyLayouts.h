//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_WGTILE_UTILS_VERIFYLAYOUTS_H
#define SATTN_DIALECT_WGTILE_UTILS_VERIFYLAYOUTS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace wgtile {

/// Checks that regions in a kernel have one block each, which ends with a
/// terminator: passes compare the order of ops in it.
mlir::LogicalResult verifyStructured(mlir::gpu::GPUFuncOp kernel);

/// Checks that every shared tile of a kernel has a swizzle, as
/// `wgtile-assign-layouts` leaves them; the error is emitted at the op that
/// makes the tile.
mlir::LogicalResult verifySwizzles(mlir::gpu::GPUFuncOp kernel);

/// Checks that every register tile of a kernel has a layout, and all of them
/// the same warps; the error is emitted at the op that makes the tile.
mlir::LogicalResult verifyRegisterTiles(mlir::gpu::GPUFuncOp kernel);

/// Checks that rings of roles, and the ways to fill them, are used in roles,
/// and others outside.
mlir::LogicalResult verifyRings(mlir::gpu::GPUFuncOp kernel);

/// Checks that a kernel has a number of threads along x, as
/// `wgtile-assign-layouts` sets it: whole warps, and no more than a CTA may
/// have.
mlir::LogicalResult verifyThreads(mlir::gpu::GPUFuncOp kernel);

} // namespace wgtile

#endif // SATTN_DIALECT_WGTILE_UTILS_VERIFYLAYOUTS_H
