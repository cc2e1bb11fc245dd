//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef SATTN_DIALECT_WGTILE_ANALYSIS_SHAREDARRAYS_H
#define SATTN_DIALECT_WGTILE_ANALYSIS_SHAREDARRAYS_H

#include "sattn/Dialect/WGTile/IR/WGTile.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace wgtile {

/// Whether a memref may lie in the shared memory of a CTA. The generic
/// address space (no memory space, or LLVM's 0) counts as outside: casts into
/// it from shared memory are refused (verifyDeclaredEffects).
bool isSharedMemory(mlir::Type type);

/// Whether a value is an array of the module in shared memory, as kernels that
/// sort and plan have (KernelBuilder::shared).
bool isSharedArray(mlir::Value value);

/// The effects of an op on shared memory and on the threads: those that it
/// lists (SyncOpInterface); else a barrier of the block for `gpu.barrier`, and
/// an access for each shared array that the op reads or writes. An array is
/// one place: threads may write or update different elements side by side, but
/// a barrier stands between writes and reads, writes and atomic updates.
void getSyncEffectsOf(mlir::Operation *op,
                      llvm::SmallVectorImpl<SyncEffect> &effects);

} // namespace wgtile

#endif // SATTN_DIALECT_WGTILE_ANALYSIS_SHAREDARRAYS_H
