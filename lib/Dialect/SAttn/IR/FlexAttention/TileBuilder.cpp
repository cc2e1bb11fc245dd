//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileBuilder.h"

using namespace mlir;
using namespace sattn;
using namespace sattn::flex_attention;

TileBuilder::TileBuilder(OpBuilder &b, ScoreOpInterface op)
    : AttentionBuilder(b, op.getLoc(), op.getMetaAttr().getTile()[0],
                       op.getMetaAttr().getTile()[2], op.getScale().getType()),
      op(op), rows(op.isByKeys() ? keys : queries),
      walked(op.isByKeys() ? queries : keys), queryDim(op.isByKeys() ? 1 : 0),
      keyDim(1 - queryDim), byQuery(op.isByKeys() ? column : row),
      byKey(op.isByKeys() ? row : column) {
  scoreShape = {rows, walked};
}

void TileBuilder::setPlace(OpFoldResult batch, OpFoldResult head) {
  this->batch = batch;
  this->head = head;
  length = {};
}

OpFoldResult TileBuilder::getBatch() {
  if (batch)
    return batch;
  return op.getLeadRank() == 2 ? OpFoldResult(op.getOrigin().front())
                               : OpFoldResult(getIndexAttr(0));
}

OpFoldResult TileBuilder::getHead() {
  return head ? head : OpFoldResult(op.getOrigin()[op.getLeadRank() - 1]);
}

OpFoldResult TileBuilder::getKeyHead() {
  if (op.isByKeys())
    return op.getOrigin()[op.getLeadRank() - 1];
  int64_t group = op.getGroup();
  if (group == 1)
    return getHead();
  return affine::makeComposedFoldedAffineApply(
      *this, getLoc(), getAffineDimExpr(0).floorDiv(group), {getHead()});
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
