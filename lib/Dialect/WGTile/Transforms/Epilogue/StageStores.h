//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_EPILOGUE_STAGESTORES_H
#define SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_EPILOGUE_STAGESTORES_H

#include "sattn/Dialect/WGTile/IR/WGTile.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace wgtile {

/// Type of the staging tile that a store at the top of a tile's program goes
/// through in each warpgroup (wgtile-stage-stores); null if it stays a store by
/// threads.
SharedType getStagingType(StoreOp store, mlir::gpu::GPUFuncOp kernel);

} // namespace wgtile

#endif // SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_EPILOGUE_STAGESTORES_H
