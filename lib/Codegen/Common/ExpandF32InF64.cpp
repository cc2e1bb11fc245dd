//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandF32InF64.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

#include <limits>

using namespace mlir;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();
static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
static constexpr int64_t kMantissaBits = 52, kExponentBias = 1023;
/// Bits of an f32's significand.
static constexpr int64_t kDigits = 24;

namespace {
/// Builds arithmetic on f64 scalars, or vectors of a shape.
class F64Builder {
public:
  F64Builder(PatternRewriter &rewriter, Operation *op)
      : b(op->getLoc(), rewriter), narrow(op->getResult(0).getType()),
        wide(b.getF64Type()), bits(b.getI64Type()) {
    if (auto vector = dyn_cast<VectorType>(narrow)) {
      wide = vector.clone(wide);
      bits = vector.clone(bits);
    }
  }

  /// x^y = 2^(y * log2(|x|)), with x's sign where y is odd.
  Value buildPower(Value x, Value y);
  /// The remainder of x / y with the sign of x.
  Value buildRemainder(Value x, Value y);
  /// sin(x), or cos(x) = sin(x + pi / 2).
  Value buildSine(Value x, bool isCosine);

private:
  ImplicitLocOpBuilder b;
  Type narrow, wide, bits;

  Value splat(TypedAttr attr, Type type) {
    if (auto vector = dyn_cast<VectorType>(type))
      attr = DenseElementsAttr::get(vector, ArrayRef<Attribute>(attr));
    return arith::ConstantOp::create(b, attr);
  }
  Value real(double value) { return splat(b.getF64FloatAttr(value), wide); }
  Value integer(int64_t value) {
    return splat(b.getI64IntegerAttr(value), bits);
  }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value subtract(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value multiply(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value divide(Value x, Value y) { return arith::DivFOp::create(b, x, y); }
  Value abs(Value x) { return math::AbsFOp::create(b, x); }
  Value compare(arith::CmpFPredicate how, Value x, Value y) {
    return arith::CmpFOp::create(b, how, x, y);
  }
  Value isEqual(Value x, double y) {
    return compare(arith::CmpFPredicate::OEQ, x, real(y));
  }
  Value either(Value x, Value y) { return arith::OrIOp::create(b, x, y); }
  Value both(Value x, Value y) { return arith::AndIOp::create(b, x, y); }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
  Value widen(Value x) { return arith::ExtFOp::create(b, wide, x); }
  Value bitsOf(Value x) { return arith::BitcastOp::create(b, bits, x); }
  Value ofBits(Value x) { return arith::BitcastOp::create(b, wide, x); }

  /// 2^n of an integer.
  Value powerOfTwo(Value n) {
    Value biased = arith::AddIOp::create(b, n, integer(kExponentBias));
    return ofBits(
        arith::ShLIOp::create(b, biased, integer(kMantissaBits)).getResult());
  }
  /// The exponent of a number that is not negative: floor(log2(x)).
  Value exponentOf(Value x) {
    return arith::SubIOp::create(
        b, arith::ShRUIOp::create(b, bitsOf(x), integer(kMantissaBits)),
        integer(kExponentBias));
  }
  /// The significand of a number, scaled to [2^exponent, 2^(exponent + 1)).
  Value significandOf(Value x, int64_t exponent) {
    Value digits = arith::AndIOp::create(b, bitsOf(x),
                                         integer((1LL << kMantissaBits) - 1));
    Value own = integer((kExponentBias + exponent) << kMantissaBits);
    return ofBits(arith::OrIOp::create(b, digits, own).getResult());
  }

  Value expand(Value x, ArrayRef<double> coefficients);
  Value logarithm(Value x);
  Value powerOfTwoOfReal(Value x);
  Value reduce(Value x, Value modulus, Value inverse);
  Value subtractOnce(Value x, Value modulus) {
    Value isAbove = compare(arith::CmpFPredicate::OGE, x, modulus);
    return select(isAbove, subtract(x, modulus), x);
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

/// log2(m * 2^e) = e + 2 / ln(2) * atanh((m - 1) / (m + 1)), where m is between
/// sqrt(1/2) and sqrt(2). Ten terms of the series leave less than 2^-55.
Value F64Builder::logarithm(Value x) {
  static constexpr double twoOverLn2 = 0x1.71547652b82fep+1;
  static constexpr double root = 0x1.6a09e667f3bcdp+0;
  Value m = significandOf(x, 0);
  Value e = arith::SIToFPOp::create(b, wide, exponentOf(x));
  Value isAbove = compare(arith::CmpFPredicate::OGT, m, real(root));
  m = select(isAbove, multiply(m, real(0.5)), m);
  e = select(isAbove, add(e, real(1)), e);
  Value s = divide(subtract(m, real(1)), add(m, real(1)));
  Value square = multiply(s, s);
  Value sum = real(twoOverLn2 / 19);
  for (int i = 17; i > 0; i -= 2)
    sum = math::FmaOp::create(b, sum, square, real(twoOverLn2 / i));
  return math::FmaOp::create(b, sum, s, e);
}

/// 2^x for x between -200 and 200: 2^n * exp((x - n) * ln(2)).
Value F64Builder::powerOfTwoOfReal(Value x) {
  static constexpr double ln2 = 0x1.62e42fefa39efp-1, rounding = 0x1.8p52;
  static constexpr int degree = 13;
  Value n = subtract(add(x, real(rounding)), real(rounding));
  Value r = multiply(subtract(x, n), real(ln2));
  double factorials[degree + 1] = {1};
  for (int i = 1; i <= degree; ++i)
    factorials[i] = i * factorials[i - 1];
  Value sum = real(1 / factorials[degree]);
  for (int i = degree; i-- > 0;)
    sum = math::FmaOp::create(b, sum, r, real(1 / factorials[i]));
  return multiply(sum,
                  powerOfTwo(arith::FPToSIOp::create(b, bits, n).getResult()));
}

Value F64Builder::buildPower(Value x32, Value y32) {
  Value x = widen(x32), y = widen(y32), size = abs(x);
  Value log = logarithm(size);
  log = select(isEqual(size, 0), real(-kInfinity), log);
  log = select(isEqual(size, kInfinity), real(kInfinity), log);
  // Infinite powers of 1 are 1, too.
  Value exponent = select(isEqual(log, 0), real(0), multiply(y, log));
  // f32 is infinite or 0 before; NaN, of which an integer is nothing, is
  // replaced in the end.
  exponent = select(compare(arith::CmpFPredicate::OGT, exponent, real(-200)),
                    exponent, real(-200));
  exponent = select(compare(arith::CmpFPredicate::OLT, exponent, real(200)),
                    exponent, real(200));
  Value power = powerOfTwoOfReal(exponent);

  Value half = multiply(y, real(0.5));
  Value isWhole =
      compare(arith::CmpFPredicate::OEQ, math::FloorOp::create(b, y), y);
  Value isOdd = both(isWhole, compare(arith::CmpFPredicate::ONE,
                                      math::FloorOp::create(b, half), half));
  Value isNegative = compare(arith::CmpFPredicate::OLT,
                             math::CopySignOp::create(b, real(1), x), real(0));
  power =
      select(both(isNegative, isOdd), arith::NegFOp::create(b, power), power);
  Value isFinite = compare(arith::CmpFPredicate::OGT, x, real(-kInfinity));
  Value isBelow =
      both(compare(arith::CmpFPredicate::OLT, x, real(0)), isFinite);
  Value isNoPower = both(isBelow, compare(arith::CmpFPredicate::UNE,
                                          math::FloorOp::create(b, y), y));
  isNoPower = either(isNoPower, compare(arith::CmpFPredicate::UNO, x, y));
  power = select(isNoPower, real(kNaN), power);
  Value isOne = either(isEqual(y, 0), isEqual(x, 1));
  return arith::TruncFOp::create(b, narrow, select(isOne, real(1), power));
}

//===----------------------------------------------------------------------===//
// Remainders
//===----------------------------------------------------------------------===//

/// x mod modulus, of integers below 2^48 and from 2^23 to 2^24. Products are
/// exact, and the quotient is off by 1 at most.
Value F64Builder::reduce(Value x, Value modulus, Value inverse) {
  Value quotient = math::FloorOp::create(b, multiply(x, inverse));
  Value rest = subtract(x, multiply(quotient, modulus));
  Value isBelow = compare(arith::CmpFPredicate::OLT, rest, real(0));
  return subtractOnce(select(isBelow, add(rest, modulus), rest), modulus);
}

/// The remainder of x = m * 2^(e + k) and y = n * 2^e with integers m and n is
/// (m * 2^k mod n) * 2^e, and 2^k mod n is four squares of 2^(k / 16).
Value F64Builder::buildRemainder(Value x32, Value y32) {
  static constexpr int64_t mostExponents = 300, doublings = 4;
  Value x = widen(x32), y = widen(y32), sizeX = abs(x), sizeY = abs(y);
  Value m = significandOf(sizeX, kDigits - 1);
  Value n = significandOf(sizeY, kDigits - 1);
  Value exponentY = exponentOf(sizeY);
  Value k = arith::SubIOp::create(b, exponentOf(sizeX), exponentY);
  k = arith::MaxSIOp::create(b, k, integer(0));
  k = arith::MinSIOp::create(b, k, integer(mostExponents));
  Value inverse = divide(real(1), n);
  Value power =
      powerOfTwo(arith::ShRUIOp::create(b, k, integer(doublings)).getResult());
  for (int64_t bit = doublings; bit-- > 0;) {
    power = reduce(multiply(power, power), n, inverse);
    Value isSet = arith::CmpIOp::create(
        b, arith::CmpIPredicate::ne,
        arith::AndIOp::create(b, k, integer(1LL << bit)), integer(0));
    power = select(isSet, subtractOnce(add(power, power), n), power);
  }
  Value rest = reduce(multiply(m, power), n, inverse);
  Value last = arith::SubIOp::create(b, exponentY, integer(kDigits - 1));
  rest = multiply(rest, powerOfTwo(last));
  rest = select(compare(arith::CmpFPredicate::OLT, sizeX, sizeY), sizeX, rest);
  // NaN, an infinite x and y = 0 have none.
  Value isNone = either(compare(arith::CmpFPredicate::UNO, x, y),
                        either(isEqual(sizeX, kInfinity), isEqual(y, 0)));
  rest = select(isNone, real(kNaN), rest);
  return arith::TruncFOp::create(b, narrow,
                                 math::CopySignOp::create(b, rest, x));
}

//===----------------------------------------------------------------------===//
// Sines
//===----------------------------------------------------------------------===//

/// A polynomial, coefficients of the highest power first.
Value F64Builder::expand(Value x, ArrayRef<double> coefficients) {
  Value sum = real(coefficients.front());
  for (double coefficient : coefficients.drop_front())
    sum = math::FmaOp::create(b, sum, x, real(coefficient));
  return sum;
}

/// x = n * pi / 2 + r, in two steps, since n may have more digits than an f64
/// in the first; the last two bits of n choose between Taylor's series.
Value F64Builder::buildSine(Value x32, bool isCosine) {
  static constexpr double twoOverPi = 0x1.45f306dc9c883p-1;
  static constexpr double halfPi = 0x1.921fb54442d18p+0,
                          halfPiRest = 0x1.1a62633145c07p-54;
  static constexpr double largest = 0x1p64, rounding = 0x1.8p52;
  Value x = widen(x32);
  Value isSmall = compare(arith::CmpFPredicate::OLE, abs(x), real(largest));
  Value rest = select(isSmall, x, real(0));
  Value quadrant = integer(isCosine ? 1 : 0);
  // n of the first step is a whole number, and of more than 2^53 a multiple of
  // 4 if not in the second step.
  Value whole =
      math::FloorOp::create(b, add(multiply(rest, real(twoOverPi)), real(0.5)));
  Value quarters = math::FloorOp::create(b, multiply(whole, real(0.25)));
  Value last = subtract(whole, multiply(quarters, real(4)));
  for (int step : {0, 1}) {
    Value n = whole;
    if (step == 1) {
      n = subtract(add(multiply(rest, real(twoOverPi)), real(rounding)),
                   real(rounding));
      last = add(last, n);
    }
    Value minus = arith::NegFOp::create(b, n);
    rest = math::FmaOp::create(b, minus, real(halfPi), rest);
    rest = math::FmaOp::create(b, minus, real(halfPiRest), rest);
  }
  quadrant = arith::AddIOp::create(
      b, quadrant, arith::FPToSIOp::create(b, bits, last).getResult());
  Value square = multiply(rest, rest);
  Value sine = multiply(
      rest, expand(square, {1. / 362880, -1. / 5040, 1. / 120, -1. / 6, 1.}));
  Value cosine = expand(
      square, {-1. / 3628800, 1. / 40320, -1. / 720, 1. / 24, -1. / 2, 1.});
  auto has = [&](int64_t bit) -> Value {
    return arith::CmpIOp::create(
        b, arith::CmpIPredicate::ne,
        arith::AndIOp::create(b, quadrant, integer(bit)), integer(0));
  };
  Value result = select(has(1), cosine, sine);
  result = select(has(2), arith::NegFOp::create(b, result), result);
  return arith::TruncFOp::create(b, narrow,
                                 select(isSmall, result, real(kNaN)));
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {
template <typename Op> struct ExpandF32InF64 : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    auto vector = dyn_cast<VectorType>(type);
    if (!getElementTypeOrSelf(type).isF32() || (!vector && !type.isF32()) ||
        (vector && vector.isScalable()))
      return rewriter.notifyMatchFailure(op, "not of f32");
    F64Builder builder(rewriter, op);
    Value result;
    if constexpr (std::is_same_v<Op, math::PowFOp>)
      result = builder.buildPower(op.getLhs(), op.getRhs());
    else if constexpr (std::is_same_v<Op, arith::RemFOp>)
      result = builder.buildRemainder(op.getLhs(), op.getRhs());
    else
      result =
          builder.buildSine(op.getOperand(), std::is_same_v<Op, math::CosOp>);
    rewriter.replaceOp(op, result);
    return success();
  }
};
} // namespace

void sattn::populateExpandF32InF64Patterns(RewritePatternSet &patterns) {
  // Upstream has others of a power and of sines.
  patterns.add<ExpandF32InF64<math::PowFOp>, ExpandF32InF64<arith::RemFOp>,
               ExpandF32InF64<math::SinOp>, ExpandF32InF64<math::CosOp>>(
      patterns.getContext(), /*benefit=*/2);
}
