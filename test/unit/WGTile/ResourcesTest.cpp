//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/Utils/Resources.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace wgtile;

namespace {

ResourceModel modelOf(llvm::StringRef chip) {
  return ResourceModel(*sattn::findChip(chip));
}

TEST(Resources, SharedMemoryOfAnSMIsDivided) {
  EXPECT_EQ(modelOf("sm_90a").getSharedBytes(1), 227 * 1024);
  EXPECT_EQ(modelOf("sm_90a").getSharedBytes(2), 113 * 1024);
  EXPECT_EQ(modelOf("sm_90a").getSharedBytes(4), 56 * 1024);
  EXPECT_EQ(modelOf("sm_80").getSharedBytes(1), 163 * 1024);
  EXPECT_EQ(modelOf("sm_89").getSharedBytes(2), 49 * 1024);
}

TEST(Resources, RegistersComeInEights) {
  ResourceModel model = modelOf("sm_90a");
  EXPECT_EQ(model.getRegisters(384, 1), 168);
  EXPECT_EQ(model.getRegisters(256, 2), 128);
  EXPECT_EQ(model.getRegisters(128, 1), 248);
}

TEST(Resources, RolesNeverAskForMoreThanTheKernelStartsWith) {
  ResourceModel model = modelOf("sm_90a");
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

TEST(Resources, TheProducerGivesWhatConsumersNeed) {
  ResourceModel model = modelOf("sm_90a");
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

TEST(Resources, FewestProducerRegistersAreForLiveTiles) {
  ResourceModel model = modelOf("sm_90a");
  RoleRegisters fitting = model.getRoleRegisters(256, 1, 260, 200);
  EXPECT_EQ(fitting.producer, 40);
  EXPECT_EQ(fitting.consumer, 232);
  EXPECT_TRUE(ResourceModel::fitsTiles(fitting, 200));
  RoleRegisters most = model.getRoleRegisters(256, 1, 260, 212);
  EXPECT_EQ(most.producer, 24);
  EXPECT_EQ(most.consumer, 240);
  EXPECT_TRUE(ResourceModel::fitsTiles(most, 212));
  EXPECT_FALSE(ResourceModel::fitsTiles(most, 224));
  EXPECT_EQ(model.getRoleRegisters(256, 1, 260, 224).producer, 40);
  // Three warpgroups of consumers would get no more.
  EXPECT_EQ(model.getRoleRegisters(384, 1, 160, 136).producer, 32);
}

TEST(Resources, PartOfAWarpgroupKeepsItsRegisters) {
  RoleRegisters registers = modelOf("sm_90a").getRoleRegisters(64, 2, 32);
  EXPECT_EQ(registers.entry, 248);
  EXPECT_EQ(registers.producer, 0);
  EXPECT_EQ(registers.consumer, 0);
}

TEST(Resources, BytesOfStages) {
  MLIRContext context;
  context.loadDialect<WGTileDialect>();
  Type element = BFloat16Type::get(&context);
  Type a = SharedType::get(&context, {64, 64}, element, 128);
  Type b = SharedType::get(&context, {64, 128}, element, 128);
  auto ring = RingType::get(&context, 3, {a, b}, {});
  EXPECT_EQ(ResourceModel::getStageBytes(ring), 24 * 1024 + 16);
  EXPECT_EQ(ResourceModel::getTileBytes(cast<SharedType>(b)), 16 * 1024);
  EXPECT_EQ(ResourceModel::getTileRingBytes(&context), 40);
}

/// An MMA of a rows x depth tile and a depth x columns tile.
bool fits(int64_t rows, int64_t columns, int64_t depth, bool isHalf = true) {
  MLIRContext context;
  context.loadDialect<WGTileDialect, arith::ArithDialect>();
  OpBuilder b(&context);
  Location loc = b.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  Block *body = module->getBody();
  b.setInsertionPointToStart(body);
  Type element = isHalf ? Type(b.getF16Type()) : Type(b.getF32Type());
  auto tile = [&](int64_t rows, int64_t columns) {
    Type type = SharedType::get(&context, {rows, columns}, element, 0);
    return UnrealizedConversionCastOp::create(b, loc, type, ValueRange())
        .getResult(0);
  };
  auto type = RankedTensorType::get({rows, columns}, b.getF32Type());
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  OperationState state(loc, MmaOp::getOperationName());
  state.addOperands({tile(rows, depth), tile(depth, columns), zero});
  state.addTypes(type);
  return ResourceModel::fitsWgmma(cast<MmaOp>(b.create(state)));
}

TEST(Resources, ShapesOfWgmma) {
  EXPECT_TRUE(fits(64, 128, 64));
  EXPECT_TRUE(fits(192, 256, 128));
  EXPECT_FALSE(fits(32, 128, 64));
  EXPECT_FALSE(fits(64, 320, 64));
  EXPECT_FALSE(fits(64, 128, 32));
  EXPECT_TRUE(fits(64, 96, 64));
  EXPECT_FALSE(fits(64, 72, 64));
  EXPECT_FALSE(fits(64, 128, 64, /*isHalf=*/false));
}

} // namespace
