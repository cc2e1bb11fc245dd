//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_SCHEDULE_DEFERNUMBERS_H
#define SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_SCHEDULE_DEFERNUMBERS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace wgtile {

/// Lets threads keep their own parts of numbers that are sums of sums of tiles,
/// through loops and branches, until something else uses these. Returns how
/// many sums of a tile are no longer combined by themselves.
int64_t deferNumbers(mlir::gpu::GPUFuncOp kernel);

} // namespace wgtile

#endif // SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_SCHEDULE_DEFERNUMBERS_H
