//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Loops of sattn.flex_attention_dq and sattn.flex_attention_dkdv: batches,
// parts of the columns of gradients where these are too many for a tile, tiles
// of queries or of keys, and heads, which share L2 where they are walked side
// by side.

#include "../ResultTiling.h"

#include "sattn/Dialect/SAttn/IR/FlexAttentionBackward/FlexAttentionDcaptureOp.h"
#include "sattn/Dialect/SAttn/IR/FlexAttentionBackward/FlexAttentionDkdvOp.h"
#include "sattn/Dialect/SAttn/IR/FlexAttentionBackward/FlexAttentionDqOp.h"

using namespace mlir;
using namespace sattn;

/// Dimensions of the results along the loops: batches, if there are any,
/// columns where a tile has a part of them, rows, heads.
static SmallVector<int64_t> loopDims(ScoreOpInterface op) {
  int64_t lead = op.getLeadRank();
  SmallVector<int64_t> dims;
  if (lead == 2)
    dims.push_back(0);
  if (op.splitsColumns())
    dims.push_back(lead + 1);
  dims.append({lead, lead - 1});
  return dims;
}

static SmallVector<utils::IteratorType> getIteratorTypes(ScoreOpInterface op) {
  return SmallVector<utils::IteratorType>(op.getNumLoops(),
                                          utils::IteratorType::parallel);
}

static SmallVector<Range> getDomain(ScoreOpInterface op, OpBuilder &b) {
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  SmallVector<Range> ranges;
  for (int64_t dim : loopDims(op)) {
    OpFoldResult end =
        dim > op.getLeadRank()
            ? b.getIndexAttr(op.getTiledColumns())
            : tensor::getMixedSize(b, op.getLoc(), op.getOuts()[0], dim);
    ranges.push_back({zero, end, one});
  }
  return ranges;
}

/// A part of the columns of a result that has fewer than another one: parts
/// after its end are empty. The size has a bound that passes find.
static void clipColumns(OpBuilder &b, Location loc, int64_t columns,
                        int64_t part, OpFoldResult &offset,
                        OpFoldResult &size) {
  AffineExpr d0 = b.getAffineDimExpr(0), end = b.getAffineConstantExpr(columns);
  offset = affine::makeComposedFoldedAffineMin(
      b, loc, AffineMap::get(1, 0, {d0, end}, b.getContext()), {offset});
  size = affine::makeComposedFoldedAffineMin(
      b, loc,
      AffineMap::get(1, 0, {b.getAffineConstantExpr(part), end - d0},
                     b.getContext()),
      {offset});
}

static void getPosition(ScoreOpInterface op, OpBuilder &b, unsigned number,
                        ArrayRef<OpFoldResult> offsets,
                        ArrayRef<OpFoldResult> sizes,
                        SmallVector<OpFoldResult> &resultOffsets,
                        SmallVector<OpFoldResult> &resultSizes) {
  Value out = op.getOuts()[number];
  auto type = cast<RankedTensorType>(out.getType());
  resultOffsets.assign(type.getRank(), b.getIndexAttr(0));
  resultSizes = tensor::getMixedSizes(b, op.getLoc(), out);
  for (auto [loop, dim] : llvm::enumerate(loopDims(op))) {
    resultOffsets[dim] = offsets[loop];
    resultSizes[dim] = sizes[loop];
    int64_t columns = type.getShape().back();
    if (dim > op.getLeadRank() && columns < op.getTiledColumns())
      clipColumns(b, op.getLoc(), columns, op.getMetaAttr().getTile()[1],
                  resultOffsets[dim], resultSizes[dim]);
  }
  // The sizes are clipped by the first result's extents; a faulty program may
  // give another one apart from them.
  MetaAttr meta = op.getMetaAttr();
  int64_t rows = op.getLeadRank();
  if (number == 0 || !meta)
    return;
  AffineExpr d0 = b.getAffineDimExpr(0), s0 = b.getAffineSymbolExpr(0);
  resultSizes[rows] = affine::makeComposedFoldedAffineMin(
      b, op.getLoc(),
      AffineMap::get(
          1, 1,
          {b.getAffineConstantExpr(meta.getTile()[op.isByKeys() ? 2 : 0]),
           s0 - d0},
          b.getContext()),
      {resultOffsets[rows], tensor::getMixedSize(b, op.getLoc(), out, rows)});
}

/// Tiles an op by slicing its results alone: `origin` says where the tile is
/// among the rest.
template <typename OpTy>
static FailureOr<TilingResult> tile(OpTy op, OpBuilder &b,
                                    ArrayRef<OpFoldResult> offsets,
                                    ArrayRef<OpFoldResult> sizes) {
  SmallVector<Value> origin(op.getNumLoops());
  for (auto [loop, dim] : llvm::enumerate(loopDims(op)))
    origin[dim] =
        getValueOrCreateConstantIndexOp(b, op.getLoc(), offsets[loop]);
  FailureOr<TilingResult> result = cutResults(b, op, offsets, sizes);
  if (failed(result))
    return failure();
  cast<OpTy>(result->tiledOps.front()).getOriginMutable().assign(origin);
  return result;
}

static FailureOr<SmallVector<OpFoldResult>> getSizes(ScoreOpInterface op,
                                                     OpBuilder &b) {
  MetaAttr meta = op.getMetaAttr();
  if (!meta)
    return op->emitOpError("expected an attribute 'meta'; sattn-inject-meta "
                           "attaches one");
  SmallVector<OpFoldResult> result;
  ArrayRef<int64_t> tile = meta.getTile();
  for (int64_t dim : loopDims(op)) {
    int64_t place = dim - op.getLeadRank(); // Rows: 0; columns: 1.
    result.push_back(b.getIndexAttr(place < 0 ? 1
                                    : place == 1
                                        ? tile[1]
                                        : tile[op.isByKeys() ? 2 : 0]));
  }
  return result;
}

SmallVector<utils::IteratorType> FlexAttentionDqOp::getLoopIteratorTypes() {
  return getIteratorTypes(*this);
}

SmallVector<Range> FlexAttentionDqOp::getIterationDomain(OpBuilder &b) {
  return getDomain(*this, b);
}

LogicalResult FlexAttentionDqOp::getResultTilePosition(
    OpBuilder &b, unsigned number, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  getPosition(*this, b, number, offsets, sizes, resultOffsets, resultSizes);
  return success();
}

FailureOr<TilingResult>
FlexAttentionDqOp::getTiledImplementation(OpBuilder &b,
                                          ArrayRef<OpFoldResult> offsets,
                                          ArrayRef<OpFoldResult> sizes) {
  return tile(*this, b, offsets, sizes);
}

FailureOr<SmallVector<OpFoldResult>>
FlexAttentionDqOp::getTileSizes(OpBuilder &b) {
  return getSizes(*this, b);
}

TileSchedule FlexAttentionDqOp::getTileSchedule() {
  return getScheduleOf(getMetaAttr());
}

SmallVector<utils::IteratorType> FlexAttentionDkdvOp::getLoopIteratorTypes() {
  return getIteratorTypes(*this);
}

SmallVector<Range> FlexAttentionDkdvOp::getIterationDomain(OpBuilder &b) {
  return getDomain(*this, b);
}

LogicalResult FlexAttentionDkdvOp::getResultTilePosition(
    OpBuilder &b, unsigned number, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  getPosition(*this, b, number, offsets, sizes, resultOffsets, resultSizes);
  return success();
}

FailureOr<TilingResult>
FlexAttentionDkdvOp::getTiledImplementation(OpBuilder &b,
                                            ArrayRef<OpFoldResult> offsets,
                                            ArrayRef<OpFoldResult> sizes) {
  return tile(*this, b, offsets, sizes);
}

FailureOr<SmallVector<OpFoldResult>>
FlexAttentionDkdvOp::getTileSizes(OpBuilder &b) {
  return getSizes(*this, b);
}

TileSchedule FlexAttentionDkdvOp::getTileSchedule() {
  return getScheduleOf(getMetaAttr());
}

SmallVector<utils::IteratorType>
FlexAttentionDcaptureOp::getLoopIteratorTypes() {
  return getIteratorTypes(*this);
}

SmallVector<Range> FlexAttentionDcaptureOp::getIterationDomain(OpBuilder &b) {
  return getDomain(*this, b);
}

LogicalResult FlexAttentionDcaptureOp::getResultTilePosition(
    OpBuilder &b, unsigned number, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  getPosition(*this, b, number, offsets, sizes, resultOffsets, resultSizes);
  return success();
}

FailureOr<TilingResult>
FlexAttentionDcaptureOp::getTiledImplementation(OpBuilder &b,
                                                ArrayRef<OpFoldResult> offsets,
                                                ArrayRef<OpFoldResult> sizes) {
  return tile(*this, b, offsets, sizes);
}

FailureOr<SmallVector<OpFoldResult>>
FlexAttentionDcaptureOp::getTileSizes(OpBuilder &b) {
  return getSizes(*this, b);
}

TileSchedule FlexAttentionDcaptureOp::getTileSchedule() {
  return getScheduleOf(getMetaAttr());
}

bool FlexAttentionDcaptureOp::coversResults() { return false; }
