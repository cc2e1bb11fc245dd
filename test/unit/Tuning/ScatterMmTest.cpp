//===- ScatterMmTest.cpp - Parameters of scatter_mm -----------------------===//

#include "sattn/Tuning/ScatterMm.h"

#include "gtest/gtest.h"

using namespace sattn::tuning;
using namespace sattn::tuning::scatter_mm;

namespace {
Facts factsOf(int64_t rows, int64_t columns,
              std::optional<int64_t> n = std::nullopt) {
  Facts facts;
  facts.blockRows = rows;
  facts.blockColumns = columns;
  facts.n = n;
  return facts;
}

TEST(ScatterMmTest, DefaultHasABlocksRows) {
  Target hopper = *findTarget("sm_90a");
  for (int64_t size : {8, 16, 24, 64, 128}) {
    Parameters tile = defaultParameters(factsOf(size, size), hopper);
    // Two entries share a tile of 128 rows.
    EXPECT_EQ(tile.rows, size == 64 ? 128 : size);
    EXPECT_EQ(tile.columns, 256);
    EXPECT_EQ(tile.depth, std::min<int64_t>(size, 64));
  }
  Facts facts = factsOf(64, 64);
  facts.elementBytes = 4;
  EXPECT_EQ(defaultParameters(facts, hopper).depth, 32);
  EXPECT_EQ(defaultParameters(facts, hopper).rows, 64);
  EXPECT_EQ(defaultParameters(factsOf(64, 64, 64), hopper).rows, 64);
  EXPECT_EQ(defaultParameters(factsOf(256, 192), hopper).rows, 128);
  EXPECT_EQ(defaultParameters(factsOf(64, 64), *findTarget("sm_80")).columns,
            128);
}

TEST(ScatterMmTest, WhatNothingDividesIsPadded) {
  for (llvm::StringRef name : {"sm_90a", "sm_80"}) {
    Parameters tile = defaultParameters(factsOf(15, 30, 15), *findTarget(name));
    EXPECT_EQ(tile.rows, 16);
    EXPECT_EQ(tile.columns, 16);
    EXPECT_EQ(tile.depth, 32);
    tile = defaultParameters(factsOf(150, 100), *findTarget(name));
    EXPECT_EQ(tile.rows, 128);
    EXPECT_EQ(tile.depth, 64);
  }
  Parameters tile = defaultParameters(factsOf(15, 30, 15), *findTarget("cpu"));
  EXPECT_EQ(tile.rows, 15);
  EXPECT_EQ(tile.columns, 16);
  EXPECT_EQ(tile.depth, 30);
}

TEST(ScatterMmTest, TilesOfTheCPUDivideBlocks) {
  Target cpu = *findTarget("cpu");
  Parameters tile = defaultParameters(factsOf(100, 97), cpu);
  EXPECT_EQ(tile.rows, 50);
  EXPECT_EQ(tile.depth, 97);
  for (int64_t size = 1; size <= 300; ++size) {
    tile = defaultParameters(factsOf(size, size), cpu);
    EXPECT_EQ(size % tile.rows, 0);
    EXPECT_EQ(size % tile.depth, 0);
  }
  tile = {64, 128, 64};
  fitTo(factsOf(60, 100), cpu, tile);
  EXPECT_EQ(tile.rows, 60);
  EXPECT_EQ(tile.depth, 50);
  tile = {64, 128, 64};
  fitTo(factsOf(60, 100), *findTarget("sm_80"), tile);
  EXPECT_EQ(tile.rows, 64);
}

TEST(ScatterMmTest, FewColumnsAreOneTile) {
  for (auto [n, columns] : {std::pair(1, 16), {16, 16}, {40, 64}, {300, 256}})
    EXPECT_EQ(
        defaultParameters(factsOf(64, 64, n), *findTarget("sm_90a")).columns,
        columns);
}

TEST(ScatterMmTest, EveryDefaultIsATile) {
  for (llvm::StringRef name : targetNames())
    for (int64_t size = 1; size <= 300; ++size) {
      Parameters tile =
          defaultParameters(factsOf(size, size), *findTarget(name));
      EXPECT_TRUE(isPart(tile.rows, size) || countLists(tile.rows, size) > 1)
          << size;
      EXPECT_TRUE(isPart(tile.depth, size)) << size;
      EXPECT_EQ(tile.columns % 8, 0);
    }
}

TEST(ScatterMmTest, EntriesThatShareATile) {
  EXPECT_EQ(countLists(128, 64), 2);
  EXPECT_EQ(countLists(64, 16), 4);
  EXPECT_EQ(countLists(128, 16), kMostLists);
  EXPECT_EQ(countLists(144, 16), 1);
  EXPECT_EQ(countLists(96, 64), 1);
  EXPECT_EQ(countLists(64, 128), 1);
  // Padding.
  EXPECT_EQ(countLists(16, 8), 1);
  Search search{*findTarget("sm_90a")};
  search.row = {"tile_m=64"};
  llvm::Expected<Choice> choice = choose(factsOf(32, 32), search);
  ASSERT_TRUE(bool(choice));
  EXPECT_EQ(choice->parameters.rows, 64);
}

TEST(ScatterMmTest, ShortListsHaveATileEach) {
  Facts facts = factsOf(64, 64);
  EXPECT_EQ(defaultParameters(facts, *findTarget("sm_90a")).rows, 128);
  facts.sparsity = 80;
  EXPECT_EQ(defaultParameters(facts, *findTarget("sm_90a")).rows, 128);
  facts.sparsity = 81;
  EXPECT_EQ(defaultParameters(facts, *findTarget("sm_90a")).rows, 64);
}

TEST(ScatterMmTest, TakesGivenNumbers) {
  Search search{*findTarget("cpu")};
  search.row = {"tile_m=16", "tile_k=24", "tile_n=40", "stages=3"};
  llvm::Expected<Choice> choice = choose(factsOf(32, 32), search);
  ASSERT_TRUE(bool(choice));
  EXPECT_EQ(choice->parameters.rows, 16);
  EXPECT_EQ(choice->parameters.columns, 40);
  // On the CPU tiles divide blocks.
  EXPECT_EQ(choice->parameters.depth, 16);
  EXPECT_EQ(choice->parameters.stages, 3);
  search.row = {"tile_m=64"};
  choice = choose(factsOf(32, 32), search);
  ASSERT_TRUE(bool(choice));
  EXPECT_EQ(choice->parameters.rows, 32);
  search.row = {"tile_m=40"};
  EXPECT_EQ(
      llvm::toString(choose(factsOf(32, 32), search).takeError()),
      "expected tile_m to divide the block's 32, or to be a multiple of 8 "
      "below, or the next of 8 or 16, but got 40");
  search.row = {"tile_n=12"};
  EXPECT_EQ(llvm::toString(choose(factsOf(32, 32), search).takeError()),
            "expected tile_n to be a multiple of 8, but got 12");
}
} // namespace
