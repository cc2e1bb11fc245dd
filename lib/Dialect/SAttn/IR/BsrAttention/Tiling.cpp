//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Loops of sattn.bsr_attention: batches, parts of the columns of V where these
// are too many for a tile, tiles of queries, and the last batch dimension,
// heads, which share L2 where they are walked side by side.

#include "../ResultTiling.h"

#include "sattn/Dialect/SAttn/IR/SAttn.h"

using namespace mlir;
using namespace sattn;

/// Dimensions of the result along the loops.
static SmallVector<int64_t> loopDims(BsrAttentionOp op) {
  int64_t batches = op.getBatchRank();
  SmallVector<int64_t> dims;
  for (int64_t dim = 0; dim < batches - 1; ++dim)
    dims.push_back(dim);
  if (op.splitsColumns())
    dims.push_back(batches + 1);
  dims.push_back(batches);
  if (batches > 0)
    dims.push_back(batches - 1);
  return dims;
}

SmallVector<utils::IteratorType> BsrAttentionOp::getLoopIteratorTypes() {
  return SmallVector<utils::IteratorType>(getNumLoops(),
                                          utils::IteratorType::parallel);
}

SmallVector<Range> BsrAttentionOp::getIterationDomain(OpBuilder &b) {
  SmallVector<Range> ranges;
  for (int64_t dim : loopDims(*this))
    ranges.push_back({b.getIndexAttr(0),
                      tensor::getMixedSize(b, getLoc(), getOut(), dim),
                      b.getIndexAttr(1)});
  return ranges;
}

LogicalResult BsrAttentionOp::getResultTilePosition(
    OpBuilder &b, unsigned, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  resultOffsets.assign(getBatchRank() + 2, b.getIndexAttr(0));
  resultSizes = tensor::getMixedSizes(b, getLoc(), getOut());
  for (auto [loop, dim] : llvm::enumerate(loopDims(*this))) {
    resultOffsets[dim] = offsets[loop];
    resultSizes[dim] = sizes[loop];
  }
  return success();
}

/// Of batches in row-major order.
static Value numberBatch(OpBuilder &b, BsrAttentionOp op,
                         ArrayRef<OpFoldResult> place) {
  AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1),
             s0 = b.getAffineSymbolExpr(0);
  OpFoldResult number = b.getIndexAttr(0);
  for (int64_t dim = 0; dim < op.getBatchRank(); ++dim)
    number = affine::makeComposedFoldedAffineApply(
        b, op.getLoc(), AffineMap::get(2, 1, d0 * s0 + d1),
        {number, place[dim],
         tensor::getMixedSize(b, op.getLoc(), op.getOut(), dim)});
  return getValueOrCreateConstantIndexOp(b, op.getLoc(), number);
}

/// Only `out` is cut: `origin` says where the tile is among the rest.
FailureOr<TilingResult>
BsrAttentionOp::getTiledImplementation(OpBuilder &b,
                                       ArrayRef<OpFoldResult> offsets,
                                       ArrayRef<OpFoldResult> sizes) {
  SmallVector<Value> origin(getNumOrigins());
  for (auto [loop, dim] : llvm::enumerate(loopDims(*this)))
    origin[dim] = getValueOrCreateConstantIndexOp(b, getLoc(), offsets[loop]);
  if (getRandom())
    origin.back() = numberBatch(
        b, *this,
        getAsOpFoldResult(ArrayRef(origin).take_front(getBatchRank())));
  FailureOr<TilingResult> result = cutResults(b, *this, offsets, sizes);
  if (failed(result))
    return failure();
  cast<BsrAttentionOp>(result->tiledOps.front())
      .getOriginMutable()
      .assign(origin);
  return result;
}

FailureOr<SmallVector<OpFoldResult>>
BsrAttentionOp::getTileSizes(OpBuilder &b) {
  MetaAttr meta = getMetaAttr();
  if (!meta)
    return emitOpError("expected an attribute 'meta'; sattn-inject-meta "
                       "attaches one");
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim : loopDims(*this)) {
    int64_t place = dim - getBatchRank(); // Of queries 0, of columns 1.
    sizes.push_back(b.getIndexAttr(place < 0 ? 1 : meta.getTile()[place]));
  }
  return sizes;
}

TileSchedule BsrAttentionOp::getTileSchedule() {
  return getScheduleOf(getMetaAttr());
}
