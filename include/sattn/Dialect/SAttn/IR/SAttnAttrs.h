//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_IR_SATTNATTRS_H
#define SATTN_DIALECT_SATTN_IR_SATTNATTRS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"

#include <optional>

namespace sattn {
/// Hints for the schedule of the kernel that computes an op's tiles. The passes
/// choose absent values, and values instead of impossible ones.
struct TileSchedule {
  /// Steps of the reduction in flight together, warps that compute a tile,
  /// columns of tiles that are walked together, and CTAs that share the
  /// reduction of a tile.
  std::optional<int64_t> stages, warps, rasterGroup, splitK;
  /// On the CPU: rows, and vectors of a row, of a product's accumulator in
  /// registers, and the most threads that compute tiles.
  std::optional<int64_t> registerRows, registerVectors, threads;
};
} // namespace sattn

#include "sattn/Dialect/SAttn/IR/SAttnDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "sattn/Dialect/SAttn/IR/SAttnAttrs.h.inc"

#endif // SATTN_DIALECT_SATTN_IR_SATTNATTRS_H
