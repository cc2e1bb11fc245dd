//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/Utils/PackedRows.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <numeric>

using namespace mlir;
using namespace wgtile;

bool wgtile::isKnownMultipleOf(Value index, int64_t factor) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return *constant % factor == 0;
  auto apply = index.getDefiningOp<affine::AffineApplyOp>();
  return apply && apply.getAffineMap().getResult(0).isMultipleOf(factor);
}

/// Whether each use of a tile is as the left operand of an MMA.
static bool isLeftOperand(Value tile) {
  return llvm::all_of(tile.getUses(), [](OpOperand &use) {
    auto mma = dyn_cast<MmaOp>(use.getOwner());
    return mma && !mma.getTransposeA() && mma.getA() == use.get() &&
           mma.getB() != use.get();
  });
}

bool wgtile::mayPackRows(LoadOp load) {
  auto source = dyn_cast<MemRefType>(load.getSource().getType());
  if (!source || source.getRank() < 2)
    return false;
  SharedType tile = load.getTile().getType();
  int64_t bytes = tile.getElementBytes();
  int64_t rowBytes = tile.getColumns() * bytes;
  ArrayRef<int64_t> matrix = source.getShape().take_back(2);
  if (ShapedType::isDynamicShape(matrix) || matrix[1] != tile.getColumns() ||
      matrix[0] * rowBytes % kPackedSwizzle != 0 ||
      rowBytes % kPackedSwizzle == 0)
    return false;
  sattn::layout::SharedTile packed = {tile.getRows(), tile.getColumns(), bytes,
                                      kPackedSwizzle, /*isPacked=*/true};
  Value row = load.getIndices()[source.getRank() - 2];
  return !packed.invalidReason() &&
         isConstantIntValue(load.getIndices().back(), 0) &&
         isKnownMultipleOf(row, kPackedSwizzle /
                                    std::gcd(kPackedSwizzle, rowBytes)) &&
         isLeftOperand(load.getTile());
}

Value wgtile::createPackedRow(OpBuilder &b, LoadOp load, int64_t rowElements) {
  AffineExpr row = b.getAffineDimExpr(0);
  return getValueOrCreateConstantIndexOp(
      b, load.getLoc(),
      affine::makeComposedFoldedAffineApply(
          b, load.getLoc(),
          (row * load.getTile().getType().getColumns()).floorDiv(rowElements),
          {OpFoldResult(load.getIndices().drop_back().back())}));
}
