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
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

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
struct ApproximateMathPass
    : public sattn::impl::SAttnApproximateMathBase<ApproximateMathPass> {
  using SAttnApproximateMathBase::SAttnApproximateMathBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateMathPolynomialApproximationPatterns(patterns);
    sattn::populateApproximateExp2Patterns(patterns);
    sattn::populateApproximateExpF64Patterns(patterns);
    sattn::populateExpandF32InF64Patterns(patterns);
    // A tangent and hyperbolic functions are quotients and sums of others.
    math::populateExpansionPatterns(patterns, {"tan", "sinh", "cosh"});
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
