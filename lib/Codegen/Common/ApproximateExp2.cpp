//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ApproximateExp2.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

/// (2^f - 1) / f for f from -1/2 to 1/2, highest power first. Of Cephes, exp2f.
static constexpr float kCoefficients[] = {
    1.535336188319500e-4f, 1.339887440266574e-3f, 9.618437357674640e-3f,
    5.550332471162809e-2f, 2.402264791363012e-1f, 6.931472028550421e-1f};

/// The exponent above which every power is infinite.
static constexpr float kLargest = 128.0f;
/// The exponent below which every power counts as 0.
static constexpr float kSmallest = -126.0f;
static constexpr int32_t kMantissaBits = 23;
static constexpr int32_t kExponentBias = 127;
/// A number whose last bit has the value 1: adding it rounds to an integer n,
/// and the last bits of the sum are then the exponent of 2^(n - 1).
static constexpr float kRounding = 0x1.8p23f + (kExponentBias - 1);

namespace {
/// Computes 2^x = 2 * 2^f * 2^(n - 1), where n is the integer next to x and f =
/// x - n. With n itself the last factor would be infinite for n = 128, where
/// 2^x may be finite.
struct ApproximateExp2 : OpRewritePattern<math::Exp2Op> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::Exp2Op op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    auto shaped = dyn_cast<VectorType>(type);
    if (!getElementTypeOrSelf(type).isF32() || (!shaped && !type.isF32()) ||
        (shaped && shaped.isScalable()))
      return rewriter.notifyMatchFailure(op, "not of f32");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type bits = b.getI32Type();
    if (shaped)
      bits = shaped.clone(bits);
    auto constant = [&](auto value, Type constantType) -> Value {
      TypedAttr attr;
      if constexpr (std::is_same_v<decltype(value), float>)
        attr = b.getF32FloatAttr(value);
      else
        attr = b.getI32IntegerAttr(value);
      if (shaped)
        attr = DenseElementsAttr::get(cast<ShapedType>(constantType),
                                      ArrayRef<Attribute>(attr));
      return arith::ConstantOp::create(b, attr);
    };
    // Compared this way around, NaN stays what it is.
    auto clamp = [&](Value x, arith::CmpFPredicate predicate, float limit) {
      Value bound = constant(limit, type);
      Value isBeyond = arith::CmpFOp::create(b, predicate, x, bound);
      return arith::SelectOp::create(b, isBeyond, bound, x).getResult();
    };
    Value x = clamp(op.getOperand(), arith::CmpFPredicate::OGT, kLargest);
    x = clamp(x, arith::CmpFPredicate::OLT, kSmallest);

    Value rounding = constant(kRounding, type);
    Value rounded = arith::AddFOp::create(b, x, rounding);
    Value n = arith::SubFOp::create(b, rounded, rounding);
    Value f = arith::SubFOp::create(b, x, n);
    Value power = constant(2 * kCoefficients[0], type);
    for (float coefficient : ArrayRef(kCoefficients).drop_front())
      power = math::FmaOp::create(b, power, f, constant(2 * coefficient, type));
    power = math::FmaOp::create(b, power, f, constant(2.0f, type));

    // The bits of 2^(n - 1).
    Value scale = arith::BitcastOp::create(b, bits, rounded);
    scale = arith::ShLIOp::create(b, scale, constant(kMantissaBits, bits));
    scale = arith::BitcastOp::create(b, type, scale);
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, power, scale);
    return success();
  }
};
} // namespace

void sattn::populateApproximateExp2Patterns(RewritePatternSet &patterns) {
  patterns.add<ApproximateExp2>(patterns.getContext());
}
