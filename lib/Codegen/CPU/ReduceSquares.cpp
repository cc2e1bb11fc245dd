//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReduceSquares.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

/// Combines neighbors until one value is left.
static Value combineAll(OpBuilder &b, Location loc, vector::CombiningKind kind,
                        SmallVector<Value> values) {
  while (values.size() > 1) {
    size_t half = values.size() / 2;
    for (size_t place = 0; place < half; ++place)
      values[place] = vector::makeArithReduction(b, loc, kind, values[place],
                                                 values[place + half]);
    if (values.size() % 2 != 0)
      values[half++] = values.back();
    values.resize(half);
  }
  return values.front();
}

namespace {
struct ReduceSquares : OpRewritePattern<vector::MultiDimReductionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::MultiDimReductionOp op,
                                PatternRewriter &rewriter) const override {
    VectorType type = op.getSourceVectorType();
    if (op.isMasked() || type.getRank() != 2 || type.isScalable() ||
        op.getReductionDims() != ArrayRef<int64_t>{1})
      return rewriter.notifyMatchFailure(op, "no reduction of rows");
    int64_t rows = type.getDimSize(0), columns = type.getDimSize(1);
    if (rows < 4 || !llvm::isPowerOf2_64(rows) || columns % rows != 0)
      return rewriter.notifyMatchFailure(op, "no squares side by side");
    Location loc = op.getLoc();
    SmallVector<Value> squares, lines;
    for (int64_t column = 0; column < columns; column += rows)
      squares.push_back(vector::ExtractStridedSliceOp::create(
          rewriter, loc, op.getSource(), ArrayRef<int64_t>{0, column},
          ArrayRef<int64_t>{rows, rows}, ArrayRef<int64_t>{1, 1}));
    Value sum = combineAll(rewriter, loc, op.getKind(), std::move(squares));
    Value turned = vector::TransposeOp::create(rewriter, loc, sum,
                                               ArrayRef<int64_t>{1, 0});
    for (int64_t row = 0; row < rows; ++row)
      lines.push_back(vector::ExtractOp::create(rewriter, loc, turned, row));
    Value reduced = combineAll(rewriter, loc, op.getKind(), std::move(lines));
    rewriter.replaceOp(op,
                       vector::makeArithReduction(rewriter, loc, op.getKind(),
                                                  reduced, op.getAcc()));
    return success();
  }
};
} // namespace

void sattn::populateReduceSquaresPatterns(RewritePatternSet &patterns) {
  // Before upstream's, which take the rows apart.
  patterns.add<ReduceSquares>(patterns.getContext(), PatternBenefit(10));
}
