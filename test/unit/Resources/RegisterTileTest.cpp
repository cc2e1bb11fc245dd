//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Resources/RegisterTile.h"
#include "sattn/Resources/HostCpu.h"
#include "sattn/Resources/Target.h"

#include "gtest/gtest.h"

using namespace sattn::resources;

TEST(RegisterTileTest, DefaultsFitRegisters) {
  for (int64_t bits : {128, 256, 512})
    for (int64_t most = 1; most <= chooseVectors(bits); most *= 2) {
      RegisterTile tile = chooseRegisterTile(bits, most);
      EXPECT_EQ(tile.vectors, most);
      EXPECT_EQ(findRegisterTileProblem(tile, bits), "");
    }
  EXPECT_EQ(chooseRegisterTile(256, 2).rows, 6);
  EXPECT_EQ(chooseRegisterTile(512, 4).rows, 4);
}

TEST(RegisterTileTest, TheHostIsATarget) {
  llvm::Expected<HostCpu> cpu = getHostCpu();
  ASSERT_TRUE(bool(cpu));
  EXPECT_FALSE(cpu->name.empty());
  Target target = findHostTarget();
  EXPECT_EQ(target.name, "cpu");
  EXPECT_EQ(target.vectorBits, cpu->vectorBits);
  EXPECT_GE(target.threads, 1);
  EXPECT_EQ(findTarget("cpu")->vectorBits, kDefaultVectorBits);
  EXPECT_EQ(findTarget("sm_90a")->vectorBits, 0);
}
