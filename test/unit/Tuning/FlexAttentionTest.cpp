//===- FlexAttentionTest.cpp - Tiles of attention -------------------------===//

#include "sattn/Tuning/FlexAttention.h"

#include "gtest/gtest.h"

using namespace sattn::tuning;
using namespace sattn::tuning::flex_attention;

namespace {
Facts factsOf(int64_t headDim) {
  Facts facts;
  facts.headDim = facts.valueDim = headDim;
  return facts;
}

TEST(FlexAttentionTest, DefaultFollowsHeadDim) {
  Target hopper = *findTarget("sm_90a");
  Parameters tile = defaultParameters(factsOf(64), hopper);
  EXPECT_EQ(tile.rows, 192);
  EXPECT_EQ(tile.depth, 128);
  EXPECT_EQ(tile.columns, 64);
  tile = defaultParameters(factsOf(80), hopper);
  EXPECT_EQ(tile.rows, 192);
  EXPECT_EQ(tile.depth, 112);
  Facts listed = factsOf(80);
  listed.blockQueries = listed.blockKeys = 128;
  tile = defaultParameters(listed, hopper);
  EXPECT_EQ(tile.rows, 128);
  EXPECT_EQ(tile.depth, 128);
  tile = defaultParameters(factsOf(128), hopper);
  EXPECT_EQ(tile.rows, 128);
  EXPECT_EQ(tile.depth, 128);
}

TEST(FlexAttentionTest, WideHeadsHaveAsManyKeysAsFit) {
  Target hopper = *findTarget("sm_90a");
  Parameters tile = defaultParameters(factsOf(256), hopper);
  EXPECT_EQ(tile.rows, 128);
  EXPECT_EQ(tile.depth, 80);
  EXPECT_EQ(defaultParameters(factsOf(192), hopper).depth, 112);
  EXPECT_EQ(defaultParameters(factsOf(160), hopper).depth, 112);
  EXPECT_EQ(defaultParameters(factsOf(240), hopper).depth, 64);
  Facts facts = factsOf(192);
  facts.valueDim = 128;
  EXPECT_EQ(defaultParameters(facts, hopper).depth, 128);
  // Registers bound them, too.
  facts.headDim = 64;
  facts.valueDim = 256;
  EXPECT_EQ(defaultParameters(facts, hopper).depth, 80);
  // A divisor of a list's blocks.
  facts = factsOf(256);
  facts.blockKeys = 128;
  EXPECT_EQ(defaultParameters(facts, hopper).depth, 64);
}

TEST(FlexAttentionTest, PackedHeadsAreOneWarpgroup) {
  Facts facts = factsOf(128);
  facts.isPacked = true;
  EXPECT_EQ(defaultParameters(facts, *findTarget("sm_90a")).rows, 64);
  EXPECT_EQ(defaultParameters(facts, *findTarget("sm_90a")).depth, 64);
  EXPECT_EQ(defaultParameters(facts, *findTarget("sm_80")).rows, 64);
  facts.rows = 100;
  EXPECT_EQ(defaultParameters(facts, *findTarget("sm_90a")).rows, 128);
  // A list has one block of queries for all rows.
  facts.blockQueries = 16;
  EXPECT_EQ(defaultParameters(facts, *findTarget("sm_90a")).rows, 128);
}

TEST(FlexAttentionTest, WideHeadsHavePartsOfColumns) {
  Parameters tile = defaultParameters(factsOf(512), *findTarget("sm_90a"));
  EXPECT_EQ(tile.rows, 64);
  EXPECT_EQ(tile.depth, 64);
  EXPECT_EQ(tile.columns, 176);
  tile = defaultParameters(factsOf(512), *findTarget("sm_80"));
  EXPECT_EQ(tile.rows, 32);
  EXPECT_EQ(tile.columns, 128);
  EXPECT_EQ(defaultParameters(factsOf(512), *findTarget("cpu")).columns, 512);
}

TEST(FlexAttentionTest, DefaultFollowsBytes) {
  Facts facts = factsOf(128);
  facts.elementBytes = 4;
  Parameters tile = defaultParameters(facts, *findTarget("sm_80"));
  EXPECT_EQ(tile.rows, 64);
  EXPECT_EQ(tile.depth, 16);
  EXPECT_EQ(tile.columns, 128);
}

TEST(FlexAttentionTest, TilesDivideBlocksOfLists) {
  Facts facts = factsOf(64);
  facts.blockQueries = 128;
  facts.blockKeys = 48;
  Parameters tile = defaultParameters(facts, *findTarget("sm_90a"));
  EXPECT_EQ(tile.rows, 128);
  EXPECT_EQ(tile.depth, 48);
}

TEST(FlexAttentionTest, UnequalTilesOfSeveralHeadsAreSideBySide) {
  Facts causal = factsOf(128), lists = factsOf(128);
  causal.isCausal = true;
  lists.blockQueries = lists.blockKeys = 128;
  Facts shared = lists;
  shared.areListsShared = true;
  Target hopper = *findTarget("sm_90a");
  EXPECT_EQ(defaultParameters(factsOf(128), hopper).rasterGroup, 1);
  EXPECT_EQ(defaultParameters(causal, hopper).rasterGroup, 8);
  EXPECT_EQ(defaultParameters(lists, hopper).rasterGroup, 1);
  EXPECT_EQ(defaultParameters(shared, hopper).rasterGroup, 8);
}

TEST(FlexAttentionTest, ColumnsArePaddedForWgmma) {
  Target hopper = *findTarget("sm_90a");
  std::pair<int64_t, int64_t> columnsOf[] = {
      {24, 24},   {40, 64},   {64, 64},   {72, 80},   {80, 80},
      {88, 96},   {96, 96},   {104, 112}, {112, 112}, {120, 128},
      {192, 192}, {200, 208}, {320, 160}, {384, 192}, {500, 176}};
  for (auto [headDim, columns] : columnsOf)
    EXPECT_EQ(defaultParameters(factsOf(headDim), hopper).columns, columns)
        << headDim;
  EXPECT_EQ(defaultParameters(factsOf(72), *findTarget("sm_80")).columns, 72);
  Facts facts = factsOf(80);
  facts.headDim = 40;
  EXPECT_EQ(defaultParameters(facts, hopper).columns, 128);
}

TEST(FlexAttentionTest, RowsThatTMADoesNotTakeHaveFewerQueries) {
  EXPECT_EQ(defaultParameters(factsOf(40), *findTarget("sm_90a")).rows, 192);
  EXPECT_EQ(defaultParameters(factsOf(33), *findTarget("sm_90a")).rows, 128);
}

TEST(FlexAttentionTest, ColumnsAreAMultipleOf8) {
  Facts facts = factsOf(33);
  facts.valueDim = 5;
  EXPECT_EQ(defaultParameters(facts, *findTarget("cpu")).columns, 8);
}

TEST(FlexAttentionTest, RowReplacesNumbers) {
  Search search = {*findTarget("sm_90a")};
  search.row = {"tile_m=64", "stages=3"};
  llvm::Expected<Choice> choice = choose(factsOf(128), search);
  ASSERT_TRUE(bool(choice));
  EXPECT_EQ(choice->parameters.rows, 64);
  EXPECT_EQ(choice->parameters.depth, 128);
  EXPECT_EQ(choice->parameters.stages, 3);
  search.row = {"SPLIT_N=4"};
  choice = choose(factsOf(128), search);
  ASSERT_FALSE(bool(choice));
  EXPECT_EQ(llvm::toString(choice.takeError()),
            "expected tile_m, tile_n, tile_k, stages, warps, raster_group, "
            "register_rows, register_vectors or threads, "
            "but got 'SPLIT_N'");
  search.row = {"tile_n=136"};
  choice = choose(factsOf(128), search);
  ASSERT_FALSE(bool(choice));
  EXPECT_EQ(
      llvm::toString(choice.takeError()),
      "expected tile_n of at most 128, all columns and their padding, but "
      "got 136");
}
} // namespace
