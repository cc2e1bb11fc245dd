//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClipReductions.h"

#include "sattn/Codegen/Common/FuseConsumers.h"

#include "sattn/Codegen/Passes.h"

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
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace sattn;

namespace sattn {
#define GEN_PASS_DEF_SATTNCPUCLIPTILES
#include "sattn/Codegen/Passes.h.inc"
} // namespace sattn

/// Whether the slice begins at the origin and takes every element from there.
static bool isPrefix(tensor::ExtractSliceOp op) {
  return llvm::all_of(op.getMixedOffsets(), isZeroInteger) &&
         llvm::all_of(op.getMixedStrides(), isOneInteger);
}

/// The sizes of a tensor, without new ops: a slice has the sizes that it was
/// cut with; null if there are none.
static SmallVector<OpFoldResult> getKnownSizes(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<OpFoldResult> sizes;
  if (auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>()) {
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    for (auto [dim, size] : llvm::enumerate(slice.getMixedSizes()))
      if (!dropped.test(dim))
        sizes.push_back(size);
    return sizes;
  }
  Builder b(type.getContext());
  for (int64_t size : type.getShape())
    sizes.push_back(ShapedType::isDynamic(size) ? OpFoldResult()
                                                : b.getIndexAttr(size));
  return sizes;
}

/// Whether two tensors are the same, or the same slice of the same tensor.
static bool isSameTile(Value a, Value b) {
  if (a == b)
    return true;
  auto sliceA = a.getDefiningOp<tensor::ExtractSliceOp>();
  auto sliceB = b.getDefiningOp<tensor::ExtractSliceOp>();
  return sliceA && sliceB && sliceA.getSource() == sliceB.getSource() &&
         sliceA.getType() == sliceB.getType() &&
         sliceA.isSameAs(sliceB, isEqualConstantIntOrValue);
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
    rewriter.modifyOpInPlace(ifOp,
                             [&] { ifOp->getResult(0).setType(op.getType()); });
    rewriter.replaceOp(op, ifOp.getResult(0));
    return success();
  }
};

/// generic (scf.if { yield %a } else { yield %b })
///   -> scf.if { yield generic %a } else { yield generic %b }
/// Between the two there would be a tile in memory, in one branch perhaps the
/// destination itself.
struct SinkElementwiseIntoIf : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getNumResults() != 1 || !linalg::isElementwise(op) ||
        !op->getParentOfType<scf::ForallOp>())
      return rewriter.notifyMatchFailure(op, "no elementwise op of a tile");
    for (OpOperand *input : op.getDpsInputOperands()) {
      auto ifOp = input->get().getDefiningOp<scf::IfOp>();
      if (!ifOp || ifOp.getNumResults() != 1 || !ifOp->hasOneUse() ||
          ifOp->getBlock() != op->getBlock())
        continue;
      // The other operands are known where the op is.
      rewriter.moveOpBefore(ifOp, op);
      for (scf::YieldOp yield : {ifOp.thenYield(), ifOp.elseYield()}) {
        rewriter.setInsertionPoint(yield);
        IRMapping mapping;
        mapping.map(input->get(), yield.getOperand(0));
        Operation *sunk = rewriter.clone(*op, mapping);
        rewriter.modifyOpInPlace(
            yield, [&] { yield->setOperand(0, sunk->getResult(0)); });
      }
      rewriter.modifyOpInPlace(
          ifOp, [&] { ifOp->getResult(0).setType(op.getResult(0).getType()); });
      rewriter.replaceOp(op, ifOp.getResult(0));
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no operand is a branch of one use");
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
    TypedValue<RankedTensorType> source = pad.getSource();
    if (source.getType() != op.getType())
      return rewriter.notifyMatchFailure(op, "not the type before padding");
    if (!isEqualConstantIntOrValueArray(getKnownSizes(source),
                                        op.getMixedSizes()))
      return rewriter.notifyMatchFailure(op, "not the size before padding");
    rewriter.replaceOp(op, source);
    return success();
  }
};

/// extract_slice (fill %v, %a) -> fill %v, (empty of the slice's size)
/// Upstream's pattern needs a fill of one use; an accumulator and a result that
/// begin with the same zeros are one fill after CSE.
struct FoldSliceOfFill : OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    auto fill = op.getSource().getDefiningOp<linalg::FillOp>();
    if (!fill || op.getDroppedDims().any())
      return rewriter.notifyMatchFailure(op, "no window of a fill");
    Value empty =
        tensor::EmptyOp::create(rewriter, op.getLoc(), op.getMixedSizes(),
                                op.getType().getElementType());
    rewriter.replaceOpWithNewOp<linalg::FillOp>(op, fill.getInputs(), empty);
    return success();
  }
};

/// extract_slice %a of no elements -> empty
/// Upstream's pattern for a slice of a linalg op takes a size of 0 for the
/// whole dimension.
struct FoldSliceOfNothing : OpRewritePattern<tensor::ExtractSliceOp> {
  explicit FoldSliceOfNothing(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<OpFoldResult> sizes = op.getMixedSizes();
    if (llvm::none_of(sizes, isZeroInteger))
      return rewriter.notifyMatchFailure(op, "perhaps with elements");
    llvm::SmallBitVector dropped = op.getDroppedDims();
    SmallVector<OpFoldResult> kept;
    for (auto [dimension, size] : llvm::enumerate(sizes))
      if (!dropped.test(dimension))
        kept.push_back(size);
    Value empty = tensor::EmptyOp::create(rewriter, op.getLoc(), kept,
                                          op.getType().getElementType());
    rewriter.replaceOp(
        op, tensor::CastOp::create(rewriter, op.getLoc(), op.getType(), empty));
    return success();
  }
};

/// extract_slice (linalg op with indices) -> linalg op with offset indices
/// Upstream's pattern for a slice of a linalg op leaves indices as they are.
struct BubbleUpSliceOfIndices : OpRewritePattern<tensor::ExtractSliceOp> {
  explicit BubbleUpSliceOfIndices(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    auto producer = op.getSource().getDefiningOp<linalg::LinalgOp>();
    if (!producer || !producer.hasIndexSemantics() || !op.hasUnitStride() ||
        !op.getSource().hasOneUse() || op.getDroppedDims().any() ||
        llvm::any_of(op.getMixedSizes(), isZeroInteger))
      return rewriter.notifyMatchFailure(op, "no window of an op with indices");
    FailureOr<TilingResult> tiled =
        tensor::replaceExtractSliceWithTiledProducer(
            rewriter, op, cast<OpResult>(op.getSource()));
    if (failed(tiled))
      return rewriter.notifyMatchFailure(op, "its producer cannot be cut");
    Value window = tiled->tiledValues.front();
    if (window.getType() != op.getType())
      window =
          tensor::CastOp::create(rewriter, op.getLoc(), op.getType(), window);
    rewriter.replaceOp(op, window);
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

/// An operand that is the same tile as the destination, and is read at the
/// element that is written, is read through the destination.
struct ReadThroughDestination : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getNumDpsInits() != 1 || !linalg::isElementwise(op))
      return rewriter.notifyMatchFailure(op, "not elementwise");
    OpOperand *init = op.getDpsInitOperand(0);
    for (OpOperand *input : op.getDpsInputOperands()) {
      if (!isSameTile(input->get(), init->get()) ||
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
    // Ops that moved into a branch are merged with their producers there.
    mergeInTiles(getOperation());
    writeInPlace<tensor::InsertSliceOp>();
    writeInPlace<tensor::ParallelInsertSliceOp>();
    if (failed(foldReads()))
      return signalPassFailure();
  }

private:
  LogicalResult moveClips() {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    patterns.add<SinkSliceIntoIf, SinkElementwiseIntoIf, FoldSliceOfPad,
                 FoldSliceOfFill, FoldSliceOfNothing, BubbleUpSliceOfIndices,
                 FoldInsertOfWhole>(context);
    populateClipReductionPatterns(patterns);
    linalg::populateBubbleUpExtractSliceOpPatterns(patterns);
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
      Operation *producer = op.getSource().getDefiningOp();
      if (!producer ||
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
      writeTo(rewriter, slice, op.getSourceMutable());
    }
  }

  /// Makes `use` the use of a tile that was written to `slice`; what is made
  /// elsewhere is copied there.
  static void writeTo(RewriterBase &rewriter, Value slice, OpOperand &use) {
    Value tile = use.get();
    if (isSameTile(tile, slice))
      return;
    auto ifOp = tile.getDefiningOp<scf::IfOp>();
    if (ifOp && tile.hasOneUse()) {
      unsigned number = cast<OpResult>(tile).getResultNumber();
      for (scf::YieldOp yield : {ifOp.thenYield(), ifOp.elseYield()})
        writeTo(rewriter, slice, yield->getOpOperand(number));
      return;
    }
    auto linalgOp = tile.getDefiningOp<linalg::LinalgOp>();
    if (linalgOp && tile.hasOneUse()) {
      OpOperand *init = linalgOp.getTiedOpOperand(cast<OpResult>(tile));
      if (isSameTile(init->get(), slice))
        return;
      if (init->get().getDefiningOp<tensor::EmptyOp>()) {
        rewriter.modifyOpInPlace(linalgOp, [&] { init->set(slice); });
        return;
      }
    }
    // A loop that carries the slice writes there already.
    if (auto forOp = tile.getDefiningOp<scf::ForOp>())
      if (tile.hasOneUse() &&
          isSameTile(forOp.getTiedLoopInit(cast<OpResult>(tile))->get(), slice))
        return;
    Operation *user = use.getOwner();
    if (isa<tensor::ParallelInsertSliceOp>(user))
      user = user->getParentOp();
    rewriter.setInsertionPoint(user);
    Location loc = use.getOwner()->getLoc();
    Operation *written;
    if (auto fill = tile.getDefiningOp<linalg::FillOp>())
      written = linalg::FillOp::create(rewriter, loc, fill.getInputs(), slice);
    else
      written = linalg::CopyOp::create(rewriter, loc, tile, slice);
    rewriter.modifyOpInPlace(use.getOwner(),
                             [&] { use.set(written->getResult(0)); });
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
