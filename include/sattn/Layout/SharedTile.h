//===- SharedTile.h - Swizzled tiles in shared memory -----------*- C++ -*-===//
//
// How a matrix tile lies in shared memory so that TMA can write it and wgmma
// and ldmatrix can read it without bank conflicts. Source: the PTX ISA, "Tensor
// Swizzling Modes" and "Asynchronous Warpgroup Level Matrix Shared Memory
// Layout".
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LAYOUT_SHAREDTILE_H
#define SATTN_LAYOUT_SHAREDTILE_H

#include <cassert>
#include <cstdint>
#include <optional>
#include <string>

namespace sattn::layout {

/// Bytes that the swizzle moves as one: it permutes the 16-byte chunks of a
/// row and keeps the bytes of a chunk together.
inline constexpr int64_t kChunkBytes = 16;

/// Rows after which a swizzle repeats. All of them XOR the address of a chunk,
/// counted in chunks, with the number of its 128 bytes: bits 4 and up with bits
/// 7 and up, one bit for rows of 32 bytes, two for 64, three for 128.
inline constexpr int64_t kSwizzleRows = 8;

/// Where the swizzle of `swizzle` bytes a row (32, 64 or 128) puts 16-byte
/// chunk `chunk` of row `row`. The function is its own inverse.
constexpr int64_t swizzleChunk(int64_t row, int64_t chunk,
                               int64_t swizzle = 128) {
  return chunk ^ (row * swizzle / 128 % (swizzle / kChunkBytes));
}

/// A row-major tile of rows x cols elements, cut into boxes of `swizzle` bytes
/// by `rows` rows. Box b holds columns [b * boxColumns(), (b+1) * boxColumns())
/// of every row, packed and swizzled; the boxes follow one another. One box is
/// one TMA box; its bytes start at a multiple of alignment().
///
/// The rows of a packed tile follow one another without a gap, whatever their
/// length, in one box whose rows are those of the swizzle: as many columns of
/// its first row as fit, and so on. TMA takes as long for a short row of a box
/// as for one of 128 bytes.
struct SharedTile {
  int64_t rows;
  int64_t cols;
  int64_t elementBytes;
  /// Bytes in a row of a box and the span of the swizzle: 32, 64 or 128. wgmma
  /// takes tiles of 128 here, ldmatrix all.
  int64_t swizzle = 128;
  bool isPacked = false;

  /// The widest swizzle for which rows of `cols` elements fill whole boxes; 0
  /// if no swizzle is.
  static constexpr int64_t widestSwizzle(int64_t cols, int64_t elementBytes) {
    for (int64_t swizzle : {128, 64, 32})
      if (cols * elementBytes % swizzle == 0)
        return swizzle;
    return 0;
  }

  /// Columns of a box: 64 for 16-bit elements and rows of 128 bytes.
  constexpr int64_t boxColumns() const { return swizzle / elementBytes; }
  constexpr int64_t numBoxes() const {
    return isPacked ? 1 : cols / boxColumns();
  }
  constexpr int64_t boxRows() const {
    return isPacked ? rows * cols / boxColumns() : rows;
  }
  constexpr int64_t boxBytes() const { return boxRows() * swizzle; }
  constexpr int64_t sizeInBytes() const { return numBoxes() * boxBytes(); }

  /// Bytes to which the tile's start must be aligned: the swizzle is a function
  /// of address bits, and repeats every eight rows.
  constexpr int64_t alignment() const { return kSwizzleRows * swizzle; }

  /// Offset in bytes of element (row, col) from the start of the tile.
  constexpr int64_t byteOffset(int64_t row, int64_t col) const {
    assert(row >= 0 && row < rows && col >= 0 && col < cols &&
           "element outside the tile");
    if (isPacked) {
      int64_t element = row * cols + col;
      return SharedTile{boxRows(), boxColumns(), elementBytes, swizzle}
          .byteOffset(element / boxColumns(), element % boxColumns());
    }
    int64_t box = col / boxColumns();
    int64_t byte = col % boxColumns() * elementBytes;
    return box * boxBytes() + row * swizzle +
           swizzleChunk(row, byte / kChunkBytes, swizzle) * kChunkBytes +
           byte % kChunkBytes;
  }

  /// The reason why TMA cannot fill this tile or an MMA cannot read it, or
  /// nothing. The other functions may be called only if there is no reason.
  std::optional<std::string> invalidReason() const;
};

constexpr bool operator==(const SharedTile &a, const SharedTile &b) {
  return a.rows == b.rows && a.cols == b.cols &&
         a.elementBytes == b.elementBytes && a.swizzle == b.swizzle &&
         a.isPacked == b.isPacked;
}
constexpr bool operator!=(const SharedTile &a, const SharedTile &b) {
  return !(a == b);
}

} // namespace sattn::layout

#endif // SATTN_LAYOUT_SHAREDTILE_H
