//===- MathRules.cpp - Cotangents of operands of math ops -----------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sattn;
using Predicate = arith::CmpFPredicate;

static Value square(RuleBuilder &b, Value x) { return b.mul(x, x); }

/// 1 / sqrt(x).
static Value inverseRoot(RuleBuilder &b, Value x) {
  b.keepDivisions();
  return b.div(b.constant(1), b.compute<math::SqrtOp>(x));
}

static Value isZero(RuleBuilder &b, Value x) {
  return b.compare(Predicate::OEQ, x, b.constant(0));
}

/// The sign of a number, 0 where it is 0 or NaN, is the derivative of its size.
static void absolute(RuleBuilder &b) {
  Value x = b.getOperand(0), zero = b.constant(0);
  Value below = b.select(b.compare(Predicate::OLT, x, zero),
                         b.neg(b.getCotangent()), zero);
  b.contribute(
      0, b.select(b.compare(Predicate::OGT, x, zero), b.getCotangent(), below));
}

/// The derivative of copysign by its first operand, 0 where that is 0; only the
/// sign of the second operand counts.
static void copySign(RuleBuilder &b) {
  Value x = b.getOperand(0), one = b.constant(1);
  Value before = b.compute<math::CopySignOp>(one, x);
  Value after = b.compute<math::CopySignOp>(one, b.getOperand(1));
  Value sign = b.mul(before, after), isZeroDerivative = isZero(b, x);
  Value derivative = b.select(isZeroDerivative, b.constant(0), sign);
  b.contribute(0, b.mul(b.getCotangent(), derivative));
}

/// The derivatives of x^y: y x^(y-1), 0 where y is 0; and x^y log(x), 0 where x
/// is 0 and y is not negative.
static void power(RuleBuilder &b) {
  Value x = b.getOperand(0), y = b.getOperand(1), zero = b.constant(0);
  if (b.isActive(0)) {
    Value lower = b.compute<math::PowFOp>(x, b.sub(y, b.constant(1)));
    Value derivative = b.mul(y, lower), isZeroDerivative = isZero(b, y);
    b.contributeProduct(0, b.select(isZeroDerivative, zero, derivative));
  }
  if (b.isActive(1)) {
    Value isBaseZero = isZero(b, x);
    Value isZeroDerivative = arith::AndIOp::create(
        b, isBaseZero, b.compare(Predicate::OGE, y, zero));
    Value derivative = b.mul(b.getResult(), b.compute<math::LogOp>(x));
    b.contributeProduct(1, b.select(isZeroDerivative, zero, derivative));
  }
}

/// The derivative of a float to the power of an integer.
static void powerByInteger(RuleBuilder &b, math::FPowIOp op) {
  Value x = b.getOperand(0), y = b.getOperand(1);
  auto integer = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, b.getIntegerAttr(y.getType(), value));
  };
  Value exponent = arith::SIToFPOp::create(b, x.getType(), y);
  Value lower = b.compute<math::FPowIOp>(
      x, Value(arith::SubIOp::create(b, y, integer(1))));
  Value isZeroDerivative =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, y, integer(0));
  Value derivative = b.mul(exponent, lower);
  b.contributeProduct(0, b.select(isZeroDerivative, b.constant(0), derivative));
}

/// The derivatives of the angle of (y, x): x and -y over y^2 + x^2, and 0 at 0.
static void angle(RuleBuilder &b) {
  Value y = b.getOperand(0), x = b.getOperand(1);
  Value height = square(b, y);
  Value sum = b.add(height, square(b, x)), isZeroDerivative = isZero(b, sum);
  Value inverse = b.div(b.constant(1), sum);
  inverse = b.select(isZeroDerivative, b.constant(0), inverse);
  b.contributeProduct(0, b.mul(x, inverse));
  if (b.isActive(1))
    b.contributeProduct(1, b.mul(b.neg(y), inverse));
}

/// 2 / sqrt(pi) exp(-x^2).
static Value bell(RuleBuilder &b) {
  Value exponent = b.neg(square(b, b.getOperand(0)));
  return b.mul(b.constant(2 * llvm::numbers::inv_sqrtpi),
               b.compute<math::ExpOp>(exponent));
}

static bool isStep(Operation *op) {
  return isa<math::CeilOp, math::FloorOp, math::RoundOp, math::RoundEvenOp,
             math::TruncOp>(op);
}

/// The derivative of a function of one number, or null where it has a rule of
/// another form.
static Value derive(RuleBuilder &b, Operation *op) {
  auto x = [&] { return b.getOperand(0); };
  auto one = [&] { return b.constant(1); };
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](math::AcosOp) {
        return b.neg(inverseRoot(b, b.sub(one(), square(b, x()))));
      })
      .Case([&](math::AsinOp) {
        return inverseRoot(b, b.sub(one(), square(b, x())));
      })
      .Case([&](math::AcoshOp) {
        return inverseRoot(b, b.sub(square(b, x()), one()));
      })
      .Case([&](math::AsinhOp) {
        return inverseRoot(b, b.add(square(b, x()), one()));
      })
      .Case([&](math::CosOp) { return b.neg(b.compute<math::SinOp>(x())); })
      .Case([&](math::SinOp) { return b.compute<math::CosOp>(x()); })
      .Case([&](math::CoshOp) { return b.compute<math::SinhOp>(x()); })
      .Case([&](math::SinhOp) { return b.compute<math::CoshOp>(x()); })
      .Case([&](math::TanOp) { return b.add(one(), square(b, b.getResult())); })
      .Case(
          [&](math::TanhOp) { return b.sub(one(), square(b, b.getResult())); })
      .Case([&](math::ErfOp) { return bell(b); })
      .Case([&](math::ErfcOp) { return b.neg(bell(b)); })
      .Case([&](math::ExpOp) { return b.getResult(); })
      .Case([&](math::Exp2Op) {
        return b.mul(b.getResult(), b.constant(llvm::numbers::ln2));
      })
      .Case([&](math::ExpM1Op) { return b.add(b.getResult(), one()); })
      .Case([&](math::RsqrtOp) {
        Value y = b.getResult();
        return b.mul(b.constant(-0.5), b.mul(square(b, y), y));
      })
      .Default([](Operation *) { return Value(); });
}

/// The divisor of the cotangent of a function of one number, or null.
static Value findDivisor(RuleBuilder &b, Operation *op) {
  auto x = [&] { return b.getOperand(0); };
  auto one = [&] { return b.constant(1); };
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](math::AtanOp) { return b.add(one(), square(b, x())); })
      .Case([&](math::AtanhOp) { return b.sub(one(), square(b, x())); })
      .Case([&](math::CbrtOp) {
        return b.mul(b.constant(3), square(b, b.getResult()));
      })
      .Case([&](math::LogOp) { return x(); })
      .Case([&](math::Log2Op) {
        return b.mul(x(), b.constant(llvm::numbers::ln2));
      })
      .Case([&](math::Log10Op) {
        return b.mul(x(), b.constant(llvm::numbers::ln10));
      })
      .Case([&](math::Log1pOp) { return b.add(x(), one()); })
      .Case([&](math::SqrtOp) {
        // LLVM's estimate of a reciprocal root is NaN at 0.
        b.keepDivisions();
        return b.mul(b.constant(2), b.getResult());
      })
      .Default([](Operation *) { return Value(); });
}

LogicalResult sattn::applyMathRule(RuleBuilder &b, Operation &op) {
  if (isStep(&op))
    return success();
  if (Value derivative = derive(b, &op)) {
    b.contributeProduct(0, derivative);
    return success();
  }
  if (Value divisor = findDivisor(b, &op)) {
    b.contributeQuotient(0, divisor);
    return success();
  }
  auto apply = [&](auto rule) {
    rule(b);
    return success();
  };
  return TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](math::AbsFOp) { return apply(absolute); })
      .Case([&](math::Atan2Op) { return apply(angle); })
      .Case([&](math::CopySignOp) { return apply(copySign); })
      .Case([&](math::PowFOp) { return apply(power); })
      .Case([&](math::FPowIOp op) {
        powerByInteger(b, op);
        return success();
      })
      .Case([&](math::FmaOp) {
        b.contributeProduct(0, b.getOperand(1));
        b.contributeProduct(1, b.getOperand(0));
        b.contribute(2, b.getCotangent());
        return success();
      })
      .Default([](Operation *) { return failure(); });
}
