//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef SATTN_DIALECT_WGTILE_ANALYSIS_SHAREDPLACES_H
#define SATTN_DIALECT_WGTILE_ANALYSIS_SHAREDPLACES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace wgtile {

/// Warpgroups of a kernel that hold register tiles; 0 if their number is not
/// known.
int64_t countTileWarpgroups(mlir::gpu::GPUFuncOp kernel);

/// Checks that a kernel's objects in shared memory lie inside it, aligned, and
/// that no two of them overlap. Objects without an offset are skipped.
llvm::LogicalResult verifyPlaces(mlir::gpu::GPUFuncOp kernel);

} // namespace wgtile

#endif // SATTN_DIALECT_WGTILE_ANALYSIS_SHAREDPLACES_H
