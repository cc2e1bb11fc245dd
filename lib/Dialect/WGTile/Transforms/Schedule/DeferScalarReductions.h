//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_SCHEDULE_DEFERSCALARREDUCTIONS_H
#define SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_SCHEDULE_DEFERSCALARREDUCTIONS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace wgtile {

/// Defers reductions of tiles to scalars: each thread carries its own partial
/// sum through loops and branches, and partial sums are combined where
/// something else uses the scalar. Returns the number of reductions that were
/// deferred.
int64_t deferScalarReductions(mlir::gpu::GPUFuncOp kernel);

} // namespace wgtile

#endif // SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_SCHEDULE_DEFERSCALARREDUCTIONS_H
