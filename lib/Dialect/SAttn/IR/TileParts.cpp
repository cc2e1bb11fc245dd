//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileParts.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace sattn;

Scale::Scale(Value value) : value(value) {
  FloatAttr attr;
  if (!matchPattern(value, m_Constant(&attr)))
    return;
  isConstant = true;
  isZero = attr.getValue().isZero();
  isOne = attr.getValue().isExactlyValue(1.0);
}

Value sattn::isNotZero(OpBuilder &b, Location loc, Value scalar) {
  Value zero =
      arith::ConstantOp::create(b, loc, b.getZeroAttr(scalar.getType()));
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, scalar, zero);
}

SmallVector<OpFoldResult> sattn::placeInBatches(OpBuilder &b, Location loc,
                                                Value operand, int64_t baseRank,
                                                ArrayRef<OpFoldResult> batch) {
  auto type = cast<RankedTensorType>(operand.getType());
  AffineExpr d0 = b.getAffineDimExpr(0), s0 = b.getAffineSymbolExpr(0);
  auto map = AffineMap::get(1, 1, {d0, s0 - 1}, b.getContext());
  SmallVector<OpFoldResult> places;
  for (auto [dim, place] :
       llvm::enumerate(batch.take_back(type.getRank() - baseRank))) {
    if (type.getDimSize(dim) == 1)
      places.push_back(b.getIndexAttr(0));
    else if (!type.isDynamicDim(dim))
      places.push_back(place);
    else
      places.push_back(affine::makeComposedFoldedAffineMin(
          b, loc, map, {place, tensor::getMixedSize(b, loc, operand, dim)}));
  }
  return places;
}

Value sattn::multiplyTiles(OpBuilder &b, Location loc, Value left,
                           bool isLeftTransposed, Value right,
                           bool isRightTransposed, Value sum) {
  Value factors[] = {left, right};
  if (!isLeftTransposed && !isRightTransposed)
    return linalg::MatmulOp::create(b, loc, factors, sum).getResult(0);
  if (!isLeftTransposed)
    return linalg::MatmulTransposeBOp::create(b, loc, sum.getType(), factors,
                                              sum)
        .getResult(0);
  AffineExpr m = b.getAffineDimExpr(0), n = b.getAffineDimExpr(1),
             k = b.getAffineDimExpr(2);
  auto map = [&](AffineExpr first, AffineExpr second) {
    return AffineMapAttr::get(
        AffineMap::get(3, 0, {first, second}, b.getContext()));
  };
  auto product = linalg::MatmulOp::create(b, loc, factors, sum);
  product.setIndexingMapsAttr(b.getArrayAttr(
      {map(k, m), isRightTransposed ? map(n, k) : map(k, n), map(m, n)}));
  return product.getResult(0);
}

Value sattn::readTile(OpBuilder &b, Location loc, Value source,
                      ArrayRef<OpFoldResult> lead, ArrayRef<OpFoldResult> first,
                      ArrayRef<int64_t> shape, OpFoldResult rows,
                      TypedAttr padding) {
  auto type = cast<RankedTensorType>(source.getType());
  int64_t leadRank = lead.size(), rank = type.getRank();
  OpFoldResult one = b.getIndexAttr(1), nothing = b.getIndexAttr(0);
  AffineExpr d0 = b.getAffineDimExpr(0), s0 = b.getAffineSymbolExpr(0);
  SmallVector<OpFoldResult> offsets(lead), sizes(leadRank, one),
      ones(rank, one), low(shape.size(), nothing), high;
  SmallVector<int64_t> inside;
  for (auto [i, size] : llvm::enumerate(shape)) {
    int64_t dim = leadRank + i;
    OpFoldResult begin = first[i];
    OpFoldResult clipped = affine::makeComposedFoldedAffineMin(
        b, loc,
        AffineMap::get(1, 1, {b.getAffineConstantExpr(size), s0 - d0},
                       b.getContext()),
        {begin, tensor::getMixedSize(b, loc, source, dim)});
    if (i == 0 && rows)
      clipped = rows;
    offsets.push_back(begin);
    sizes.push_back(clipped);
    inside.push_back(
        getConstantIntValue(clipped).value_or(ShapedType::kDynamic));
    high.push_back(
        affine::makeComposedFoldedAffineApply(b, loc, size - d0, {clipped}));
  }
  Type element = type.getElementType();
  Value slice = tensor::ExtractSliceOp::create(
      b, loc, RankedTensorType::get(inside, element), source, offsets, sizes,
      ones);
  if (ArrayRef(inside) == shape)
    return slice;
  Value filler = arith::ConstantOp::create(
      b, loc, padding ? padding : b.getZeroAttr(element));
  return tensor::PadOp::create(b, loc, RankedTensorType::get(shape, element),
                               slice, low, high, filler);
}
