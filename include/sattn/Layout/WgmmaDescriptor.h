//===- WgmmaDescriptor.h - wgmma's shared-memory operands -------*- C++ -*-===//
//
// The 64-bit matrix descriptor by which wgmma reads a SharedTile. Source: the
// PTX ISA, "Asynchronous Warpgroup Level Matrix Shared Memory Layout", "Matrix
// Descriptor Format":
//
//   bits  0..13  start address >> 4
//   bits 16..29  leading dimension byte offset (LBO) >> 4
//   bits 32..45  stride dimension byte offset (SBO) >> 4
//   bits 49..51  base offset: 0, since tiles start where the swizzle repeats
//   bits 62..63  swizzle: 0 none, 1 128 bytes, 2 64 bytes, 3 32 bytes
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LAYOUT_WGMMADESCRIPTOR_H
#define SATTN_LAYOUT_WGMMADESCRIPTOR_H

#include "sattn/Layout/SharedTile.h"

#include <cassert>
#include <cstdint>

namespace sattn::layout {

/// Which dimension of a wgmma operand is contiguous in shared memory.
enum class Major {
  /// Columns of the tile run along K (wgmma's transpose bit 0): A stored as M x
  /// K, B stored as N x K.
  K,
  /// Columns of the tile run along M or N and its rows along K (transpose bit
  /// 1, which wgmma has for 16-bit elements only): B stored as K x N.
  MN,
};

/// Rows of A (M) that one wgmma of a warpgroup takes.
inline constexpr int64_t kWgmmaRows = 64;

/// Bytes along K that one wgmma takes of every row of A and column of B.
inline constexpr int64_t kWgmmaKBytes = 32;

/// Elements along K that one wgmma takes: 16 for 16-bit elements.
constexpr int64_t wgmmaK(int64_t elementBytes) {
  return kWgmmaKBytes / elementBytes;
}

/// Most columns of B (N) that one wgmma takes.
inline constexpr int64_t kWgmmaMaxColumns = 256;

/// Bytes in a row of the swizzle of operands, but for short rows.
inline constexpr int64_t kWgmmaSwizzle = 128;
/// The shortest rows of 8-bit elements in bytes, which is then their swizzle:
/// those of a stored block of 64 columns.
inline constexpr int64_t kWgmmaShortSwizzle = 64;

/// The swizzle in which wgmma takes a shared tile of `rows` x `columns` as an
/// operand, without padding; 0 if it takes none. Elements of 16 bits are in at
/// least one row of 128 bytes; of the last row wgmma reads only the tile's
/// columns. Elements of 8 and 32 bits (tf32) are in whole rows, K-major.
constexpr int64_t wgmmaSwizzle(int64_t rows, int64_t columns,
                               int64_t elementBytes, Major major) {
  int64_t rowBytes = columns * elementBytes;
  if (rows % 16 != 0 || rowBytes % kWgmmaKBytes != 0)
    return 0;
  if (elementBytes == 2)
    return rowBytes >= kWgmmaSwizzle ? kWgmmaSwizzle : 0;
  if (major != Major::K)
    return 0;
  if (elementBytes == 1 && rowBytes == kWgmmaShortSwizzle)
    return kWgmmaShortSwizzle;
  return rowBytes % kWgmmaSwizzle == 0 ? kWgmmaSwizzle : 0;
}

/// Whether wgmmas can compute a tile of `rows` x `columns` from operands of
/// that element size: integers (`isInteger`) have fewer numbers of columns.
constexpr bool isWgmmaResult(int64_t rows, int64_t columns,
                             bool isInteger = false) {
  bool hasColumns =
      !isInteger || columns % 16 == 0 || columns == 8 || columns == 24;
  return rows % kWgmmaRows == 0 && columns <= kWgmmaMaxColumns && hasColumns;
}

/// A byte count in the unit of the descriptor's fields, 16 bytes.
constexpr int64_t encodeBytes(int64_t bytes) {
  assert(bytes % 16 == 0 && "descriptors count in 16 bytes");
  return bytes / 16;
}

/// A shared-memory address as the descriptor's address field. The mask takes
/// off the bits above the block's own 256 KiB window, which name the CTA of a
/// cluster: without it every CTA but rank 0 would spill into other fields.
constexpr uint64_t encodeAddress(uint32_t sharedAddress) {
  return (sharedAddress & 0x3FFFF) >> 4;
}

/// The descriptor of `tile` but for its address: add or OR encodeAddress().
///   K-major   SBO steps 8 rows of a box, 8 times the swizzle; LBO is not used
///             with a swizzle and is written as 16 bytes.
///   MN-major  SBO steps 8 rows along K, 1024 bytes; LBO steps to the next box,
///             that is the next 64 elements along M or N.
constexpr uint64_t descriptorBits(const SharedTile &tile, Major major) {
  assert((major == Major::K || tile.elementBytes == 2) &&
         "wgmma transposes 16-bit elements only");
  uint64_t lbo = encodeBytes(major == Major::K ? 16 : tile.boxBytes());
  uint64_t sbo = encodeBytes(kSwizzleRows * tile.swizzle);
  assert(lbo < (1 << 14) && sbo < (1 << 14) && "offset beyond its field");
  assert((tile.swizzle == 128 || major == Major::K) &&
         "an MN-major tile of short rows");
  uint64_t swizzle = tile.swizzle == 128 ? 1 : tile.swizzle == 64 ? 2 : 3;
  return lbo << 16 | sbo << 32 | swizzle << 62;
}

/// The increment of a tile's descriptor that names slice `kStep` of wgmmaK()
/// elements along K, starting at `mnStart` along M or N: a row of a K-major
/// tile (a multiple of 8), a column of an MN-major one (a multiple of
/// boxColumns()). In the descriptor's unit, 16 bytes; it stays in the address
/// field as long as the slice is in the tile.
///
/// Inside a box K-major slices are 32 bytes apart although the chunks they name
/// are permuted: the hardware swizzles the address after adding.
constexpr int64_t descriptorStep(const SharedTile &tile, Major major,
                                 int64_t mnStart, int64_t kStep) {
  assert(mnStart >= 0 && kStep >= 0 && "negative start");
  int64_t k = kStep * wgmmaK(tile.elementBytes);
  if (major == Major::MN) {
    assert(mnStart < tile.cols && mnStart % tile.boxColumns() == 0 &&
           k < tile.rows && "slice outside the tile or not at a box");
    int64_t box = mnStart / tile.boxColumns();
    return encodeBytes(box * tile.boxBytes() + k * tile.swizzle);
  }
  assert(mnStart < tile.rows && mnStart % kSwizzleRows == 0 && k < tile.cols &&
         "slice outside the tile or inside eight swizzled rows");
  int64_t box = k / tile.boxColumns();
  return encodeBytes(box * tile.boxBytes() + mnStart * tile.swizzle +
                     k % tile.boxColumns() * tile.elementBytes);
}

} // namespace sattn::layout

#endif // SATTN_LAYOUT_WGMMADESCRIPTOR_H
