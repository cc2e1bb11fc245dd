//===- FlexAttentionDkdvTest.cpp - Tiles of keys --------------------------===//

#include "sattn/Tuning/FlexAttentionDkdv.h"

#include "gtest/gtest.h"

using namespace sattn::tuning;
using sattn::tuning::flex_attention_dkdv::Facts;

namespace {
Facts factsOf(int64_t headDim) {
  Facts facts;
  facts.headDim = facts.valueDim = headDim;
  return facts;
}

TEST(FlexAttentionDkdvTest, DefaultFollowsHeadDim) {
  struct Case {
    const char *target;
    int64_t headDim, rows, depth, columns;
  };
  for (const Case &each :
       std::initializer_list<Case>{{"cpu", 64, 64, 64, 64},
                                   {"cpu", 512, 64, 64, 512},
                                   {"sm_80", 64, 32, 64, 64},
                                   {"sm_80", 128, 16, 32, 128},
                                   {"sm_80", 256, 16, 16, 96},
                                   {"sm_90a", 64, 96, 128, 64},
                                   {"sm_90a", 128, 48, 128, 128},
                                   {"sm_90a", 96, 64, 128, 96},
                                   {"sm_90a", 256, 96, 64, 96},
                                   {"sm_90a", 512, 16, 64, 96}}) {
    Parameters tile = flex_attention_dkdv::defaultParameters(
        factsOf(each.headDim), *findTarget(each.target));
    EXPECT_EQ(tile.rows, each.rows) << each.target << " " << each.headDim;
    EXPECT_EQ(tile.depth, each.depth) << each.target << " " << each.headDim;
    EXPECT_EQ(tile.columns, each.columns) << each.target << " " << each.headDim;
  }
}

/// Elements of a bias, positions and words of dropout take registers of rows.
TEST(FlexAttentionDkdvTest, PairsTakeRegisters) {
  auto rowsOf = [](const Facts &facts) {
    return flex_attention_dkdv::defaultParameters(facts, *findTarget("sm_90a"))
        .rows;
  };
  Facts positions = factsOf(96), pairs = factsOf(96), dropout = factsOf(64);
  positions.usesPositions = true;
  EXPECT_EQ(rowsOf(positions), 48);
  positions.blockQueries = positions.blockKeys = 128;
  EXPECT_EQ(rowsOf(positions), 64);
  pairs.readsPairs = pairs.usesPositions = true;
  EXPECT_EQ(rowsOf(pairs), 32);
  dropout.blockQueries = dropout.blockKeys = 128;
  EXPECT_EQ(
      flex_attention_dkdv::defaultParameters(dropout, *findTarget("sm_90a"))
          .depth,
      64);
  dropout.hasDropout = true;
  EXPECT_EQ(
      flex_attention_dkdv::defaultParameters(dropout, *findTarget("sm_90a"))
          .depth,
      128);
}

/// One gradient has half the sums of both.
TEST(FlexAttentionDkdvTest, OneGradientHasMoreKeys) {
  Facts facts = factsOf(256);
  facts.isOneGradient = true;
  EXPECT_EQ(flex_attention_dkdv::defaultParameters(facts, *findTarget("sm_90a"))
                .depth,
            128);
  EXPECT_EQ(
      flex_attention_dkdv::defaultParameters(facts, *findTarget("sm_80")).depth,
      64);
}

/// Four bytes count as twice the columns.
TEST(FlexAttentionDkdvTest, DefaultFollowsBytes) {
  Facts facts = factsOf(128);
  facts.elementBytes = 4;
  Parameters tile =
      flex_attention_dkdv::defaultParameters(facts, *findTarget("sm_90a"));
  EXPECT_EQ(tile.rows, 32);
  EXPECT_EQ(tile.depth, 64);
}

/// The fact `rows` is of keys, which a tile has `depth` of.
TEST(FlexAttentionDkdvTest, FewKeysHaveFewRows) {
  Facts facts = factsOf(64);
  facts.rows = 35;
  EXPECT_EQ(flex_attention_dkdv::defaultParameters(facts, *findTarget("sm_90a"))
                .depth,
            64);
  EXPECT_EQ(
      flex_attention_dkdv::defaultParameters(facts, *findTarget("sm_90a")).rows,
      96);
  EXPECT_EQ(
      flex_attention_dkdv::defaultParameters(facts, *findTarget("sm_80")).depth,
      40);
  EXPECT_EQ(
      flex_attention_dkdv::defaultParameters(facts, *findTarget("cpu")).depth,
      40);
}

TEST(FlexAttentionDkdvTest, TilesDivideBlocksOfLists) {
  Facts facts = factsOf(128);
  facts.blockQueries = 128;
  facts.blockKeys = 192;
  Parameters tile =
      flex_attention_dkdv::defaultParameters(facts, *findTarget("sm_90a"));
  EXPECT_EQ(tile.rows, 64);
  EXPECT_EQ(tile.depth, 96);
}

/// Columns are those of the widest gradient that there is.
TEST(FlexAttentionDkdvTest, ColumnsAreThoseOfGradients) {
  auto columnsOf = [](const Facts &facts, const char *target) {
    return flex_attention_dkdv::defaultParameters(facts, *findTarget(target))
        .columns;
  };
  Facts facts = factsOf(33);
  EXPECT_EQ(columnsOf(facts, "cpu"), 40);
  EXPECT_EQ(columnsOf(facts, "sm_90a"), 64);
  facts.headDim = 64;
  facts.valueDim = 320;
  EXPECT_EQ(columnsOf(facts, "cpu"), 320);
  for (const char *target : {"sm_80", "sm_90a"})
    EXPECT_EQ(columnsOf(facts, target), 80) << target;
  facts.isOneGradient = true;
  facts.gradientColumns = 320;
  for (const char *target : {"sm_80", "sm_90a"})
    EXPECT_EQ(columnsOf(facts, target), 160) << target;
  facts.gradientColumns = 64;
  for (const char *target : {"sm_80", "sm_90a"})
    EXPECT_EQ(columnsOf(facts, target), 64) << target;
}

TEST(FlexAttentionDkdvTest, RowReplacesNumbers) {
  Search search = {*findTarget("sm_90a")};
  search.row = {"tile_m=32", "stages=3"};
  llvm::Expected<Choice> choice =
      flex_attention_dkdv::choose(factsOf(128), search);
  ASSERT_TRUE(bool(choice));
  EXPECT_EQ(choice->parameters.rows, 32);
  EXPECT_EQ(choice->parameters.depth,
            flex_attention_dkdv::defaultParameters(factsOf(128), search.target)
                .depth);
  EXPECT_EQ(choice->parameters.stages, 3);
  Facts listed = factsOf(128);
  listed.blockQueries = listed.blockKeys = 48;
  choice = flex_attention_dkdv::choose(listed, search);
  ASSERT_FALSE(bool(choice));
  EXPECT_EQ(llvm::toString(choice.takeError()),
            "expected tile_m to divide the block's 48, but got 32");
}
} // namespace
