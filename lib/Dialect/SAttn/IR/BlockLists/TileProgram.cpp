//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The program of the lists of one row of sattn.block_lists: a loop over the
// row's counts finds where each block comes that is listed, a second one what
// is left of the list. Neighboring blocks that are all of one kind, as most
// are, follow each other in its list; others are counted.

#include "../TileOpBuilder.h"

#include "sattn/Dialect/SAttn/IR/BlockLists/BlockListsOp.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace sattn;

/// Blocks whose places are found together: two fragments of a warp on a GPU.
static constexpr int64_t kShape[] = {16, 16}, kBlocks = 256;
/// Bits of a mark for each kind of list.
static constexpr int64_t kBits = 16;

namespace {
class TileProgram {
public:
  TileProgram(OpBuilder &builder, BlockListsOp op)
      : b(op.getLoc(), builder), op(op), i32(b.getI32Type()),
        kinds(op.getNumKinds()),
        blocks(tensor::getMixedSize(b, b.getLoc(), op.getColumns(0), 3)),
        end(b.asI32(blocks)) {
    ValueRange origin = op.getOrigin();
    OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
    SmallVector<OpFoldResult> offsets = {origin[0], origin[1], origin[2], zero},
                              sizes = {one, one, one, blocks}, ones(4, one);
    auto columns = cast<RankedTensorType>(op.getColumns(0).getType());
    counts = tensor::ExtractSliceOp::create(
        b, RankedTensorType::get(columns.getShape().back(), i32),
        op.getCounts(), offsets, sizes, ones);
    last = arith::SubIOp::create(b, end, b.i32(1));
    if (kinds == 2)
      height = tensor::ExtractOp::create(b, op.getHeights(), origin[2]);
  }

  SmallVector<Value> build() {
    order = numberByLanes();
    // The number of blocks and the list of each kind.
    SmallVector<Value> lists;
    for (unsigned kind = 0; kind < kinds; ++kind)
      lists.append({b.i32(0), op.getColumns(kind)});
    lists = forEach(b.index(0), lists, [&](Value first, ValueRange lists) {
      return list(first, lists);
    });
    SmallVector<Value> results, zeros(3, b.index(0));
    for (unsigned kind = 0; kind < kinds; ++kind) {
      Value number = lists[2 * kind];
      results.push_back(
          tensor::InsertOp::create(b, number, op.getNumbers(kind), zeros));
      results.push_back(fillRest(number, lists[2 * kind + 1]));
    }
    return results;
  }

private:
  using Inner = ImplicitLocOpBuilder;

  TileOpBuilder b;
  BlockListsOp op;
  Type i32;
  /// The number of list kinds.
  unsigned kinds;
  /// The number of a row's blocks, and their counts.
  OpFoldResult blocks;
  Value end, last, counts;
  /// Heights of the row's blocks, if full blocks have lists of their own.
  Value height;
  /// Numbers of neighboring blocks, from 0 on, in an order of their own.
  Value order;

  Value compare(Inner &inner, arith::CmpIPredicate predicate, Value lhs,
                Value rhs) {
    return arith::CmpIOp::create(inner, predicate, lhs, rhs);
  }
  Value select(Inner &inner, Value condition, Value one, Value other) {
    return arith::SelectOp::create(inner, condition, one, other);
  }
  Value markOf(unsigned kind) { return b.i32(int64_t(1) << (kind * kBits)); }

  /// Each element's number in an order in which lanes next to each other have
  /// neighbors (sattn/Layout/Fragment.h), so that a warp stores whole lines.
  Value numberByLanes() {
    return b.map({}, kShape, i32, [&](Inner &inner, ValueRange) -> Value {
      auto index = [&](int64_t dim) -> Value {
        return arith::IndexCastOp::create(inner, i32,
                                          linalg::IndexOp::create(inner, dim));
      };
      // The bits of a number, from the lowest on: each of a row's or a
      // column's number, and the place of its own there.
      Value row = index(0), column = index(1), number;
      std::tuple<Value, int64_t, int64_t, int64_t> bits[] = {
          {column, 1, 3, 0}, // Lanes of a quad.
          {row, 0, 7, 2},    // Quads.
          {column, 0, 1, 5}, // Registers.
          {column, 3, 1, 6},
          {row, 3, 1, 7}};
      auto constant = [&](int64_t value) -> Value {
        return arith::ConstantOp::create(inner, inner.getI32IntegerAttr(value));
      };
      for (auto [from, first, mask, place] : bits) {
        Value part = from;
        if (first != 0)
          part = arith::ShRUIOp::create(inner, part, constant(first));
        part = arith::AndIOp::create(inner, part, constant(mask));
        if (place != 0)
          part = arith::ShLIOp::create(inner, part, constant(place));
        number = number ? arith::OrIOp::create(inner, number, part).getResult()
                        : part;
      }
      return number;
    });
  }
  Value add(Value tile, Value number) {
    return b.map(tile, kShape, i32,
                 [&](Inner &inner, ValueRange args) -> Value {
                   return arith::AddIOp::create(inner, args[0], number);
                 });
  }

  /// A loop over the row's blocks that carries values; the body gets the number
  /// of the first of some neighboring ones, too.
  SmallVector<Value>
  forEach(Value begin, ValueRange values,
          function_ref<SmallVector<Value>(Value, ValueRange)> body) {
    auto loop = scf::ForOp::create(b, begin, b.asValue(blocks),
                                   b.index(kBlocks), values);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value first = b.asI32(OpFoldResult(loop.getInductionVar()));
    scf::YieldOp::create(b, body(first, loop.getRegionIterArgs()));
    return loop.getResults();
  }

  /// The mark of the kind that each of some neighboring blocks is of, and 0.
  Value mark(Value numbers) {
    Value none = b.i32(0), visible = markOf(0), full = markOf(kinds - 1);
    return b.map(
        numbers, kShape, i32, [&](Inner &inner, ValueRange args) -> Value {
          // Positions after the last one read the last one again.
          Value place = arith::IndexCastOp::create(
              inner, inner.getIndexType(),
              arith::MinUIOp::create(inner, args[0], last));
          Value count = tensor::ExtractOp::create(inner, counts, place);
          Value kind = visible;
          if (height) {
            Value width =
                tensor::ExtractOp::create(inner, op.getWidths(), place);
            Value isFull = compare(inner, arith::CmpIPredicate::sge, count,
                                   arith::MulIOp::create(inner, width, height));
            kind = select(inner, isFull, full, visible);
          }
          Value isSeen = compare(inner, arith::CmpIPredicate::sgt, count, none);
          Value isBlock =
              compare(inner, arith::CmpIPredicate::slt, args[0], end);
          isSeen = arith::AndIOp::create(inner, isSeen, isBlock);
          return select(inner, isSeen, kind, none);
        });
  }

  /// Number of blocks of a kind in all marks.
  Value getNumber(Inner &inner, Value marks, unsigned kind) {
    if (kind != 0)
      marks = arith::ShRUIOp::create(
          inner, marks,
          arith::ConstantOp::create(inner,
                                    inner.getI32IntegerAttr(kind * kBits)));
    Value bits = arith::ConstantOp::create(
        inner, inner.getI32IntegerAttr((1 << kBits) - 1));
    return arith::AndIOp::create(inner, marks, bits);
  }

  /// The results of `then` if a condition holds, else those of `otherwise`.
  SmallVector<Value> choose(Value condition, TypeRange types,
                            function_ref<SmallVector<Value>()> then,
                            function_ref<SmallVector<Value>()> otherwise) {
    auto branch = scf::IfOp::create(b, types, condition, /*addThenBlock=*/true,
                                    /*addElseBlock=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, then());
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, otherwise());
    return branch.getResults();
  }

  /// Adds some neighboring blocks to the lists.
  SmallVector<Value> list(Value first, ValueRange lists) {
    Value sum = b.reduce<arith::AddIOp>(mark(add(order, first)), 0);
    auto is = [&](int64_t number) -> Value {
      return compare(b, arith::CmpIPredicate::eq, sum, b.i32(number));
    };
    auto listFrom = [&](unsigned kind, auto &&self) -> SmallVector<Value> {
      if (kind == kinds)
        return listCounted(first, lists);
      return choose(
          is(kBlocks << (kind * kBits)), lists.getTypes(),
          [&] { return listAll(first, kind, lists); },
          [&] { return self(kind + 1, self); });
    };
    return choose(
        is(0), lists.getTypes(), [&] { return SmallVector<Value>(lists); },
        [&] { return listFrom(0, listFrom); });
  }

  /// Lists some neighboring blocks that are all of one kind.
  SmallVector<Value> listAll(Value first, unsigned kind, ValueRange lists) {
    SmallVector<Value> next(lists);
    Value &number = next[2 * kind], &columns = next[2 * kind + 1];
    Value places = add(order, number);
    Value all = arith::ConstantOp::create(
        b,
        DenseElementsAttr::get(VectorType::get(kShape, b.getI1Type()), true));
    columns = b.scatter(add(order, first), columns, places, all);
    number = arith::AddIOp::create(b, number, b.i32(kBlocks));
    return next;
  }

  SmallVector<Value> listCounted(Value first, ValueRange lists) {
    Value numbers = b.number(first, kShape);
    Value marks = mark(numbers);
    Value before = scan(marks), sum = b.reduce<arith::AddIOp>(marks, 0);
    SmallVector<Value> next;
    for (unsigned kind = 0; kind < kinds; ++kind) {
      Value number = lists[2 * kind];
      Value places = b.map(
          before, kShape, i32, [&](Inner &inner, ValueRange args) -> Value {
            return arith::AddIOp::create(inner, getNumber(inner, args[0], kind),
                                         number);
          });
      next.push_back(arith::AddIOp::create(b, number, getNumber(b, sum, kind)));
      next.push_back(
          b.scatter(numbers, lists[2 * kind + 1], places,
                    b.compare(arith::CmpIPredicate::eq, marks, markOf(kind))));
    }
    return next;
  }

  /// The number of marks before each block.
  Value scan(Value marks) {
    Value flat = vector::ShapeCastOp::create(b, VectorType::get(kBlocks, i32),
                                             b.asVector(marks));
    Value initial =
        vector::BroadcastOp::create(b, VectorType::get({}, i32), b.i32(0));
    auto scan = vector::ScanOp::create(b, vector::CombiningKind::ADD, flat,
                                       initial, /*reduction_dim=*/0,
                                       /*inclusive=*/false);
    return b.asTile(vector::ShapeCastOp::create(b, VectorType::get(kShape, i32),
                                                scan.getDest()));
  }

  /// Fills a list with 0 from a place on.
  Value fillRest(Value begin, Value columns) {
    Value first = arith::IndexCastOp::create(b, b.getIndexType(), begin);
    auto body = [&](Value first, ValueRange lists) -> SmallVector<Value> {
      Value places = add(order, first);
      return {b.scatter(b.fill(b.i32(0), kShape), lists.front(), places,
                        b.compare(arith::CmpIPredicate::slt, places, end))};
    };
    return forEach(first, columns, body).front();
  }
};
} // namespace

FailureOr<SmallVector<Value>>
BlockListsOp::lowerToTileProgram(OpBuilder &builder) {
  if (getOrigin().empty())
    return emitOpError(
        "expected the lists of one row, but got a whole problem");
  return TileProgram(builder, *this).build();
}
