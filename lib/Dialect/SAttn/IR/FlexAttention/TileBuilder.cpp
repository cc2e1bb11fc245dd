//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileBuilder.h"

#include "../TileParts.h"

using namespace mlir;
using namespace sattn;
using namespace sattn::flex_attention;

TileBuilder::TileBuilder(OpBuilder &b, FlexAttentionOp op)
    : ImplicitLocOpBuilder(op.getLoc(), b), op(op),
      queries(op.getMetaAttr().getTile()[0]),
      keys(op.getMetaAttr().getTile()[2]) {
  AffineExpr i = getAffineDimExpr(0), j = getAffineDimExpr(1);
  tile = AffineMap::get(2, 0, {i, j}, getContext());
  row = AffineMap::get(2, 0, {i}, getContext());
  column = AffineMap::get(2, 0, {j}, getContext());
  vector = AffineMap::get(1, 0, {i}, getContext());
  zero = constant(0.0f);
  lowest = constant(-std::numeric_limits<float>::infinity());
}

Value TileBuilder::constant(float value) {
  return arith::ConstantOp::create(*this, getF32FloatAttr(value));
}

Value TileBuilder::index(int64_t value) {
  return arith::ConstantIndexOp::create(*this, value);
}

Value TileBuilder::asValue(OpFoldResult number) {
  return getValueOrCreateConstantIndexOp(*this, getLoc(), number);
}

Value TileBuilder::asI32(OpFoldResult number) {
  return arith::IndexCastOp::create(*this, getI32Type(), asValue(number));
}

Value TileBuilder::empty(ArrayRef<int64_t> shape, Type type) {
  return tensor::EmptyOp::create(*this, shape, type);
}

Value TileBuilder::fill(Value value, Value target) {
  return linalg::FillOp::create(*this, value, target).getResult(0);
}

Value TileBuilder::generic(ArrayRef<Value> inputs,
                           ArrayRef<AffineMap> inputMaps, Value target,
                           AffineMap outMap, Body body) {
  SmallVector<AffineMap> maps(inputMaps);
  maps.push_back(outMap);
  SmallVector<utils::IteratorType> iterators(outMap.getNumDims(),
                                             utils::IteratorType::parallel);
  for (unsigned dim = outMap.getNumResults(); dim < outMap.getNumDims(); ++dim)
    iterators[dim] = utils::IteratorType::reduction;
  return linalg::GenericOp::create(
             *this, target.getType(), inputs, target, maps, iterators,
             [&](OpBuilder &nested, Location loc, ValueRange args) {
               ImplicitLocOpBuilder inner(loc, nested);
               linalg::YieldOp::create(inner, body(inner, args));
             })
      .getResult(0);
}

Value TileBuilder::readTile(Value source, ArrayRef<OpFoldResult> lead,
                            ArrayRef<OpFoldResult> first,
                            ArrayRef<int64_t> shape) {
  return sattn::readTile(*this, getLoc(), source, lead, first, shape);
}

OpFoldResult TileBuilder::getBatch() {
  return op.getLeadRank() == 2 ? OpFoldResult(op.getOrigin().front())
                               : OpFoldResult(getIndexAttr(0));
}

SmallVector<OpFoldResult> TileBuilder::leadOf(Value tensor, OpFoldResult head) {
  SmallVector<OpFoldResult> lead = {head};
  if (op.getLeadRank() == 2)
    lead.insert(lead.begin(), getBatch());
  for (auto [dim, place] : llvm::enumerate(lead))
    if (cast<RankedTensorType>(tensor.getType()).getDimSize(dim) == 1)
      place = getIndexAttr(0);
  return lead;
}

OpFoldResult TileBuilder::getQueryCount() {
  OpFoldResult rows =
      tensor::getMixedSize(*this, getLoc(), op.getQ(), op.getLeadRank());
  if (!op.isPacked())
    return rows;
  return affine::makeComposedFoldedAffineApply(
      *this, getLoc(),
      getAffineDimExpr(0).floorDiv(static_cast<int64_t>(op.getPackedHeads())),
      {rows});
}

OpFoldResult TileBuilder::getLength() {
  if (length)
    return length;
  length = tensor::getMixedSize(*this, getLoc(), op.getK(), op.getLeadRank());
  if (Value lengths = op.getKeyLengths()) {
    OpFoldResult batch = op.getLeadRank() == 2 ? getBatch() : getHead();
    Value given = tensor::ExtractOp::create(*this, lengths, asValue(batch));
    given = arith::IndexCastOp::create(*this, getIndexType(), given);
    Value least = arith::MaxSIOp::create(*this, given, index(0));
    length = arith::MinSIOp::create(*this, least, asValue(length)).getResult();
  }
  return length;
}
