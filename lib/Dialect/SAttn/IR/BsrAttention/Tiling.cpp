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

#include "BlockCuts.h"
#include "Parts.h"

#include "../ResultTiling.h"

#include "sattn/Dialect/SAttn/IR/BsrAttention/BsrAttentionOp.h"
#include "sattn/Dialect/SAttn/IR/BsrAttention/CombinePartsOp.h"

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
                      dim == getBatchRank() && hasParts()
                          ? countTileRows(b, *this)
                          : tensor::getMixedSize(b, getLoc(), getOut(), dim),
                      b.getIndexAttr(1)});
  return ranges;
}

/// The part of a block row that is a tile.
static Part findPartAt(OpBuilder &b, BsrAttentionOp op,
                       ArrayRef<OpFoldResult> offsets) {
  SmallVector<OpFoldResult> batch(op.getBatchRank());
  OpFoldResult row;
  for (auto [loop, dim] : llvm::enumerate(loopDims(op)))
    if (dim < op.getBatchRank())
      batch[dim] = offsets[loop];
    else if (dim == op.getBatchRank())
      row = offsets[loop];
  return findPart(b, op, row, batch);
}

LogicalResult BsrAttentionOp::getResultTilePosition(
    OpBuilder &b, unsigned number, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  Value result = getDestination(getOuts()[number]);
  int64_t rows = getBatchRank(),
          rank = cast<RankedTensorType>(result.getType()).getRank();
  resultOffsets.assign(rank, b.getIndexAttr(0));
  resultSizes = tensor::getMixedSizes(b, getLoc(), result);
  for (auto [loop, dim] : llvm::enumerate(loopDims(*this))) {
    if (dim == rank) // Each part of the columns has the same lse.
      continue;
    resultOffsets[dim] = offsets[loop];
    resultSizes[dim] = sizes[loop];
  }
  if (number != 0 && hasLse())
    resultSizes[rows] = clipRows(b, result, rows, resultOffsets[rows],
                                 getMetaAttr().getTile()[0]);
  if (!hasParts())
    return success();
  Part part = findPartAt(b, *this, offsets);
  resultOffsets[rows] = number == 0 ? part.outRow : part.partialRow;
  resultSizes[rows] = clipRows(b, result, rows, resultOffsets[rows],
                               getMetaAttr().getTile()[0]);
  return success();
}

/// The number of a batch, in row-major order.
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

/// Tiles the op by slicing its results alone: `origin` says where the tile is
/// among the rest.
FailureOr<TilingResult>
BsrAttentionOp::getTiledImplementation(OpBuilder &b,
                                       ArrayRef<OpFoldResult> offsets,
                                       ArrayRef<OpFoldResult> sizes) {
  SmallVector<Value> origin(getNumOrigins());
  for (auto [loop, dim] : llvm::enumerate(loopDims(*this)))
    origin[dim] = getValueOrCreateConstantIndexOp(b, getLoc(), offsets[loop]);
  if (getRandom())
    origin[getNumLoops()] = numberBatch(
        b, *this,
        getAsOpFoldResult(ArrayRef(origin).take_front(getBatchRank())));
  if (hasParts()) {
    Part part = findPartAt(b, *this, offsets);
    origin[getBatchRank()] = part.query;
    origin.end()[-2] = part.begin;
    origin.end()[-1] = part.size;
  }
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
    int64_t place = dim - getBatchRank(); // Queries: 0; columns: 1.
    sizes.push_back(b.getIndexAttr(place < 0 ? 1 : meta.getTile()[place]));
  }
  return sizes;
}

/// Whether tiles cover the results: long rows of `out`, and all other rows of
/// `partial`, are in no tile.
bool BsrAttentionOp::coversResults() { return !hasParts(); }

/// The schedule without `split_k`, which is the number of parts of all block
/// rows; no CTAs share a tile.
TileSchedule BsrAttentionOp::getTileSchedule() {
  TileSchedule schedule = getScheduleOf(getMetaAttr());
  schedule.splitK = std::nullopt;
  return schedule;
}

/// Adds memory for the parts of long block rows, and the op that combines them.
void BsrAttentionOp::planTiles(OpBuilder &builder) {
  MetaAttr meta = getMetaAttr();
  bool isWide = getQ().getType().getElementType().isF64(); // (C17)
  if (!meta || !meta.getSplitK() || hasParts() || hasLse() || isTile() ||
      isWide)
    return;
  ImplicitLocOpBuilder b(getLoc(), builder);
  auto asValue = [&](OpFoldResult number) {
    return getValueOrCreateConstantIndexOp(b, b.getLoc(), number);
  };
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, b.getLoc(), getOut());
  Value batches = arith::ConstantIndexOp::create(b, 1);
  for (OpFoldResult size : ArrayRef(sizes).take_front(getBatchRank()))
    batches = arith::MulIOp::create(b, batches, asValue(size));
  Value stored = asValue(tensor::getMixedSize(
      b, b.getLoc(), getCol(), getCol().getType().getRank() - 1));
  Value cuts = chooseCuts(b, stored, batches, *meta.getSplitK());
  // No affine expression: what is clipped to this number of rows then still
  // ends where the tensor does.
  sizes[getBatchRank()] =
      arith::MulIOp::create(
          b, cuts, arith::ConstantIndexOp::create(b, 2 * getBlockRows()))
          .getResult();
  Type f32 = b.getF32Type();
  Value partial = tensor::EmptyOp::create(b, sizes, f32);
  sizes.pop_back();
  Value lse = tensor::EmptyOp::create(b, sizes, f32);

  SmallVector<Value> outs = {getOut(), partial, lse};
  auto split = BsrAttentionOp::create(
      b, TypeRange(outs), getScale(), getCrow(), getCol(), getQ(), getK(),
      getV(), getProbability(), getRandom(), /*origin=*/ValueRange(), outs,
      getBlockSizeAttr(), getPrecisionAttr(), meta);
  split->setDiscardableAttrs((*this)->getDiscardableAttrDictionary());
  auto combined = CombinePartsOp::create(
      b, getOut().getType(), stored, getCrow(), split->getResult(1),
      split->getResult(2), /*origin=*/ValueRange(), split->getResult(0),
      b.getI64IntegerAttr(getBlockRows()));
  getOperation()->replaceAllUsesWith(combined->getResults());
  erase();
}
