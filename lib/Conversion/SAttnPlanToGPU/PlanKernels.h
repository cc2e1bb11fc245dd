//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LIB_CONVERSION_SATTNPLANTOGPU_PLANKERNELS_H
#define SATTN_LIB_CONVERSION_SATTNPLANTOGPU_PLANKERNELS_H

#include "sattn/Dialect/SAttn/IR/SAttnMergeOp.h"
#include "sattn/Dialect/SAttn/IR/SAttnPlanOp.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/SymbolTable.h"

namespace sattn {

/// Adds the kernel that chooses the block rows of the row-block groups of a
/// `sattn.plan` on memrefs: it writes all columns of `row_block_groups` but the
/// second, which the kernel of the steps completes. A CTA has a window
/// of block rows; block b of the grid has window b % W of batch b / W, W
/// windows in a batch. The parameters are crow, col and row_block_groups.
mlir::gpu::GPUFuncOp buildGroupRowsKernel(PlanOp plan, llvm::StringRef name,
                                          mlir::gpu::GPUModuleOp module,
                                          mlir::SymbolTable &symbols);

/// Block rows of a window of that kernel, a multiple of the groups.
int64_t getGroupRowsWindow(PlanOp plan);

/// Adds the kernel that writes the steps of a `sattn.plan` on memrefs whose
/// row-block groups have their block rows. A CTA plans one row-block
/// group; block b of the grid has row-block group b % P of batch b / P, P
/// row-block groups in a batch. The parameters are crow, col, row_block_groups,
/// steps and the number of block columns.
mlir::gpu::GPUFuncOp buildPlanStepsKernel(PlanOp plan, llvm::StringRef name,
                                          mlir::gpu::GPUModuleOp module,
                                          mlir::SymbolTable &symbols);

/// Adds the kernel of a `sattn.merge` on memrefs: block b of the grid makes the
/// steps of group b. The parameters are offsets, q, p or r, counts, steps, and
/// the grid's width and number of matrices in a row.
mlir::gpu::GPUFuncOp buildMergeKernel(MergeOp merge, llvm::StringRef name,
                                      mlir::gpu::GPUModuleOp module,
                                      mlir::SymbolTable &symbols);

} // namespace sattn

#endif // SATTN_LIB_CONVERSION_SATTNPLANTOGPU_PLANKERNELS_H
