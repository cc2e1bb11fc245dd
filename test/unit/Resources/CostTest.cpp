//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gtest/gtest.h"

#include "sattn/Resources/Cost.h"

using namespace sattn::resources;

static const Target kHopper = *findTarget("sm_90a");

/// Tiles of 128 x 256 with 64 columns of K in a step, in 16 bits.
static KernelWork makeWork(double tiles, double steps) {
  KernelWork work;
  work.tiles = tiles;
  work.steps = work.longestSteps = steps;
  work.step.bytes = (128 + 256) * 64 * 2;
  work.step.wgmmaOperations = 2.0 * 128 * 256 * 64;
  return work;
}

TEST(Cost, AStepTakesItsLoadsOrItsProducts) {
  StepWork step;
  step.bytes = 64 * 1000;
  double loads = estimateStep(step, /*ctasPerSM=*/1, kHopper);
  EXPECT_GT(loads, 1000);
  step.wgmmaOperations = 4096 * 500;
  EXPECT_EQ(estimateStep(step, 1, kHopper), loads);
  step.wgmmaOperations = 4096 * 2000;
  EXPECT_EQ(estimateStep(step, 1, kHopper), loads + 1000);
  step.wgmmaOperations = 0;
  step.mmaOperations = 2048 * 2000;
  EXPECT_EQ(estimateStep(step, 1, kHopper), loads + 1000);
  EXPECT_LT(estimateStep(step, 2, kHopper), loads + 1000);
}

TEST(Cost, ElementsOverlapWithTheMMAsOfOtherGroups) {
  StepWork step;
  step.wgmmaOperations = 4096 * 1000;
  double products = estimateStep(step, /*ctasPerSM=*/1, kHopper);
  step.elements = 10000;
  double alone = estimateStep(step, 1, kHopper);
  EXPECT_GT(alone, products + 1000);
  // Two groups, or two CTAs, take turns; the MMAs are not faster for it.
  step.turns = 2;
  EXPECT_LT(estimateStep(step, 1, kHopper), 0.6 * alone);
  EXPECT_GT(estimateStep(step, 1, kHopper), products);
  step.elements = 100;
  EXPECT_EQ(estimateStep(step, 1, kHopper), products);
  step.elements = 10000;
  step.turns = 1;
  EXPECT_LT(estimateStep(step, 2, kHopper), 0.6 * alone);
}

TEST(Cost, AnSMHasAWholeNumberOfFewTiles) {
  double one = estimateCycles(makeWork(kHopper.smCount, 100), kHopper);
  EXPECT_EQ(estimateCycles(makeWork(1, 100), kHopper), one);
  double two = estimateCycles(makeWork(kHopper.smCount + 1, 100), kHopper);
  EXPECT_GT(two, 1.8 * one);
  KernelWork balanced = makeWork(kHopper.smCount + 1, 100);
  balanced.isBalanced = true;
  EXPECT_LT(estimateCycles(balanced, kHopper), 1.05 * one);
}

TEST(Cost, TheLongestTileBoundsTheTime) {
  KernelWork work = makeWork(kHopper.smCount, 10);
  double equal = estimateCycles(work, kHopper);
  work.longestSteps = 1000;
  EXPECT_GT(estimateCycles(work, kHopper), 20 * equal);
}

TEST(Cost, MemoryBoundsTheTime) {
  KernelWork work = makeWork(1, 1);
  work.memoryBytes = 1e9;
  EXPECT_GT(estimateCycles(work, kHopper), 1e9 / kHopper.rates.memoryBytes);
}

TEST(Cost, ADenseProductNearlyHasThePeakRate) {
  for (llvm::StringRef name : {"sm_80", "sm_86", "sm_89", "sm_90a"}) {
    Target target = *findTarget(name);
    double operations = 2.0 * 8192 * 8192 * 8192;
    double peak =
        static_cast<double>(target.smCount) *
        std::max(target.rates.wgmmaOperations, target.rates.mmaOperations);
    double cycles = estimateDenseProduct({8192, 8192, 8192}, target);
    EXPECT_GT(cycles, operations / peak) << name.str();
    EXPECT_LT(cycles, 1.2 * operations / peak) << name.str();
  }
}

TEST(Cost, ManyDenseProductsReadTheirOwnOperands) {
  DenseProduct low = {64, 8192, 8192};
  double one = estimateDenseProduct(low, kHopper);
  low.products = 64;
  EXPECT_GT(estimateDenseProduct(low, kHopper), 32 * one);
}
