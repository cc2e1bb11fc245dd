//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Codegen/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace sattn {
#define GEN_PASS_DEF_SATTNCPUTRANSPOSEBYSHUFFLES
#include "sattn/Codegen/Passes.h.inc"
} // namespace sattn

/// A square of a power of two of rows, at least four.
static bool isSquare(vector::TransposeOp op) {
  VectorType type = op.getSourceVectorType();
  return type.getRank() == 2 && !type.isScalable() &&
         op.getPermutation() == ArrayRef<int64_t>{1, 0} &&
         type.getDimSize(0) == type.getDimSize(1) && type.getDimSize(0) >= 4 &&
         llvm::isPowerOf2_64(type.getDimSize(0));
}

namespace {
struct CPUTransposeByShufflesPass
    : public sattn::impl::SAttnCPUTransposeByShufflesBase<
          CPUTransposeByShufflesPass> {
  // No patterns: they would fold the inserted rows to single elements.
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation().walk([&](vector::TransposeOp op) {
      if (isSquare(op))
        replace(rewriter, op);
    });
  }

private:
  static void replace(RewriterBase &rewriter, vector::TransposeOp op) {
    rewriter.setInsertionPoint(op);
    VectorType type = op.getSourceVectorType();
    int64_t size = type.getDimSize(0);
    Location loc = op.getLoc();
    Type element = type.getElementType();
    // Most CPUs have no shuffles of bf16.
    bool isBits = element.isBF16() || element.isF16();
    Value source = op.getVector();
    if (isBits)
      source = vector::BitCastOp::create(
          rewriter, loc, type.clone(rewriter.getI16Type()), source);
    SmallVector<Value> rows;
    for (int64_t row = 0; row < size; ++row)
      rows.push_back(vector::ExtractOp::create(rewriter, loc, source, row));
    for (int64_t step = size / 2; step > 0; step /= 2)
      swapBlocks(rewriter, loc, rows, step);
    auto resultType = cast<VectorType>(source.getType());
    Value result = arith::ConstantOp::create(rewriter, loc,
                                             rewriter.getZeroAttr(resultType));
    for (auto [row, value] : llvm::enumerate(rows))
      result = vector::InsertOp::create(rewriter, loc, value, result,
                                        static_cast<int64_t>(row));
    if (isBits)
      result = vector::BitCastOp::create(rewriter, loc, type, result);
    rewriter.replaceOp(op, result);
  }

  /// Swaps the upper right and the lower left block of `step` elements of each
  /// square of twice as many.
  static void swapBlocks(OpBuilder &b, Location loc,
                         MutableArrayRef<Value> rows, int64_t step) {
    int64_t size = rows.size();
    SmallVector<int64_t> left, right;
    for (int64_t lane = 0; lane < size; ++lane) {
      bool isRight = lane & step;
      left.push_back(isRight ? size + lane - step : lane);
      right.push_back(isRight ? size + lane : lane + step);
    }
    for (int64_t row = 0; row < size; ++row) {
      if (row & step)
        continue;
      Value upper = rows[row], lower = rows[row + step];
      rows[row] = vector::ShuffleOp::create(b, loc, upper, lower, left);
      rows[row + step] = vector::ShuffleOp::create(b, loc, upper, lower, right);
    }
  }
};
} // namespace
