//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_WGTILE_UTILS_LAUNCHES_H
#define SATTN_DIALECT_WGTILE_UTILS_LAUNCHES_H

#include "sattn/Dialect/WGTile/IR/WGTile.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace wgtile {

/// The launches of kernels that the module has, each with its kernel.
llvm::SmallVector<std::pair<LaunchOp, mlir::gpu::GPUFuncOp>>
getLaunches(mlir::Operation *root);

} // namespace wgtile

#endif // SATTN_DIALECT_WGTILE_UTILS_LAUNCHES_H
