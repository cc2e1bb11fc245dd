//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_KERNELS_REQUIREUNITSTRIDES_H
#define SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_KERNELS_REQUIREUNITSTRIDES_H

#include "sattn/Dialect/WGTile/IR/WGTile.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace wgtile {

/// Gives every argument of a kernel that is read into or stored from registers
/// an innermost stride of 1 in its type, by a cast before the kernel's launch.
void requireUnitStrides(mlir::gpu::GPUFuncOp kernel, LaunchOp launch);
/// Requires unit strides of the arguments for which `isChosen` is true.
void requireUnitStrides(mlir::gpu::GPUFuncOp kernel, LaunchOp launch,
                        llvm::function_ref<bool(mlir::BlockArgument)> isChosen);

} // namespace wgtile

#endif // SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_KERNELS_REQUIREUNITSTRIDES_H
