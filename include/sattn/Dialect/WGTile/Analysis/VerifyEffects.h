//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef SATTN_DIALECT_WGTILE_ANALYSIS_VERIFYEFFECTS_H
#define SATTN_DIALECT_WGTILE_ANALYSIS_VERIFYEFFECTS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace wgtile {

/// Checks that the synchronization analysis sees all that a kernel does to
/// shared memory: only ops that list their effects (SyncOpInterface) access it
/// or let threads meet. The other ops are known to touch registers and global
/// memory alone; one that is not known is refused.
llvm::LogicalResult verifyDeclaredEffects(mlir::gpu::GPUFuncOp kernel);

} // namespace wgtile

#endif // SATTN_DIALECT_WGTILE_ANALYSIS_VERIFYEFFECTS_H
