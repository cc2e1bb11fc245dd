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

static sattn::layout::SharedTile getLayout(Type type) {
  return cast<SharedType>(type).getTile();
}

int64_t RingType::getInstanceBytes(int64_t tile) const {
  sattn::layout::SharedTile layout = getLayout(getTiles()[tile]);
  return llvm::alignTo(layout.sizeInBytes(), layout.alignment());
}

int64_t RingType::getTileOffset(int64_t tile) const {
  int64_t bytes = 0;
  for (int64_t i = 0; i < tile; ++i)
    bytes = llvm::alignTo(bytes, getLayout(getTiles()[i]).alignment()) +
            getNumInstances(i) * getInstanceBytes(i);
  return llvm::alignTo(bytes, getLayout(getTiles()[tile]).alignment());
}

int64_t RingType::getStageBytes() const {
  int64_t last = getTiles().size() - 1;
  int64_t bytes =
      getTileOffset(last) + getNumInstances(last) * getInstanceBytes(last);
  // The next stage's tiles are aligned as this one's.
  for (Type tile : getTiles())
    bytes = llvm::alignTo(bytes, getLayout(tile).alignment());
  return bytes;
}

static LogicalResult verifyTile(Operation *op, RingType ring, int64_t tile) {
  int64_t count = ring.getTiles().size();
  if (tile >= 0 && tile < count)
    return success();
  return op->emitOpError() << "expected a tile of the ring (0 to " << count - 1
                           << "), but got " << tile;
}

LogicalResult TmaLoadOp::verify() {
  // (C1)
  RingType ring = getRing().getType();
  if (failed(verifyTile(*this, ring, getTile())))
    return failure();
  int64_t instances = ring.getNumInstances(getTile());
  int64_t instance = getInstance();
  if (instance < 0 || instance >= instances)
    return emitOpError() << "expected an instance of the tile (0 to "
                         << instances - 1 << "), but got " << instance;
  size_t rank = getSource().getType().getBox().size();
  if (getIndices().size() != rank)
    return emitOpError() << "expected " << rank << " indices, but got "
                         << getIndices().size();
  return success();
}

LogicalResult RingTileOp::verify() {
  // (C1)
  RingType ring = getRing().getType();
  if (failed(verifyTile(*this, ring, getTile())))
    return failure();
  if (getType() != ring.getTiles()[getTile()])
    return emitOpError() << "expected a tile of type "
                         << ring.getTiles()[getTile()] << ", but got "
                         << getType();
  // (C2)
  if ((ring.getNumInstances(getTile()) > 1) != static_cast<bool>(getInstance()))
    return emitOpError() << "expected an instance exactly where the tile has "
                            "several, but it has "
                         << ring.getNumInstances(getTile());
  return success();
}
