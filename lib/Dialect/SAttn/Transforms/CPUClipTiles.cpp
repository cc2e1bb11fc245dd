//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/SAttn/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace sattn {
#define GEN_PASS_DEF_SATTNCPUCLIPTILES
#include "sattn/Dialect/SAttn/Transforms/Passes.h.inc"
} // namespace sattn

/// Whether the slice begins at the origin and takes every element from there.
static bool isPrefix(tensor::ExtractSliceOp op) {
  return llvm::all_of(op.getMixedOffsets(), isZeroInteger) &&
         llvm::all_of(op.getMixedStrides(), isOneInteger);
}

namespace {
/// extract_slice (scf.if { yield %a } else { yield %b })
///   -> scf.if { yield extract_slice %a } else { yield extract_slice %b }
struct SinkSliceIntoIf : OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    auto ifOp = op.getSource().getDefiningOp<scf::IfOp>();
    if (!ifOp || ifOp.getNumResults() != 1 || !ifOp->hasOneUse())
      return rewriter.notifyMatchFailure(op, "source is no branch of one use");
    DominanceInfo dominance;
    for (Value operand : op->getOperands().drop_front())
      if (!dominance.properlyDominates(operand, ifOp))
        return rewriter.notifyMatchFailure(op, "sizes known after the branch");
    for (scf::YieldOp yield : {ifOp.thenYield(), ifOp.elseYield()}) {
      rewriter.setInsertionPoint(yield);
      IRMapping mapping;
      mapping.map(op.getSource(), yield.getOperand(0));
      Operation *slice = rewriter.clone(*op, mapping);
      rewriter.modifyOpInPlace(
          yield, [&] { yield->setOperand(0, slice->getResult(0)); });
    }
    rewriter.modifyOpInPlace(
        ifOp, [&] { ifOp->getResult(0).setType(op.getType()); });
    rewriter.replaceOp(op, ifOp.getResult(0));
    return success();
  }
};

/// extract_slice (pad %a high[...]) [0, 0] [size of %a] -> %a
struct FoldSliceOfPad : OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    auto pad = op.getSource().getDefiningOp<tensor::PadOp>();
    if (!pad || !pad.hasZeroLowPad() || !isPrefix(op))
      return rewriter.notifyMatchFailure(op, "no prefix of a high pad");
    auto source = pad.getSource().getDefiningOp<tensor::ExtractSliceOp>();
    if (!source || source.getType() != op.getType())
      return rewriter.notifyMatchFailure(op, "pad of no slice of this type");
    // The source may have dropped dimensions: compare what is left of them.
    llvm::SmallBitVector dropped = source.getDroppedDims();
    SmallVector<OpFoldResult> sizes;
    for (auto [dim, size] : llvm::enumerate(source.getMixedSizes()))
      if (!dropped.test(dim))
        sizes.push_back(size);
    if (!isEqualConstantIntOrValueArray(sizes, op.getMixedSizes()))
      return rewriter.notifyMatchFailure(op, "not the size before padding");
    rewriter.replaceOp(op, source);
    return success();
  }
};

/// parallel_insert_slice (insert_slice %a into %b, all of it) into %o
///   -> parallel_insert_slice %a into %o
struct FoldInsertOfWhole : OpRewritePattern<tensor::ParallelInsertSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ParallelInsertSliceOp op,
                                PatternRewriter &rewriter) const override {
    auto insert = op.getSource().getDefiningOp<tensor::InsertSliceOp>();
    if (!insert || !llvm::all_of(insert.getMixedOffsets(), isZeroInteger) ||
        !llvm::all_of(insert.getMixedStrides(), isOneInteger) ||
        !isEqualConstantIntOrValueArray(insert.getMixedSizes(),
                                        op.getMixedSizes()))
      return rewriter.notifyMatchFailure(op, "source is no insertion of all");
    rewriter.modifyOpInPlace(
        op, [&] { op.getSourceMutable().assign(insert.getSource()); });
    return success();
  }
};

/// An operand that is the same slice of the same tensor as the destination, and
/// is read at the element that is written, is read through the destination.
struct ReadThroughDestination : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getNumDpsInits() != 1 || !linalg::isElementwise(op))
      return rewriter.notifyMatchFailure(op, "not elementwise");
    OpOperand *init = op.getDpsInitOperand(0);
    auto destination = init->get().getDefiningOp<tensor::ExtractSliceOp>();
    if (!destination)
      return rewriter.notifyMatchFailure(op, "destination is no slice");
    for (OpOperand *input : op.getDpsInputOperands()) {
      auto slice = input->get().getDefiningOp<tensor::ExtractSliceOp>();
      if (!slice || slice.getSource() != destination.getSource() ||
          slice.getType() != destination.getType() ||
          !slice.isSameAs(destination, isEqualConstantIntOrValue) ||
          op.getMatchingIndexingMap(input) != op.getMatchingIndexingMap(init))
        continue;
      BlockArgument arg = op.getMatchingBlockArgument(input);
      if (arg.use_empty())
        continue;
      rewriter.replaceAllUsesWith(arg, op.getMatchingBlockArgument(init));
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no operand is the destination");
  }
};

struct CPUClipTilesPass
    : public sattn::impl::SAttnCPUClipTilesBase<CPUClipTilesPass> {
  void runOnOperation() override {
    if (failed(moveClips()))
      return signalPassFailure();
    writeInPlace<tensor::InsertSliceOp>();
    writeInPlace<tensor::ParallelInsertSliceOp>();
    if (failed(foldReads()))
      return signalPassFailure();
  }

private:
  LogicalResult moveClips() {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<SinkSliceIntoIf, FoldSliceOfPad, FoldInsertOfWhole>(context);
    linalg::populateBubbleUpExtractSliceOpPatterns(patterns);
    linalg::populateSwapExtractSliceWithFillPatterns(patterns);
    tensor::populateFoldTensorEmptyPatterns(patterns);
    tensor::populateMergeConsecutiveInsertExtractSlicePatterns(patterns);
    tensor::ExtractSliceOp::getCanonicalizationPatterns(patterns, context);
    return applyPatternsGreedily(getOperation(), std::move(patterns));
  }

  /// Gives the ops that make an inserted tile the slice of the insertion's
  /// destination as their own.
  template <typename InsertOp> void writeInPlace() {
    SmallVector<InsertOp> inserts;
    getOperation().walk([&](InsertOp op) {
      if (op->template getParentOfType<scf::ForallOp>())
        inserts.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    DominanceInfo dominance;
    for (InsertOp op : inserts) {
      SmallVector<OpOperand *> empties;
      findEmptyDestinations(op.getSource(), empties);
      Operation *producer = op.getSource().getDefiningOp();
      if (empties.empty() ||
          !llvm::all_of(op->getOperands().drop_front(), [&](Value value) {
            return dominance.properlyDominates(value, producer);
          }))
        continue;
      // One slice for all branches, so that after bufferization they yield one
      // buffer.
      rewriter.setInsertionPoint(producer);
      Value slice = tensor::ExtractSliceOp::create(
          rewriter, op.getLoc(), op.getSourceType(), op.getDest(),
          op.getMixedOffsets(), op.getMixedSizes(), op.getMixedStrides());
      for (OpOperand *init : empties)
        rewriter.modifyOpInPlace(init->getOwner(), [&] { init->set(slice); });
    }
  }

  /// The destinations, as far as they are empty, of the linalg ops that `tile`
  /// comes from through branches.
  static void findEmptyDestinations(Value tile,
                                    SmallVectorImpl<OpOperand *> &empties) {
    if (!tile.hasOneUse())
      return;
    if (auto ifOp = tile.getDefiningOp<scf::IfOp>()) {
      unsigned number = cast<OpResult>(tile).getResultNumber();
      for (scf::YieldOp yield : {ifOp.thenYield(), ifOp.elseYield()})
        findEmptyDestinations(yield.getOperand(number), empties);
    } else if (auto linalgOp = tile.getDefiningOp<linalg::LinalgOp>()) {
      OpOperand *init = linalgOp.getTiedOpOperand(cast<OpResult>(tile));
      if (init->get().getDefiningOp<tensor::EmptyOp>())
        empties.push_back(init);
    }
  }

  LogicalResult foldReads() {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<ReadThroughDestination>(context);
    linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
    tensor::populateMergeConsecutiveInsertExtractSlicePatterns(patterns);
    tensor::ExtractSliceOp::getCanonicalizationPatterns(patterns, context);
    return applyPatternsGreedily(getOperation(), std::move(patterns));
  }
};
} // namespace
