//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Loops of sattn.block_lists: kinds of lists, batches, heads and rows of
// blocks. A tile is one list.

#include "../ResultTiling.h"

#include "sattn/Dialect/SAttn/IR/BlockLists/BlockListsOp.h"

using namespace mlir;
using namespace sattn;

SmallVector<utils::IteratorType> BlockListsOp::getLoopIteratorTypes() {
  return SmallVector<utils::IteratorType>(3, utils::IteratorType::parallel);
}

SmallVector<Range> BlockListsOp::getIterationDomain(OpBuilder &b) {
  SmallVector<Range> ranges;
  for (OpFoldResult size : tensor::getMixedSizes(b, getLoc(), getNumbers(0)))
    ranges.push_back({b.getIndexAttr(0), size, b.getIndexAttr(1)});
  return ranges;
}

/// The position of a tile in a list, of which a tile has all columns.
LogicalResult BlockListsOp::getResultTilePosition(
    OpBuilder &b, unsigned number, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  resultOffsets.assign(offsets.begin(), offsets.end());
  resultSizes.assign(sizes.begin(), sizes.end());
  if (number % 2 == 1) {
    resultOffsets.push_back(b.getIndexAttr(0));
    resultSizes.push_back(
        tensor::getMixedSize(b, getLoc(), getOuts()[number], 3));
  }
  return success();
}

/// Tiles the op by slicing its results alone: `origin` says where the tile is.
FailureOr<TilingResult>
BlockListsOp::getTiledImplementation(OpBuilder &b,
                                     ArrayRef<OpFoldResult> offsets,
                                     ArrayRef<OpFoldResult> sizes) {
  SmallVector<Value> origin =
      getValueOrCreateConstantIndexOp(b, getLoc(), offsets);
  FailureOr<TilingResult> result = cutResults(b, *this, offsets, sizes);
  if (failed(result))
    return failure();
  cast<BlockListsOp>(result->tiledOps.front())
      .getOriginMutable()
      .assign(origin);
  return result;
}

FailureOr<SmallVector<OpFoldResult>> BlockListsOp::getTileSizes(OpBuilder &b) {
  return SmallVector<OpFoldResult>(3, b.getIndexAttr(1));
}
