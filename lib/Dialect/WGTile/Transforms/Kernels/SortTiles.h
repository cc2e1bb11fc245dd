//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_KERNELS_SORTTILES_H
#define SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_KERNELS_SORTTILES_H

#include "sattn/Dialect/WGTile/Analysis/TileTripCount.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace wgtile {

/// Whether the host can have the tiles of a kernel sorted: the values that
/// their trip counts are computed from exist before the launch and any branch
/// around it.
bool canSortTiles(LaunchOp launch, mlir::gpu::GPUFuncOp kernel,
                  ForEachTileOp loop, const TileTripCount &tripCount);

/// Makes a kernel that sorts the tiles by their work, and its launch; returns
/// the memory with the order. Null if the tiles cannot be sorted.
mlir::Value sortTiles(LaunchOp launch, mlir::gpu::GPUFuncOp kernel,
                      ForEachTileOp loop);

} // namespace wgtile

#endif // SATTN_LIB_DIALECT_WGTILE_TRANSFORMS_KERNELS_SORTTILES_H
