//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The program of one tile of sattn.bsr_softmax: a loop over the stored blocks
// of some rows finds their maxima and sums, another one reads the blocks again
// and writes the result (RowWalk.h).

#include "RowWalk.h"

#include "sattn/Dialect/SAttn/IR/BsrSoftmax/BsrSoftmaxOp.h"

using namespace mlir;
using namespace sattn;

static constexpr float kLog2E = 1.44269504f;
static constexpr double kInfinity = std::numeric_limits<double>::infinity();

namespace {
class TileProgram {
public:
  /// Creates the program; elements beyond the blocks are -inf, whose power is
  /// 0.
  TileProgram(OpBuilder &builder, BsrSoftmaxOp op)
      : b(builder, op, /*padding=*/-kInfinity), zero(b.constant(0.0)),
        lowest(b.constant(-kInfinity)), log2E(b.constant(kLog2E)),
        vectors(b.empty({b.getHeight()}, b.wideType)) {}

  Value build() {
    if (b.isOneRow())
      return buildRow();
    SmallVector<Value> sums =
        sumRows({b.fill(lowest, vectors), b.fill(zero, vectors)});
    return writeQuotients(computeShift(sums[0]), invert(sums[1]));
  }

private:
  using Inner = RowWalk::Inner;
  using Step = RowWalk::Step;

  RowWalk b;
  Value zero, lowest, log2E;
  /// A tensor that vectors of rows are written to.
  Value vectors;

  /// exp(x - shift). The difference comes first: it is exact where it matters,
  /// at the maximum, however large both are. In f64 the rounding of log2(e)
  /// would show.
  Value power(Inner &inner, Value x, Value shift) {
    Value distance = arith::SubFOp::create(inner, x, shift);
    if (b.wideType.isF64())
      return math::ExpOp::create(inner, distance);
    Value exponent = arith::MulFOp::create(inner, distance, log2E);
    return math::Exp2Op::create(inner, exponent, arith::FastMathFlags::afn);
  }

  static Value greater(Inner &inner, ValueRange args) {
    return arith::MaxNumFOp::create(inner, args[0], args[1]);
  }

  /// The number that is subtracted; 0 where the maximum is -inf, since -inf
  /// minus -inf is no number.
  Value toShift(Inner &inner, Value maximum) {
    Value isLowest = arith::CmpFOp::create(inner, arith::CmpFPredicate::OEQ,
                                           maximum, lowest);
    return arith::SelectOp::create(inner, isLowest, zero, maximum);
  }

  /// The inverse of a row's sum. In a row of nothing but -inf the sum is 0, and
  /// so are its powers.
  Value toInverse(Inner &inner, Value total) {
    Value one = b.constant(1.0);
    Value isZero =
        arith::CmpFOp::create(inner, arith::CmpFPredicate::OEQ, total, zero);
    Value sum = arith::SelectOp::create(inner, isZero, one, total);
    return arith::DivFOp::create(inner, one, sum, arith::FastMathFlags::afn);
  }

  Value computeShift(Value maxima) {
    return b.generic(
        maxima, b.vector, vectors, b.vector,
        [&](Inner &inner, ValueRange args) { return toShift(inner, args[0]); });
  }
  Value invert(Value totals) {
    return b.generic(totals, b.vector, vectors, b.vector,
                     [&](Inner &inner, ValueRange args) {
                       return toInverse(inner, args[0]);
                     });
  }

  /// The one row of which each block has a part. Its maximum and sum are
  /// numbers: the head in registers counts after the loop.
  Value buildRow() {
    b.readHead();
    SmallVector<Value> sums = sumRow();
    if (!b.getHead().empty())
      sums = addSteps(b.getHead(), sums[0], sums[1]);
    Value shift = toShift(b, sums[0]), inverse = toInverse(b, sums[1]);
    return writeQuotients(shift, inverse);
  }

  /// The largest element of matrices. The maximum of narrow ones is narrow, so
  /// that two of them are found at a time.
  Value findLargest(ArrayRef<Value> inputs) {
    return b.reduce(inputs, lowest,
                    [&](Inner &inner, ValueRange args) -> Value {
                      Value largest = args.front();
                      for (Value arg : args.drop_front().drop_back())
                        largest = arith::MaxNumFOp::create(inner, largest, arg);
                      return arith::MaxNumFOp::create(
                          inner, b.widen(inner, largest), args.back());
                    });
  }

  /// Adds further steps to the maximum and the sum.
  SmallVector<Value> addSteps(ArrayRef<Step> steps, Value maximum,
                              Value total) {
    SmallVector<Value> inputs;
    for (const Step &step : steps)
      inputs.append(step.inputs);
    Value larger = greater(b, {findLargest(inputs), maximum});
    total = rescale(total, maximum, larger);
    for (const Step &step : steps)
      total = b.whereIs(step, total, [&](Value old) {
        return addPowers(step.inputs, toShift(b, larger), old);
      });
    return {larger, total};
  }

  /// A sum of powers, as one of those of a larger maximum.
  Value rescale(Value total, Value old, Value maximum) {
    return arith::MulFOp::create(b, total, power(b, old, toShift(b, maximum)));
  }

  /// The maximum and the sum of what comes after the head.
  SmallVector<Value> sumRow() {
    return b.loopOver(ValueRange{lowest, zero},
                      [&](const Step &step, ValueRange carried) {
                        return addSteps(step, carried[0], carried[1]);
                      });
  }

  /// The sum of powers.
  Value sumPowers(Inner &inner, ValueRange elements, Value shift) {
    Value sum;
    for (Value element : elements) {
      Value next = power(inner, b.widen(inner, element), shift);
      sum = sum ? arith::AddFOp::create(inner, sum, next).getResult() : next;
    }
    return sum;
  }

  /// Adds the sum of all elements' powers to a number.
  Value addPowers(ArrayRef<Value> inputs, Value shift, Value total) {
    return b.reduce(inputs, total, [&](Inner &inner, ValueRange args) -> Value {
      return arith::AddFOp::create(
          inner, sumPowers(inner, args.drop_back(), shift), args.back());
    });
  }

  /// The maximum of each row and the sum of its powers, of a tile of rows.
  SmallVector<Value> sumRows(ArrayRef<Value> sums) {
    return b.loopOver(sums, [&](const Step &step, ValueRange carried) {
      Value maximum = carried[0], total = carried[1];
      SmallVector<Value> inputs(step.inputs);
      SmallVector<AffineMap> maps(inputs.size(), b.tile);
      Value ofStep = b.reduce(inputs, b.fill(lowest, vectors),
                              [&](Inner &inner, ValueRange args) -> Value {
                                Value largest = args.back();
                                for (Value arg : args.drop_back())
                                  largest = arith::MaxNumFOp::create(
                                      inner, b.widen(inner, arg), largest);
                                return largest;
                              });
      Value shift = computeShift(b.generic(
          {ofStep, maximum}, {b.vector, b.vector}, vectors, b.vector, greater));
      total = b.generic({maximum, shift}, {b.vector, b.vector}, total, b.vector,
                        [&](Inner &inner, ValueRange args) -> Value {
                          return arith::MulFOp::create(
                              inner, args[2], power(inner, args[0], args[1]));
                        });
      inputs.push_back(shift);
      maps.push_back(b.row);
      total = b.generic(
          inputs, maps, total, b.row,
          [&](Inner &inner, ValueRange args) -> Value {
            ValueRange elements = args.drop_back(2);
            return arith::AddFOp::create(
                inner, sumPowers(inner, elements, args.drop_back().back()),
                args.back());
          });
      // In place, when nothing reads the old one any more.
      maximum = b.generic(ofStep, b.vector, maximum, b.vector, greater);
      return SmallVector<Value>{maximum, total};
    });
  }

  /// Writes the quotients; `shift` and `inverse` are those of each row, or of
  /// the one row.
  Value writeQuotients(Value shift, Value inverse) {
    return b.writeAll({shift, inverse},
                      [&](Inner &inner, ValueRange args) -> Value {
                        Value p = power(inner, args[0], args[1]);
                        return arith::MulFOp::create(inner, p, args[2]);
                      });
  }
};
} // namespace

FailureOr<SmallVector<Value>> BsrSoftmaxOp::lowerToTileProgram(OpBuilder &b) {
  return SmallVector<Value>{TileProgram(b, *this).build()};
}
