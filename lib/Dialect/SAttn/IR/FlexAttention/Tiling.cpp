//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Loops of sattn.flex_attention: batches, parts of the columns of V where these
// are too many for a tile, tiles of queries, and heads, which share L2 where
// they are walked side by side.

#include "../ResultTiling.h"

#include "sattn/Dialect/SAttn/IR/FlexAttention/FlexAttentionOp.h"

using namespace mlir;
using namespace sattn;

/// Dimensions of the result along the loops: B, E, M, H, without B where there
/// are no batches, and without E where a tile has all columns.
static SmallVector<int64_t> loopDims(FlexAttentionOp op) {
  int64_t lead = op.getLeadRank();
  SmallVector<int64_t> dims;
  if (lead == 2)
    dims.push_back(0);
  if (op.splitsColumns())
    dims.push_back(lead + 1);
  dims.append({lead, lead - 1});
  return dims;
}

SmallVector<utils::IteratorType> FlexAttentionOp::getLoopIteratorTypes() {
  return SmallVector<utils::IteratorType>(getNumLoops(),
                                          utils::IteratorType::parallel);
}

SmallVector<Range> FlexAttentionOp::getIterationDomain(OpBuilder &b) {
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  SmallVector<Range> ranges;
  for (int64_t dim : loopDims(*this))
    ranges.push_back(
        {zero, tensor::getMixedSize(b, getLoc(), getOut(), dim), one});
  return ranges;
}

LogicalResult FlexAttentionOp::getResultTilePosition(
    OpBuilder &b, unsigned number, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  Value out = getOuts()[number];
  auto type = cast<RankedTensorType>(out.getType());
  resultOffsets.assign(type.getRank(), b.getIndexAttr(0));
  resultSizes = tensor::getMixedSizes(b, getLoc(), out);
  for (auto [loop, dim] : llvm::enumerate(loopDims(*this))) {
    // Each part of the columns has the same lse.
    if (dim == type.getRank())
      continue;
    resultOffsets[dim] = offsets[loop];
    resultSizes[dim] = sizes[loop];
  }
  // The sizes are clipped by the first result's extents; a faulty program may
  // give the other one apart from them.
  MetaAttr meta = getMetaAttr();
  int64_t queries = getLeadRank();
  if (number > 0 && meta) {
    AffineExpr d0 = b.getAffineDimExpr(0), s0 = b.getAffineSymbolExpr(0);
    resultSizes[queries] = affine::makeComposedFoldedAffineMin(
        b, getLoc(),
        AffineMap::get(1, 1,
                       {b.getAffineConstantExpr(meta.getTile()[0]), s0 - d0},
                       b.getContext()),
        {resultOffsets[queries],
         tensor::getMixedSize(b, getLoc(), out, queries)});
  }
  return success();
}

/// Tiles the op by slicing its results alone: `origin` says where the tile is
/// among the rest.
FailureOr<TilingResult>
FlexAttentionOp::getTiledImplementation(OpBuilder &b,
                                        ArrayRef<OpFoldResult> offsets,
                                        ArrayRef<OpFoldResult> sizes) {
  SmallVector<Value> origin(getNumLoops());
  for (auto [loop, dim] : llvm::enumerate(loopDims(*this)))
    origin[dim] = getValueOrCreateConstantIndexOp(b, getLoc(), offsets[loop]);
  FailureOr<TilingResult> result = cutResults(b, *this, offsets, sizes);
  if (failed(result))
    return failure();
  cast<FlexAttentionOp>(result->tiledOps.front())
      .getOriginMutable()
      .assign(origin);
  return result;
}

FailureOr<SmallVector<OpFoldResult>>
FlexAttentionOp::getTileSizes(OpBuilder &b) {
  MetaAttr meta = getMetaAttr();
  if (!meta)
    return emitOpError("expected an attribute 'meta'; sattn-inject-meta "
                       "attaches one");
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim : loopDims(*this)) {
    int64_t place = dim - getLeadRank(); // Queries: 0; columns: 1.
    sizes.push_back(b.getIndexAttr(place < 0 ? 1 : meta.getTile()[place]));
  }
  return sizes;
}

TileSchedule FlexAttentionOp::getTileSchedule() {
  return getScheduleOf(getMetaAttr());
}
