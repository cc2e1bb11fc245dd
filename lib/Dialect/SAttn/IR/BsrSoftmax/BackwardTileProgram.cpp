//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The program of one tile of sattn.bsr_softmax_backward: a loop over the stored
// blocks of some rows adds the products of both arrays' elements, another one
// reads the blocks again and writes the result (RowWalk.h).

#include "RowWalk.h"

#include "sattn/Dialect/SAttn/IR/BsrSoftmax/BsrSoftmaxBackwardOp.h"

using namespace mlir;
using namespace sattn;

namespace {
class TileProgram {
public:
  /// Creates the program; products of elements beyond the blocks are 0.
  TileProgram(OpBuilder &builder, BsrSoftmaxBackwardOp op)
      : b(builder, op, /*padding=*/0.0) {}

  /// Builds the program. The sum of a row is a number, that of a tile of rows a
  /// vector. The head in registers counts after the loop.
  Value build() {
    Value total = b.constant(0.0);
    if (!b.isOneRow())
      total = b.fill(total, {b.getHeight()});
    b.readHead();
    total = b.loopOver(total, [&](const Step &step, ValueRange carried) {
               return SmallVector<Value>{addProducts(step, carried.front())};
             }).front();
    for (const Step &step : b.getHead())
      total = b.whereIs(step, total,
                        [&](Value old) { return addProducts(step, old); });
    return b.writeAll(total, [&](Inner &inner, ValueRange args) -> Value {
      Value distance = arith::SubFOp::create(inner, args[1], args[2]);
      return arith::MulFOp::create(inner, args[0], distance);
    });
  }

private:
  using Inner = RowWalk::Inner;
  using Step = RowWalk::Step;

  RowWalk b;

  /// Adds those of a step to the sum; its inputs are pairs of an element of the
  /// softmax and its gradient.
  Value addProducts(const Step &step, Value total) {
    return b.reduce(
        step.inputs, total, [&](Inner &inner, ValueRange args) -> Value {
          Value sum;
          for (ValueRange pairs = args.drop_back(); !pairs.empty();
               pairs = pairs.drop_front(2)) {
            Value p = b.widen(inner, pairs[0]), grad = b.widen(inner, pairs[1]);
            sum = sum ? math::FmaOp::create(inner, p, grad, sum).getResult()
                      : arith::MulFOp::create(inner, p, grad).getResult();
          }
          return arith::AddFOp::create(inner, sum, args.back());
        });
  }
};
} // namespace

FailureOr<SmallVector<Value>>
BsrSoftmaxBackwardOp::lowerToTileProgram(OpBuilder &b) {
  return SmallVector<Value>{TileProgram(b, *this).build()};
}
