//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Loops of sattn.flex_attention_dq and sattn.flex_attention_dkdv: batches,
// tiles of queries or of keys, and heads, which share L2 where they are walked
// side by side.

#include "../ResultTiling.h"

#include "sattn/Dialect/SAttn/IR/FlexAttentionBackward/FlexAttentionDcaptureOp.h"
#include "sattn/Dialect/SAttn/IR/FlexAttentionBackward/FlexAttentionDkdvOp.h"
#include "sattn/Dialect/SAttn/IR/FlexAttentionBackward/FlexAttentionDqOp.h"

using namespace mlir;
using namespace sattn;

/// Dimensions of the results along the loops: batches, if there are any, rows,
/// heads.
static SmallVector<int64_t> loopDims(ScoreOpInterface op) {
  int64_t lead = op.getLeadRank();
  SmallVector<int64_t> dims;
  if (lead == 2)
    dims.push_back(0);
  dims.append({lead, lead - 1});
  return dims;
}

static SmallVector<utils::IteratorType> getIteratorTypes(ScoreOpInterface op) {
  return SmallVector<utils::IteratorType>(op.getLeadRank() + 1,
                                          utils::IteratorType::parallel);
}

static SmallVector<Range> getDomain(ScoreOpInterface op, OpBuilder &b) {
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  SmallVector<Range> ranges;
  for (int64_t dim : loopDims(op))
    ranges.push_back(
        {zero, tensor::getMixedSize(b, op.getLoc(), op.getOuts()[0], dim),
         one});
  return ranges;
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

/// Only the results are cut: `origin` says where the tile is among the rest.
template <typename OpTy>
static FailureOr<TilingResult> tile(OpTy op, OpBuilder &b,
                                    ArrayRef<OpFoldResult> offsets,
                                    ArrayRef<OpFoldResult> sizes) {
  SmallVector<Value> origin(op.getLeadRank() + 1);
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
  for (int64_t dim : loopDims(op))
    result.push_back(b.getIndexAttr(
        dim < op.getLeadRank() ? 1 : meta.getTile()[op.isByKeys() ? 2 : 0]));
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
