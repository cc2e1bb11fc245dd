//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LIB_CONVERSION_WGTILETONVVM_SWIZZLEDROWS_H
#define SATTN_LIB_CONVERSION_WGTILETONVVM_SWIZZLEDROWS_H

#include "sattn/Dialect/WGTile/IR/WGTile.h"

namespace wgtile {

/// Places of a thread's elements in a shared tile a row of which is one row of
/// the swizzle: of 128 bytes, eight chunks of 16. Chunk c of row r is at place
/// c ^ (r % 8): places of chunks that differ in bits above those that the
/// thread's number sets differ by an exclusive or with a constant, which is
/// computed beside the access. One register a thread serves all of its
/// accesses. Narrower swizzles have fewer chunks and change after more rows.
class SwizzledRows {
public:
  SwizzledRows(mlir::OpBuilder &b, mlir::Location loc, SharedType tile)
      : b(b), loc(loc), tile(tile) {}

  /// Address of the thread's first place, i32, in a tile at the start of the
  /// kernel's shared memory, 64 rows of it or of the tiles after it for each
  /// warpgroup. Of elements of 16 bits it is the place that the lane names for
  /// four 8 x 8 matrices (ldmatrix, stmatrix): columns [0, 8) of the warp's
  /// rows 0 to 7 and 8 to 15, then the next eight columns of the same; of 32
  /// bits that of the lane's first two elements. `warpgroup` is i32.
  mlir::Value firstPlace(mlir::Value warpgroup);

  /// The first place of a warpgroup whose 64 rows are the tile's columns, in
  /// boxes of one row of the swizzle, and whose columns are the tile's rows.
  /// For elements of 16 bits it is the place that the lane names for four 8 x 8
  /// matrices: rows [0, 8) of the tile, at the warp's columns 0 to 7 and 8 to
  /// 15, then the next eight rows.
  mlir::Value firstTransposedPlace(mlir::Value warpgroup);

  /// Code that makes %a the place of the chunk `chunks` after that at `place`,
  /// an operand; an even number. The tile's offset is a multiple of what the
  /// swizzle permutes and may be added before or after.
  static std::string addressText(int64_t chunks, llvm::StringRef place = "$0");

private:
  mlir::OpBuilder &b;
  mlir::Location loc;
  SharedType tile;

  mlir::Value chunkPlace(mlir::Value warpgroup, mlir::Value rowInWarp,
                         mlir::Value chunk);
  mlir::Value createPattern(mlir::Value row);
};

} // namespace wgtile

#endif // SATTN_LIB_CONVERSION_WGTILETONVVM_SWIZZLEDROWS_H
