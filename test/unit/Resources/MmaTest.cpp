//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Resources/Mma.h"

#include <gtest/gtest.h>

using namespace sattn::resources;

namespace {

TEST(MmaTest, OperandsAreStoredAlongKOrNot) {
  MmaShape mma = {64, 128, 32, 2};
  EXPECT_EQ(mma.getA().rows, 64);
  EXPECT_EQ(mma.getA().columns, 32);
  EXPECT_EQ(mma.getB().rows, 32);
  EXPECT_EQ(mma.getB().columns, 128);
  mma.isTransposedA = mma.isTransposedB = true;
  EXPECT_EQ(mma.getA().rows, 32);
  EXPECT_EQ(mma.getA().columns, 64);
  EXPECT_EQ(mma.getB().rows, 128);
  EXPECT_EQ(mma.getB().columns, 32);
}

TEST(MmaTest, ShapesOfWgmma) {
  EXPECT_TRUE(fitsWgmma({64, 128, 64, 2}));
  EXPECT_TRUE(fitsWgmma({192, 256, 128, 2}));
  EXPECT_FALSE(fitsWgmma({32, 128, 64, 2}));
  EXPECT_FALSE(fitsWgmma({64, 320, 64, 2}));
  EXPECT_FALSE(fitsWgmma({64, 128, 32, 2}));
  EXPECT_TRUE(fitsWgmma({64, 96, 64, 2}));
  EXPECT_FALSE(fitsWgmma({64, 72, 64, 2}) &&
               hasWholeRows(MmaShape{64, 72, 64, 2}.getB()));
}

TEST(MmaTest, OtherElementsLieAlongK) {
  MmaShape mma = {64, 128, 32, 4};
  EXPECT_FALSE(fitsWgmma(mma));
  mma.isTransposedB = true;
  EXPECT_TRUE(fitsWgmma(mma));
  mma.isTransposedA = true;
  EXPECT_FALSE(fitsWgmma(mma));
  MmaShape bytes = {64, 128, 128, 1};
  bytes.isTransposedB = true;
  EXPECT_TRUE(fitsWgmma(bytes));
  bytes.isInteger = true;
  bytes.n = 24;
  EXPECT_FALSE(fitsWgmma(bytes)); // Rows of B are no multiple of 16.
}

TEST(MmaTest, WidestColumnsOfWgmma) {
  Target target = *findTarget("sm_90a");
  EXPECT_EQ(getWidestColumns(64, 64, 2, false, false, target), 256);
  EXPECT_EQ(getWidestColumns(128, 64, 2, false, false, target), 256);
  EXPECT_EQ(getWidestColumns(256, 64, 2, false, false, target), 128);
  // mma.sync, but for the rows of several block rows.
  EXPECT_EQ(getWidestColumns(128, 32, 2, false, false, target), 256);
  EXPECT_EQ(getWidestColumns(48, 64, 2, false, false, target), 256);
  EXPECT_EQ(getWidestColumns(192, 32, 2, false, true, target), 128);
}

TEST(MmaTest, WidestColumnsOfMmaSync) {
  Target target = *findTarget("sm_80");
  EXPECT_EQ(getWidestColumns(128, 64, 2, false, false, target), 256);
  EXPECT_EQ(getWidestColumns(128, 64, 4, false, false, target), 128);
  EXPECT_EQ(getWidestColumns(64, 64, 2, false, false, target), 256);
  EXPECT_EQ(getWidestColumns(256, 64, 2, false, false, target), 64);
  EXPECT_EQ(getWidestColumns(512, 64, 2, false, false, target), 0);
}

} // namespace
