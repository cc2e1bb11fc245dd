//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Places.h"

using namespace mlir;
using namespace sattn;

Value sattn::readEntry(OpBuilder &b, Location loc, Value list, Value position) {
  return tensor::ExtractOp::create(b, loc, list, position);
}

SmallVector<OpFoldResult> sattn::locate(OpBuilder &b, Location loc,
                                        Value offset, Value grid,
                                        int64_t rows) {
  int64_t rank = cast<RankedTensorType>(grid.getType()).getRank();
  Type type = offset.getType();
  auto extent = [&](int64_t dim) -> Value {
    OpFoldResult size = tensor::getMixedSize(b, loc, grid, rank + dim);
    if (std::optional<int64_t> known = getConstantIntValue(size))
      return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, *known));
    return arith::IndexCastOp::create(b, loc, type, cast<Value>(size));
  };
  Value height =
      arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, rows));
  // In rows of matrices' rows, each of H * rows.
  Value unit = arith::DivUIOp::create(b, loc, offset, extent(-1));
  Value perRow = arith::MulIOp::create(b, loc, extent(-3), height);
  auto asIndex = [&](Value number) -> OpFoldResult {
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), number)
        .getResult();
  };
  return {asIndex(arith::DivUIOp::create(b, loc, unit, perRow)),
          asIndex(arith::RemUIOp::create(b, loc, unit, perRow))};
}

OpFoldResult sattn::countEntries(OpBuilder &b, ScatterMmOp op) {
  Location loc = op.getLoc();
  if (op.getR())
    return tensor::getMixedSize(b, loc, op.getR(), 0);
  return affine::makeComposedFoldedAffineApply(
      b, loc, b.getAffineSymbolExpr(0) - 1,
      {tensor::getMixedSize(b, loc, op.getOffsets(), 0)});
}

Value sattn::clampEntry(OpBuilder &b, ScatterMmOp op, Value entry) {
  if (!op.getMetaAttr() || op.getListsPerTile() == 1)
    return entry;
  // Not affine: what entries that share a tile have in common is seen in their
  // number alone.
  Value last = getValueOrCreateConstantIndexOp(
      b, op.getLoc(),
      affine::makeComposedFoldedAffineApply(
          b, op.getLoc(), b.getAffineSymbolExpr(0) - 1, {countEntries(b, op)}));
  return arith::MinSIOp::create(b, op.getLoc(), entry, last);
}

SmallVector<OpFoldResult> sattn::locateEntry(OpBuilder &b, ScatterMmOp op,
                                             Value entry) {
  entry = clampEntry(b, op, entry);
  if (!op.getR())
    return {entry};
  Value offset = readEntry(b, op.getLoc(), op.getR(), entry);
  return locate(b, op.getLoc(), offset, op.getOthers(), op.getBlockRows());
}
