//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BandRows.h"

using namespace mlir;
using namespace sattn;
using namespace sattn::flex_attention;

static constexpr int64_t kLeast = std::numeric_limits<int32_t>::min(),
                         kMost = std::numeric_limits<int32_t>::max();

static Value number(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
}

/// The sum, or the number of 32 bits that is nearest to it.
static Value addSaturated(ImplicitLocOpBuilder &b, Value x, int64_t y) {
  if (y > 0)
    x = arith::MinSIOp::create(b, x, number(b, kMost - y));
  if (y < 0)
    x = arith::MaxSIOp::create(b, x, number(b, kLeast - y));
  return y == 0 ? x : arith::AddIOp::create(b, x, number(b, y)).getResult();
}

BandRows::BandRows(TileBuilder &b, MaskAttr mask, const Place &place)
    : place(place) {
  if (mask) {
    left = mask.getLeft();
    right = mask.getRight();
    prefix = mask.getPrefix().value_or(0);
  }
  if (b.op.isByKeys()) {
    std::swap(left, right);
    if (prefix)
      prefixRows =
          arith::SubIOp::create(b, number(b, prefix), b.asI32(b.getKeyStart()));
    prefix = 0;
  }
  Value first = left ? computeFirst(b) : Value();
  Value last =
      right || place.length || (place.end && !left) ? computeLast(b) : Value();
  if (!first || !last) {
    vectors = {first ? first : last};
    return;
  }
  // j is in [first, last] where j - first, without a sign, is at most
  // last - first. Without a key, first is where no j is.
  auto choose =
      [&](function_ref<Value(ImplicitLocOpBuilder &, ValueRange)> some,
          int64_t none) {
        return b.generic(
            {first, last}, {b.vector, b.vector},
            b.empty({b.rows}, b.getI32Type()), b.vector,
            [&](ImplicitLocOpBuilder &inner, ValueRange args) {
              Value isEmpty = arith::CmpIOp::create(
                  inner, arith::CmpIPredicate::slt, args[1], args[0]);
              return arith::SelectOp::create(
                         inner, isEmpty, number(inner, none), some(inner, args))
                  .getResult();
            });
      };
  Value width = choose(
      [](ImplicitLocOpBuilder &inner, ValueRange args) -> Value {
        return arith::SubIOp::create(inner, args[1], args[0]);
      },
      0);
  Value start = choose(
      [](ImplicitLocOpBuilder &, ValueRange args) -> Value { return args[0]; },
      kLeast);
  vectors = {start, width};
}

Value BandRows::compute(
    TileBuilder &b, Value ofAll, int64_t ofNone,
    function_ref<Value(ImplicitLocOpBuilder &, Value)> ofDistance) {
  Value zero = number(b, 0);
  Value offset =
      arith::SubIOp::create(b, place.row ? place.row : zero, place.column);
  SmallVector<Value> inputs;
  if (place.queries)
    inputs.push_back(place.queries);
  SmallVector<AffineMap> maps(inputs.size(), b.vector);
  return b.generic(
      inputs, maps, b.empty({b.rows}, b.getI32Type()), b.vector,
      [&](ImplicitLocOpBuilder &inner, ValueRange args) -> Value {
        Value row = args.front();
        if (!place.queries)
          row = arith::IndexCastOp::create(inner, inner.getI32Type(),
                                           linalg::IndexOp::create(inner, 0));
        Value result =
            ofDistance(inner, arith::AddIOp::create(inner, row, offset));
        if (prefixRows)
          result = arith::SelectOp::create(
              inner,
              arith::CmpIOp::create(inner, arith::CmpIPredicate::slt, row,
                                    prefixRows),
              ofAll, result);
        if (place.end)
          result = arith::SelectOp::create(
              inner,
              arith::CmpIOp::create(inner, arith::CmpIPredicate::slt, row,
                                    place.end),
              result, number(inner, ofNone));
        return result;
      });
}

Value BandRows::computeFirst(TileBuilder &b) {
  if (prefix) {
    prefixEnd = arith::SubIOp::create(b, number(b, prefix), place.column);
    if (place.length)
      prefixEnd = arith::MinSIOp::create(
          b, prefixEnd, arith::SubIOp::create(b, place.length, place.column));
  }
  return compute(b, number(b, kLeast), kMost,
                 [&](ImplicitLocOpBuilder &inner, Value distance) {
                   Value first = addSaturated(inner, distance, -*left);
                   if (place.isFull)
                     first = arith::SelectOp::create(
                         inner, place.isFull, number(inner, kLeast), first);
                   return first;
                 });
}

Value BandRows::computeLast(TileBuilder &b) {
  auto lastBefore = [&](Value end) -> Value {
    Value columns = arith::SubIOp::create(b, end, place.column);
    return arith::SubIOp::create(b, columns, number(b, 1));
  };
  Value ofPrefix, ofLength;
  if (prefix && !left)
    ofPrefix = lastBefore(number(b, prefix));
  if (place.length)
    ofLength = lastBefore(place.length);
  Value ofAll = ofLength ? ofLength : number(b, kMost);
  return compute(
      b, ofAll, kLeast, [&](ImplicitLocOpBuilder &inner, Value distance) {
        Value last = number(inner, kMost);
        if (right) {
          Value ofBand = addSaturated(inner, distance, *right);
          if (ofPrefix)
            ofBand = arith::MaxSIOp::create(inner, ofBand, ofPrefix);
          last = place.isFull ? arith::SelectOp::create(inner, place.isFull,
                                                        last, ofBand)
                              : ofBand;
        }
        return ofLength
                   ? arith::MinSIOp::create(inner, last, ofLength).getResult()
                   : last;
      });
}

Value BandRows::contains(ImplicitLocOpBuilder &b, ValueRange bounds,
                         Value column) const {
  auto compare = [&](arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, predicate, x, y).getResult();
  };
  Value visible;
  if (bounds.size() == 2)
    visible = compare(arith::CmpIPredicate::ule,
                      arith::SubIOp::create(b, column, bounds[0]), bounds[1]);
  else if (left)
    visible = compare(arith::CmpIPredicate::sle, bounds[0], column);
  else
    visible = compare(arith::CmpIPredicate::sge, bounds[0], column);
  if (!prefixEnd)
    return visible;
  return arith::OrIOp::create(
      b, visible, compare(arith::CmpIPredicate::slt, column, prefixEnd));
}
