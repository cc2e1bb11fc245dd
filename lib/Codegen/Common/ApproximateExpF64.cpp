//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ApproximateExpF64.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

/// The last power of Taylor's series: up to ln(2) / 2 what follows is below
/// 2^-57 of the sum.
static constexpr int kDegree = 13;

/// The exponents above which every power is infinite, and below which it is 0.
static constexpr double kLargest = 710, kSmallest = -746;
static constexpr double kLog2E = 0x1.71547652b82fep+0;
/// ln(2) in two parts.
static constexpr double kLn2 = 0x1.62e42fefa39efp-1,
                        kLn2Rest = 0x1.abc9e3b39803fp-56;
/// A number whose last bit has the value 1: adding it rounds to an integer,
/// which is then in the last bits of the sum.
static constexpr double kRounding = 0x1.8p52;
static constexpr int64_t kMantissaBits = 52, kExponentBias = 1023;

namespace {
/// exp(x) = 2^n * exp(r), where n is the integer next to x / ln(2) and
/// r = x - n * ln(2). 2^n is a product of two factors, since n has more values
/// than an exponent: the result may be finite where 2^n is not, or subnormal.
class ExpBuilder {
public:
  ExpBuilder(PatternRewriter &rewriter, math::ExpOp op)
      : b(op.getLoc(), rewriter), type(op.getType()), bits(b.getI64Type()) {
    if (auto vector = dyn_cast<VectorType>(type))
      bits = vector.clone(bits);
  }

  Value build(Value x) {
    x = clamp(x, arith::CmpFPredicate::OGT, kLargest);
    x = clamp(x, arith::CmpFPredicate::OLT, kSmallest);
    Value rounding = constant(kRounding);
    Value n = subtract(fma(x, constant(kLog2E), rounding), rounding);
    Value r = fma(n, constant(-kLn2), x);
    r = fma(n, constant(-kLn2Rest), r);
    Value power = expand(r);
    Value rounded = fma(n, constant(0.5), rounding);
    Value rest = subtract(n, subtract(rounded, rounding));
    power = multiply(power, powerOfTwo(rounded));
    return multiply(power,
                    powerOfTwo(arith::AddFOp::create(b, rest, rounding)));
  }

private:
  ImplicitLocOpBuilder b;
  Type type, bits;

  Value constant(double value) { return splat(b.getF64FloatAttr(value), type); }
  Value constant(int64_t value) {
    return splat(b.getI64IntegerAttr(value), bits);
  }
  Value splat(TypedAttr attr, Type splatType) {
    if (auto vector = dyn_cast<VectorType>(splatType))
      attr = DenseElementsAttr::get(vector, ArrayRef<Attribute>(attr));
    return arith::ConstantOp::create(b, attr);
  }
  Value subtract(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value multiply(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value fma(Value x, Value y, Value z) {
    return math::FmaOp::create(b, x, y, z);
  }
  /// Clamps x to a limit; by this order of operands, NaN stays NaN.
  Value clamp(Value x, arith::CmpFPredicate predicate, double limit) {
    Value bound = constant(limit);
    Value isBeyond = arith::CmpFOp::create(b, predicate, x, bound);
    return arith::SelectOp::create(b, isBeyond, bound, x);
  }

  /// The sum of r^i / i!. Each factorial up to 18! is a double.
  Value expand(Value r) {
    double factorials[kDegree + 1] = {1};
    for (int i = 1; i <= kDegree; ++i)
      factorials[i] = i * factorials[i - 1];
    Value sum = constant(1 / factorials[kDegree]);
    for (int i = kDegree; i-- > 0;)
      sum = fma(sum, r, constant(1 / factorials[i]));
    return sum;
  }

  /// 2^n of the n that is in the last bits: its bits as the exponent.
  Value powerOfTwo(Value rounded) {
    Value number = arith::BitcastOp::create(b, bits, rounded);
    number = arith::ShLIOp::create(b, number, constant(kMantissaBits));
    number = arith::AddIOp::create(b, number,
                                   constant(kExponentBias << kMantissaBits));
    return arith::BitcastOp::create(b, type, number);
  }
};

struct ApproximateExpF64 : OpRewritePattern<math::ExpOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ExpOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    auto vector = dyn_cast<VectorType>(type);
    if (!getElementTypeOrSelf(type).isF64() || (!vector && !type.isF64()) ||
        (vector && vector.isScalable()))
      return rewriter.notifyMatchFailure(op, "not of f64");
    rewriter.replaceOp(op, ExpBuilder(rewriter, op).build(op.getOperand()));
    return success();
  }
};
} // namespace

void sattn::populateApproximateExpF64Patterns(RewritePatternSet &patterns) {
  patterns.add<ApproximateExpF64>(patterns.getContext());
}
