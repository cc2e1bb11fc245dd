//===- FragmentTest.cpp - Register fragments against brute force ----------===//

#include "sattn/Layout/Fragment.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

using namespace sattn::layout;

namespace {

/// Warps and columns of the fragments tested: wgmma's extremes and common
/// tiles, mma.sync's single warp, two warpgroups side by side.
constexpr std::pair<int64_t, int64_t> kFragments[] = {
    {4, 8}, {4, 64}, {4, 128}, {4, 256}, {1, 8}, {1, 32}, {8, 96}};

TEST(FragmentTest, AccumulatorSizes) {
  constexpr AccumulatorFragment fragment{4, 128};
  static_assert(fragment.isValid());
  static_assert(fragment.rows() == 64);
  static_assert(fragment.threads() == 128);
  static_assert(fragment.registersPerThread() == 64);
  static_assert(!AccumulatorFragment{4, 12}.isValid());
  static_assert(!AccumulatorFragment{4, 0}.isValid());
  static_assert(!AccumulatorFragment{0, 8}.isValid());
  EXPECT_EQ(fragment.rowVectorRegisters(), 2);
  EXPECT_EQ(fragment.columnVectorRegisters(), 32);
}

/// acc[4j+2r+c] = row 16w + l/4 + 8r, col 8j + 2(l%4) + c, written as loops
/// over the names of the formula.
TEST(FragmentTest, AccumulatorMatchesTheDocumentedLayout) {
  for (auto [warps, columns] : kFragments) {
    AccumulatorFragment fragment{warps, columns};
    for (int64_t w = 0; w < warps; ++w)
      for (int64_t l = 0; l < 32; ++l)
        for (int64_t j = 0; j < columns / 8; ++j)
          for (int64_t r = 0; r < 2; ++r)
            for (int64_t c = 0; c < 2; ++c) {
              Coordinate expected{16 * w + l / 4 + 8 * r,
                                  8 * j + 2 * (l % 4) + c};
              EXPECT_EQ(fragment.coordinate(32 * w + l, 4 * j + 2 * r + c),
                        expected);
            }
  }
}

TEST(FragmentTest, AccumulatorIsABijection) {
  for (auto [warps, columns] : kFragments) {
    AccumulatorFragment fragment{warps, columns};
    std::set<std::pair<int64_t, int64_t>> seen;
    for (int64_t thread = 0; thread < fragment.threads(); ++thread)
      for (int64_t reg = 0; reg < fragment.registersPerThread(); ++reg) {
        Coordinate at = fragment.coordinate(thread, reg);
        ASSERT_TRUE(at.row >= 0 && at.row < fragment.rows());
        ASSERT_TRUE(at.col >= 0 && at.col < columns);
        ASSERT_TRUE(seen.emplace(at.row, at.col).second);
        ASSERT_EQ(fragment.owner(at.row, at.col), (Owner{thread, reg}));
      }
    ASSERT_EQ(int64_t(seen.size()), fragment.rows() * columns);
  }
}

TEST(FragmentTest, RegisterOffsets) {
  constexpr AccumulatorFragment fragment{4, 16};
  constexpr int64_t rows[] = {0, 0, 8, 8, 0, 0, 8, 8};
  constexpr int64_t cols[] = {0, 1, 0, 1, 8, 9, 8, 9};
  for (int64_t reg = 0; reg < 8; ++reg) {
    EXPECT_EQ(fragment.registerRowOffset(reg), rows[reg]);
    EXPECT_EQ(fragment.registerColumnOffset(reg), cols[reg]);
  }
  static_assert(rowOfThread(0) == 0 && columnOfLane(0) == 0);
  static_assert(rowOfThread(31) == 7 && columnOfLane(31) == 6);
  static_assert(rowOfThread(37) == 17 && columnOfLane(5) == 2);
}

/// Warps that divide columns and hold several sixteens of rows:
/// {warps, columns, columnWarps, rowTiles, run}.
constexpr AccumulatorFragment kDivided[] = {
    {4, 128, 2, 2},   {4, 256, 4, 1},    {8, 64, 4, 3},   {6, 192, 2, 1},
    {1, 8, 1, 2},     {4, 64, 1, 2},     {2, 32, 2, 1},   {1, 64, 1, 1, 8},
    {4, 96, 1, 2, 4}, {4, 128, 2, 1, 8}, {1, 16, 1, 1, 4}};

TEST(FragmentTest, DividedFragmentMatchesTheDocumentedLayout) {
  for (const AccumulatorFragment &fragment : kDivided) {
    ASSERT_TRUE(fragment.isValid());
    std::set<std::pair<int64_t, int64_t>> seen;
    for (int64_t w = 0; w < fragment.warps; ++w)
      for (int64_t l = 0; l < 32; ++l)
        for (int64_t j = 0; j < fragment.warpEights(); ++j)
          for (int64_t m = 0; m < fragment.rowTiles; ++m)
            for (int64_t r = 0; r < 2; ++r)
              for (int64_t c = 0; c < 2; ++c) {
                int64_t reg = 4 * (j * fragment.rowTiles + m) + 2 * r + c;
                int64_t h = fragment.run / 2;
                Coordinate expected{
                    16 * (fragment.rowTiles * (w / fragment.columnWarps) + m) +
                        l / 4 + 8 * r,
                    4 * fragment.run *
                            (fragment.columnWarps * (j / h) +
                             w % fragment.columnWarps) +
                        fragment.run * (l % 4) + 2 * (j % h) + c};
                ASSERT_EQ(fragment.coordinate(32 * w + l, reg), expected);
                ASSERT_EQ(fragment.owner(expected.row, expected.col),
                          (Owner{32 * w + l, reg}));
                ASSERT_EQ(fragment.fragmentRegister(m, j) + 2 * r + c, reg);
                ASSERT_TRUE(seen.emplace(expected.row, expected.col).second);
              }
    ASSERT_EQ(int64_t(seen.size()), fragment.rows() * fragment.columns);
  }
  static_assert(!AccumulatorFragment{4, 64, 3}.isValid());
  static_assert(!AccumulatorFragment{4, 24, 2}.isValid());
  static_assert(!AccumulatorFragment{4, 64, 1, 1, 3}.isValid());
  static_assert(!AccumulatorFragment{4, 48, 1, 1, 8}.isValid());
}

TEST(FragmentTest, DividedVectorsAreSlicesOfTheAccumulator) {
  for (const AccumulatorFragment &fragment : kDivided)
    for (int64_t thread = 0; thread < fragment.threads(); ++thread)
      for (int64_t reg = 0; reg < fragment.registersPerThread(); ++reg) {
        Coordinate at = fragment.coordinate(thread, reg);
        int64_t row = fragment.rowVectorRegister(reg);
        int64_t column = fragment.columnVectorRegister(reg);
        ASSERT_LT(row, fragment.rowVectorRegisters());
        ASSERT_LT(column, fragment.columnVectorRegisters());
        ASSERT_EQ(fragment.rowOfRowVector(thread, row), at.row);
        ASSERT_EQ(fragment.columnOfColumnVector(thread, column), at.col);
      }
}

/// Columns from a multiple of step() on are consecutive registers.
TEST(FragmentTest, SlicesOfColumnsAreRunsOfRegisters) {
  for (const AccumulatorFragment &fragment : kDivided) {
    int64_t step = fragment.step();
    AccumulatorFragment slice = fragment;
    slice.columns = step;
    for (int64_t first = 0; first < fragment.columns; first += step)
      for (int64_t thread = 0; thread < fragment.threads(); ++thread)
        for (int64_t reg = 0; reg < slice.registersPerThread(); ++reg) {
          Coordinate at = slice.coordinate(thread, reg);
          int64_t base = first / step * slice.registersPerThread();
          ASSERT_EQ(fragment.coordinate(thread, base + reg),
                    (Coordinate{at.row, at.col + first}));
        }
  }
}

/// The vector register that goes with an accumulator register is of the same
/// row or column, and every row or column is held.
TEST(FragmentTest, VectorsAreSlicesOfTheAccumulator) {
  for (auto [warps, columns] : kFragments) {
    AccumulatorFragment fragment{warps, columns};
    std::set<int64_t> rows, cols;
    for (int64_t thread = 0; thread < fragment.threads(); ++thread) {
      std::set<int64_t> rowRegisters, columnRegisters;
      for (int64_t reg = 0; reg < fragment.registersPerThread(); ++reg) {
        Coordinate at = fragment.coordinate(thread, reg);
        int64_t rowRegister = fragment.rowVectorRegister(reg);
        int64_t columnRegister = fragment.columnVectorRegister(reg);
        ASSERT_EQ(fragment.rowOfRowVector(thread, rowRegister), at.row);
        ASSERT_EQ(fragment.columnOfColumnVector(thread % 32, columnRegister),
                  at.col);
        rowRegisters.insert(rowRegister);
        columnRegisters.insert(columnRegister);
        rows.insert(at.row);
        cols.insert(at.col);
      }
      ASSERT_EQ(int64_t(rowRegisters.size()), fragment.rowVectorRegisters());
      ASSERT_EQ(int64_t(columnRegisters.size()),
                fragment.columnVectorRegisters());
    }
    EXPECT_EQ(int64_t(rows.size()), fragment.rows());
    EXPECT_EQ(int64_t(cols.size()), columns);
  }
}

/// The PTX ISA's table of A for m64nNk16: element i of a thread is in row
/// groupID (i in 0, 1, 4, 5) or groupID + 8, column 2 * threadInGroup + (i & 1)
/// and 8 more for i >= 4; elements 2n and 2n+1 share register n.
TEST(FragmentTest, AFragmentMatchesTheDocumentedLayout) {
  AFragment fragment{4, 32};
  for (int64_t thread = 0; thread < 128; ++thread)
    for (int64_t kStep = 0; kStep < 2; ++kStep)
      for (int64_t i = 0; i < 8; ++i) {
        int64_t row = thread / 32 * 16 + thread % 32 / 4;
        int64_t col = kStep * 16 + thread % 4 * 2 + (i & 1);
        if (i == 2 || i == 3 || i == 6 || i == 7)
          row += 8;
        if (i >= 4)
          col += 8;
        EXPECT_EQ(fragment.coordinate(thread, kStep, i / 2, i % 2),
                  (Coordinate{row, col}));
      }
}

TEST(FragmentTest, AFragmentIsABijection) {
  static_assert(!AFragment{4, 24}.isValid());
  for (auto [warps, columns] :
       {std::pair<int64_t, int64_t>{4, 16}, {4, 128}, {1, 32}, {8, 48}}) {
    AFragment fragment{warps, columns};
    ASSERT_TRUE(fragment.isValid());
    ASSERT_EQ(fragment.registersPerThread(), columns / 4);
    std::set<std::pair<int64_t, int64_t>> seen;
    for (int64_t thread = 0; thread < fragment.threads(); ++thread)
      for (int64_t kStep = 0; kStep < fragment.steps(); ++kStep)
        for (int64_t reg = 0; reg < 4; ++reg)
          for (int64_t half = 0; half < 2; ++half) {
            Coordinate at = fragment.coordinate(thread, kStep, reg, half);
            ASSERT_TRUE(at.row >= 0 && at.row < fragment.rows());
            ASSERT_TRUE(at.col >= 0 && at.col < columns);
            ASSERT_TRUE(seen.emplace(at.row, at.col).second);
          }
    ASSERT_EQ(int64_t(seen.size()), fragment.rows() * columns);
  }
}

/// Packing accumulator registers gives the A operand of the next product: both
/// are of the same elements, in the same thread.
TEST(FragmentTest, PackedAccumulatorIsAFragment) {
  for (int64_t columns : {16, 64, 128}) {
    AccumulatorFragment accumulator{4, columns};
    AFragment a{4, columns};
    for (int64_t thread = 0; thread < 128; ++thread)
      for (int64_t kStep = 0; kStep < a.steps(); ++kStep)
        for (int64_t reg = 0; reg < 4; ++reg) {
          RegisterPair pair = AFragment::accumulatorRegisters(kStep, reg);
          EXPECT_EQ(accumulator.coordinate(thread, pair.low),
                    a.coordinate(thread, kStep, reg, 0));
          EXPECT_EQ(accumulator.coordinate(thread, pair.high),
                    a.coordinate(thread, kStep, reg, 1));
        }
  }
  static_assert(AFragment::accumulatorRegisters(2, 3) == RegisterPair{22, 23});
}

} // namespace
