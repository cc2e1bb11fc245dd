//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The program of one list of sattn.block_lists: a first loop over the row's
// counts finds how long the list is, a second one where each block comes, among
// those that are listed or behind them.

#include "../TileOpBuilder.h"

#include "sattn/Dialect/SAttn/IR/SAttn.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace sattn;

/// Blocks whose places are found together: a fragment or two of a warp on a
/// GPU.
static constexpr int64_t kShape[] = {16, 16}, kBlocks = 256;

namespace {
class TileProgram {
public:
  TileProgram(OpBuilder &builder, BlockListsOp op)
      : b(op.getLoc(), builder), op(op), i32(b.getI32Type()),
        blocks(tensor::getMixedSize(b, b.getLoc(), op.getColumns(), 4)),
        end(b.asI32(blocks)) {
    ValueRange origin = op.getOrigin();
    OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
    SmallVector<OpFoldResult> offsets = {origin[1], origin[2], origin[3], zero},
                              sizes = {one, one, one, blocks}, ones(4, one);
    auto type =
        RankedTensorType::get(op.getColumns().getType().getShape().back(), i32);
    counts = tensor::ExtractSliceOp::create(b, type, op.getCounts(), offsets,
                                            sizes, ones);
    last = arith::SubIOp::create(b, end, b.i32(1));
    if (!op.getSeparate())
      return;
    height = tensor::ExtractOp::create(b, op.getHeights(), origin[3]);
    Value kind = b.asI32(OpFoldResult(origin[0]));
    listsFull =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ne, kind, b.i32(0));
  }

  SmallVector<Value> build() {
    Value number = countListed();
    Value columns = writePlaces(number);
    Value numbers = tensor::InsertOp::create(b, number, op.getNumbers(),
                                             SmallVector<Value>(4, b.index(0)));
    return {numbers, columns};
  }

private:
  TileOpBuilder b;
  BlockListsOp op;
  Type i32;
  /// Of a row.
  OpFoldResult blocks;
  Value end, last, counts;
  /// Of the row's blocks, and whether full blocks are listed; null if all that
  /// are seen are.
  Value height, listsFull;

  Value compare(ImplicitLocOpBuilder &inner, arith::CmpIPredicate predicate,
                Value lhs, Value rhs) {
    return arith::CmpIOp::create(inner, predicate, lhs, rhs);
  }

  /// 1 for each of some neighboring blocks that is listed, and 0.
  Value mark(Value numbers) {
    Value zero = b.i32(0), one = b.i32(1);
    return b.map(
        numbers, kShape, i32,
        [&](ImplicitLocOpBuilder &inner, ValueRange args) -> Value {
          // What comes after the last one is read again.
          Value place = arith::IndexCastOp::create(
              inner, inner.getIndexType(),
              arith::MinUIOp::create(inner, args[0], last));
          Value count = tensor::ExtractOp::create(inner, counts, place);
          Value isListed =
              compare(inner, arith::CmpIPredicate::sgt, count, zero);
          auto restrict = [&](Value condition) {
            isListed = arith::AndIOp::create(inner, isListed, condition);
          };
          restrict(compare(inner, arith::CmpIPredicate::slt, args[0], end));
          if (listsFull) {
            Value width =
                tensor::ExtractOp::create(inner, op.getWidths(), place);
            Value size = arith::MulIOp::create(inner, width, height);
            Value isFull =
                compare(inner, arith::CmpIPredicate::sge, count, size);
            restrict(
                compare(inner, arith::CmpIPredicate::eq, isFull, listsFull));
          }
          return arith::SelectOp::create(inner, isListed, one, zero);
        });
  }

  /// A loop over the row that carries values; the body gets the number of the
  /// first of some neighboring blocks, too.
  SmallVector<Value>
  forEach(ValueRange values,
          function_ref<SmallVector<Value>(Value, ValueRange)> body) {
    auto loop = scf::ForOp::create(b, b.index(0), b.asValue(blocks),
                                   b.index(kBlocks), values);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value first = b.asI32(OpFoldResult(loop.getInductionVar()));
    scf::YieldOp::create(b, body(first, loop.getRegionIterArgs()));
    return loop.getResults();
  }

  Value countListed() {
    SmallVector<Value> sums = forEach(
        b.fill(b.i32(0), kShape),
        [&](Value first, ValueRange sums) -> SmallVector<Value> {
          Value marks = mark(b.number(first, kShape));
          return {
              b.map(marks, sums.front(),
                    [](ImplicitLocOpBuilder &inner, ValueRange args) -> Value {
                      return arith::AddIOp::create(inner, args[0], args[1]);
                    })};
        });
    return b.reduce<arith::AddIOp>(sums.front(), 0);
  }

  /// `first` and the marks before each one.
  Value scan(Value marks, Value first) {
    Value flat = vector::ShapeCastOp::create(b, VectorType::get(kBlocks, i32),
                                             b.asVector(marks));
    Value initial =
        vector::BroadcastOp::create(b, VectorType::get({}, i32), first);
    auto scan = vector::ScanOp::create(b, vector::CombiningKind::ADD, flat,
                                       initial, /*reduction_dim=*/0,
                                       /*inclusive=*/false);
    return b.asTile(vector::ShapeCastOp::create(b, VectorType::get(kShape, i32),
                                                scan.getDest()));
  }

  /// Listed blocks are `number`.
  Value writePlaces(Value number) {
    Value zero = b.i32(0);
    auto body = [&](Value first, ValueRange values) -> SmallVector<Value> {
      Value before = values[0], numbers = b.number(first, kShape);
      Value marks = mark(numbers);
      Value places = b.map(
          {marks, scan(marks, before), numbers}, kShape, i32,
          [&](ImplicitLocOpBuilder &inner, ValueRange args) -> Value {
            Value isListed =
                compare(inner, arith::CmpIPredicate::ne, args[0], zero);
            Value others = arith::SubIOp::create(inner, args[2], args[1]);
            Value after = arith::AddIOp::create(inner, others, number);
            return arith::SelectOp::create(inner, isListed, args[1], after);
          });
      Value written = b.scatter(numbers, values[1], places, numbers, end);
      Value sum = b.reduce<arith::AddIOp>(marks, 0);
      return {arith::AddIOp::create(b, before, sum), written};
    };
    return forEach({zero, op.getColumns()}, body).back();
  }
};
} // namespace

FailureOr<SmallVector<Value>>
BlockListsOp::lowerToTileProgram(OpBuilder &builder) {
  if (getOrigin().empty())
    return emitOpError("expected one list, but got a whole problem");
  return TileProgram(builder, *this).build();
}
