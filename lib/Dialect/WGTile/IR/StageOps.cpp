//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Stages of shared memory. The constraint numbers are those of the ops'
// descriptions.

#include "sattn/Dialect/WGTile/IR/WGTile.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace wgtile;

/// Every tile takes a multiple of the widest swizzle's alignment, so that all
/// can follow one another.
static constexpr int64_t kTileAlignment = 1024;

int64_t StagesType::getTileOffset(int64_t tile) const {
  int64_t bytes = 0;
  for (Type type : getTiles().take_front(tile))
    bytes += llvm::alignTo(cast<SharedType>(type).getTile().sizeInBytes(),
                           kTileAlignment);
  return bytes;
}

LogicalResult AsyncCopyOp::verify() {
  // (C1)
  ArrayRef<Type> tiles = getStages().getType().getTiles();
  int64_t tile = getTile(), count = tiles.size();
  if (tile < 0 || tile >= count)
    return emitOpError() << "expected a tile of the stages (0 to " << count - 1
                         << "), but got " << tile;
  MemRefType source = getSource().getType();
  Type element = cast<SharedType>(tiles[tile]).getElementType();
  if (source.getElementType() != element)
    return emitOpError() << "expected a source of element type " << element
                         << ", but got " << source;
  if (!source.isStrided())
    return emitOpError() << "expected a strided source, but got " << source;
  // (C2)
  int64_t indices = getIndices().size();
  if (source.getRank() < 2 || indices != source.getRank())
    return emitOpError() << "expected a source of rank at least 2 and as many "
                            "indices, but got "
                         << source << " and " << indices;
  return success();
}

LogicalResult StageOp::verify() {
  // (C1)
  if (getTiles().getTypes() != TypeRange(getStages().getType().getTiles()))
    return emitOpError() << "expected the tiles of " << getStages().getType()
                         << ", but got " << getTiles().getTypes();
  return success();
}
