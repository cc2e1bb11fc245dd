//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_CODEGEN_COMMON_BLOCKMAPPING_H
#define SATTN_CODEGEN_COMMON_BLOCKMAPPING_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace sattn {

/// Loops and mapping ids that upstream's attribute can name.
inline constexpr int64_t kMaxBlockLoops = 10;

/// The mapping of loops to CTAs, which are numbered along one axis, the last
/// loop fastest: a grid's other axes end at 65535, and batches may be any
/// number of loops.
inline llvm::SmallVector<mlir::Attribute>
blockMapping(mlir::MLIRContext *context, int64_t numLoops) {
  llvm::SmallVector<mlir::Attribute> mapping;
  for (int64_t i = numLoops - 1; i >= 0; --i)
    mapping.push_back(mlir::gpu::GPUBlockMappingAttr::get(
        context,
        *mlir::gpu::symbolizeMappingId(
            static_cast<int64_t>(mlir::gpu::MappingId::LinearDim0) + i)));
  return mapping;
}

} // namespace sattn

#endif // SATTN_CODEGEN_COMMON_BLOCKMAPPING_H
