//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Loops of sattn.bsr_softmax: batches, block rows, and parts of the rows of a
// block. A tile has all stored blocks of its rows: of `values` and `out` the
// part from the block row's first offset to the next one's.

#include "../ResultTiling.h"
#include "../TileParts.h"

#include "sattn/Dialect/SAttn/IR/BsrSoftmax/BsrSoftmaxOp.h"

using namespace mlir;
using namespace sattn;

SmallVector<utils::IteratorType> BsrSoftmaxOp::getLoopIteratorTypes() {
  return SmallVector<utils::IteratorType>(getBatchRank() + 2,
                                          utils::IteratorType::parallel);
}

SmallVector<Range> BsrSoftmaxOp::getIterationDomain(OpBuilder &b) {
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  SmallVector<Range> ranges;
  for (int64_t dim = 0; dim < getBatchRank(); ++dim)
    ranges.push_back(
        {zero, tensor::getMixedSize(b, getLoc(), getValues(), dim), one});
  OpFoldResult offsets = tensor::getMixedSize(
      b, getLoc(), getCrow(), getCrow().getType().getRank() - 1);
  ranges.push_back({zero,
                    affine::makeComposedFoldedAffineApply(
                        b, getLoc(), b.getAffineDimExpr(0) - 1, {offsets}),
                    one});
  ranges.push_back({zero, b.getIndexAttr(getBlockRows()), one});
  return ranges;
}

namespace {
/// The stored blocks of a tile's block row.
struct StoredBlocks {
  OpFoldResult first, count;
};
} // namespace

static StoredBlocks findBlocks(OpBuilder &b, BsrSoftmaxOp op,
                               ArrayRef<OpFoldResult> offsets) {
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> place = placeInBatches(
      b, loc, op.getCrow(), 1, offsets.take_front(op.getBatchRank()));
  OpFoldResult row = offsets[op.getBatchRank()];
  AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
  auto load = [&](AffineExpr expr) -> OpFoldResult {
    SmallVector<OpFoldResult> indices = place;
    indices.push_back(
        affine::makeComposedFoldedAffineApply(b, loc, expr, {row}));
    Value entry = tensor::ExtractOp::create(
        b, loc, op.getCrow(), getValueOrCreateConstantIndexOp(b, loc, indices));
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), entry)
        .getResult();
  };
  OpFoldResult first = load(d0), end = load(d0 + 1);
  return {first,
          affine::makeComposedFoldedAffineApply(b, loc, d1 - d0, {first, end})};
}

LogicalResult BsrSoftmaxOp::getResultTilePosition(
    OpBuilder &b, unsigned, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  int64_t batches = getBatchRank();
  StoredBlocks blocks = findBlocks(b, *this, offsets);
  resultOffsets.assign(offsets.begin(), offsets.begin() + batches);
  resultOffsets.append({blocks.first, offsets.back(), b.getIndexAttr(0)});
  resultSizes.assign(batches, b.getIndexAttr(1));
  resultSizes.append(
      {blocks.count, sizes.back(), b.getIndexAttr(getBlockColumns())});
  return success();
}

FailureOr<TilingResult>
BsrSoftmaxOp::getTiledImplementation(OpBuilder &b,
                                     ArrayRef<OpFoldResult> offsets,
                                     ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> outOffsets, outSizes;
  if (failed(getResultTilePosition(b, 0, offsets, sizes, outOffsets, outSizes)))
    return failure();
  SmallVector<Operation *> slices;
  auto slice = [&](Value source, ArrayRef<OpFoldResult> begin,
                   ArrayRef<OpFoldResult> shape) -> Value {
    SmallVector<OpFoldResult> ones(shape.size(), b.getIndexAttr(1));
    slices.push_back(tensor::ExtractSliceOp::create(b, getLoc(), source, begin,
                                                    shape, ones));
    return slices.back()->getResult(0);
  };
  // One list of indices of the tile's batch.
  auto sliceList = [&](Value source, OpFoldResult first, OpFoldResult count) {
    SmallVector<OpFoldResult> begin = placeInBatches(
        b, getLoc(), source, 1, offsets.take_front(getBatchRank()));
    SmallVector<OpFoldResult> shape(begin.size(), b.getIndexAttr(1));
    begin.push_back(first);
    shape.push_back(count);
    return slice(source, begin, shape);
  };
  int64_t batches = getBatchRank();
  Value crow = sliceList(getCrow(), offsets[batches], b.getIndexAttr(2));
  Value col = sliceList(getCol(), outOffsets[batches], outSizes[batches]);
  Value values = slice(getValues(), outOffsets, outSizes);
  Value out = slice(getOut(), outOffsets, outSizes);
  Operation *tiled =
      mlir::clone(b, getOperation(), {out.getType()}, {crow, col, values, out});
  return TilingResult{{tiled}, SmallVector<Value>(tiled->getResults()), slices};
}

FailureOr<SmallVector<OpFoldResult>> BsrSoftmaxOp::getTileSizes(OpBuilder &b) {
  MetaAttr meta = getMetaAttr();
  if (!meta)
    return emitOpError("expected an attribute 'meta'; sattn-inject-meta "
                       "attaches one");
  SmallVector<OpFoldResult> sizes(getBatchRank() + 1, b.getIndexAttr(1));
  sizes.push_back(b.getIndexAttr(meta.getTile()[0]));
  return sizes;
}

TileSchedule BsrSoftmaxOp::getTileSchedule() {
  return getScheduleOf(getMetaAttr());
}
