//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Resources/Kernel.h"

#include <gtest/gtest.h>

using namespace sattn::resources;

namespace {

KernelModel modelOf(llvm::StringRef chip) {
  return KernelModel(*sattn::findChip(chip));
}

TEST(KernelModelTest, SharedMemoryOfAnSMIsDivided) {
  EXPECT_EQ(modelOf("sm_90a").getSharedBytes(1), 227 * 1024);
  EXPECT_EQ(modelOf("sm_90a").getSharedBytes(2), 113 * 1024);
  EXPECT_EQ(modelOf("sm_90a").getSharedBytes(4), 56 * 1024);
  EXPECT_EQ(modelOf("sm_80").getSharedBytes(1), 163 * 1024);
  EXPECT_EQ(modelOf("sm_89").getSharedBytes(2), 49 * 1024);
}

TEST(KernelModelTest, RegistersComeInEights) {
  KernelModel model = modelOf("sm_90a");
  EXPECT_EQ(model.getRegisters(384, 1), 168);
  EXPECT_EQ(model.getRegisters(256, 2), 128);
  EXPECT_EQ(model.getRegisters(128, 1), 248);
}

TEST(KernelModelTest, RolesNeverAskForMoreThanTheKernelStartsWith) {
  KernelModel model = modelOf("sm_90a");
  for (int64_t warpgroups : {1, 2, 3})
    for (int64_t ctas : {1, 2, 4})
      for (int64_t tiles : {0, 100, 200, 240}) {
        int64_t threads = 128 * warpgroups;
        RoleRegisters registers = model.getRoleRegisters(threads, ctas, tiles);
        EXPECT_LE(128 * registers.producer + threads * registers.consumer,
                  (128 + threads) * registers.entry);
        EXPECT_LE(ctas * (128 + threads) * registers.entry, 65536);
      }
}

TEST(KernelModelTest, TheProducerGivesWhatConsumersNeed) {
  KernelModel model = modelOf("sm_90a");
  EXPECT_EQ(model.getRoleRegisters(256, 1, 128).producer, 56);
  EXPECT_EQ(model
                .getRoleRegisters(128, 2, 112, /*liveTiles=*/0,
                                  /*searches=*/true)
                .producer,
            64);
  EXPECT_EQ(model.getRoleRegisters(256, 1, 128).consumer, 224);
  EXPECT_EQ(model.getRoleRegisters(256, 1, 200).producer, 40);
  EXPECT_EQ(model.getRoleRegisters(256, 1, 200).consumer, 232);
  EXPECT_EQ(model.getRoleRegisters(384, 1, 128).producer, 32);
  EXPECT_EQ(model.getRoleRegisters(384, 1, 128).consumer, 160);
}

TEST(KernelModelTest, FewestProducerRegistersAreForLiveTiles) {
  KernelModel model = modelOf("sm_90a");
  RoleRegisters fitting = model.getRoleRegisters(256, 1, 260, 200);
  EXPECT_EQ(fitting.producer, 40);
  EXPECT_EQ(fitting.consumer, 232);
  EXPECT_TRUE(KernelModel::fitsTiles(fitting, 200));
  RoleRegisters most = model.getRoleRegisters(256, 1, 260, 212);
  EXPECT_EQ(most.producer, 24);
  EXPECT_EQ(most.consumer, 240);
  EXPECT_TRUE(KernelModel::fitsTiles(most, 212));
  EXPECT_FALSE(KernelModel::fitsTiles(most, 224));
  EXPECT_EQ(model.getRoleRegisters(256, 1, 260, 224).producer, 40);
  // Three warpgroups of consumers would get no more.
  EXPECT_EQ(model.getRoleRegisters(384, 1, 160, 136).producer, 32);
}

TEST(KernelModelTest, PartOfAWarpgroupKeepsItsRegisters) {
  RoleRegisters registers = modelOf("sm_90a").getRoleRegisters(64, 2, 32);
  EXPECT_EQ(registers.entry, 248);
  EXPECT_EQ(registers.producer, 0);
  EXPECT_EQ(registers.consumer, 0);
}

} // namespace
