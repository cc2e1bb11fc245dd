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
