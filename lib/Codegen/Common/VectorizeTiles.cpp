//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Codegen/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;

namespace sattn {
#define GEN_PASS_DEF_SATTNVECTORIZETILES
#include "sattn/Codegen/Passes.h.inc"
} // namespace sattn

using namespace sattn;

/// The write that puts a vector, permuted or not, into a tile made by
/// tensor.empty, all of it, or null.
static vector::TransferWriteOp getPermutedTileWrite(Value tile) {
  auto write = tile.getDefiningOp<vector::TransferWriteOp>();
  if (!write || write.getMask() || write.hasOutOfBoundsDim() ||
      !write.getPermutationMap().isPermutation() ||
      write.getVectorType().getShape() !=
          ArrayRef<int64_t>(applyPermutationMap(
              write.getPermutationMap(),
              cast<ShapedType>(tile.getType()).getShape())) ||
      !write.getBase().getDefiningOp<tensor::EmptyOp>())
    return {};
  return write;
}

/// The write of a whole tile from a vector that is not permuted.
static vector::TransferWriteOp getWholeTileWrite(Value tile) {
  vector::TransferWriteOp write = getPermutedTileWrite(tile);
  return write && write.getPermutationMap().isIdentity()
             ? write
             : vector::TransferWriteOp();
}

/// Whether a slice begins where its source begins and leaves nothing out.
static bool isAtOrigin(OffsetSizeAndStrideOpInterface op) {
  return llvm::all_of(op.getMixedOffsets(), isZeroInteger) &&
         llvm::all_of(op.getMixedStrides(), isOneInteger);
}

namespace {
/// Whether a tile has a vector: it was written whole, or it is a static tile
/// that can be read.
static bool isWholeTile(Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  return getWholeTileWrite(tile) ||
         (type.hasStaticShape() && type.getRank() == 2 &&
          isa_and_nonnull<tensor::PadOp, tensor::ExtractSliceOp>(
              tile.getDefiningOp()));
}

/// The vector of a whole tile: the written one, or a read.
static Value getWholeTile(RewriterBase &rewriter, Location loc, Value tile) {
  if (vector::TransferWriteOp write = getWholeTileWrite(tile))
    return write.getVector();
  auto type = cast<RankedTensorType>(tile.getType());
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value padding = arith::ConstantOp::create(
      rewriter, loc, rewriter.getZeroAttr(type.getElementType()));
  SmallVector<Value> indices(type.getRank(), zero);
  SmallVector<bool> inBounds(type.getRank(), true);
  return vector::TransferReadOp::create(
      rewriter, loc, VectorType::get(type.getShape(), type.getElementType()),
      tile, indices, padding, ArrayRef<bool>(inBounds));
}

/// Writes the vector of a whole tile to a place whose last dimensions are those
/// of the tile, or of its part: not in bounds where the place is smaller.
static Value writeTile(PatternRewriter &rewriter, Location loc, Value tile,
                       Value place) {
  auto tileType = cast<RankedTensorType>(tile.getType());
  auto placeType = cast<RankedTensorType>(place.getType());
  int64_t leading = placeType.getRank() - tileType.getRank();
  vector::TransferWriteOp permuted = getPermutedTileWrite(tile);
  AffineMap permutation =
      permuted ? permuted.getPermutationMap()
               : rewriter.getMultiDimIdentityMap(tileType.getRank());
  Value vector =
      permuted ? permuted.getVector() : getWholeTile(rewriter, loc, tile);
  // One for each dimension of the vector.
  SmallVector<bool> inBounds;
  for (AffineExpr dim : permutation.getResults()) {
    unsigned position = cast<AffineDimExpr>(dim).getPosition();
    inBounds.push_back(tileType.getDimSize(position) ==
                       placeType.getDimSize(leading + position));
  }
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  SmallVector<Value> indices(placeType.getRank(), zero);
  return vector::TransferWriteOp::create(rewriter, loc, vector, place, indices,
                                         permutation.shiftDims(leading),
                                         ArrayRef<bool>(inBounds))
      .getResult();
}

/// Tiles that one of two branches wrote become vectors that one of two branches
/// computed, written after the branch:
///   scf.if -> tensor { yield (transfer_write %v, %empty) } else { ... }
struct SinkWriteOutOfIf : OpRewritePattern<scf::IfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(scf::IfOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getElseRegion().empty())
      return rewriter.notifyMatchFailure(op, "not a branch of results");
    SmallVector<unsigned> tiles;
    SmallVector<Type> types(op.getResultTypes());
    for (unsigned i = 0; i < op.getNumResults(); ++i) {
      auto type = dyn_cast<RankedTensorType>(types[i]);
      if (!type || (!getWholeTileWrite(op.thenYield().getOperand(i)) &&
                    !getWholeTileWrite(op.elseYield().getOperand(i))))
        continue;
      types[i] = VectorType::get(type.getShape(), type.getElementType());
      tiles.push_back(i);
    }
    if (tiles.empty())
      return rewriter.notifyMatchFailure(op, "no branch ends in a write of a "
                                             "whole tile");
    Location loc = op.getLoc();
    auto newIf = scf::IfOp::create(rewriter, loc, types, op.getCondition(),
                                   /*addThenBlock=*/false,
                                   /*addElseBlock=*/false);
    rewriter.inlineRegionBefore(op.getThenRegion(), newIf.getThenRegion(),
                                newIf.getThenRegion().begin());
    rewriter.inlineRegionBefore(op.getElseRegion(), newIf.getElseRegion(),
                                newIf.getElseRegion().begin());
    for (scf::YieldOp yield : {newIf.thenYield(), newIf.elseYield()}) {
      rewriter.setInsertionPoint(yield);
      for (unsigned i : tiles) {
        Value vector = getWholeTile(rewriter, loc, yield.getOperand(i));
        rewriter.modifyOpInPlace(yield, [&] { yield->setOperand(i, vector); });
      }
    }
    rewriter.setInsertionPointAfter(newIf);
    SmallVector<Value> results(newIf.getResults());
    for (unsigned i : tiles) {
      auto type = cast<RankedTensorType>(op.getResult(i).getType());
      Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                            type.getElementType());
      Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
      SmallVector<Value> indices(type.getRank(), zero);
      SmallVector<bool> inBounds(type.getRank(), true);
      results[i] =
          vector::TransferWriteOp::create(rewriter, loc, results[i], empty,
                                          indices, ArrayRef<bool>(inBounds))
              .getResult();
    }
    rewriter.replaceOp(op, results);
    return success();
  }
};

/// Whether a transfer covers all of a static tile.
static bool isWholeTransfer(VectorTransferOpInterface transfer) {
  return !transfer.getMask() && !transfer.hasOutOfBoundsDim() &&
         transfer.getPermutationMap().isIdentity() &&
         transfer.getVectorType().getShape() ==
             transfer.getShapedType().getShape();
}

/// A tile that one branch overwrites and the other leaves becomes a vector of
/// two branches between a read and a write:
///   scf.if -> tensor { yield (transfer_write %v, %t) } else { yield %t }
struct SinkConditionalWrite : OpRewritePattern<scf::IfOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(scf::IfOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getNumResults() != 1 || op.getElseRegion().empty())
      return rewriter.notifyMatchFailure(op, "not a branch of one result");
    auto write =
        op.thenYield().getOperand(0).getDefiningOp<vector::TransferWriteOp>();
    Value tile = op.elseYield().getOperand(0);
    if (!write || write.getBase() != tile ||
        !isWholeTransfer(cast<VectorTransferOpInterface>(write.getOperation())))
      return rewriter.notifyMatchFailure(op,
                                         "not a write of a tile or the tile "
                                         "as it is");
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(tile.getType());
    SmallVector<Value> indices(
        type.getRank(), arith::ConstantIndexOp::create(rewriter, loc, 0));
    SmallVector<bool> inBounds(type.getRank(), true);
    Value padding = arith::ConstantOp::create(
        rewriter, loc, rewriter.getZeroAttr(type.getElementType()));
    Value vector = vector::TransferReadOp::create(
        rewriter, loc, write.getVectorType(), tile, indices, padding,
        ArrayRef<bool>(inBounds));
    SmallVector<vector::TransferReadOp> reads;
    op.getThenRegion().walk([&](vector::TransferReadOp read) {
      if (read.getBase() == tile && read.getType() == vector.getType() &&
          isWholeTransfer(cast<VectorTransferOpInterface>(read.getOperation())))
        reads.push_back(read);
    });
    for (vector::TransferReadOp read : reads)
      rewriter.replaceOp(read, vector);
    auto newIf = scf::IfOp::create(rewriter, loc, TypeRange{vector.getType()},
                                   op.getCondition(), /*addThenBlock=*/false,
                                   /*addElseBlock=*/false);
    Value written = write.getVector();
    rewriter.inlineRegionBefore(op.getThenRegion(), newIf.getThenRegion(),
                                newIf.getThenRegion().begin());
    rewriter.inlineRegionBefore(op.getElseRegion(), newIf.getElseRegion(),
                                newIf.getElseRegion().begin());
    for (auto [yield, value] : {std::pair(newIf.thenYield(), written),
                                std::pair(newIf.elseYield(), vector)})
      rewriter.modifyOpInPlace(yield,
                               [&, yield = yield, value = value]() mutable {
                                 yield->setOperand(0, value);
                               });
    rewriter.setInsertionPointAfter(newIf);
    rewriter.replaceOpWithNewOp<vector::TransferWriteOp>(
        op, newIf.getResult(0), tile, indices, ArrayRef<bool>(inBounds));
    return success();
  }
};

/// A tile that is clipped and then inserted is written straight to its
/// destination, not in bounds where it was clipped:
///   insert_slice (extract_slice (transfer_write %v, %empty) [0, 0] [64, %w])
///     into %dest [0, 0] [64, %w]
///   -> transfer_write %v, %dest[0, 0] {in_bounds = [true, false]}
/// Without it bufferization would allocate the tile.
struct WriteTileToDestination : OpRewritePattern<tensor::InsertSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::InsertSliceOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType destType = op.getDestType();
    if (!isAtOrigin(op))
      return rewriter.notifyMatchFailure(op, "not at the destination's origin");
    Value tile = op.getSource();
    if (auto clip = tile.getDefiningOp<tensor::ExtractSliceOp>()) {
      if (!isAtOrigin(clip))
        return rewriter.notifyMatchFailure(op, "not clipped at the end only");
      tile = clip.getSource();
    }
    if ((!getPermutedTileWrite(tile) && !isWholeTile(tile)) ||
        op.getSource() == op.getDest())
      return rewriter.notifyMatchFailure(op, "source is no vector");
    auto tileType = cast<RankedTensorType>(tile.getType());
    int64_t leading = destType.getRank() - tileType.getRank();
    if (!llvm::all_of(destType.getShape().take_front(leading),
                      [](int64_t size) { return size == 1; }))
      return rewriter.notifyMatchFailure(op, "destination has several tiles");
    // The insertion must cover the whole destination: the write then ends
    // where the destination ends, as the clip does.
    for (auto [size, dim] : llvm::zip(op.getMixedSizes(),
                                      llvm::seq<int64_t>(destType.getRank()))) {
      if (!destType.isDynamicDim(dim)) {
        if (!isConstantIntValue(size, destType.getDimSize(dim)))
          return rewriter.notifyMatchFailure(op, "covers a part only");
        continue;
      }
      auto slice = op.getDest().getDefiningOp<tensor::ExtractSliceOp>();
      if (!slice ||
          slice.getMixedSizes().size() !=
              static_cast<size_t>(destType.getRank()) ||
          !isEqualConstantIntOrValue(slice.getMixedSizes()[dim], size))
        return rewriter.notifyMatchFailure(op, "may cover a part only");
    }
    rewriter.replaceOp(op,
                       writeTile(rewriter, op.getLoc(), tile, op.getDest()));
    return success();
  }
};

/// Writes a tile that goes straight to the loop's result, or its clip, to its
/// place in the result first.
struct WriteTileToLoopResult : OpRewritePattern<tensor::ParallelInsertSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ParallelInsertSliceOp op,
                                PatternRewriter &rewriter) const override {
    Value tile = op.getSource();
    if (auto clip = tile.getDefiningOp<tensor::ExtractSliceOp>();
        clip && isAtOrigin(clip))
      tile = clip.getSource();
    auto type = cast<RankedTensorType>(op.getSource().getType());
    auto tileType = cast<RankedTensorType>(tile.getType());
    if ((!getPermutedTileWrite(tile) && !isWholeTile(tile)) ||
        tileType.getRank() != type.getRank())
      return rewriter.notifyMatchFailure(op, "source is no vector");
    if (auto slice = tile.getDefiningOp<tensor::ExtractSliceOp>();
        slice && slice.getSource() == op.getDest())
      return rewriter.notifyMatchFailure(op, "the result as it was");
    Location loc = op.getLoc();
    rewriter.setInsertionPoint(op->getParentOp());
    Value place = tensor::ExtractSliceOp::create(
        rewriter, loc, type, op.getDest(), op.getMixedOffsets(),
        op.getMixedSizes(), op.getMixedStrides());
    Value written = writeTile(rewriter, loc, tile, place);
    rewriter.modifyOpInPlace(op,
                             [&] { op.getSourceMutable().assign(written); });
    return success();
  }
};

/// The tensor that parts are written to one after the other, also in branches
/// and loops.
static Value findFirst(Value dest) {
  while (Operation *op = dest.getDefiningOp()) {
    auto result = cast<OpResult>(dest);
    if (auto former = dyn_cast<tensor::InsertSliceOp>(op))
      dest = former.getDest();
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      dest = branch.elseYield().getOperand(result.getResultNumber());
    else if (auto loop = dyn_cast<scf::ForOp>(op))
      dest = loop.getInitArgs()[result.getResultNumber()];
    else
      break;
  }
  return dest;
}

/// Whether a tensor is what an iteration of a loop over tiles has of a result.
static bool isTileOfResult(Value tensor) {
  auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>();
  auto argument =
      slice ? dyn_cast<BlockArgument>(slice.getSource()) : BlockArgument();
  return argument && isa<scf::ForallOp>(argument.getOwner()->getParentOp());
}

/// Writes a tile, or its clip, to its place in the destination first, where a
/// loop carries the destination and each iteration writes one or more parts of
/// it, or where the destination is a loop's tile, parts of which are written
/// one by one.
struct WriteTileToCarriedPart : OpRewritePattern<tensor::InsertSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::InsertSliceOp op,
                                PatternRewriter &rewriter) const override {
    Value dest = findFirst(op.getDest());
    auto carried = dyn_cast<BlockArgument>(dest);
    if ((!carried || !isa<scf::ForOp>(carried.getOwner()->getParentOp())) &&
        !isTileOfResult(dest))
      return rewriter.notifyMatchFailure(op, "no loop carries the destination");
    Value tile = op.getSource();
    if (auto clip = tile.getDefiningOp<tensor::ExtractSliceOp>();
        clip && isAtOrigin(clip))
      tile = clip.getSource();
    if (!getPermutedTileWrite(tile) ||
        cast<RankedTensorType>(tile.getType()).getRank() !=
            op.getSourceType().getRank())
      return rewriter.notifyMatchFailure(op, "source is no vector");
    Location loc = op.getLoc();
    Value place = tensor::ExtractSliceOp::create(
        rewriter, loc, op.getSourceType(), op.getDest(), op.getMixedOffsets(),
        op.getMixedSizes(), op.getMixedStrides());
    Value written = writeTile(rewriter, loc, tile, place);
    rewriter.modifyOpInPlace(op,
                             [&] { op.getSourceMutable().assign(written); });
    return success();
  }
};

/// extract (transfer_write (broadcast %x), %tensor[])[] -> %x
/// of a tensor without dimensions, which a reduction of a whole tile gives.
struct FoldExtractOfNumber : OpRewritePattern<tensor::ExtractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractOp op,
                                PatternRewriter &rewriter) const override {
    auto write = op.getTensor().getDefiningOp<vector::TransferWriteOp>();
    if (!write || !op.getIndices().empty() || write.getMask())
      return rewriter.notifyMatchFailure(op, "not of a written number");
    auto number = write.getVector().getDefiningOp<vector::BroadcastOp>();
    if (!number || isa<VectorType>(number.getSourceType()))
      return rewriter.notifyMatchFailure(op, "not of a number");
    rewriter.replaceOp(op, number.getSource());
    return success();
  }
};

/// extract_slice (pad %x high[...]) [0, 0] [sizes of %x] -> %x
struct FoldClipOfPad : OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    auto pad = op.getSource().getDefiningOp<tensor::PadOp>();
    auto slice =
        pad ? pad.getSource().getDefiningOp<tensor::ExtractSliceOp>() : nullptr;
    if (!slice || !isAtOrigin(op) || op.getType() != slice.getType() ||
        !llvm::all_of(pad.getMixedLowPad(), isZeroInteger))
      return rewriter.notifyMatchFailure(op, "not the clip of a padded slice");
    // The dynamic sizes are those of the slice, in the same order.
    if (op.getSizes() != slice.getSizes())
      return rewriter.notifyMatchFailure(op, "not clipped to what was padded");
    // Elsewhere it is a copy, and has to become a read and a write.
    if (!llvm::all_of(op->getUsers(), [&](Operation *user) {
          auto insert = dyn_cast<tensor::InsertSliceOp>(user);
          return insert && insert.getDest() == slice.getResult();
        }))
      return rewriter.notifyMatchFailure(op, "goes to another tensor");
    rewriter.replaceOp(op, slice);
    return success();
  }
};

/// insert_slice %x into %x -> %x
struct FoldSelfInsert : OpRewritePattern<tensor::InsertSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::InsertSliceOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getSource() != op.getDest() || !isAtOrigin(op))
      return rewriter.notifyMatchFailure(op, "not a tensor into itself");
    rewriter.replaceOp(op, op.getDest());
    return success();
  }
};

/// contract (ext %a), (ext %b) -> contract %a, %b
/// where %a and %b have one element type, as the factors of a contraction must:
/// upstream's pattern folds any.
template <typename ExtensionOp>
struct FoldExtensions : OpRewritePattern<vector::ContractionOp> {
  using OpRewritePattern<vector::ContractionOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::ContractionOp op,
                                PatternRewriter &rewriter) const override {
    auto lhs = op.getLhs().getDefiningOp<ExtensionOp>(),
         rhs = op.getRhs().getDefiningOp<ExtensionOp>();
    if (!lhs || !rhs ||
        getElementTypeOrSelf(lhs.getIn()) != getElementTypeOrSelf(rhs.getIn()))
      return rewriter.notifyMatchFailure(op, "not of factors of one element "
                                             "type that are widened");
    rewriter.modifyOpInPlace(op, [&] {
      op.getLhsMutable().assign(lhs.getIn());
      op.getRhsMutable().assign(rhs.getIn());
    });
    return success();
  }
};

/// Whether more than one branch after a padded tile uses it.
static bool isForBranches(tensor::PadOp pad) {
  SmallPtrSet<Operation *, 4> branches;
  for (Operation *user : pad->getUsers()) {
    auto branch = dyn_cast<scf::IfOp>(user->getParentOp());
    if (branch && branch->getBlock() == pad->getBlock())
      branches.insert(branch);
  }
  return branches.size() > 1;
}

/// Reads a padded tile that several branches use where it is padded, not in
/// each of them: it stays in registers.
static void readOnce(RewriterBase &rewriter, tensor::PadOp pad) {
  Location loc = pad.getLoc();
  rewriter.setInsertionPointAfter(pad);
  Value vector = getWholeTile(rewriter, loc, pad.getResult());
  RankedTensorType type = pad.getResultType();
  Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                        type.getElementType());
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  SmallVector<bool> inBounds(type.getRank(), true);
  auto write = vector::TransferWriteOp::create(
      rewriter, loc, vector, empty, SmallVector<Value>(type.getRank(), zero),
      ArrayRef<bool>(inBounds));
  rewriter.replaceAllUsesExcept(pad.getResult(), write.getResult(),
                                vector.getDefiningOp());
}

/// Widens factors of two element types, which a contraction cannot have, to the
/// type of the accumulator. convert-vector-to-wgtile finds the narrow ones.
static void widenFactors(RewriterBase &rewriter, linalg::MatmulOp op) {
  rewriter.setInsertionPoint(op);
  Type wide = getElementTypeOrSelf(op.getOutputs().front());
  SmallVector<Value> factors;
  for (Value factor : op.getInputs()) {
    Value target = tensor::EmptyOp::create(
        rewriter, op.getLoc(),
        cast<RankedTensorType>(factor.getType()).getShape(), wide);
    factors.push_back(
        linalg::CopyOp::create(rewriter, op.getLoc(), factor, target)
            .getResult(0));
  }
  auto product = linalg::MatmulOp::create(
      rewriter, op.getLoc(), op->getResultTypes(), factors, op.getOutputs());
  product.setIndexingMapsAttr(op.getIndexingMapsAttr());
  rewriter.replaceOp(op, product);
}

struct VectorizeTilesPass
    : public sattn::impl::SAttnVectorizeTilesBase<VectorizeTilesPass> {
  void runOnOperation() override {
    if (failed(vectorizeTiles()) || failed(foldPads()))
      return signalPassFailure();
    hoistReads();
    hoistTiles();
    if (failed(forwardTiles()))
      return signalPassFailure();
  }

private:
  LogicalResult vectorizeTiles() {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::MatmulOp> mixed;
    getOperation().walk([&](linalg::MatmulOp op) {
      if (op->getParentOfType<scf::ForallOp>() &&
          getElementTypeOrSelf(op.getInputs()[0]) !=
              getElementTypeOrSelf(op.getInputs()[1]))
        mixed.push_back(op);
    });
    for (linalg::MatmulOp op : mixed)
      widenFactors(rewriter, op);
    SmallVector<tensor::PadOp> pads;
    getOperation().walk([&](tensor::PadOp pad) {
      if (isWholeTile(pad.getResult()) && isForBranches(pad))
        pads.push_back(pad);
    });
    for (tensor::PadOp pad : pads)
      readOnce(rewriter, pad);
    SmallVector<linalg::LinalgOp> tiles;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (op->getParentOfType<scf::ForallOp>())
        tiles.push_back(op);
    });
    for (linalg::LinalgOp op : tiles) {
      rewriter.setInsertionPoint(op);
      FailureOr<linalg::VectorizationResult> result = linalg::vectorize(
          rewriter, op, /*inputVectorSizes=*/{}, /*inputScalableVecDims=*/{},
          /*vectorizeNDExtract=*/true, /*flatten1DDepthwiseConv=*/false,
          /*assumeDynamicDimsMatchVecSizes=*/false,
          /*createNamedContraction=*/true);
      if (failed(result))
        return op->emitOpError(
            "expected a tile of static sizes that can be vectorized whole");
      rewriter.replaceOp(op, result->replacements);
    }
    return success();
  }

  /// Folds pads and widening casts into the reads and the contraction.
  LogicalResult foldPads() {
    RewritePatternSet patterns(&getContext());
    linalg::populatePadOpVectorizationPatterns(patterns);
    patterns.add<FoldExtensions<arith::ExtFOp>, FoldExtensions<arith::ExtSIOp>>(
        &getContext());
    vector::populateVectorReductionToContractPatterns(patterns);
    vector::TransferReadOp::getCanonicalizationPatterns(patterns,
                                                        &getContext());
    vector::TransferWriteOp::getCanonicalizationPatterns(patterns,
                                                         &getContext());
    tensor::ExtractSliceOp::getCanonicalizationPatterns(patterns,
                                                        &getContext());
    patterns.add<FoldClipOfPad>(&getContext(), PatternBenefit(2));
    patterns.add<FoldExtractOfNumber, SinkConditionalWrite>(&getContext());
    return applyPatternsGreedily(getOperation(), std::move(patterns));
  }

  /// A tile that a loop makes before a branch is read before it, so that its
  /// load does not depend on the branch.
  void hoistReads() {
    getOperation().walk([](vector::TransferReadOp read) {
      auto branch = dyn_cast<scf::IfOp>(read->getParentOp());
      if (branch && isa<scf::ForOp>(branch->getParentOp()) &&
          llvm::all_of(read->getOperands(), [&](Value operand) {
            return operand.getParentRegion()->isProperAncestor(
                read->getParentRegion());
          }))
        read->moveBefore(branch);
    });
  }

  /// Tiles that a loop carries become vectors that it carries.
  void hoistTiles() {
    IRRewriter rewriter(&getContext());
    // Upstream hoists a tile that the loop reads once.
    DominanceInfo dominance(getOperation());
    eliminateCommonSubExpressions(rewriter, dominance, getOperation());
    // Not out of the scf.forall: the ops of a tile belong to its kernel.
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops) {
      moveLoopInvariantCode(cast<LoopLikeOpInterface>(loop.getOperation()));
      hoistLoopInvariantSubsets(rewriter,
                                cast<LoopLikeOpInterface>(loop.getOperation()));
    }
  }

  LogicalResult forwardTiles() {
    RewritePatternSet patterns(&getContext());
    // Before upstream's patterns, which would swap a write and its clip.
    patterns.add<FoldClipOfPad, FoldSelfInsert, SinkWriteOutOfIf,
                 WriteTileToCarriedPart, WriteTileToDestination,
                 WriteTileToLoopResult>(&getContext(), PatternBenefit(2));
    linalg::populatePadOpVectorizationPatterns(patterns);
    vector::TransferReadOp::getCanonicalizationPatterns(patterns,
                                                        &getContext());
    vector::TransferWriteOp::getCanonicalizationPatterns(patterns,
                                                         &getContext());
    scf::ForOp::getCanonicalizationPatterns(patterns, &getContext());
    scf::IfOp::getCanonicalizationPatterns(patterns, &getContext());
    return applyPatternsGreedily(getOperation(), std::move(patterns));
  }
};
} // namespace
