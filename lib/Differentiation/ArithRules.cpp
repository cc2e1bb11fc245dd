//===- ArithRules.cpp - Cotangents of operands of arith ops ---------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sattn;
using Predicate = arith::CmpFPredicate;

/// The exponential E of a divisor 1 + E, or null.
static Operation *findExponential(Value divisor) {
  auto sum = divisor.getDefiningOp<arith::AddFOp>();
  if (!sum)
    return nullptr;
  auto isOne = [](Value value) {
    APFloat number(0.0);
    return matchPattern(value, m_ConstantFloat(&number)) &&
           number.isExactlyValue(1.0);
  };
  Value other = isOne(sum.getLhs())   ? sum.getRhs()
                : isOne(sum.getRhs()) ? sum.getLhs()
                                      : Value();
  Operation *exponential = other ? other.getDefiningOp() : nullptr;
  return isa_and_present<math::ExpOp, math::Exp2Op>(exponential) ? exponential
                                                                 : nullptr;
}

/// The quotient x / y. One by 1 + exp(u), a sigmoid, contributes to u itself:
/// where the exponential overflows, the product of the cotangents of 1 + exp(u)
/// and exp(u) would be 0 times infinity.
static void divide(RuleBuilder &b, arith::DivFOp op) {
  Value y = b.getOperand(1);
  b.contributeQuotient(0, y);
  if (!b.isActive(1))
    return;
  Operation *exponential = findExponential(op.getRhs());
  if (!exponential) {
    b.contributeProduct(1, b.neg(b.div(b.getResult(), y)));
    return;
  }
  Value one = b.constant(1), inverse = b.div(one, y);
  Value rest = b.sub(one, inverse);
  Value derivative = b.mul(b.neg(b.getResult()), rest);
  if (isa<math::Exp2Op>(exponential))
    derivative = b.mul(derivative, b.constant(llvm::numbers::ln2));
  b.contributeProductTo(exponential->getOperand(0), derivative);
}

/// The cotangent, or a half of it where both operands are equal.
static Value shareEqual(RuleBuilder &b) {
  Value half = b.mul(b.getCotangent(), b.constant(0.5));
  return b.select(b.compare(Predicate::OEQ, b.getOperand(0), b.getOperand(1)),
                  half, b.getCotangent());
}

/// A maximum or minimum that is NaN where an operand is: both get all then.
/// `isFirst` and `isSecond` tell which operands are picked.
static void pickNaN(RuleBuilder &b, Predicate isFirst, Predicate isSecond) {
  Value x = b.getOperand(0), y = b.getOperand(1), shared = shareEqual(b);
  b.contributeIf(0, b.compare(isFirst, x, y), shared);
  b.contributeIf(1, b.compare(isSecond, x, y), shared);
}

/// A maximum or minimum that leaves NaN out: of two the first gets all.
/// `isFirst` and `isSecond` tell which operands are picked, of numbers.
static void pickNumber(RuleBuilder &b, Predicate isFirst, Predicate isSecond) {
  Value x = b.getOperand(0), y = b.getOperand(1), shared = shareEqual(b);
  if (b.isActive(0)) {
    Value isOther = b.compare(Predicate::UNO, y, y);
    Value isPicked = b.compare(isFirst, x, y);
    b.contributeIf(0, arith::OrIOp::create(b, isPicked, isOther), shared);
  }
  if (b.isActive(1)) {
    Value isNumber = b.compare(Predicate::ORD, y, y);
    Value isPicked = b.compare(isSecond, x, y);
    b.contributeIf(1, arith::AndIOp::create(b, isPicked, isNumber), shared);
  }
}

LogicalResult sattn::applyArithRule(RuleBuilder &b, Operation &op) {
  return TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](arith::AddFOp) {
        b.contribute(0, b.getCotangent());
        b.contribute(1, b.getCotangent());
        return success();
      })
      .Case([&](arith::SubFOp) {
        b.contribute(0, b.getCotangent());
        if (b.isActive(1))
          b.contribute(1, b.neg(b.getCotangent()));
        return success();
      })
      .Case([&](arith::NegFOp) {
        b.contribute(0, b.neg(b.getCotangent()));
        return success();
      })
      .Case([&](arith::MulFOp) {
        b.contributeProduct(0, b.getOperand(1));
        b.contributeProduct(1, b.getOperand(0));
        return success();
      })
      .Case([&](arith::DivFOp quotient) {
        divide(b, quotient);
        return success();
      })
      .Case([&](arith::RemFOp) {
        b.contribute(0, b.getCotangent());
        if (b.isActive(1)) {
          Value whole =
              b.compute<math::TruncOp>(b.div(b.getOperand(0), b.getOperand(1)));
          b.contributeProduct(1, b.neg(whole));
        }
        return success();
      })
      .Case([&](arith::MaximumFOp) {
        pickNaN(b, Predicate::UGE, Predicate::ULE);
        return success();
      })
      .Case([&](arith::MinimumFOp) {
        pickNaN(b, Predicate::ULE, Predicate::UGE);
        return success();
      })
      .Case([&](arith::MaxNumFOp) {
        pickNumber(b, Predicate::OGE, Predicate::ULE);
        return success();
      })
      .Case([&](arith::MinNumFOp) {
        pickNumber(b, Predicate::OLE, Predicate::UGE);
        return success();
      })
      .Case([&](arith::SelectOp) {
        Value condition = b.getOperand(0);
        b.contributeIf(1, condition);
        b.contributeUnless(2, condition);
        return success();
      })
      .Case<arith::ExtFOp, arith::TruncFOp>([&](Operation *) {
        b.contribute(0, b.getCotangent());
        return success();
      })
      .Default([](Operation *) { return failure(); });
}
