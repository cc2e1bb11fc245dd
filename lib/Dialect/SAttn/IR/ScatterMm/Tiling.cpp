//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// TilingInterface of sattn.scatter_mm: the loops are batches, entries, and rows
// and columns of a matrix of `out`. Entries are in any order, so that a list
// says where a tile is.

#include "../ResultTiling.h"

#include "Places.h"

#include "sattn/Dialect/SAttn/IR/SAttnMergeOp.h"
#include "sattn/Tuning/ScatterMm.h"

using namespace mlir;
using namespace sattn;

static_assert(tuning::scatter_mm::kMostLists == MergeOp::kMaxLists,
              "lists that share a tile are merged");

SmallVector<utils::IteratorType> ScatterMmOp::getLoopIteratorTypes() {
  return SmallVector<utils::IteratorType>(getBatchRank() + 3,
                                          utils::IteratorType::parallel);
}

SmallVector<Range> ScatterMmOp::getIterationDomain(OpBuilder &b) {
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  SmallVector<OpFoldResult> out = tensor::getMixedSizes(b, getLoc(), getOut());
  SmallVector<OpFoldResult> sizes(out.begin(), out.begin() + getBatchRank());
  sizes.push_back(getR() ? tensor::getMixedSize(b, getLoc(), getR(), 0)
                         : out.front());
  sizes.append(out.end() - 2, out.end());
  SmallVector<Range> ranges;
  for (OpFoldResult size : sizes)
    ranges.push_back({zero, size, one});
  return ranges;
}

LogicalResult ScatterMmOp::getResultTilePosition(
    OpBuilder &b, unsigned, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  int64_t batches = getBatchRank();
  Value entry = getValueOrCreateConstantIndexOp(b, getLoc(), offsets[batches]);
  resultOffsets.assign(offsets.begin(), offsets.begin() + batches);
  resultOffsets.append(locateEntry(b, *this, entry));
  resultOffsets.append(offsets.end() - 2, offsets.end());
  resultSizes.assign(resultOffsets.size() - 2, b.getIndexAttr(1));
  resultSizes.append(sizes.end() - 2, sizes.end());
  return success();
}

/// Tiles the op by slicing `out` alone: `origin` says where the tile is among
/// the rest.
FailureOr<TilingResult>
ScatterMmOp::getTiledImplementation(OpBuilder &b,
                                    ArrayRef<OpFoldResult> offsets,
                                    ArrayRef<OpFoldResult> sizes) {
  SmallVector<Value> origin =
      getValueOrCreateConstantIndexOp(b, getLoc(), offsets);
  FailureOr<TilingResult> result = cutResults(b, *this, offsets, sizes);
  if (failed(result))
    return failure();
  cast<ScatterMmOp>(result->tiledOps.front()).getOriginMutable().assign(origin);
  return result;
}

FailureOr<SmallVector<OpFoldResult>> ScatterMmOp::getTileSizes(OpBuilder &b) {
  MetaAttr meta = getMetaAttr();
  if (!meta)
    return emitOpError("expected an attribute 'meta'; sattn-inject-meta "
                       "attaches one");
  SmallVector<OpFoldResult> sizes(getBatchRank() + 1, b.getIndexAttr(1));
  if (getListsPerTile() > 1 && !getSteps())
    return emitOpError() << "expected a tile of one entry, but got "
                         << getListsPerTile()
                         << " (sattn-plan-row-block-groups merges their lists)";
  // Elements beyond a matrix are padding.
  ArrayRef<int64_t> tile = meta.getTile();
  sizes.push_back(b.getIndexAttr(std::min(getTileRows(), getBlockRows())));
  int64_t columns = getOut().getType().getShape().back();
  sizes.push_back(b.getIndexAttr(ShapedType::isDynamic(columns) || columns == 0
                                     ? tile[1]
                                     : std::min(tile[1], columns)));
  return sizes;
}

SmallVector<int64_t> ScatterMmOp::getTileGroups() {
  SmallVector<int64_t> groups(getBatchRank() + 3, 1);
  groups[getBatchRank()] = getListsPerTile();
  return groups;
}

/// The merged lists of the entries that share a tile.
void ScatterMmOp::planTiles(OpBuilder &b) {
  MetaAttr meta = getMetaAttr();
  if (!meta || getListsPerTile() == 1 || getSteps() || isTile())
    return;
  Location loc = getLoc();
  int64_t lists = getListsPerTile();
  AffineExpr s0 = b.getAffineSymbolExpr(0);
  OpFoldResult entries = countEntries(b, *this);
  OpFoldResult groups = affine::makeComposedFoldedAffineApply(
      b, loc, s0.ceilDiv(lists), {entries});
  auto isWide = [](Value list) {
    return list && getElementTypeOrSelf(list).isInteger(64);
  };
  Type element =
      isWide(getQ()) || isWide(getP()) ? b.getI64Type() : b.getI32Type();
  Value counts = tensor::EmptyOp::create(b, loc, {groups}, b.getI32Type());
  OpFoldResult pairs = tensor::getMixedSize(b, loc, getQ(), 0);
  Value steps = tensor::EmptyOp::create(
      b, loc, {pairs, b.getIndexAttr(1 + lists)}, element);
  int64_t rank = getOthers().getType().getRank();
  auto extent = [&](int64_t dim) {
    return getValueOrCreateConstantIndexOp(
        b, loc, tensor::getMixedSize(b, loc, getOthers(), rank + dim));
  };
  auto merge =
      MergeOp::create(b, loc, {counts.getType(), steps.getType()}, lists,
                      getBlockRows(), extent(-1), extent(-3), getOffsets(),
                      getQ(), getP(), getP() ? Value() : getR(), counts, steps);
  getCountsMutable().assign(merge->getResult(0));
  getStepsMutable().assign(merge->getResult(1));
}

TileSchedule ScatterMmOp::getTileSchedule() {
  return getScheduleOf(getMetaAttr());
}
