//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Ops of rings. The constraint numbers are those of the ops' descriptions.

#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Layout/SharedTile.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace wgtile;

int64_t RingType::getTileOffset(int64_t tile) const {
  int64_t bytes = 0;
  for (Type type : getTiles().take_front(tile)) {
    auto shared = cast<SharedType>(type);
    sattn::layout::SharedTile layout{shared.getRows(), shared.getColumns(),
                                     shared.getElementBytes(),
                                     shared.getSwizzle()};
    bytes = llvm::alignTo(bytes + layout.sizeInBytes(), layout.alignment());
  }
  return bytes;
}

int64_t RingType::getStageBytes() const {
  return getTileOffset(getTiles().size());
}

LogicalResult RingCopyOp::verify() {
  // (C1)
  ArrayRef<Type> tiles = getRing().getType().getTiles();
  if (getTile() < 0 || getTile() >= static_cast<int64_t>(tiles.size()))
    return emitOpError() << "expected a tile of the ring (0 to "
                         << tiles.size() - 1 << "), but got " << getTile();
  size_t rank = getSource().getType().getBox().size();
  if (getIndices().size() != rank)
    return emitOpError() << "expected " << rank << " indices, but got "
                         << getIndices().size();
  return success();
}

LogicalResult RingTakeOp::verify() {
  // (C1)
  if (TypeRange(getTiles().getTypes()) !=
      TypeRange(getRing().getType().getTiles()))
    return emitOpError() << "expected tiles of types "
                         << getRing().getType().getTiles() << ", but got "
                         << getTiles().getTypes();
  return success();
}
