//===- SampledAddmmTest.cpp - Tiles of sampled_addmm ----------------------===//

#include "sattn/Tuning/SampledAddmm.h"

#include "gtest/gtest.h"

using namespace sattn::tuning;
using namespace sattn::tuning::sampled_addmm;

namespace {
Facts factsOf(int64_t blockRows, int64_t blockColumns) {
  Facts facts;
  facts.blockRows = blockRows;
  facts.blockColumns = blockColumns;
  return facts;
}

TEST(SampledAddmmTest, DefaultIsABlock) {
  for (llvm::StringRef name : {"sm_90a", "sm_80"})
    for (int64_t size : {8, 16, 24, 64, 128}) {
      Parameters tile =
          defaultParameters(factsOf(size, size), *findTarget(name));
      EXPECT_EQ(tile.rows, size);
      if (name == "sm_80" || size % 16 != 0)
        EXPECT_EQ(tile.columns, size);
      else if (size < 64)
        EXPECT_EQ(tile.columns, 8 * size);
      EXPECT_EQ(tile.depth, 64);
    }
  Target hopper = *findTarget("sm_90a");
  Facts facts = factsOf(64, 64);
  facts.elementBytes = 4;
  EXPECT_EQ(defaultParameters(facts, hopper).depth, 32);
  facts.k = 20;
  EXPECT_EQ(defaultParameters(facts, hopper).depth, 32);
  facts.k = 3;
  EXPECT_EQ(defaultParameters(facts, hopper).depth, 16);
}

TEST(SampledAddmmTest, LargeBlocksHaveParts) {
  Parameters tile = defaultParameters(factsOf(192, 512), *findTarget("sm_90a"));
  // Whole warpgroups before longer parts.
  EXPECT_EQ(tile.rows, 64);
  EXPECT_EQ(tile.columns, 256);
  tile = defaultParameters(factsOf(256, 256), *findTarget("sm_80"));
  EXPECT_EQ(tile.rows * tile.columns, 128 * 128);
  tile = defaultParameters(factsOf(256, 256), *findTarget("cpu"));
  EXPECT_EQ(tile.rows, 64);
  EXPECT_EQ(tile.columns, 128);
}

TEST(SampledAddmmTest, WgmmaHasSeveralBlocks) {
  Target hopper = *findTarget("sm_90a");
  auto columnsOf = [&](int64_t blockRows, int64_t blockColumns) {
    return defaultParameters(factsOf(blockRows, blockColumns), hopper).columns;
  };
  EXPECT_EQ(columnsOf(64, 64), 4 * 64);
  EXPECT_EQ(columnsOf(64, 128), 4 * 128);
  EXPECT_EQ(columnsOf(128, 64), 2 * 64);
  // One large block, and one part of a block.
  EXPECT_EQ(columnsOf(128, 128), 128);
  EXPECT_EQ(columnsOf(64, 256), 256);
  EXPECT_EQ(columnsOf(128, 256), 256);
  EXPECT_EQ(columnsOf(64, 512), 256);
}

TEST(SampledAddmmTest, TakesGivenNumbers) {
  Search search{*findTarget("cpu")};
  search.row = {"tile_m=16", "tile_k=40", "stages=3"};
  llvm::Expected<Choice> choice = choose(factsOf(32, 32), search);
  ASSERT_TRUE(bool(choice));
  EXPECT_EQ(choice->parameters.rows, 16);
  EXPECT_EQ(choice->parameters.columns, 32);
  EXPECT_EQ(choice->parameters.depth, 40);
  EXPECT_EQ(choice->parameters.stages, 3);
  search.row = {"tile_n=24"};
  EXPECT_EQ(llvm::toString(choose(factsOf(32, 32), search).takeError()),
            "expected tile_n to divide the block's 32 or to be a multiple of "
            "them, but got 24");
  search.row = {"tile_n=96"};
  choice = choose(factsOf(32, 32), search);
  ASSERT_TRUE(bool(choice));
  EXPECT_EQ(choice->parameters.columns, 96);
  search.row = {"tile_k=12"};
  EXPECT_EQ(llvm::toString(choose(factsOf(32, 32), search).takeError()),
            "expected tile_k to be a multiple of 8, but got 12");
}
} // namespace
