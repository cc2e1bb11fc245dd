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
    for (int64_t vectors : {1, 2, 4}) {
      EXPECT_EQ(findRegisterTileProblem({0, vectors}, bits), "");
      EXPECT_EQ(findRegisterTileProblem(
                    {chooseRegisterRows(bits, vectors), vectors}, bits),
                "");
    }
  EXPECT_EQ(chooseRegisterRows(256, 2), 6);
  EXPECT_EQ(chooseRegisterRows(256, 4), 2);
  EXPECT_EQ(chooseRegisterRows(512, 4), 4);
  EXPECT_EQ(findRegisterTileProblem({0, 8}, 256),
            "expected a register tile that takes at most 16 registers of 256 "
            "bits, but got 1 x 8 vectors, which take 17");
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
