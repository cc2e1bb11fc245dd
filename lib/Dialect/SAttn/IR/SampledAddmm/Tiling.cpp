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
// blocks that follow each other may share a CTA. A run of blocks
// (Runs.h) is one tile, of whole blocks: then there is no loop over columns.

#include "../ResultTiling.h"
#include "Runs.h"

#include "sattn/Dialect/SAttn/IR/SampledAddmm/SampledAddmmOp.h"
#include "sattn/Tuning/SampledAddmm.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

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

/// Tiles the op by slicing `out` alone: `origin` says where the tile is among
/// the rest.
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

/// The blocks of a run: at most as many as the parameters say, in equal shares
/// for CTAs that run at one time. Loops around the op have one number
/// for all of its calls, and batches have runs enough.
static OpFoldResult chooseRun(OpBuilder &builder, SampledAddmmOp op) {
  using namespace tuning::sampled_addmm;
  int64_t most = op.getBlocksPerTile();
  if (!isa<FunctionOpInterface>(op->getParentOp()) || op.getBatchRank() != 0)
    return builder.getIndexAttr(std::min(most, kFixedRun));
  ImplicitLocOpBuilder b(op.getLoc(), builder);
  Value blocks = getValueOrCreateConstantIndexOp(
      b, op.getLoc(), tensor::getMixedSize(b, op.getLoc(), op.getOut(), 0));
  auto divide = [&](Value number, Value by) {
    return b.createOrFold<arith::MaxSIOp>(
        b.createOrFold<arith::CeilDivSIOp>(number, by),
        arith::ConstantIndexOp::create(b, 1));
  };
  Value atOnce = arith::ConstantIndexOp::create(b, kRunsAtOnce);
  Value times =
      divide(blocks, arith::ConstantIndexOp::create(b, kRunsAtOnce * most));
  return getAsOpFoldResult(
      divide(blocks, b.createOrFold<arith::MulIOp>(times, atOnce)));
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
    sizes[getBatchRank()] = chooseRun(b, *this);
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
