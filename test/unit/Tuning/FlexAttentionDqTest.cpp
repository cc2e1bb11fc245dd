//===- FlexAttentionDqTest.cpp - Tiles of queries -------------------------===//

#include "sattn/Tuning/FlexAttentionDq.h"

#include "gtest/gtest.h"

using namespace sattn::tuning;
using sattn::tuning::flex_attention_dq::Facts;

namespace {
Facts factsOf(int64_t headDim) {
  Facts facts;
  facts.headDim = facts.valueDim = headDim;
  return facts;
}

TEST(FlexAttentionDqTest, DefaultFollowsHeadDim) {
  struct Case {
    const char *target;
    int64_t headDim, rows, depth, columns;
  };
  for (const Case &each :
       std::initializer_list<Case>{{"cpu", 64, 64, 64, 64},
                                   {"cpu", 512, 64, 64, 512},
                                   {"sm_80", 64, 64, 64, 64},
                                   {"sm_80", 128, 64, 32, 128},
                                   {"sm_80", 256, 64, 16, 256},
                                   {"sm_80", 320, 64, 16, 160},
                                   {"sm_80", 512, 32, 16, 256},
                                   {"sm_86", 256, 64, 16, 256},
                                   {"sm_86", 512, 32, 16, 64},
                                   {"sm_90a", 64, 128, 128, 64},
                                   {"sm_90a", 128, 128, 64, 128},
                                   {"sm_90a", 256, 128, 64, 256},
                                   {"sm_90a", 512, 64, 16, 256}}) {
    Parameters tile = flex_attention_dq::defaultParameters(
        factsOf(each.headDim), *findTarget(each.target));
    EXPECT_EQ(tile.rows, each.rows) << each.target << " " << each.headDim;
    EXPECT_EQ(tile.depth, each.depth) << each.target << " " << each.headDim;
    EXPECT_EQ(tile.columns, each.columns) << each.target << " " << each.headDim;
  }
}

/// Elements of a bias and positions take registers of keys.
TEST(FlexAttentionDqTest, PairsTakeRegisters) {
  auto depthOf = [](const Facts &facts) {
    return flex_attention_dq::defaultParameters(facts, *findTarget("sm_90a"))
        .depth;
  };
  for (auto [headDim, depth] :
       {std::pair(64, 96), std::pair(128, 64), std::pair(256, 48)}) {
    Facts facts = factsOf(headDim);
    facts.readsPairs = facts.usesPositions = true;
    EXPECT_EQ(depthOf(facts), depth) << headDim;
  }
  Facts facts = factsOf(128);
  facts.blockQueries = facts.blockKeys = 64;
  EXPECT_EQ(depthOf(facts), 64);
  facts.usesPositions = true;
  EXPECT_EQ(depthOf(facts), 32);
  facts.blockQueries = facts.blockKeys = 128;
  EXPECT_EQ(depthOf(facts), 64);
}

/// Four bytes count as twice the columns.
TEST(FlexAttentionDqTest, DefaultFollowsBytes) {
  Facts facts = factsOf(128);
  facts.elementBytes = 4;
  Parameters tile =
      flex_attention_dq::defaultParameters(facts, *findTarget("sm_80"));
  EXPECT_EQ(tile.rows, 64);
  EXPECT_EQ(tile.depth, 16);
}

TEST(FlexAttentionDqTest, FewQueriesHaveFewRows) {
  Facts facts = factsOf(64);
  facts.rows = 35;
  EXPECT_EQ(
      flex_attention_dq::defaultParameters(facts, *findTarget("sm_90a")).rows,
      64);
  EXPECT_EQ(
      flex_attention_dq::defaultParameters(facts, *findTarget("sm_90a")).depth,
      128);
  EXPECT_EQ(
      flex_attention_dq::defaultParameters(facts, *findTarget("sm_80")).rows,
      40);
  EXPECT_EQ(
      flex_attention_dq::defaultParameters(facts, *findTarget("cpu")).rows, 40);
}

TEST(FlexAttentionDqTest, TilesDivideBlocksOfLists) {
  Facts facts = factsOf(64);
  facts.blockQueries = 192;
  facts.blockKeys = 48;
  Parameters tile =
      flex_attention_dq::defaultParameters(facts, *findTarget("sm_90a"));
  EXPECT_EQ(tile.rows, 96);
  EXPECT_EQ(tile.depth, 48);
}

/// Columns are those of queries; padding is where wgmma has padded operands.
TEST(FlexAttentionDqTest, ColumnsAreThoseOfQueries) {
  auto columnsOf = [](const Facts &facts, const char *target) {
    return flex_attention_dq::defaultParameters(facts, *findTarget(target))
        .columns;
  };
  Facts facts = factsOf(33);
  EXPECT_EQ(columnsOf(facts, "cpu"), 40);
  EXPECT_EQ(columnsOf(facts, "sm_80"), 40);
  EXPECT_EQ(columnsOf(facts, "sm_90a"), 64);
  facts.headDim = 64;
  facts.valueDim = 320;
  for (const char *target : {"cpu", "sm_80", "sm_90a"})
    EXPECT_EQ(columnsOf(facts, target), 64) << target;
  std::swap(facts.headDim, facts.valueDim);
  EXPECT_EQ(columnsOf(facts, "cpu"), 320);
  for (const char *target : {"sm_80", "sm_90a"})
    EXPECT_EQ(columnsOf(facts, target), 160) << target;
}

/// Operands of f32 have twice the bytes: walked rows and rows give way, and at
/// last the columns.
TEST(FlexAttentionDqTest, TilesFitInSharedMemory) {
  for (const char *target : {"sm_80", "sm_86", "sm_89", "sm_90a"})
    for (int64_t bytes : {2, 4})
      for (int64_t headDim : {64, 128, 256, 320, 512}) {
        Facts facts = factsOf(headDim);
        facts.elementBytes = bytes;
        Parameters tile =
            flex_attention_dq::defaultParameters(facts, *findTarget(target));
        int64_t part = tile.columns < headDim ? tile.columns : 0;
        EXPECT_LE(bytes * (tile.rows * 2 * headDim +
                           tile.depth * (2 * headDim + part)),
                  findTarget(target)->sharedBytes)
            << target << " " << headDim << " " << bytes;
      }
}

TEST(FlexAttentionDqTest, RowReplacesNumbers) {
  Search search = {*findTarget("sm_90a")};
  search.row = {"tile_m=32", "stages=3"};
  llvm::Expected<Choice> choice =
      flex_attention_dq::choose(factsOf(128), search);
  ASSERT_TRUE(bool(choice));
  EXPECT_EQ(choice->parameters.rows, 32);
  EXPECT_EQ(
      choice->parameters.depth,
      flex_attention_dq::defaultParameters(factsOf(128), search.target).depth);
  EXPECT_EQ(choice->parameters.stages, 3);
  Facts listed = factsOf(128);
  listed.blockQueries = listed.blockKeys = 48;
  choice = flex_attention_dq::choose(listed, search);
  ASSERT_FALSE(bool(choice));
  EXPECT_EQ(llvm::toString(choice.takeError()),
            "expected tile_m to divide the block's 48, but got 32");
}
} // namespace
