//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIB_DIALECT_SATTN_IR_BLOCKCOUNTS_CAPTURERANGE_H
#define LIB_DIALECT_SATTN_IR_BLOCKCOUNTS_CAPTURERANGE_H

#include "../TileOpBuilder.h"

#include "sattn/Dialect/SAttn/Analysis/MaskBlocks.h"

namespace sattn::block_counts {

/// The least and the greatest of the elements that positions read, as the last
/// index after `lead`, of a captured tensor of integers. `lastIndices` are its
/// last ones in each dimension; indices beyond them read the last element.
mask::Interval findCaptureRange(TileOpBuilder &b, mlir::Value capture,
                                llvm::ArrayRef<mlir::Value> lastIndices,
                                mlir::ValueRange lead,
                                const mask::Interval &positions);

} // namespace sattn::block_counts

#endif // LIB_DIALECT_SATTN_IR_BLOCKCOUNTS_CAPTURERANGE_H
