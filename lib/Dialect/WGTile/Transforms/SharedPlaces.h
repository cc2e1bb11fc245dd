//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_SHAREDPLACES_H
#define SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_SHAREDPLACES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace wgtile {

/// Checks that what a kernel has in shared memory lies inside it, aligned, and
/// that no two places overlap. What has no place yet is passed over.
llvm::LogicalResult verifyPlaces(mlir::gpu::GPUFuncOp kernel);

} // namespace wgtile

#endif // SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_SHAREDPLACES_H
