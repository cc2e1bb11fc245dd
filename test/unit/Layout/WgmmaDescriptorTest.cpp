//===- WgmmaDescriptorTest.cpp - Descriptors against a model of wgmma -----===//

#include "sattn/Layout/WgmmaDescriptor.h"

#include <gtest/gtest.h>

#include <vector>

using namespace sattn::layout;

namespace {

/// The fields of a descriptor, cut out bit by bit; offsets in bytes.
struct Fields {
  int64_t address, lbo, sbo, baseOffset, swizzle, unused;

  explicit Fields(uint64_t bits)
      : address(cut(bits, 0, 14) * 16), lbo(cut(bits, 16, 30) * 16),
        sbo(cut(bits, 32, 46) * 16), baseOffset(cut(bits, 49, 52)),
        swizzle(cut(bits, 62, 64)),
        unused(cut(bits, 14, 16) | cut(bits, 30, 32) | cut(bits, 46, 49) |
               cut(bits, 52, 62)) {}

  static int64_t cut(uint64_t bits, int from, int to) {
    int64_t value = 0;
    for (int bit = from; bit < to; ++bit)
      value |= int64_t(bits >> bit & 1) << (bit - from);
    return value;
  }
};

/// The address that wgmma reads for element (mn, k) of the slice that `bits`
/// names, in a swizzle of 128 or 64 bytes: rows of so many bytes in groups of
/// eight SBO apart, and, where M or N is contiguous, 64-element columns of
/// groups LBO apart. The XOR comes last, on the whole address.
int64_t readAddress(uint64_t bits, Major major, int64_t elementBytes,
                    int64_t mn, int64_t k) {
  Fields fields(bits);
  int64_t address = fields.address;
  int64_t row = fields.swizzle == 1 ? 128 : 64;
  if (major == Major::K)
    address += mn / 8 * fields.sbo + mn % 8 * row + k * elementBytes;
  else
    address += mn * elementBytes / 128 * fields.lbo + k / 8 * fields.sbo +
               k % 8 * 128 + mn * elementBytes % 128;
  return address ^ ((address >> 7 & (row / 16 - 1)) << 4);
}

TEST(WgmmaDescriptorTest, MeasuredConstants) {
  static_assert(descriptorBits({128, 64, 2}, Major::K) == 0x4000004000010000);
  static_assert(descriptorBits({64, 128, 2}, Major::K) == 0x4000004000010000);
  static_assert(descriptorBits({128, 64, 2}, Major::MN) == 0x4000004004000000);
  static_assert(descriptorBits({64, 256, 2}, Major::MN) == 0x4000004002000000);
  // A swizzle of 64 bytes has another number, and groups of 512 bytes.
  static_assert(descriptorBits({64, 64, 1, 64}, Major::K) ==
                0x8000002000010000);
}

TEST(WgmmaDescriptorTest, OperandsMayEndInsideABox) {
  for (Major major : {Major::K, Major::MN}) {
    EXPECT_EQ(wgmmaSwizzle(128, 64, 2, major), 128);
    EXPECT_EQ(wgmmaSwizzle(128, 80, 2, major), 128);
    EXPECT_EQ(wgmmaSwizzle(128, 72, 2, major), 0);
    EXPECT_EQ(wgmmaSwizzle(128, 48, 2, major), 0);
    EXPECT_EQ(wgmmaSwizzle(120, 80, 2, major), 0);
    EXPECT_EQ(wgmmaSwizzle(128, 80, 4, major), 0);
  }
  // 32 and 8 bits are K-major, in whole rows.
  EXPECT_EQ(wgmmaSwizzle(128, 32, 4, Major::K), 128);
  EXPECT_EQ(wgmmaSwizzle(128, 32, 4, Major::MN), 0);
  EXPECT_EQ(wgmmaSwizzle(128, 16, 4, Major::K), 0);
  EXPECT_EQ(wgmmaSwizzle(128, 128, 1, Major::K), 128);
  EXPECT_EQ(wgmmaSwizzle(128, 64, 1, Major::K), 64);
  EXPECT_EQ(wgmmaSwizzle(128, 128, 1, Major::MN), 0);
  EXPECT_EQ(wgmmaSwizzle(128, 96, 1, Major::K), 0);
  EXPECT_EQ(wgmmaSwizzle(128, 32, 1, Major::K), 0);
  EXPECT_TRUE(isWgmmaResult(64, 40) && isWgmmaResult(64, 24, true));
  EXPECT_FALSE(isWgmmaResult(64, 40, true) || isWgmmaResult(32, 16));
}

TEST(WgmmaDescriptorTest, Fields) {
  for (int64_t rows : {8, 16, 64, 128, 256})
    for (Major major : {Major::K, Major::MN}) {
      Fields fields(descriptorBits({rows, 128, 2}, major));
      EXPECT_EQ(fields.address, 0);
      EXPECT_EQ(fields.lbo, major == Major::K ? 16 : rows * 128);
      EXPECT_EQ(fields.sbo, 1024);
      EXPECT_EQ(fields.baseOffset, 0);
      EXPECT_EQ(fields.swizzle, 1);
      EXPECT_EQ(fields.unused, 0);
    }
}

TEST(WgmmaDescriptorTest, EncodeAddress) {
  static_assert(encodeAddress(0) == 0);
  static_assert(encodeAddress(1024) == 64);
  static_assert(encodeAddress(0x3FFF0) == 0x3FFF);
  // Rank 1 of a cluster: the window's number is above the 18 bits.
  static_assert(encodeAddress(0x01000400) == 64);
  static_assert(encodeAddress(0xFFFFFFFF) == 0x3FFF);
}

TEST(WgmmaDescriptorTest, KnownSteps) {
  constexpr SharedTile tile{128, 128, 2};
  static_assert(descriptorStep(tile, Major::K, 0, 0) == 0);
  static_assert(descriptorStep(tile, Major::K, 0, 1) == 2);
  static_assert(descriptorStep(tile, Major::K, 0, 3) == 6);
  static_assert(descriptorStep(tile, Major::K, 0, 4) == 128 * 128 / 16);
  static_assert(descriptorStep(tile, Major::K, 0, 5) == 128 * 128 / 16 + 2);
  static_assert(descriptorStep(tile, Major::K, 64, 1) == 64 * 128 / 16 + 2);
  static_assert(descriptorStep(tile, Major::MN, 0, 1) == 128);
  static_assert(descriptorStep(tile, Major::MN, 0, 7) == 7 * 128);
  static_assert(descriptorStep(tile, Major::MN, 64, 1) == 1024 + 128);
}

/// Every slice of a K-major tile, from every row that is a multiple of eight.
TEST(WgmmaDescriptorTest, KMajorSlicesReadTheTile) {
  constexpr int64_t base = 5 * 1024;
  for (SharedTile tile : std::vector<SharedTile>{{64, 64, 2},
                                                 {128, 128, 2},
                                                 {72, 192, 2},
                                                 {64, 256, 1},
                                                 {128, 64, 1, 64},
                                                 {64, 64, 4}}) {
    int64_t sliceK = wgmmaK(tile.elementBytes);
    uint64_t bits = descriptorBits(tile, Major::K) + encodeAddress(base);
    for (int64_t row0 = 0; row0 < tile.rows; row0 += 8)
      for (int64_t step = 0; step < tile.cols / sliceK; ++step) {
        uint64_t slice = bits + descriptorStep(tile, Major::K, row0, step);
        for (int64_t row = row0; row < tile.rows; ++row)
          for (int64_t k = 0; k < sliceK; ++k)
            ASSERT_EQ(
                readAddress(slice, Major::K, tile.elementBytes, row - row0, k),
                base + tile.byteOffset(row, step * sliceK + k))
                << "row " << row << " step " << step << " k " << k;
      }
  }
}

/// Every slice of an MN-major tile, from every box.
TEST(WgmmaDescriptorTest, MNMajorSlicesReadTheTile) {
  constexpr int64_t base = 3 * 1024;
  for (SharedTile tile : std::vector<SharedTile>{
           {64, 64, 2}, {128, 128, 2}, {48, 256, 2}, {256, 192, 2}}) {
    uint64_t bits = descriptorBits(tile, Major::MN) + encodeAddress(base);
    for (int64_t col0 = 0; col0 < tile.cols; col0 += 64)
      for (int64_t step = 0; step < tile.rows / 16; ++step) {
        uint64_t slice = bits + descriptorStep(tile, Major::MN, col0, step);
        for (int64_t col = col0; col < tile.cols; ++col)
          for (int64_t k = 0; k < 16; ++k)
            ASSERT_EQ(readAddress(slice, Major::MN, 2, col - col0, k),
                      base + tile.byteOffset(step * 16 + k, col))
                << "col " << col << " step " << step << " k " << k;
      }
  }
}

/// A walk of byteOffset alone: a slice starts where its first element would lie
/// if its row were not swizzled, which for rows that are multiples of eight is
/// where it lies.
TEST(WgmmaDescriptorTest, StepsWalkByteOffset) {
  SharedTile tile{128, 192, 2};
  for (int64_t row0 = 0; row0 < tile.rows; row0 += 8)
    for (int64_t step = 0; step < tile.cols / 16; ++step)
      EXPECT_EQ(descriptorStep(tile, Major::K, row0, step) * 16,
                tile.byteOffset(row0, step * 16));
  for (int64_t col0 = 0; col0 < tile.cols; col0 += 64)
    for (int64_t step = 0; step < tile.rows / 16; ++step)
      EXPECT_EQ(descriptorStep(tile, Major::MN, col0, step) * 16,
                tile.byteOffset(step * 16, col0));
}

/// The largest tile ends at the end of the address field: no step carries into
/// the LBO.
TEST(WgmmaDescriptorTest, StepsStayInTheAddressField) {
  SharedTile tile{256, 448, 2};
  constexpr int64_t base = 32 * 1024;
  uint64_t bits = descriptorBits(tile, Major::K) + encodeAddress(base);
  Fields last(bits + descriptorStep(tile, Major::K, 248, tile.cols / 16 - 1));
  EXPECT_EQ(last.lbo, 16);
  EXPECT_EQ(last.unused, 0);
  EXPECT_EQ(last.address, base + tile.byteOffset(248, tile.cols - 16));
}

} // namespace
