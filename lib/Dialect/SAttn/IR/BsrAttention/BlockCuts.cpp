//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockCuts.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;

/// Blocks of a part at least: a tile costs as much as about two blocks beside
/// its own, and a part's rows are written and read again.
static constexpr int64_t kLeastLength = 8;

sattn::BlockCuts::BlockCuts(ImplicitLocOpBuilder &b, Value stored, Value rows,
                            int64_t blockRows) {
  AffineExpr d0 = b.getAffineDimExpr(0);
  auto apply = [&](AffineExpr expr, OpFoldResult operand) {
    return getValueOrCreateConstantIndexOp(
        b, b.getLoc(),
        affine::makeComposedFoldedAffineApply(b, b.getLoc(), expr, {operand}));
  };
  count = apply(d0.floorDiv(2 * blockRows), rows);
  Value parts = apply(d0.floorDiv(2 * blockRows) + 1, rows);
  length = arith::CeilDivSIOp::create(b, stored, parts);
  length =
      arith::MaxSIOp::create(b, length, arith::ConstantIndexOp::create(b, 1));
  longest = apply(d0 + d0.floorDiv(4), length);
}

Value sattn::chooseCuts(ImplicitLocOpBuilder &b, Value stored, Value batches,
                        int64_t parts) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  Value one = constant(1);
  Value all = arith::MulIOp::create(b, stored, batches);
  Value length = arith::CeilDivSIOp::create(b, all, constant(parts));
  length = arith::MaxSIOp::create(b, length, constant(kLeastLength));
  // None at the end of the last part.
  Value last =
      arith::SubIOp::create(b, arith::MaxSIOp::create(b, stored, one), one);
  return arith::FloorDivSIOp::create(b, last, length);
}
