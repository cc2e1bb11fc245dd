//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClipReductions.h"

#include "EqualSizes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

/// The loop of a matmul that is its reduction.
static constexpr unsigned kReduction = 2;

namespace {
/// An operand of a matrix product that is padded along the reduction.
struct PaddedFactor {
  tensor::PadOp pad;
  /// The dimension of the operand that is reduced.
  unsigned dimension = 0;

  explicit operator bool() const { return static_cast<bool>(pad); }

  static PaddedFactor find(linalg::MatmulOp op, OpOperand *operand) {
    auto pad = operand->get().getDefiningOp<tensor::PadOp>();
    std::optional<unsigned> dimension =
        op.getMatchingIndexingMap(operand).getResultPosition(
            getAffineDimExpr(kReduction, op.getContext()));
    Value value = pad ? pad.getConstantPaddingValue() : Value();
    if (!dimension || !value || !pad.hasZeroLowPad() ||
        !(matchPattern(value, m_AnyZeroFloat()) ||
          matchPattern(value, m_Zero())) ||
        isZeroInteger(pad.getMixedHighPad()[*dimension]))
      return {};
    return {pad, *dimension};
  }

  /// How far the operand goes: known only if it is a slice. A constant number
  /// of zeros may stay: it costs less than a size that vectors do not divide.
  OpFoldResult getSize() {
    auto slice = pad.getSource().getDefiningOp<tensor::ExtractSliceOp>();
    if (!slice || !slice.getType().isDynamicDim(dimension))
      return {};
    SmallVector<OpFoldResult> kept;
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    for (auto [dim, size] : llvm::enumerate(slice.getMixedSizes()))
      if (!dropped.test(dim))
        kept.push_back(size);
    return kept[dimension];
  }

  /// The operand without those zeros, where its pad is.
  Value clip(PatternRewriter &rewriter) {
    SmallVector<OpFoldResult> high = pad.getMixedHighPad();
    high[dimension] = rewriter.getIndexAttr(0);
    if (llvm::all_of(high, isZeroInteger))
      return pad.getSource();
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointAfter(pad);
    RankedTensorType type = pad.getResultType();
    SmallVector<int64_t> shape(type.getShape());
    shape[dimension] = pad.getSourceType().getDimSize(dimension);
    return tensor::PadOp::create(
        rewriter, pad.getLoc(),
        RankedTensorType::get(shape, type.getElementType()), pad.getSource(),
        pad.getMixedLowPad(), high, pad.getConstantPaddingValue());
  }
};

/// matmul (pad %a high[0, %h]), (pad %b high[%h, 0]) -> matmul %a, %b
struct ClipReduction : OpRewritePattern<linalg::MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::MatmulOp op,
                                PatternRewriter &rewriter) const override {
    if (!op->getParentOfType<scf::ForallOp>())
      return rewriter.notifyMatchFailure(op, "not of a tile");
    PaddedFactor left = PaddedFactor::find(op, op.getDpsInputOperand(0));
    PaddedFactor right = PaddedFactor::find(op, op.getDpsInputOperand(1));
    if (!left || !right)
      return rewriter.notifyMatchFailure(op, "not both are padded");
    OpFoldResult size = left.getSize(), other = right.getSize();
    if (!size || !other || !sattn::areEqualSizes(size, other))
      return rewriter.notifyMatchFailure(op, "may end at different places");
    SmallVector<Value> inputs = {left.clip(rewriter), right.clip(rewriter)};
    rewriter.modifyOpInPlace(op, [&] { op.getInputsMutable().assign(inputs); });
    return success();
  }
};
} // namespace

void sattn::populateClipReductionPatterns(RewritePatternSet &patterns) {
  patterns.add<ClipReduction>(patterns.getContext());
}
