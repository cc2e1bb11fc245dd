//===- BsrSoftmaxTest.cpp - Tiles of softmax ------------------------------===//

#include "sattn/Tuning/BsrSoftmax.h"

#include "gtest/gtest.h"

using namespace sattn::tuning;
using namespace sattn::tuning::bsr_softmax;

namespace {
Parameters defaultOf(int64_t rows, int64_t columns, llvm::StringRef target,
                     int64_t elementBytes = 2) {
  return defaultParameters({rows, columns, elementBytes}, *findTarget(target));
}

TEST(BsrSoftmaxTest, RowsDivideTheBlock) {
  EXPECT_EQ(defaultOf(64, 64, "cpu").rows, 16);
  EXPECT_EQ(defaultOf(24, 64, "cpu").rows, 12);
  EXPECT_EQ(defaultOf(67, 64, "cpu").rows, 1);
  EXPECT_EQ(defaultOf(1, 1, "cpu").rows, 1);
}

TEST(BsrSoftmaxTest, ATileIsOneRowOnGPUs) {
  EXPECT_EQ(defaultOf(64, 64, "sm_90a").rows, 1);
  EXPECT_EQ(defaultOf(15, 15, "sm_80").rows, 1);
  EXPECT_EQ(defaultOf(1000, 64, "sm_90a").rows, 1);
}

TEST(BsrSoftmaxTest, WhatTheOtherTargetHasIsFitted) {
  Parameters tile = {16, 64, 64};
  fitTo({260, 64}, *findTarget("cpu"), tile);
  EXPECT_EQ(tile.rows, 13);
  fitTo({260, 64}, *findTarget("sm_90a"), tile);
  EXPECT_EQ(tile.rows, 1);
  EXPECT_EQ(tile.depth, 1024);
  fitTo({260, 64}, *findTarget("cpu"), tile);
  EXPECT_EQ(tile.depth, 64);
}

TEST(BsrSoftmaxTest, ColumnsAreWholeFragmentsOnGPUs) {
  EXPECT_EQ(defaultOf(64, 64, "sm_80").columns, 64);
  EXPECT_EQ(defaultOf(15, 15, "sm_80").columns, 16);
  EXPECT_EQ(defaultOf(2, 3, "sm_90a").columns, 8);
  EXPECT_EQ(defaultOf(15, 15, "cpu").columns, 15);
  // Equal parts of wide blocks.
  EXPECT_EQ(defaultOf(64, 256, "sm_90a").columns, 64);
  EXPECT_EQ(defaultOf(64, 200, "sm_90a").columns, 56);
  EXPECT_EQ(defaultOf(64, 200, "cpu").columns, 200);
}

TEST(BsrSoftmaxTest, StepsHaveSeveralBlocksOnGPUs) {
  EXPECT_EQ(defaultOf(64, 64, "sm_90a").depth, 1024);
  EXPECT_EQ(defaultOf(64, 64, "sm_90a", /*elementBytes=*/4).depth, 1024);
  EXPECT_EQ(defaultOf(64, 32, "sm_80").depth, 1024);
  EXPECT_EQ(defaultOf(64, 200, "sm_90a").depth, 896);
  EXPECT_EQ(defaultOf(1, 1, "sm_90a").depth, 512);
  EXPECT_EQ(defaultOf(64, 64, "cpu").depth, 64);
}

TEST(BsrSoftmaxTest, TenKilobytesOfARowStayInRegistersOnGPUs) {
  EXPECT_EQ(defaultOf(64, 64, "sm_90a").stages, 5);
  EXPECT_EQ(defaultOf(64, 64, "sm_90a", /*elementBytes=*/4).stages, 2);
  EXPECT_EQ(defaultOf(64, 32, "sm_80").stages, 5);
  // Whole blocks.
  EXPECT_EQ(defaultOf(128, 128, "sm_90a").stages, 6);
  EXPECT_EQ(defaultOf(64, 200, "sm_90a").stages, 5);
  EXPECT_EQ(defaultOf(16, 16, "sm_90a").stages, 5);
  // Fewer where they are pieces.
  EXPECT_EQ(defaultOf(8, 8, "sm_90a").stages, 4);
  EXPECT_EQ(defaultOf(1, 1, "sm_90a").stages, 2);
  EXPECT_EQ(defaultOf(64, 64, "cpu").stages, std::nullopt);
  Parameters tile = {1, 64, 1024, /*stages=*/20};
  fitTo({64, 64}, *findTarget("sm_90a"), tile);
  EXPECT_EQ(tile.stages, 8);
  fitTo({64, 64}, *findTarget("cpu"), tile);
  EXPECT_EQ(tile.stages, std::nullopt);
}

TEST(BsrSoftmaxTest, WarpsShareARowOnGPUs) {
  EXPECT_EQ(defaultOf(64, 64, "sm_90a").warps, 2);
  EXPECT_EQ(defaultOf(15, 15, "sm_90a").warps, 1);
  EXPECT_EQ(defaultOf(8, 8, "sm_90a").warps, 1);
  EXPECT_EQ(defaultOf(16, 16, "sm_90a").warps, 2);
  EXPECT_EQ(defaultOf(64, 64, "cpu").warps, std::nullopt);
  Parameters tile = {1, 64, 1024, /*stages=*/4, /*warps=*/7};
  fitTo({64, 64}, *findTarget("sm_90a"), tile);
  EXPECT_EQ(tile.warps, 4);
  tile.warps = 3;
  fitTo({64, 64}, *findTarget("sm_90a"), tile);
  EXPECT_EQ(tile.warps, 2);
  // By columns, or by blocks where lanes would have less than 16 bytes.
  EXPECT_EQ(countBlocksAtOnce(64, /*elementBytes=*/2, /*warps=*/2), 16);
  EXPECT_EQ(countBlocksAtOnce(32, /*elementBytes=*/2, /*warps=*/2), 32);
  EXPECT_EQ(countBlocksAtOnce(32, /*elementBytes=*/4, /*warps=*/2), 16);
  EXPECT_EQ(countBlocksAtOnce(64, /*elementBytes=*/2, /*warps=*/4), 32);
  EXPECT_EQ(countBlocksAtOnce(56, /*elementBytes=*/4, /*warps=*/2), 32);
}

TEST(BsrSoftmaxTest, ArraysShareTheRegistersOfGPUs) {
  auto ofTwo = [](int64_t rows, int64_t columns, int64_t elementBytes = 2) {
    return defaultParameters({rows, columns, elementBytes, /*arrays=*/2},
                             *findTarget("sm_90a"));
  };
  EXPECT_EQ(ofTwo(64, 64).depth, 1024);
  EXPECT_EQ(ofTwo(64, 64).stages, 2);
  EXPECT_EQ(ofTwo(64, 64, /*elementBytes=*/4).stages, 1);
  // Whole blocks.
  EXPECT_EQ(ofTwo(128, 128).stages, 2);
  // Steps of half the bytes, as many as of one array.
  EXPECT_EQ(ofTwo(16, 16).depth, 512);
  EXPECT_EQ(ofTwo(16, 16).stages, 5);
  Parameters tile;
  tile.rows = 1;
  tile.columns = 64;
  tile.depth = 1024;
  tile.stages = 20;
  fitTo({64, 64, /*elementBytes=*/2, /*arrays=*/2}, *findTarget("sm_90a"),
        tile);
  EXPECT_EQ(tile.stages, 4);
  // One step at least.
  tile.columns = 56;
  tile.warps = 4;
  fitTo({64, 56, /*elementBytes=*/4, /*arrays=*/2}, *findTarget("sm_90a"),
        tile);
  EXPECT_EQ(tile.stages, 1);
}

std::string textOf(const Facts &facts, std::vector<std::string> row) {
  Search search{*findTarget("sm_90a")};
  search.row.append(row.begin(), row.end());
  llvm::Expected<Choice> choice = choose(facts, search);
  if (!choice)
    return llvm::toString(choice.takeError());
  return std::to_string(choice->parameters.rows) + " x " +
         std::to_string(choice->parameters.columns) + " x " +
         std::to_string(choice->parameters.depth) + ", " +
         std::to_string(choice->parameters.stages.value_or(0)) + " stages, " +
         choice->origin;
}

TEST(BsrSoftmaxTest, NumbersReplaceTheDefault) {
  Facts facts{48, 200};
  EXPECT_EQ(textOf(facts, {}), "1 x 56 x 896, 5 stages, the computed default");
  EXPECT_EQ(textOf(facts, {"tile_n=64", "tile_k=1024"}),
            "1 x 64 x 1024, 5 stages, the option 'row'");
  // Rows that registers do not hold are cut.
  EXPECT_EQ(textOf(facts, {"tile_m=24", "tile_n=200", "tile_k=12800"}),
            "1 x 64 x 1024, 5 stages, the option 'row'");
  EXPECT_EQ(textOf(facts, {"stages=2"}),
            "1 x 56 x 896, 2 stages, the option 'row'");
  EXPECT_EQ(textOf(facts, {"warps=2"}),
            "1 x 56 x 1792, 2 stages, the option 'row'");
  EXPECT_EQ(textOf(facts, {"stages=65"}),
            "expected 'stages' from 0 to 64, but got '65'");
  EXPECT_EQ(textOf(facts, {"tile_m=5"}),
            "expected tile_m to divide the block's 48 rows, but got 5");
  EXPECT_EQ(textOf(facts, {"tile_m=49"}),
            "expected 'tile_m' from 1 to 48, but got '49'");
  EXPECT_EQ(textOf(facts, {"tile_n=20"}),
            "expected tile_n to be the block's 200 columns or a multiple of 8, "
            "but got 20");
  EXPECT_EQ(textOf(facts, {"tile_n=64", "tile_k=100"}),
            "expected tile_k to be a multiple of tile_n, 64, but got 100");
  EXPECT_EQ(textOf(facts, {"warps=3"}),
            "expected 'warps' to be a power of two, but got '3'");
  EXPECT_EQ(textOf(facts, {"warps=5"}),
            "expected 'warps' from 0 to 4, but got '5'");
  EXPECT_EQ(
      textOf(facts, {"raster_group=2"}),
      "expected tile_m, tile_n, tile_k, stages, warps or threads, but got "
      "'raster_group'");
}
} // namespace
