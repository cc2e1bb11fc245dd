//===- WarpDivisionTest.cpp - A tile divided among warps ------------------===//

#include "sattn/Layout/WarpDivision.h"
#include "sattn/Layout/Fragment.h"

#include <gtest/gtest.h>

#include <string>

using namespace sattn::layout;

/// "rowWarps x columnWarps x rowTiles" of a tile that gets the warps it wants.
static std::string divide(int64_t rows, int64_t columns) {
  auto it =
      divideAmongWarps(rows, columns, columns, getMmaWarps(rows, columns));
  return it ? std::to_string(it->rowWarps) + " x " +
                  std::to_string(it->columnWarps) + " x " +
                  std::to_string(it->rowTiles)
            : "none";
}

TEST(WarpDivisionTest, NearSquaresLoadTheLeast) {
  EXPECT_EQ(divide(16, 256), "1 x 4 x 1");
  EXPECT_EQ(divide(32, 256), "1 x 4 x 2");
  EXPECT_EQ(divide(64, 128), "2 x 2 x 2");
  EXPECT_EQ(divide(64, 256), "2 x 4 x 2");
  // 32 + 64 rows and columns either way: fewer warps along the columns.
  EXPECT_EQ(divide(128, 128), "4 x 2 x 2");
}

TEST(WarpDivisionTest, RowsBeyondTheTileForFewerRegisters) {
  // Seven fragments of 16 rows are divided evenly by seven warps, five and
  // thirteen by no number near eight.
  EXPECT_EQ(divide(112, 128), "7 x 1 x 1");
  EXPECT_EQ(divide(80, 256), "2 x 4 x 3");
  EXPECT_EQ(divide(208, 64), "2 x 4 x 7");
}

TEST(WarpDivisionTest, ColumnsAreDividedInEights) {
  EXPECT_FALSE(divideAmongWarps(64, 100, 100, 8));
  EXPECT_EQ(divideAmongWarps(16, 24, 24, 8)->columnWarps, 1);
  EXPECT_EQ(divideAmongWarps(16, 64, 16, 8)->columnWarps, 2);
}

TEST(WarpDivisionTest, EveryTileIsCovered) {
  for (int64_t rows = 8; rows <= 256; rows += 8)
    for (int64_t columns : {8, 64, 128, 192, 256})
      for (int64_t most = 1; most <= kMostMmaWarps; ++most) {
        auto it = divideAmongWarps(rows, columns, columns, most);
        ASSERT_TRUE(it);
        EXPECT_LE(it->warps(), most);
        AccumulatorFragment fragment{it->warps(), columns, it->columnWarps,
                                     it->rowTiles};
        ASSERT_TRUE(fragment.isValid());
        EXPECT_GE(fragment.rows(), rows);
        EXPECT_LT(fragment.rows() - it->rowWarps * kWarpRows, rows);
        EXPECT_EQ(fragment.registersPerThread(), it->accumulators(columns));
      }
}
