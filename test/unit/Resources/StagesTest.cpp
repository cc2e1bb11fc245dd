//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Resources/Stages.h"

#include <gtest/gtest.h>

using namespace sattn::resources;

namespace {

TEST(StagesTest, BytesOfAStep) {
  StepTiles tiles = {64, 128, 32, 2};
  EXPECT_EQ(tiles.getBytes(), 12288);
  EXPECT_EQ(tiles.getPaddedBytes(), 12288);
  // 8 rows take 16, and 8 columns of 2 bytes 32 bytes: the second operand
  // has 24 rows of 32 columns or, transposed, 32 rows of 32 columns.
  EXPECT_EQ((StepTiles{8, 32, 24, 2}.getPaddedBytes()), 16 * 64 + 32 * 64);
}

TEST(StagesTest, StagesThatFit) {
  Target target = *findTarget("sm_80");
  StepTiles tiles = {64, 128, 32, 2};
  target.sharedBytes = 3 * tiles.getBytes();
  EXPECT_EQ(countStages(tiles, target), 3);
  --target.sharedBytes;
  EXPECT_EQ(countStages(tiles, target), 2);
  EXPECT_TRUE(fitsRing(tiles, target));
  target.sharedBytes = 2 * tiles.getBytes() + 256;
  EXPECT_TRUE(fitsRing(tiles, target));
  --target.sharedBytes;
  EXPECT_FALSE(fitsRing(tiles, target));
}

TEST(StagesTest, LoopsHaveTheMemoryThatTilesLeave) {
  RingStages stages = fitRingStages(/*loopBytes=*/10, /*tileBytes=*/20,
                                    /*available=*/100, 16, 2);
  EXPECT_EQ(stages.loop, 6);
  EXPECT_EQ(stages.tile, 2);
  EXPECT_EQ(fitRingStages(10, 20, 100, 4, 2).loop, 4);
  // A second stage of a tile goes where a loop would have no second one.
  stages = fitRingStages(10, 20, 59, 16, 2);
  EXPECT_EQ(stages.loop, 3);
  EXPECT_EQ(stages.tile, 1);
  EXPECT_EQ(fitRingStages(10, 20, 30, 16, 2).loop, 1);
  EXPECT_EQ(fitRingStages(10, 20, 29, 16, 2).tile, 0);
}

TEST(StagesTest, NoLoop) {
  EXPECT_EQ(fitRingStages(0, 20, 40, 16, 2).tile, 2);
  EXPECT_EQ(fitRingStages(0, 20, 39, 16, 2).tile, 1);
  EXPECT_EQ(fitRingStages(0, 20, 19, 16, 2).tile, 0);
}

} // namespace
