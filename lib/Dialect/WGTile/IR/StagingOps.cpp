//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Ops of a warpgroup for itself. The constraint numbers are those of the ops'
// descriptions.

#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Layout/SharedTile.h"

using namespace mlir;
using namespace wgtile;

int64_t wgtile::getNumWarpgroups(RankedTensorType tile) {
  auto layout = dyn_cast_or_null<MmaAttr>(tile.getEncoding());
  bool isSplitByRows = layout && layout.getColumnWarps() == 1 &&
                       layout.getRun() == 2 &&
                       tile.getDimSize(0) == 16 * layout.getWarps();
  return isSplitByRows && layout.getWarps() % 4 == 0 ? layout.getWarps() / 4
                                                     : 0;
}

LogicalResult ReadSharedOp::verify() {
  // (C1)
  RankedTensorType tile = getTile().getType();
  SharedType source = getSource().getType();
  unsigned bits = source.getElementType().getIntOrFloatBitWidth();
  if (tile.getShape() != source.getShape() ||
      tile.getElementType() != source.getElementType() ||
      (bits != 16 && bits != 32))
    return emitOpError()
           << "expected a result of the shape and element type of "
              "the source, of 16 or 32 bits, but got "
           << tile << " from " << source;
  // (C2)
  if (tile.getEncoding() &&
      (getNumWarpgroups(tile) == 0 || source.getSwizzle() == 0 ||
       source.getColumns() % source.getTile().boxColumns() != 0 ||
       source.getPacked()))
    return emitOpError()
           << "expected a result of whole warpgroups and a source "
              "whose rows are whole rows of its swizzle, but got "
           << tile << " from " << source;
  return success();
}

LogicalResult PrefetchOp::verify() {
  // (C1)
  size_t rank = getSource().getType().getBox().size();
  if (getIndices().size() != rank)
    return emitOpError() << "expected " << rank << " indices, but got "
                         << getIndices().size();
  return success();
}

LogicalResult BlockBarrierOp::verify() {
  // (C1)
  if ((*this)->getParentOfType<RolesOp>())
    return emitOpError("expected no role around a barrier of the CTA");
  return success();
}
