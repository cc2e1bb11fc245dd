//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef SATTN_DIALECT_WGTILE_ANALYSIS_VERIFYORDER_H
#define SATTN_DIALECT_WGTILE_ANALYSIS_VERIFYORDER_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace wgtile {

/// Checks that the consumers of a kernel share one order of warpgroups, which
/// has all of them: that all ops of the order stand in the consumers' role,
/// name as many warpgroups as consume, and are passed by each warpgroup in each
/// run of the role. The synchronization analysis checks that waits and arrivals
/// alternate.
llvm::LogicalResult verifyOrder(mlir::gpu::GPUFuncOp kernel);

} // namespace wgtile

#endif // SATTN_DIALECT_WGTILE_ANALYSIS_VERIFYORDER_H
