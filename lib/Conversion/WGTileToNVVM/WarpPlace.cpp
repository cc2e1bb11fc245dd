//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WarpPlace.h"

#include "TileRegisters.h"

using namespace mlir;
using namespace wgtile;
using namespace sattn::layout;

FailureOr<AccumulatorFragment> wgtile::getProductFragment(MmaOp op) {
  std::optional<TileRegisters> layout = TileRegisters::get(op.getType());
  auto aShared = dyn_cast<SharedType>(op.getA().getType());
  if (!layout || op.getB().getType().getSwizzle() == 0 ||
      (aShared && aShared.getSwizzle() == 0))
    return op.emitOpError(
        "expected tiles with layouts (wgtile-assign-layouts)");
  return getFragment(layout->type);
}

WarpPlace::WarpPlace(OpBuilder &b, Location loc, AccumulatorFragment fragment)
    : b(b), loc(loc), fragment(fragment) {
  lane = createLane(b, loc);
  Value warp = createTileWarp(b, loc);
  Value columnWarps = createI32(b, loc, fragment.columnWarps);
  columnWarp = arith::RemUIOp::create(b, loc, warp, columnWarps);
  rowWarp = arith::DivUIOp::create(b, loc, warp, columnWarps);
}

Value WarpPlace::leftChunk(const SharedTile &tile, Value offset, int64_t row,
                           Value laneRow, int64_t chunk, Value varying,
                           int64_t bound) {
  Value place = arith::AddIOp::create(
      b, loc, laneRow,
      arith::MulIOp::create(b, loc, rowWarp,
                            createI32(b, loc, kWarpRows * fragment.rowTiles)));
  if (fragment.rows() > tile.rows) {
    // Rows beyond the tile give rows of the result that are not stored.
    place = arith::AddIOp::create(b, loc, place, createI32(b, loc, row));
    place =
        arith::MinUIOp::create(b, loc, place, createI32(b, loc, tile.rows - 1));
    row = 0;
  }
  return ChunkAddress(b, loc, tile, offset)
      .get(row, place, chunk, varying, bound);
}
