//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Canonicalization of sattn.bsr_addmm: operands that the op does not read are
// dropped, and an op that leaves `out` as it is goes away. A form that other
// ops would have to express (beta * out alone, zeros) stays: as sattn.bsr_addmm
// with alpha = 0 it has a tile program on every target.

#include "sattn/Dialect/SAttn/IR/BsrAddmm/BsrAddmmOp.h"

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

/// A constant of the type of the op's scalars, which a splat's value may not
/// have.
static Value createConstant(PatternRewriter &rewriter, BsrAddmmOp op,
                            const APFloat &value) {
  return arith::ConstantOp::create(
      rewriter, op.getLoc(), FloatAttr::get(op.getAlpha().getType(), value));
}

/// The value of all elements, in the type of the op's scalars, where it is
/// known.
static std::optional<APFloat> getSplat(BsrAddmmOp op, Value tensor) {
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
    value->convert(cast<FloatType>(op.getAlpha().getType()).getFloatSemantics(),
                   APFloat::rmNearestTiesToEven, &losesInfo);
  }
  return value;
}

/// The size of a dimension counted from the last, -1.
static int64_t getSize(TypedValue<RankedTensorType> tensor, int64_t dim) {
  RankedTensorType type = tensor.getType();
  return type.getDimSize(type.getRank() + dim);
}

/// Whether an op swaps the last two dimensions, and no others.
static bool swapsMatrix(linalg::TransposeOp op) {
  if (!op.hasPureTensorSemantics() || op.getPermutation().size() < 2)
    return false;
  SmallVector<int64_t> permutation(op.getPermutation());
  std::swap(permutation.end()[-1], permutation.end()[-2]);
  return llvm::equal(permutation, llvm::seq<int64_t>(permutation.size()));
}

/// The matrix of which a value is the transpose, or null.
static Value getTransposed(Value value) {
  auto op = value.getDefiningOp<linalg::TransposeOp>();
  return op && swapsMatrix(op) ? op.getInput() : Value();
}

// An extent of 0 of `out`, which the type of any operand may have.

static bool hasNoRow(BsrAddmmOp op) {
  return getSize(op.getOut(), op.getRowDim()) == 0 ||
         (op.isEncoded() ? getSize(op.getValues(), -2) == 0
                         : getSize(op.getCrow(), -1) == 1) ||
         (op.getInput() && getSize(op.getInput(), op.getRowDim()) == 0) ||
         (op.getLeft() && getSize(op.getLeft(), -1) == 0);
}

static bool hasNoColumn(BsrAddmmOp op) {
  return getSize(op.getOut(), op.getColumnDim()) == 0 ||
         getSize(op.getB(), op.getBColumnDim()) == 0 ||
         (op.getInput() && getSize(op.getInput(), op.getColumnDim()) == 0) ||
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
    bool dropScales = (op.getLeft() || op.getRight() || op.getOrder() ||
                       op.getRowBlockGroups()) &&
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
      op.getOrderMutable().clear();
      op.getRowBlockGroupsMutable().clear();
      op.getStepsMutable().clear();
    });
    return success();
  }
};

/// Drops an input that is out, which is the same as no input.
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

/// Replaces alpha by 0 if there is no stored block.
struct AlphaOfNoBlocks : public OpRewritePattern<BsrAddmmOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BsrAddmmOp op,
                                PatternRewriter &rewriter) const override {
    if (isZero(op.getAlpha()))
      return rewriter.notifyMatchFailure(op, "alpha is 0 already");
    bool isEmpty = getSize(op.getB(), op.getBRowDim()) == 0 || // K
                   (op.isEncoded() ? getSize(op.getValues(), -1) == 0
                                   : getSize(op.getValues(), -3) == 0 ||
                                         getSize(op.getCol(), -1) == 0); // nnz
    if (!isEmpty)
      return rewriter.notifyMatchFailure(op, "there may be stored blocks");
    Value zero = arith::ConstantOp::create(
        rewriter, op.getLoc(), rewriter.getZeroAttr(op.getAlpha().getType()));
    rewriter.modifyOpInPlace(op, [&] { op.getAlphaMutable().assign(zero); });
    return success();
  }
};

/// Replaces the op by `out` if that does not change: it is empty, or alpha = 0
/// and beta = 1.
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

/// Folds left or right of one value everywhere into alpha, only where the
/// result cannot become 0, an infinity or NaN: alpha decides what is read.
struct FoldSplatScale : public OpRewritePattern<BsrAddmmOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BsrAddmmOp op,
                                PatternRewriter &rewriter) const override {
    for (bool isLeft : {true, false}) {
      std::optional<APFloat> scale =
          getSplat(op, isLeft ? op.getLeft() : op.getRight());
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
        alpha = createConstant(rewriter, op, product);
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

/// Folds an op that transposes b into this op.
struct FoldTransposedB : public OpRewritePattern<BsrAddmmOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BsrAddmmOp op,
                                PatternRewriter &rewriter) const override {
    Value matrix = getTransposed(op.getB());
    if (!matrix)
      return rewriter.notifyMatchFailure(op, "b is no transposed matrix");
    rewriter.modifyOpInPlace(op, [&] {
      op.getBMutable().assign(matrix);
      op.setTransposeB(!op.getTransposeB());
    });
    return success();
  }
};

/// Why the result cannot be computed transposed, or null; `added` becomes the
/// transpose of the matrix that is added, if any, which has to be transposed,
/// too.
const char *findTransposedAddend(BsrAddmmOp op, Value &added) {
  if (!op.getInput() && isZero(op.getBeta()))
    return nullptr;
  added = getTransposed(op.getInputOrOut());
  if (!added)
    return "adds what is not transposed";
  if (getElementTypeOrSelf(added) != getElementTypeOrSelf(op.getValues()))
    return "adds another type";
  return nullptr;
}

/// Creates the op with a transposed result, in `out`.
BsrAddmmOp createTransposed(PatternRewriter &rewriter, BsrAddmmOp op, Value out,
                            Value added) {
  auto moved = cast<BsrAddmmOp>(rewriter.clone(*op));
  moved.getOutMutable().assign(out);
  moved.getResult().setType(cast<RankedTensorType>(out.getType()));
  if (added)
    moved.getInputMutable().assign(added);
  moved.setTransposeOut(!op.getTransposeOut());
  return moved;
}

/// A result of which only the transpose is used is computed transposed.
struct FoldTransposedResult : public OpRewritePattern<BsrAddmmOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BsrAddmmOp op,
                                PatternRewriter &rewriter) const override {
    if (!op->hasOneUse())
      return rewriter.notifyMatchFailure(op, "not used once");
    auto transpose = dyn_cast<linalg::TransposeOp>(*op->user_begin());
    if (!transpose || transpose.getInput() != op.getResult() ||
        !swapsMatrix(transpose))
      return rewriter.notifyMatchFailure(op, "not transposed");
    Value added;
    if (const char *reason = findTransposedAddend(op, added))
      return rewriter.notifyMatchFailure(op, reason);
    // Where the operands of both are known.
    rewriter.setInsertionPoint(transpose);
    BsrAddmmOp moved =
        createTransposed(rewriter, op, transpose.getInit(), added);
    rewriter.replaceOp(transpose, moved.getResult());
    rewriter.eraseOp(op);
    return success();
  }
};

/// Whether a map swaps the last two of all loops, and no others.
bool swapsMatrix(AffineMap map) {
  if (map.getNumResults() < 2 || map.getNumResults() != map.getNumDims())
    return false;
  SmallVector<AffineExpr> results(map.getResults());
  std::swap(results.end()[-1], results.end()[-2]);
  return AffineMap::get(map.getNumDims(), map.getNumSymbols(), results,
                        map.getContext())
      .isIdentity();
}

/// Computes a result transposed if its only user is an elementwise op that
/// reads it transposed, such as one merged with a transpose.
struct FoldTransposedRead : public OpRewritePattern<BsrAddmmOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BsrAddmmOp op,
                                PatternRewriter &rewriter) const override {
    if (!op->hasOneUse())
      return rewriter.notifyMatchFailure(op, "not used once");
    OpOperand &use = *op->use_begin();
    auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
    if (!reader || !reader.isDpsInput(&use) ||
        reader.getNumParallelLoops() != reader.getNumLoops() ||
        !swapsMatrix(reader.getMatchingIndexingMap(&use)))
      return rewriter.notifyMatchFailure(op, "not read transposed");
    Value added;
    if (const char *reason = findTransposedAddend(op, added))
      return rewriter.notifyMatchFailure(op, reason);
    Location loc = op.getLoc();
    Value out = op.getOut();
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, out);
    std::swap(sizes.end()[-1], sizes.end()[-2]);
    Value empty = tensor::EmptyOp::create(rewriter, loc, sizes,
                                          getElementTypeOrSelf(out));
    BsrAddmmOp moved = createTransposed(rewriter, op, empty, added);
    rewriter.modifyOpInPlace(reader, [&] {
      SmallVector<AffineMap> maps = reader.getIndexingMapsArray();
      maps[use.getOperandNumber()] =
          rewriter.getMultiDimIdentityMap(reader.getNumLoops());
      reader.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
      use.set(moved.getResult());
    });
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void BsrAddmmOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                             MLIRContext *context) {
  patterns.add<DropUnreadOperands, DropInputThatIsOut, AlphaOfNoBlocks,
               FoldTransposedB, FoldTransposedRead, FoldTransposedResult,
               ResultIsOut, FoldSplatScale>(context);
}
