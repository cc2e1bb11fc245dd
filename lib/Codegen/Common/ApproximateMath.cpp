//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ApproximateExp2.h"
#include "ApproximateExpF64.h"
#include "ExpandF32InF64.h"

#include "sattn/Codegen/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace sattn {
#define GEN_PASS_DEF_SATTNAPPROXIMATEMATH
#include "sattn/Codegen/Passes.h.inc"
} // namespace sattn

/// Whether NVIDIA's GPUs have an approximation that the flags of an op allow.
static bool isApproximatedByTarget(Operation *op) {
  auto flags = dyn_cast<arith::ArithFastMathInterface>(op);
  return isa<math::Exp2Op, math::Log2Op, math::TanhOp>(op) &&
         getElementTypeOrSelf(op->getResult(0)).isF32() &&
         bitEnumContainsAll(flags.getFastMathFlagsAttr().getValue(),
                            arith::FastMathFlags::afn);
}

namespace {
/// A logarithm to the base of 10 of f32 as a multiple of the natural one.
struct Log10Expansion : OpRewritePattern<math::Log10Op> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::Log10Op op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!getElementTypeOrSelf(type).isF32())
      return rewriter.notifyMatchFailure(op, "not of f32");
    TypedAttr factor = rewriter.getF32FloatAttr(1 / llvm::numbers::ln10f);
    if (auto shaped = dyn_cast<ShapedType>(type))
      factor = DenseElementsAttr::get(shaped, factor);
    Value log = math::LogOp::create(rewriter, op.getLoc(), op.getOperand(),
                                    op.getFastmath());
    rewriter.replaceOpWithNewOp<arith::MulFOp>(
        op, log, arith::ConstantOp::create(rewriter, op.getLoc(), factor));
    return success();
  }
};

struct ApproximateMathPass
    : public sattn::impl::SAttnApproximateMathBase<ApproximateMathPass> {
  using SAttnApproximateMathBase::SAttnApproximateMathBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateMathPolynomialApproximationPatterns(patterns);
    sattn::populateApproximateExp2Patterns(patterns);
    sattn::populateApproximateExpF64Patterns(patterns);
    sattn::populateExpandF32InF64Patterns(patterns);
    // Tangents, hyperbolic functions and their inverses are quotients and sums
    // of others, powers by constant integers products.
    math::populateExpansionPatterns(
        patterns,
        {"tan", "sinh", "cosh", "asinh", "acosh", "atanh", "clampf", "fpowi"});
    patterns.add<Log10Expansion>(&getContext());
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if ((isa<math::MathDialect>(op->getDialect()) ||
           isa<arith::RemFOp>(op)) &&
          !(keepAfn && isApproximatedByTarget(op)))
        ops.push_back(op);
    });
    if (failed(applyOpPatternsGreedily(
            ops, std::move(patterns),
            GreedyRewriteConfig().enableFolding(false).setStrictness(
                GreedyRewriteStrictness::ExistingAndNewOps))))
      signalPassFailure();
  }
};
} // namespace
