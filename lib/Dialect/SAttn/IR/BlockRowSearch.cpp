//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockRowSearch.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

/// Finds block rows by digits of their numbers, from the highest to the lowest,
/// as many as the last row has. A CTA waits for them all: numbers of rows are
/// i32, which take half the instructions of indices.
SmallVector<Value> sattn::findBlockRows(ImplicitLocOpBuilder &b,
                                        OpFoldResult count,
                                        ArrayRef<Value> blocks,
                                        function_ref<Value(Value)> readOffset,
                                        int64_t digitBits, Value isWanted) {
  Type number = b.getI32Type();
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  auto constant = [&](int32_t value) -> Value {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
  };
  auto asIndex = [&](Value integer) -> Value {
    return arith::IndexCastOp::create(b, b.getIndexType(), integer);
  };
  auto apply = [&](AffineExpr expr, ArrayRef<OpFoldResult> operands) {
    return getValueOrCreateConstantIndexOp(
        b, b.getLoc(),
        affine::makeComposedFoldedAffineApply(b, b.getLoc(), expr, operands));
  };
  Value last, digits;
  if (std::optional<int64_t> known = getConstantIntValue(count)) {
    if (*known <= 1)
      return SmallVector<Value>(blocks.size(), index(0));
    last = constant(*known - 1);
    digits = index(llvm::divideCeil(llvm::Log2_64_Ceil(*known), digitBits));
  } else {
    Value rows = arith::IndexCastOp::create(
        b, number, getValueOrCreateConstantIndexOp(b, b.getLoc(), count));
    last = arith::MaxSIOp::create(
        b, arith::SubIOp::create(b, rows, constant(1)), constant(0));
    Value bits = asIndex(arith::SubIOp::create(
        b, constant(32), math::CountLeadingZerosOp::create(b, last)));
    digits =
        apply(b.getAffineDimExpr(0).ceilDiv(digitBits), {OpFoldResult(bits)});
  }
  Value steps = digits;
  if (isWanted)
    steps = arith::SelectOp::create(b, isWanted, digits, index(0));
  auto search =
      scf::ForOp::create(b, index(0), steps, index(1),
                         SmallVector<Value>(blocks.size(), constant(0)));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(search.getBody());
    AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
    Value place = arith::IndexCastOp::create(
        b, number,
        apply((d0 - d1 - 1) * digitBits, {digits, search.getInductionVar()}));
    SmallVector<Value> rows;
    for (auto [block, former] :
         llvm::zip_equal(blocks, search.getRegionIterArgs())) {
      // As many rows of these begin in time as the digit says, since offsets
      // rise. All are past the last row or no negative numbers.
      Value digit = constant(0);
      for (int32_t i = 1; i < 1 << digitBits; ++i) {
        Value next = arith::AddIOp::create(
            b, former, arith::ShLIOp::create(b, constant(i), place));
        Value offset =
            readOffset(asIndex(arith::MinUIOp::create(b, next, last)));
        Value isRow =
            arith::CmpIOp::create(b, arith::CmpIPredicate::ule, next, last);
        Value begins =
            arith::CmpIOp::create(b, arith::CmpIPredicate::sle, offset, block);
        Value isTaken = arith::AndIOp::create(b, isRow, begins);
        digit = arith::AddIOp::create(
            b, digit, arith::ExtUIOp::create(b, number, isTaken));
      }
      rows.push_back(arith::AddIOp::create(
          b, former, arith::ShLIOp::create(b, digit, place)));
    }
    scf::YieldOp::create(b, rows);
  }
  return llvm::map_to_vector(search.getResults(), asIndex);
}
