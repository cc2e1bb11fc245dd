//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LIB_CONVERSION_SATTNPLANTOGPU_PLANKERNELS_H
#define SATTN_LIB_CONVERSION_SATTNPLANTOGPU_PLANKERNELS_H

#include "sattn/Dialect/SAttn/IR/SAttn.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/SymbolTable.h"

namespace sattn {

/// Adds the kernel that chooses the block rows of the panels of a `sattn.plan`
/// on memrefs: it writes all columns of `panels` but the second, which the
/// kernel of the steps completes. A thread block has a window of block rows;
/// block b of the grid has window b % W of batch b / W, W windows in a batch.
/// The parameters are crow, col and panels.
mlir::gpu::GPUFuncOp buildGroupRowsKernel(PlanOp plan, llvm::StringRef name,
                                          mlir::gpu::GPUModuleOp module,
                                          mlir::SymbolTable &symbols);

/// Block rows of a window of that kernel, a multiple of the groups.
int64_t getGroupRowsWindow(PlanOp plan);

/// Adds the kernel that writes the steps of a `sattn.plan` on memrefs whose
/// panels have their block rows. A thread block plans one panel; block b of the
/// grid has panel b % P of batch b / P, P panels in a batch. The parameters are
/// crow, col, panels, steps and the number of block columns.
mlir::gpu::GPUFuncOp buildPlanStepsKernel(PlanOp plan, llvm::StringRef name,
                                          mlir::gpu::GPUModuleOp module,
                                          mlir::SymbolTable &symbols);

} // namespace sattn

#endif // SATTN_LIB_CONVERSION_SATTNPLANTOGPU_PLANKERNELS_H
