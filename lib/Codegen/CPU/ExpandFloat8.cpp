//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// 8-bit floats as f32, by integer arithmetic. Source of the formats: the Open
// Compute Project's "8-bit Floating Point Specification".

#include "sattn/Codegen/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <cmath>

using namespace mlir;

namespace sattn {
#define GEN_PASS_DEF_SATTNCPUEXPANDFLOAT8
#include "sattn/Codegen/Passes.h.inc"
} // namespace sattn

static constexpr int kMantissaOfF32 = 23, kBiasOfF32 = 127;

namespace {
/// The division of a magnitude's seven bits.
struct Format {
  int mantissaBits, bias;
  /// The first magnitude that is no finite number.
  int special;

  static std::optional<Format> find(Type type) {
    if (isa<Float8E4M3FNType>(type))
      return Format{3, 7, 0x7F};
    if (isa<Float8E5M2Type>(type))
      return Format{2, 15, 0x7C};
    return std::nullopt;
  }
};

struct ExpandExtF : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    Type from = op.getIn().getType(), to = op.getType();
    std::optional<Format> format = Format::find(getElementTypeOrSelf(from));
    if (!format || !getElementTypeOrSelf(to).isF32())
      return rewriter.notifyMatchFailure(op, "not from 8 bits to f32");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto withElements = [&](Type element) -> Type {
      auto shaped = dyn_cast<ShapedType>(to);
      return shaped ? Type(shaped.clone(element)) : element;
    };
    Type wide = withElements(b.getI32Type());
    auto constant = [&](int32_t value) -> Value {
      TypedAttr attr = b.getI32IntegerAttr(value);
      if (auto shaped = dyn_cast<ShapedType>(wide))
        attr = DenseElementsAttr::get(shaped, Attribute(attr));
      return arith::ConstantOp::create(b, attr);
    };
    auto isBelow = [&](Value value, int32_t bound) -> Value {
      return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, value,
                                   constant(bound));
    };
    Value bits =
        arith::BitcastOp::create(b, withElements(b.getI8Type()), op.getIn());
    bits = arith::ExtUIOp::create(b, wide, bits);
    Value magnitude = arith::AndIOp::create(b, bits, constant(0x7F));
    Value sign = arith::ShLIOp::create(
        b, arith::AndIOp::create(b, bits, constant(0x80)), constant(24));
    Value place = arith::ShLIOp::create(
        b, magnitude, constant(kMantissaOfF32 - format->mantissaBits));
    Value normal = arith::AddIOp::create(
        b, place, constant((kBiasOfF32 - format->bias) << kMantissaOfF32));
    Value special = arith::OrIOp::create(b, place, constant(0x7F800000));

    // Subnormal numbers are multiples of the smallest one.
    float smallest = std::ldexp(1.0f, 1 - format->bias - format->mantissaBits);
    TypedAttr unit = b.getF32FloatAttr(smallest);
    if (auto shaped = dyn_cast<ShapedType>(to))
      unit = DenseElementsAttr::get(shaped, Attribute(unit));
    Value subnormal =
        arith::MulFOp::create(b, arith::SIToFPOp::create(b, to, magnitude),
                              arith::ConstantOp::create(b, unit));
    subnormal = arith::BitcastOp::create(b, wide, subnormal);

    Value result = arith::SelectOp::create(
        b, isBelow(magnitude, 1 << format->mantissaBits), subnormal, normal);
    result = arith::SelectOp::create(b, isBelow(magnitude, format->special),
                                     result, special);
    result = arith::OrIOp::create(b, result, sign);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, to, result);
    return success();
  }
};

struct CPUExpandFloat8Pass
    : public sattn::impl::SAttnCPUExpandFloat8Base<CPUExpandFloat8Pass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandExtF>(&getContext());
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns),
                                  GreedyRewriteConfig().enableFolding(false))))
      signalPassFailure();
  }
};
} // namespace
