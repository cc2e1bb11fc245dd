//===- BsrAttentionTest.cpp - Tiles of bsr_attention ----------------------===//

#include "sattn/Tuning/BsrAttention.h"

#include "gtest/gtest.h"

using namespace sattn::tuning;
using namespace sattn::tuning::bsr_attention;

namespace {
Facts factsOf(int64_t blockRows, int64_t blockColumns, int64_t columns = 128) {
  Facts facts;
  facts.headDim = facts.valueDim = columns;
  facts.blockQueries = blockRows;
  facts.blockKeys = blockColumns;
  return facts;
}

TEST(BsrAttentionTest, DefaultIsABlockRow) {
  Target hopper = *findTarget("sm_90a");
  for (int64_t size : {16, 32, 64, 128}) {
    Parameters tile = defaultParameters(factsOf(size / 2, size), hopper);
    EXPECT_EQ(tile.rows, size / 2);
    EXPECT_EQ(tile.depth, size);
    EXPECT_EQ(tile.columns, 128);
  }
}

TEST(BsrAttentionTest, LargeBlocksHaveParts) {
  Target hopper = *findTarget("sm_90a");
  Parameters tile = defaultParameters(factsOf(256, 192), hopper);
  EXPECT_EQ(tile.rows, 128);
  EXPECT_EQ(tile.depth, 96);
  // The keys of a tile are a multiple of 16, so not 72.
  EXPECT_EQ(defaultParameters(factsOf(64, 144), hopper).depth, 48);
  tile = defaultParameters(factsOf(128, 128, 256), hopper);
  EXPECT_EQ(tile.depth, 64);
  tile = defaultParameters(factsOf(128, 128), *findTarget("sm_80"));
  EXPECT_EQ(tile.rows, 128);
  EXPECT_EQ(tile.depth, 64);
  tile = defaultParameters(factsOf(136, 48), *findTarget("cpu"));
  EXPECT_EQ(136 % tile.rows, 0);
  EXPECT_EQ(tile.depth, 48);
}

TEST(BsrAttentionTest, DropoutHasFewerKeys) {
  Facts facts = factsOf(64, 128, 64);
  facts.hasDropout = true;
  EXPECT_EQ(defaultParameters(facts, *findTarget("sm_90a")).depth, 32);
  EXPECT_EQ(defaultParameters(facts, *findTarget("sm_80")).depth, 16);
  EXPECT_EQ(defaultParameters(facts, *findTarget("cpu")).depth, 128);
  facts.headDim = 128;
  EXPECT_EQ(defaultParameters(facts, *findTarget("sm_90a")).depth, 16);
}

TEST(BsrAttentionTest, LongRowsHaveParts) {
  Target hopper = *findTarget("sm_90a");
  Facts facts = factsOf(64, 64);
  facts.mayHaveParts = facts.areListsShared = true;
  facts.seenBlocks = 16 * 416;
  auto choose = [&] { return defaultParameters(facts, hopper); };
  EXPECT_FALSE(choose().splitK);
  facts.longestRow = 14;
  EXPECT_FALSE(choose().splitK);
  EXPECT_EQ(choose().rasterGroup, 8);
  facts.longestRow = 64;
  EXPECT_EQ(choose().splitK, 2 * 132);
  EXPECT_EQ(choose().rasterGroup, 16);
  facts.areListsShared = false;
  EXPECT_EQ(choose().rasterGroup, 1);
  EXPECT_FALSE(defaultParameters(facts, *findTarget("sm_80")).splitK);
  EXPECT_FALSE(defaultParameters(facts, *findTarget("cpu")).splitK);
  // With more heads an equal share is longer.
  facts.seenBlocks = 32 * 416;
  EXPECT_FALSE(choose().splitK);
  facts.seenBlocks = 416;
  facts.longestRow = 16;
  EXPECT_FALSE(choose().splitK);
  facts.longestRow = 20;
  EXPECT_TRUE(choose().splitK);
  facts.hasDropout = true;
  EXPECT_FALSE(choose().splitK);
  // One CTA of two warpgroups in an SM.
  facts = factsOf(128, 128);
  facts.mayHaveParts = true;
  facts.seenBlocks = 16 * 104;
  facts.longestRow = 32;
  EXPECT_EQ(choose().splitK, 132);
  facts.headDim = 192;
  EXPECT_FALSE(choose().splitK);
  // A block row of two tiles.
  facts = factsOf(256, 128);
  facts.mayHaveParts = true;
  facts.seenBlocks = 16 * 104;
  facts.longestRow = 50;
  EXPECT_EQ(choose().splitK, 66);
  facts.longestRow = 40;
  EXPECT_FALSE(choose().splitK);
}

TEST(BsrAttentionTest, TakesGivenNumbers) {
  Search search{*findTarget("cpu")};
  search.row = {"tile_m=16", "tile_k=16", "stages=3"};
  llvm::Expected<Choice> choice = choose(factsOf(32, 32), search);
  ASSERT_TRUE(bool(choice));
  EXPECT_EQ(choice->parameters.rows, 16);
  EXPECT_EQ(choice->parameters.depth, 16);
  EXPECT_EQ(choice->parameters.stages, 3);
  search.row = {"tile_m=24"};
  EXPECT_EQ(llvm::toString(choose(factsOf(32, 32), search).takeError()),
            "expected tile_m to divide the block's 32, but got 24");
}
} // namespace
