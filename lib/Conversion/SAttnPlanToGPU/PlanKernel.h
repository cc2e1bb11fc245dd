//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LIB_CONVERSION_SATTNPLANTOGPU_PLANKERNEL_H
#define SATTN_LIB_CONVERSION_SATTNPLANTOGPU_PLANKERNEL_H

#include "sattn/Dialect/SAttn/IR/SAttn.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/SymbolTable.h"

namespace sattn {

/// Adds the kernel of a `sattn.plan` on memrefs to a GPU module. A thread block
/// plans one panel; block b of the grid has panel b % P of batch b / P, P
/// panels in a batch. The parameters are crow, col, panels, steps and the
/// number of block columns.
mlir::gpu::GPUFuncOp buildPlanKernel(PlanOp plan, llvm::StringRef name,
                                     mlir::gpu::GPUModuleOp module,
                                     mlir::SymbolTable &symbols);

} // namespace sattn

#endif // SATTN_LIB_CONVERSION_SATTNPLANTOGPU_PLANKERNEL_H
