//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// TilingInterface of sattn.sampled_addmm: the loops are the dimensions of
// `out`, batches, stored blocks, and rows and columns of a block. A tile is
// never of more than one block, since blocks are not near each other; tiles of
// blocks that follow each other may share a thread block. A run of blocks
// (Runs.h) is one tile, of whole blocks: then there is no loop over columns.

#include "../ResultTiling.h"
#include "Runs.h"

#include "sattn/Dialect/SAttn/IR/SAttn.h"

using namespace mlir;
using namespace sattn;

SmallVector<utils::IteratorType> SampledAddmmOp::getLoopIteratorTypes() {
  return SmallVector<utils::IteratorType>(getOut().getType().getRank() -
                                              isRun(*this),
                                          utils::IteratorType::parallel);
}

SmallVector<Range> SampledAddmmOp::getIterationDomain(OpBuilder &b) {
  SmallVector<Range> ranges;
  for (OpFoldResult size : tensor::getMixedSizes(b, getLoc(), getOut()))
    ranges.push_back({b.getIndexAttr(0), size, b.getIndexAttr(1)});
  if (isRun(*this))
    ranges.pop_back();
  return ranges;
}

LogicalResult SampledAddmmOp::getResultTilePosition(
    OpBuilder &b, unsigned, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  resultOffsets.assign(offsets.begin(), offsets.end());
  resultSizes.assign(sizes.begin(), sizes.end());
  if (isRun(*this)) {
    resultOffsets.push_back(b.getIndexAttr(0));
    resultSizes.back() = b.getIndexAttr(getBlockRows());
    resultSizes.push_back(b.getIndexAttr(getBlockColumns()));
  }
  return success();
}

/// Only `out` is cut: `origin` says where the tile is among the rest.
FailureOr<TilingResult>
SampledAddmmOp::getTiledImplementation(OpBuilder &b,
                                       ArrayRef<OpFoldResult> offsets,
                                       ArrayRef<OpFoldResult> sizes) {
  SmallVector<Value> origin =
      getValueOrCreateConstantIndexOp(b, getLoc(), offsets);
  if (isRun(*this))
    origin.push_back(arith::ConstantIndexOp::create(b, getLoc(), 0));
  FailureOr<TilingResult> result = cutResults(b, *this, offsets, sizes);
  if (failed(result))
    return failure();
  auto tiled = cast<SampledAddmmOp>(result->tiledOps.front());
  tiled.setBlockSizeAttr(
      b.getDenseI64ArrayAttr({getBlockRows(), getBlockColumns()}));
  tiled.getOriginMutable().assign(origin);
  return result;
}

FailureOr<SmallVector<OpFoldResult>>
SampledAddmmOp::getTileSizes(OpBuilder &b) {
  MetaAttr meta = getMetaAttr();
  if (!meta)
    return emitOpError("expected a 'meta' attribute with tile sizes, but got "
                       "none (sattn-inject-meta attaches one)");
  SmallVector<OpFoldResult> sizes(getBatchRank() + 1, b.getIndexAttr(1));
  sizes.push_back(b.getIndexAttr(meta.getTile()[0]));
  if (isRun(*this))
    sizes[getBatchRank()] = b.getIndexAttr(getBlocksPerTile());
  else
    sizes.push_back(b.getIndexAttr(getTileColumns()));
  return sizes;
}

SmallVector<int64_t> SampledAddmmOp::getTileGroups() {
  if (isRun(*this))
    return {};
  SmallVector<int64_t> groups(getBatchRank() + 3, 1);
  groups[getBatchRank()] = getBlocksPerTile();
  return groups;
}

TileSchedule SampledAddmmOp::getTileSchedule() {
  return getScheduleOf(getMetaAttr());
}
