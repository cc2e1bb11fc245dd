//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Loops of sattn.bsr_softmax and sattn.bsr_softmax_backward: batches, block
// rows, and parts of the rows of a block. A tile has all stored blocks of its
// rows: of each array the part from the block row's first offset to the next
// one's.

#include "StoredRows.h"

#include "../ResultTiling.h"
#include "../TileParts.h"

#include "sattn/Dialect/SAttn/IR/BsrSoftmax/BsrSoftmaxBackwardOp.h"
#include "sattn/Dialect/SAttn/IR/BsrSoftmax/BsrSoftmaxOp.h"

using namespace mlir;
using namespace sattn;

static SmallVector<utils::IteratorType>
getIteratorTypes(const StoredRows &rows) {
  return SmallVector<utils::IteratorType>(rows.getBatchRank() + 2,
                                          utils::IteratorType::parallel);
}

static SmallVector<Range> getDomain(const StoredRows &rows, OpBuilder &b) {
  Location loc = rows.op->getLoc();
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  SmallVector<Range> ranges;
  for (int64_t dim = 0; dim < rows.getBatchRank(); ++dim)
    ranges.push_back(
        {zero, tensor::getMixedSize(b, loc, rows.values().value, dim), one});
  OpFoldResult offsets =
      tensor::getMixedSize(b, loc, rows.crow.value, rows.crow.batchRank());
  ranges.push_back({zero,
                    affine::makeComposedFoldedAffineApply(
                        b, loc, b.getAffineDimExpr(0) - 1, {offsets}),
                    one});
  ranges.push_back({zero, b.getIndexAttr(rows.getBlockRows()), one});
  return ranges;
}

namespace {
/// The stored blocks of a tile's block row.
struct StoredBlocks {
  OpFoldResult first, count;
};
} // namespace

/// The offsets and the sizes of the part of each array of blocks that a tile
/// has.
using ArrayPart =
    std::pair<SmallVector<OpFoldResult>, SmallVector<OpFoldResult>>;

static StoredBlocks findBlocks(OpBuilder &b, const StoredRows &rows,
                               ArrayRef<OpFoldResult> offsets) {
  Location loc = rows.op->getLoc();
  Value crow = rows.crow.value;
  SmallVector<OpFoldResult> place =
      placeInBatches(b, loc, crow, 1, offsets.take_front(rows.getBatchRank()));
  OpFoldResult row = offsets[rows.getBatchRank()];
  AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
  auto load = [&](AffineExpr expr) -> OpFoldResult {
    SmallVector<OpFoldResult> indices = place;
    indices.push_back(
        affine::makeComposedFoldedAffineApply(b, loc, expr, {row}));
    Value entry = tensor::ExtractOp::create(
        b, loc, crow, getValueOrCreateConstantIndexOp(b, loc, indices));
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), entry)
        .getResult();
  };
  OpFoldResult first = load(d0), end = load(d0 + 1);
  return {first,
          affine::makeComposedFoldedAffineApply(b, loc, d1 - d0, {first, end})};
}

static ArrayPart findPart(OpBuilder &b, const StoredRows &rows,
                          ArrayRef<OpFoldResult> offsets,
                          ArrayRef<OpFoldResult> sizes) {
  int64_t batches = rows.getBatchRank();
  StoredBlocks blocks = findBlocks(b, rows, offsets);
  SmallVector<OpFoldResult> first(offsets.take_front(batches)),
      shape(batches, b.getIndexAttr(1));
  first.append({blocks.first, offsets.back(), b.getIndexAttr(0)});
  shape.append(
      {blocks.count, sizes.back(), b.getIndexAttr(rows.getBlockColumns())});
  return {first, shape};
}

static FailureOr<TilingResult> tileRows(const StoredRows &rows, OpBuilder &b,
                                        ArrayRef<OpFoldResult> offsets,
                                        ArrayRef<OpFoldResult> sizes) {
  Location loc = rows.op->getLoc();
  auto [partOffsets, partSizes] = findPart(b, rows, offsets, sizes);
  SmallVector<Operation *> slices;
  auto slice = [&](Value source, ArrayRef<OpFoldResult> begin,
                   ArrayRef<OpFoldResult> shape) -> Value {
    SmallVector<OpFoldResult> ones(shape.size(), b.getIndexAttr(1));
    slices.push_back(
        tensor::ExtractSliceOp::create(b, loc, source, begin, shape, ones));
    return slices.back()->getResult(0);
  };
  // One list of indices of the tile's batch.
  int64_t batches = rows.getBatchRank();
  auto sliceList = [&](Value source, OpFoldResult first, OpFoldResult count) {
    SmallVector<OpFoldResult> begin =
        placeInBatches(b, loc, source, 1, offsets.take_front(batches));
    SmallVector<OpFoldResult> shape(begin.size(), b.getIndexAttr(1));
    begin.push_back(first);
    shape.push_back(count);
    return slice(source, begin, shape);
  };
  SmallVector<Value> operands = {
      sliceList(rows.crow.value, offsets[batches], b.getIndexAttr(2)),
      sliceList(rows.col.value, partOffsets[batches], partSizes[batches])};
  for (const NamedOperand &input : rows.inputs)
    operands.push_back(slice(input.value, partOffsets, partSizes));
  operands.push_back(slice(rows.out.value, partOffsets, partSizes));
  Operation *tiled =
      mlir::clone(b, rows.op, {operands.back().getType()}, operands);
  return TilingResult{{tiled}, SmallVector<Value>(tiled->getResults()), slices};
}

static FailureOr<SmallVector<OpFoldResult>> getSizes(const StoredRows &rows,
                                                     OpBuilder &b) {
  if (!rows.meta)
    return rows.op->emitOpError("expected an attribute 'meta'; "
                                "sattn-inject-meta attaches one");
  SmallVector<OpFoldResult> sizes(rows.getBatchRank() + 1, b.getIndexAttr(1));
  sizes.push_back(b.getIndexAttr(rows.meta.getTile()[0]));
  return sizes;
}

SmallVector<utils::IteratorType> BsrSoftmaxOp::getLoopIteratorTypes() {
  return getIteratorTypes(*this);
}

SmallVector<Range> BsrSoftmaxOp::getIterationDomain(OpBuilder &b) {
  return getDomain(*this, b);
}

LogicalResult BsrSoftmaxOp::getResultTilePosition(
    OpBuilder &b, unsigned, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  std::tie(resultOffsets, resultSizes) = findPart(b, *this, offsets, sizes);
  return success();
}

FailureOr<TilingResult>
BsrSoftmaxOp::getTiledImplementation(OpBuilder &b,
                                     ArrayRef<OpFoldResult> offsets,
                                     ArrayRef<OpFoldResult> sizes) {
  return tileRows(*this, b, offsets, sizes);
}

FailureOr<SmallVector<OpFoldResult>> BsrSoftmaxOp::getTileSizes(OpBuilder &b) {
  return getSizes(*this, b);
}

TileSchedule BsrSoftmaxOp::getTileSchedule() {
  return getScheduleOf(getMetaAttr());
}

SmallVector<utils::IteratorType> BsrSoftmaxBackwardOp::getLoopIteratorTypes() {
  return getIteratorTypes(*this);
}

SmallVector<Range> BsrSoftmaxBackwardOp::getIterationDomain(OpBuilder &b) {
  return getDomain(*this, b);
}

LogicalResult BsrSoftmaxBackwardOp::getResultTilePosition(
    OpBuilder &b, unsigned, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  std::tie(resultOffsets, resultSizes) = findPart(b, *this, offsets, sizes);
  return success();
}

FailureOr<TilingResult>
BsrSoftmaxBackwardOp::getTiledImplementation(OpBuilder &b,
                                             ArrayRef<OpFoldResult> offsets,
                                             ArrayRef<OpFoldResult> sizes) {
  return tileRows(*this, b, offsets, sizes);
}

FailureOr<SmallVector<OpFoldResult>>
BsrSoftmaxBackwardOp::getTileSizes(OpBuilder &b) {
  return getSizes(*this, b);
}

TileSchedule BsrSoftmaxBackwardOp::getTileSchedule() {
  return getScheduleOf(getMetaAttr());
}
