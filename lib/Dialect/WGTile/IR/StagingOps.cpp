//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Ops of staged stores. The constraint numbers are those of the ops'
// descriptions.

#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Layout/SharedTile.h"
#include "sattn/Layout/WgmmaDescriptor.h"

using namespace mlir;
using namespace wgtile;

int64_t wgtile::getNumWarpgroups(RankedTensorType tile) {
  auto layout = dyn_cast_or_null<MmaAttr>(tile.getEncoding());
  bool isSplitByRows = layout && layout.getColumnWarps() == 1 &&
                       tile.getDimSize(0) == 16 * layout.getWarps();
  return isSplitByRows && layout.getWarps() % 4 == 0 ? layout.getWarps() / 4
                                                     : 0;
}

int64_t StagingOp::getTileBytes() {
  return getTile().getType().getTile().sizeInBytes();
}

LogicalResult StagingOp::verify() {
  // (C1)
  SharedType type = getTile().getType();
  bool hasSwizzle = type.getSwizzle() != 0;
  bool isUpright = hasSwizzle && type.getRows() == sattn::layout::kWgmmaRows &&
                   type.getColumns() == type.getTile().boxColumns();
  bool isTransposed = hasSwizzle &&
                      type.getColumns() == sattn::layout::kWgmmaRows &&
                      type.getRows() % sattn::layout::kSwizzleRows == 0;
  if (!isUpright && !isTransposed)
    return emitOpError() << "expected a tile of " << sattn::layout::kWgmmaRows
                         << " rows, each one row of its swizzle, or of as many "
                            "columns and a multiple of "
                         << sattn::layout::kSwizzleRows << " rows, but got "
                         << type;
  return success();
}

LogicalResult StoreSharedOp::verify() {
  // (C1)
  auto tile = cast<RankedTensorType>(getTile().getType());
  SharedType dest = getDest().getType();
  if (getNumWarpgroups(tile) == 0)
    return emitOpError() << "expected a tile of whole warpgroups, but got "
                         << tile;
  unsigned bits = tile.getElementTypeBitWidth();
  int64_t columns = getTransposed() ? dest.getRows() : dest.getColumns();
  if (tile.getElementType() != dest.getElementType() ||
      tile.getDimSize(1) != columns || (bits != 16 && bits != 32))
    return emitOpError() << "expected a tile of " << columns << " columns of "
                         << dest.getElementType()
                         << ", of 16 or 32 bits, but got " << tile;
  return success();
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
       source.getColumns() != source.getTile().boxColumns()))
    return emitOpError()
           << "expected a result of whole warpgroups and a source "
              "whose rows are one row of its swizzle, but got "
           << tile << " from " << source;
  return success();
}

static LogicalResult verifyIndices(Operation *op, TensorMapType map,
                                   ValueRange indices) {
  if (map.getBox().size() == indices.size())
    return success();
  return op->emitOpError() << "expected " << map.getBox().size()
                           << " indices, but got " << indices.size();
}

LogicalResult TmaStoreOp::verify() {
  // (C1)
  TensorMapType map = getDest().getType();
  if (failed(verifyIndices(*this, map, getIndices())))
    return failure();
  // (C2)
  SharedType tile = getSource().getType();
  SmallVector<int64_t> box(map.getBox().size(), 1);
  if (box.size() >= 2) {
    box[box.size() - 2] = tile.getRows();
    box.back() = tile.getTile().boxColumns();
  }
  if (map.getBox() != ArrayRef(box) ||
      map.getElementType() != tile.getElementType() ||
      map.getSwizzle() != tile.getSwizzle())
    return emitOpError() << "expected a map whose box is the tile " << tile
                         << ", but got " << map;
  return success();
}

LogicalResult PrefetchOp::verify() {
  // (C1)
  return verifyIndices(*this, getSource().getType(), getIndices());
}

LogicalResult BlockBarrierOp::verify() {
  // (C1)
  if ((*this)->getParentOfType<RolesOp>())
    return emitOpError("expected no role around a barrier of the thread block");
  return success();
}
