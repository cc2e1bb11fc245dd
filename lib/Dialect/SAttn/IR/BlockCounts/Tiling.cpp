//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Loops of sattn.block_counts: batches, heads, and tiles of blocks of queries
// and of keys.

#include "TileSizes.h"

#include "../ResultTiling.h"

#include "sattn/Dialect/SAttn/IR/BlockCounts/BlockCountsOp.h"

using namespace mlir;
using namespace sattn;

SmallVector<utils::IteratorType> BlockCountsOp::getLoopIteratorTypes() {
  return SmallVector<utils::IteratorType>(4, utils::IteratorType::parallel);
}

SmallVector<Range> BlockCountsOp::getIterationDomain(OpBuilder &b) {
  SmallVector<Range> ranges;
  for (OpFoldResult size : tensor::getMixedSizes(b, getLoc(), getOut()))
    ranges.push_back({b.getIndexAttr(0), size, b.getIndexAttr(1)});
  return ranges;
}

LogicalResult BlockCountsOp::getResultTilePosition(
    OpBuilder &, unsigned number, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  resultOffsets.assign(offsets.begin(), offsets.end());
  resultSizes.assign(sizes.begin(), sizes.end());
  if (number == 1) {
    std::swap(resultOffsets[2], resultOffsets[3]);
    std::swap(resultSizes[2], resultSizes[3]);
  }
  return success();
}

/// Whether an integer of the mask's function depends on the query or the key.
static bool isOfPosition(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getArgNumber() == 2 || argument.getArgNumber() == 3;
  return llvm::any_of(value.getDefiningOp()->getOperands(), isOfPosition);
}

bool block_counts::hasSquareTiles(BlockCountsOp op) {
  constexpr int64_t kFirstCapture = 4;
  ArrayRef<int64_t> bounded = op.getBounded().value_or(ArrayRef<int64_t>());
  return llvm::none_of(
      op.getMaskMod().getArguments().drop_front(kFirstCapture),
      [&](BlockArgument capture) {
        bool isBounded = llvm::is_contained(
            bounded,
            static_cast<int64_t>(capture.getArgNumber()) - kFirstCapture);
        return !isBounded && isa<RankedTensorType>(capture.getType()) &&
               llvm::any_of(capture.getUsers(), [](Operation *user) {
                 auto read = dyn_cast<tensor::ExtractOp>(user);
                 return read && llvm::any_of(read.getIndices(), isOfPosition);
               });
      });
}

/// Tiles the op by slicing its results alone: `origin` says where the tile is.
FailureOr<TilingResult>
BlockCountsOp::getTiledImplementation(OpBuilder &b,
                                      ArrayRef<OpFoldResult> offsets,
                                      ArrayRef<OpFoldResult> sizes) {
  SmallVector<Value> origin =
      getValueOrCreateConstantIndexOp(b, getLoc(), offsets);
  FailureOr<TilingResult> result = cutResults(b, *this, offsets, sizes);
  if (failed(result))
    return failure();
  cast<BlockCountsOp>(result->tiledOps.front())
      .getOriginMutable()
      .assign(origin);
  return result;
}

FailureOr<SmallVector<OpFoldResult>> BlockCountsOp::getTileSizes(OpBuilder &b) {
  using namespace block_counts;
  bool isSquare = hasSquareTiles(*this);
  SmallVector<OpFoldResult> sizes(2, b.getIndexAttr(1));
  sizes.push_back(b.getIndexAttr(isSquare ? kRows : 1));
  sizes.push_back(b.getIndexAttr(isSquare ? kLanes : kTileBlocks));
  return sizes;
}
