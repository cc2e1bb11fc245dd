//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SwizzledRows.h"

#include "I32Arithmetic.h"

#include "sattn/Layout/SharedTile.h"
#include "sattn/Layout/WgmmaDescriptor.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace wgtile;
using namespace sattn::layout;

Value SwizzledRows::firstPlace(Value warpgroup) {
  I32Arithmetic a{b, loc};
  Value lane = createLane(b, loc);
  if (tile.getElementBytes() == 2)
    return chunkPlace(warpgroup, a.rem(lane, kWarpRows),
                      a.div(lane, kWarpRows));
  Value quadLane = a.rem(lane, 4);
  return a.add(chunkPlace(warpgroup, a.div(lane, 4), a.div(quadLane, 2)),
               a.mul(a.rem(quadLane, 2), kChunkBytes / 2));
}

Value SwizzledRows::firstTransposedPlace(Value warpgroup) {
  I32Arithmetic a{b, loc};
  Value lane = createLane(b, loc);
  Value warp = a.rem(a.div(createThreadId(b, loc), kWarpThreads), 4);
  SharedTile layout = tile.getTile();
  int64_t rowBytes = tile.getSwizzle();
  Value row, chunk;
  Value place = a.mul(warpgroup, layout.sizeInBytes());
  if (tile.getElementBytes() == 2) {
    row = a.add(a.mul(a.div(lane, kWarpRows), kSwizzleRows),
                a.rem(lane, kSwizzleRows));
    chunk = a.add(a.mul(warp, 2), a.rem(a.div(lane, kSwizzleRows), 2));
  } else {
    // Two warps fill a box; a lane's first row and column.
    row = a.mul(a.rem(lane, 4), 2);
    Value column = a.div(lane, 4);
    chunk = a.add(a.mul(a.rem(warp, 2), 4), a.div(column, 4));
    place = a.add(place, a.mul(a.div(warp, 2), layout.boxBytes()));
    place = a.add(place, a.mul(a.rem(column, 4), tile.getElementBytes()));
  }
  Value swizzled = a.xOr(chunk, a.rem(row, kSwizzleRows));
  place =
      a.add(place, a.add(a.mul(row, rowBytes), a.mul(swizzled, kChunkBytes)));
  return LLVM::PtrToIntOp::create(b, loc, b.getI32Type(),
                                  createSharedAddress(b, loc, place));
}

/// layout::swizzleChunk of a row.
Value SwizzledRows::createPattern(Value row) {
  I32Arithmetic a{b, loc};
  int64_t rowsPerStep = 128 / tile.getSwizzle();
  return a.rem(rowsPerStep == 1 ? row : a.div(row, rowsPerStep),
               tile.getSwizzle() / kChunkBytes);
}

Value SwizzledRows::chunkPlace(Value warpgroup, Value rowInWarp, Value chunk) {
  I32Arithmetic a{b, loc};
  Value warp = a.rem(a.div(createThreadId(b, loc), kWarpThreads), 4);
  Value row = a.add(a.mul(warp, kWarpRows), rowInWarp);
  Value swizzled = a.xOr(chunk, createPattern(row));
  Value place = a.add(a.add(a.mul(warpgroup, kWgmmaRows * tile.getSwizzle()),
                            a.mul(row, tile.getSwizzle())),
                      a.mul(swizzled, kChunkBytes));
  return LLVM::PtrToIntOp::create(b, loc, b.getI32Type(),
                                  createSharedAddress(b, loc, place));
}

std::string SwizzledRows::addressText(int64_t chunks, StringRef place) {
  return llvm::formatv(".reg .b32 %a;\nxor.b32 %a, {0}, {1};\n", place,
                       chunks * kChunkBytes);
}
