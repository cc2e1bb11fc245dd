//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Canonicalization of sattn.bsr_addmm: operands that the op does not read are
// dropped, and an op that leaves `out` as it is goes away. What needs other ops
// to be said (beta * out alone, zeros) stays: as sattn.bsr_addmm with alpha = 0
// it has a tile program on every target.

#include "sattn/Dialect/SAttn/IR/SAttn.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace sattn;

static bool isZero(Value scalar) {
  FloatAttr attr;
  return matchPattern(scalar, m_Constant(&attr)) && attr.getValue().isZero();
}

static bool isOne(Value scalar) {
  FloatAttr attr;
  return matchPattern(scalar, m_Constant(&attr)) &&
         attr.getValue().isExactlyValue(1.0);
}

static Value createConstant(PatternRewriter &rewriter, Location loc,
                            const APFloat &value) {
  return arith::ConstantOp::create(
      rewriter, loc, FloatAttr::get(rewriter.getF32Type(), value));
}

/// The value of all elements, in f32, where it is known.
static std::optional<APFloat> getSplat(Value tensor) {
  if (!tensor)
    return std::nullopt;
  std::optional<APFloat> value;
  DenseElementsAttr elements;
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>()) {
    FloatAttr attr;
    if (matchPattern(fill.value(), m_Constant(&attr)))
      value = attr.getValue();
  } else if (matchPattern(tensor, m_Constant(&elements)) &&
             elements.isSplat()) {
    value = elements.getSplatValue<APFloat>();
  }
  if (value) {
    bool losesInfo;
    value->convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
  }
  return value;
}

/// The size of a dimension counted from the last, -1.
static int64_t getSize(TypedValue<RankedTensorType> tensor, int64_t dim) {
  RankedTensorType type = tensor.getType();
  return type.getDimSize(type.getRank() + dim);
}

// An extent of 0 of `out`, which the type of any operand may have.

static bool hasNoRow(BsrAddmmOp op) {
  return getSize(op.getOut(), -2) == 0 ||
         (op.isEncoded() ? getSize(op.getValues(), -2) == 0
                         : getSize(op.getCrow(), -1) == 1) ||
         (op.getInput() && getSize(op.getInput(), -2) == 0) ||
         (op.getLeft() && getSize(op.getLeft(), -1) == 0);
}

static bool hasNoColumn(BsrAddmmOp op) {
  return getSize(op.getOut(), -1) == 0 || getSize(op.getB(), -1) == 0 ||
         (op.getInput() && getSize(op.getInput(), -1) == 0) ||
         (op.getRight() && getSize(op.getRight(), -1) == 0);
}

static bool hasNoBatch(BsrAddmmOp op) {
  std::pair<TypedValue<RankedTensorType>, int64_t> baseRanks[] = {
      {op.getCrow(), 1},
      {op.getCol(), 1},
      {op.getValues(), op.isEncoded() ? 2 : 3},
      {op.getB(), 2},
      {op.getInput(), 2},
      {op.getLeft(), 1},
      {op.getRight(), 1},
      {op.getOut(), 2}};
  return llvm::any_of(baseRanks, [](auto operand) {
    auto [tensor, baseRank] = operand;
    return tensor && llvm::is_contained(
                         tensor.getType().getShape().drop_back(baseRank), 0);
  });
}

namespace {
/// beta = 0: input is not read. alpha = 0: only input is read, so left, right
/// and the plan do not matter.
struct DropUnreadOperands : public OpRewritePattern<BsrAddmmOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BsrAddmmOp op,
                                PatternRewriter &rewriter) const override {
    bool dropInput = op.getInput() && isZero(op.getBeta());
    bool dropScales = (op.getLeft() || op.getRight() || op.getPanels()) &&
                      isZero(op.getAlpha());
    if (!dropInput && !dropScales)
      return rewriter.notifyMatchFailure(op, "every operand is read");
    rewriter.modifyOpInPlace(op, [&] {
      if (dropInput)
        op.getInputMutable().clear();
      if (!dropScales)
        return;
      op.getLeftMutable().clear();
      op.getRightMutable().clear();
      op.getPanelsMutable().clear();
      op.getStepsMutable().clear();
    });
    return success();
  }
};

/// input = out is the same as no input.
struct DropInputThatIsOut : public OpRewritePattern<BsrAddmmOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BsrAddmmOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getInput() || op.getInput() != op.getOut())
      return rewriter.notifyMatchFailure(op, "input is not out");
    rewriter.modifyOpInPlace(op, [&] { op.getInputMutable().clear(); });
    return success();
  }
};

/// Without a stored block, the op is the same as with alpha = 0.
struct AlphaOfNoBlocks : public OpRewritePattern<BsrAddmmOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BsrAddmmOp op,
                                PatternRewriter &rewriter) const override {
    if (isZero(op.getAlpha()))
      return rewriter.notifyMatchFailure(op, "alpha is 0 already");
    bool isEmpty = getSize(op.getB(), -2) == 0 || // K
                   (op.isEncoded() ? getSize(op.getValues(), -1) == 0
                                   : getSize(op.getValues(), -3) == 0 ||
                                         getSize(op.getCol(), -1) == 0); // nnz
    if (!isEmpty)
      return rewriter.notifyMatchFailure(op, "there may be stored blocks");
    Value zero = createConstant(rewriter, op.getLoc(), APFloat(0.0f));
    rewriter.modifyOpInPlace(op, [&] { op.getAlphaMutable().assign(zero); });
    return success();
  }
};

/// out stays as it is: it is empty, or alpha = 0 and beta = 1.
struct ResultIsOut : public OpRewritePattern<BsrAddmmOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BsrAddmmOp op,
                                PatternRewriter &rewriter) const override {
    bool isEmpty = hasNoBatch(op) || hasNoRow(op) || hasNoColumn(op);
    bool isUnchanged =
        !op.getInput() && isZero(op.getAlpha()) && isOne(op.getBeta());
    if (!isEmpty && !isUnchanged)
      return rewriter.notifyMatchFailure(op, "out changes");
    rewriter.replaceOp(op, op.getOut());
    return success();
  }
};

/// left or right of one value everywhere is part of alpha. Only where the
/// result cannot become 0, an infinity or NaN: alpha decides what is read.
struct FoldSplatScale : public OpRewritePattern<BsrAddmmOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BsrAddmmOp op,
                                PatternRewriter &rewriter) const override {
    for (bool isLeft : {true, false}) {
      std::optional<APFloat> scale =
          getSplat(isLeft ? op.getLeft() : op.getRight());
      if (!scale)
        continue;
      Value alpha = op.getAlpha();
      if (!scale->isExactlyValue(1.0)) {
        FloatAttr attr;
        if (!matchPattern(alpha, m_Constant(&attr)))
          continue;
        APFloat product = attr.getValue() * *scale;
        if (!product.isNormal())
          continue;
        alpha = createConstant(rewriter, op.getLoc(), product);
      }
      rewriter.modifyOpInPlace(op, [&] {
        op.getAlphaMutable().assign(alpha);
        (isLeft ? op.getLeftMutable() : op.getRightMutable()).clear();
      });
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no scale of one known value");
  }
};
} // namespace

void BsrAddmmOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                             MLIRContext *context) {
  patterns.add<DropUnreadOperands, DropInputThatIsOut, AlphaOfNoBlocks,
               ResultIsOut, FoldSplatScale>(context);
}
