//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChunkAddress.h"

#include "TileRegisters.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace wgtile;
using namespace sattn::layout;

Value ChunkAddress::get(int64_t row, Value varyingRow, int64_t chunk,
                        Value varying, int64_t bound) {
  if (tile.isPacked)
    return getPacked(row, varyingRow, chunk, varying);
  int64_t chunks = tile.swizzle / kChunkBytes;
  Value base = add(offset, mul(varyingRow, tile.swizzle));
  // layout::swizzleChunk of the row: multiples of 8 rows do not change it.
  Value pattern = arith::RemUIOp::create(
      b, loc,
      arith::DivUIOp::create(b, loc, mul(varyingRow, tile.swizzle),
                             constant(128)),
      constant(chunks));
  int64_t fixed = row * tile.swizzle;
  if (bound <= chunks && chunks % bound == 0) {
    // The box is known, and the two parts of the chunk's number share no bit.
    fixed += chunk / chunks * tile.boxBytes();
    Value place = arith::XOrIOp::create(b, loc, varying, pattern);
    if (int64_t inBox = chunk % chunks)
      place = arith::XOrIOp::create(b, loc, place, constant(inBox));
    return address(add(base, mul(place, kChunkBytes)), fixed);
  }
  Value number = add(varying, constant(chunk));
  Value box = arith::DivUIOp::create(b, loc, number, constant(chunks));
  Value inBox = arith::RemUIOp::create(b, loc, number, constant(chunks));
  Value place = arith::XOrIOp::create(b, loc, inBox, pattern);
  base = add(base, mul(box, tile.boxBytes()));
  return address(add(base, mul(place, kChunkBytes)), fixed);
}

Value ChunkAddress::constant(int64_t value) { return createI32(b, loc, value); }

Value ChunkAddress::add(Value lhs, Value rhs) {
  return arith::AddIOp::create(b, loc, lhs, rhs);
}

Value ChunkAddress::mul(Value lhs, int64_t rhs) {
  return arith::MulIOp::create(b, loc, lhs, constant(rhs));
}

/// The address of a chunk of a packed tile. Chunks are numbered through: a
/// number's lowest bits are its place in a row of the swizzle, XORed with the
/// bits that follow, which count these rows.
Value ChunkAddress::getPacked(int64_t row, Value varyingRow, int64_t chunk,
                              Value varying) {
  int64_t chunks = tile.swizzle / kChunkBytes;
  int64_t rowChunks = tile.cols * tile.elementBytes / kChunkBytes;
  int64_t first = row * rowChunks + chunk;
  // Whole repetitions of the swizzle.
  int64_t fixed = llvm::alignDown(first, chunks * kSwizzleRows);
  Value number =
      add(add(mul(varyingRow, rowChunks), varying), constant(first - fixed));
  Value rows = arith::RemUIOp::create(
      b, loc, arith::DivUIOp::create(b, loc, number, constant(chunks)),
      constant(chunks));
  Value place = arith::XOrIOp::create(b, loc, number, rows);
  return address(add(offset, mul(place, kChunkBytes)), fixed * kChunkBytes);
}

/// The address of a place; the constant is added last, since accesses have room
/// for one.
Value ChunkAddress::address(Value varying, int64_t fixed) {
  Value pointer = createSharedAddress(b, loc, varying);
  if (fixed == 0)
    return pointer;
  return LLVM::GEPOp::create(
      b, loc, pointer.getType(), b.getI8Type(), pointer,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(fixed)});
}
