//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_WGTILE_ANALYSIS_PIPELINEDLOOPS_H
#define SATTN_DIALECT_WGTILE_ANALYSIS_PIPELINEDLOOPS_H

#include "sattn/Dialect/WGTile/IR/WGTile.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace wgtile {

/// A loop whose loads from memrefs all threads can issue some iterations ahead.
struct PipelinedLoop {
  mlir::scf::ForOp loop;
  llvm::SmallVector<LoadOp> loads;
  /// The ops of the loop's body that compute the loads' indices, in order.
  llvm::SetVector<mlir::Operation *> slice;

  /// Bytes of one stage.
  int64_t getStageBytes();
};

/// The loops of a kernel whose loads can be issued ahead. A loop with loads is
/// excluded if its step is not 1, or if a load's indices need more than
/// arithmetic and loads of memory; `declined` is called with the reason.
llvm::SmallVector<PipelinedLoop> findPipelinedLoops(
    mlir::gpu::GPUFuncOp kernel,
    llvm::function_ref<void(mlir::scf::ForOp, llvm::StringRef)> declined = {});

} // namespace wgtile

#endif // SATTN_DIALECT_WGTILE_ANALYSIS_PIPELINEDLOOPS_H
