//===- SharedTileTest.cpp - Swizzle against a model of address bits -------===//

#include "sattn/Layout/SharedTile.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

using namespace sattn::layout;

namespace {

/// The hardware's swizzle: bits [4, 7) of an address are XORed with [7, 10), or
/// fewer of them, from the lowest on, for rows of 64 and 32 bytes.
int64_t swizzleAddress(int64_t address, int64_t swizzle) {
  return address ^ ((address >> 7 & (swizzle / 16 - 1)) << 4);
}

std::vector<SharedTile> tiles() {
  return {{64, 64, 2},     {128, 64, 2},    {64, 128, 2},    {128, 256, 2},
          {8, 64, 2},      {24, 192, 2},    {256, 64, 2},    {64, 128, 1},
          {40, 96, 4},     {32, 32, 2, 64}, {16, 16, 2, 32}, {64, 48, 2, 32},
          {16, 96, 2, 64}, {16, 8, 4, 32}};
}

TEST(SharedTileTest, Sizes) {
  constexpr SharedTile tile{128, 192, 2};
  static_assert(tile.boxColumns() == 64);
  static_assert(tile.numBoxes() == 3);
  static_assert(tile.boxBytes() == 16384);
  static_assert(tile.sizeInBytes() == 49152);
  static_assert(tile.alignment() == 1024);
  static_assert(SharedTile{64, 128, 1}.boxColumns() == 128);
  static_assert(SharedTile{64, 64, 4}.boxColumns() == 32);
  static_assert(tile != SharedTile{128, 128, 2});
  EXPECT_EQ(tile, (SharedTile{128, 192, 2, 128}));
}

TEST(SharedTileTest, KnownOffsets) {
  // row*128 + ((chunk ^ (row & 7)) << 4), in the box of the column.
  constexpr SharedTile tile{64, 128, 2};
  static_assert(tile.byteOffset(0, 0) == 0);
  static_assert(tile.byteOffset(0, 63) == 126);
  static_assert(tile.byteOffset(1, 0) == 128 + 16);
  static_assert(tile.byteOffset(1, 9) == 128 + 0 + 2);
  static_assert(tile.byteOffset(7, 0) == 7 * 128 + 7 * 16);
  static_assert(tile.byteOffset(8, 0) == 1024);
  static_assert(tile.byteOffset(3, 64) == 64 * 128 + 3 * 128 + 3 * 16);
}

TEST(SharedTileTest, ByteOffsetIsTheSwizzledPackedBox) {
  for (const SharedTile &tile : tiles()) {
    ASSERT_EQ(tile.invalidReason(), std::nullopt);
    int64_t boxColumns = tile.swizzle / tile.elementBytes;
    for (int64_t row = 0; row < tile.rows; ++row)
      for (int64_t col = 0; col < tile.cols; ++col) {
        int64_t linear = col / boxColumns * tile.rows * tile.swizzle +
                         row * tile.swizzle +
                         col % boxColumns * tile.elementBytes;
        ASSERT_EQ(tile.byteOffset(row, col),
                  swizzleAddress(linear, tile.swizzle))
            << "row " << row << " col " << col;
      }
  }
}

TEST(SharedTileTest, ByteOffsetIsABijection) {
  for (const SharedTile &tile : tiles()) {
    ASSERT_EQ(tile.sizeInBytes(), tile.rows * tile.cols * tile.elementBytes);
    std::vector<bool> taken(tile.rows * tile.cols, false);
    for (int64_t row = 0; row < tile.rows; ++row)
      for (int64_t col = 0; col < tile.cols; ++col) {
        int64_t offset = tile.byteOffset(row, col);
        ASSERT_EQ(offset % tile.elementBytes, 0);
        ASSERT_GE(offset, 0);
        ASSERT_LT(offset, tile.sizeInBytes());
        ASSERT_FALSE(taken[offset / tile.elementBytes]);
        taken[offset / tile.elementBytes] = true;
      }
  }
}

TEST(SharedTileTest, EightRowsOfAChunkFallInDifferentBanks) {
  // The purpose of the swizzle: the same chunk of eight consecutive rows covers
  // all 128 bytes of banks once.
  for (int64_t swizzle : {32, 64, 128}) {
    SharedTile tile{64, 64, 2, swizzle};
    for (int64_t row = 0; row < tile.rows; row += 8)
      for (int64_t col = 0; col < tile.cols; col += 8) {
        unsigned banks = 0;
        for (int64_t r = 0; r < 8; ++r)
          banks |= 1u << tile.byteOffset(row + r, col) % 128 / 16;
        EXPECT_EQ(banks, 0xFFu);
      }
  }
}

std::vector<SharedTile> packedTiles() {
  return {{16, 16, 2, 128, true}, {32, 32, 2, 128, true},
          {16, 32, 2, 128, true}, {8, 8, 2, 128, true},
          {24, 40, 2, 128, true}, {32, 96, 2, 128, true},
          {16, 16, 4, 128, true}, {128, 32, 2, 128, true}};
}

TEST(SharedTileTest, PackedRowsFollowOneAnother) {
  for (const SharedTile &tile : packedTiles()) {
    ASSERT_EQ(tile.invalidReason(), std::nullopt);
    ASSERT_EQ(tile.numBoxes(), 1);
    ASSERT_EQ(tile.sizeInBytes(), tile.rows * tile.cols * tile.elementBytes);
    ASSERT_EQ(tile.boxRows() * 128, tile.sizeInBytes());
    for (int64_t row = 0; row < tile.rows; ++row)
      for (int64_t col = 0; col < tile.cols; ++col)
        ASSERT_EQ(
            tile.byteOffset(row, col),
            swizzleAddress((row * tile.cols + col) * tile.elementBytes, 128))
            << "row " << row << " col " << col;
  }
}

TEST(SharedTileTest, EightPackedRowsFallInDifferentBanks) {
  // Rows of 16, 32 and 64 bytes, as ldmatrix reads them.
  for (int64_t cols : {8, 16, 32}) {
    SharedTile tile{64, cols, 2, 128, true};
    for (int64_t row = 0; row < tile.rows; row += 8)
      for (int64_t col = 0; col < tile.cols; col += 8) {
        unsigned banks = 0;
        for (int64_t r = 0; r < 8; ++r)
          banks |= 1u << tile.byteOffset(row + r, col) % 128 / 16;
        EXPECT_EQ(banks, 0xFFu) << cols << " columns";
      }
  }
}

TEST(SharedTileTest, WidestSwizzleDividesTheRow) {
  static_assert(SharedTile::widestSwizzle(64, 2) == 128);
  static_assert(SharedTile::widestSwizzle(96, 2) == 64);
  static_assert(SharedTile::widestSwizzle(48, 2) == 32);
  static_assert(SharedTile::widestSwizzle(8, 4) == 32);
  static_assert(SharedTile::widestSwizzle(8, 2) == 0);
}

TEST(SharedTileTest, SwizzleChunkIsItsOwnInverse) {
  for (int64_t row = 0; row < 16; ++row)
    for (int64_t chunk = 0; chunk < 8; ++chunk)
      for (int64_t swizzle : {32, 64, 128})
        if (chunk < swizzle / 16) {
          EXPECT_EQ(
              swizzleChunk(row, swizzleChunk(row, chunk, swizzle), swizzle),
              chunk);
        }
}

TEST(SharedTileTest, InvalidTiles) {
  auto reason = [](SharedTile tile) {
    return tile.invalidReason().value_or("valid");
  };
  constexpr int64_t huge = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(reason({64, 64, 2, 128}), "valid");
  EXPECT_EQ(reason({64, 64, 2, 64}), "valid");
  EXPECT_EQ(reason({64, 64, 2, 16}),
            "expected a swizzle of 32, 64 or 128 bytes, but got 16");
  EXPECT_EQ(reason({64, 64, 0}),
            "expected elements of 1, 2 or 4 bytes, but got 0");
  EXPECT_EQ(reason({64, 64, 8}),
            "expected elements of 1, 2 or 4 bytes, but got 8");
  for (int64_t rows :
       {int64_t(-8), int64_t(0), int64_t(4), int64_t(60), int64_t(264), huge})
    EXPECT_EQ(
        reason({rows, 64, 2}),
        "expected rows to be a positive multiple of 8 up to 256, but got " +
            std::to_string(rows));
  for (int64_t cols : {int64_t(-64), int64_t(0), int64_t(32), int64_t(96)})
    EXPECT_EQ(reason({64, cols, 2}),
              "expected columns to be a positive multiple of 64, but got " +
                  std::to_string(cols));
  EXPECT_EQ(reason({256, 512, 2}), "valid");
  EXPECT_EQ(reason({256, 576, 2}),
            "expected a tile of at most 262144 bytes, but got 256 x 576 "
            "elements of 2 bytes");
  EXPECT_NE(reason({256, huge - 63, 2}), "valid");
  EXPECT_EQ(reason({8, 4, 2, 128, true}),
            "expected a packed tile of at most 256 whole rows of 128 bytes, in "
            "rows of whole chunks of 16 bytes, but got 8 x 4 elements of 2 "
            "bytes");
  EXPECT_NE(reason({8, 12, 2, 128, true}), "valid");
  EXPECT_NE(reason({256, 96, 2, 128, true}), "valid");
}

} // namespace
