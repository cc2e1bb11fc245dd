//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopBounds.h"
#include "ReduceSquares.h"

#include "sattn/Codegen/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace sattn {
#define GEN_PASS_DEF_SATTNCPUVECTORIZE
#include "sattn/Codegen/Passes.h.inc"
} // namespace sattn

/// The largest sizes that the loops of `op` can have; none when they are static
/// and the op can be vectorized as it is.
static FailureOr<SmallVector<int64_t>> getVectorSizes(linalg::LinalgOp op) {
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  if (llvm::none_of(sizes, ShapedType::isDynamic))
    return SmallVector<int64_t>();
  for (auto [loop, size] : llvm::enumerate(sizes)) {
    if (!ShapedType::isDynamic(size))
      continue;
    FailureOr<int64_t> bound = sattn::getLargestSize(op, loop);
    if (failed(bound))
      return failure();
    size = *bound;
  }
  return sizes;
}

static std::optional<int64_t> getLargest(OpFoldResult index);

/// An upper bound of a sum of multiples of indices.
static std::optional<int64_t> getLargest(AffineExpr expr,
                                         affine::AffineApplyOp op) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return getLargest(op.getDimOperands()[dim.getPosition()]);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return getLargest(op.getSymbolOperands()[symbol.getPosition()]);
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::optional<int64_t> left = getLargest(binary.getLHS(), op);
  std::optional<int64_t> right = getLargest(binary.getRHS(), op);
  if (!left || !right)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add)
    return *left + *right;
  bool isMultiple = expr.getKind() == AffineExprKind::Mul &&
                    isa<AffineConstantExpr>(binary.getRHS()) && *right >= 0;
  return isMultiple ? std::optional<int64_t>(*left * *right) : std::nullopt;
}

/// An upper bound of an index; nothing if none is known. For the counter of a
/// loop with constant lower bound and step it is the last value, which is
/// closer than the loop's upper bound.
static std::optional<int64_t> getLargest(OpFoldResult index) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return constant;
  auto value = cast<Value>(index);
  if (auto apply = value.getDefiningOp<affine::AffineApplyOp>())
    if (std::optional<int64_t> largest =
            getLargest(apply.getAffineMap().getResult(0), apply))
      return largest;
  FailureOr<int64_t> bound = ValueBoundsConstraintSet::computeConstantBound(
      presburger::BoundType::UB, value, /*stopCondition=*/nullptr,
      /*closedUB=*/true);
  if (failed(bound))
    return std::nullopt;
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop = argument
                  ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                  : scf::ForOp();
  if (!loop || loop.getInductionVar() != value)
    return *bound;
  std::optional<int64_t> first = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!first || !step || *bound < *first)
    return *bound;
  return *bound - (*bound - *first) % *step;
}

namespace {
/// A read that is masked because its slice may be short, of a pad that is not:
///   transfer_read (extract_slice (pad %a) [%i, %j] [1, %w]), %poison, %mask
///   -> transfer_read (pad %a) [%i, %j]
/// Masked elements may be anything; the pad then folds into the read.
struct ReadPadUnmasked : OpRewritePattern<vector::TransferReadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::TransferReadOp op,
                                PatternRewriter &rewriter) const override {
    auto slice = op.getBase().getDefiningOp<tensor::ExtractSliceOp>();
    if (!slice || !op.getMask() ||
        !op.getPadding().getDefiningOp<ub::PoisonOp>())
      return rewriter.notifyMatchFailure(op, "no masked read of a slice");
    auto pad = slice.getSource().getDefiningOp<tensor::PadOp>();
    if (!pad || slice.getDroppedDims().any() || !slice.hasUnitStride() ||
        !op.getPermutationMap().isMinorIdentity() ||
        !llvm::all_of(op.getIndices(),
                      [](Value index) { return isZeroInteger(index); }))
      return rewriter.notifyMatchFailure(op, "slice of no pad, or not from its "
                                             "beginning");
    ArrayRef<int64_t> padded = pad.getResultType().getShape();
    ArrayRef<int64_t> read = op.getVectorType().getShape();
    SmallVector<OpFoldResult> offsets = slice.getMixedOffsets();
    for (auto [size, end, offset] :
         llvm::zip(read, padded.take_back(read.size()),
                   ArrayRef(offsets).take_back(read.size()))) {
      std::optional<int64_t> largest = getLargest(offset);
      if (!largest || ShapedType::isDynamic(end) || *largest + size > end)
        return rewriter.notifyMatchFailure(op, "may pass the pad's end");
    }
    SmallVector<Value> indices =
        getValueOrCreateConstantIndexOp(rewriter, op.getLoc(), offsets);
    rewriter.replaceOpWithNewOp<vector::TransferReadOp>(
        op, op.getVectorType(), pad.getResult(), indices, op.getPadding(),
        SmallVector<bool>(read.size(), true));
    return success();
  }
};

/// A read of one element, to be broadcast:
///   transfer_read %a[%i] : tensor<?xf32>, vector<f32>
///   -> broadcast (extract %a[%i])
struct ReadOneElement : OpRewritePattern<vector::TransferReadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::TransferReadOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getVectorType().getRank() != 0 || op.getMask() ||
        !isa<RankedTensorType>(op.getBase().getType()))
      return rewriter.notifyMatchFailure(op, "not one element of a tensor");
    Value element = tensor::ExtractOp::create(rewriter, op.getLoc(),
                                              op.getBase(), op.getIndices());
    rewriter.replaceOpWithNewOp<vector::BroadcastOp>(op, op.getVectorType(),
                                                     element);
    return success();
  }
};

/// A read of one element of a pad, to be broadcast, which may be one of those
/// that were added:
///   transfer_read (pad %a high[%n]) [%i] {(d0) -> (0)} : vector<16xf32>
///   -> broadcast (if (%i < dim %a) {extract %a[%i]})
struct ReadElementOfPad : OpRewritePattern<vector::TransferReadOp> {
  explicit ReadElementOfPad(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/3) {}

  LogicalResult matchAndRewrite(vector::TransferReadOp op,
                                PatternRewriter &rewriter) const override {
    auto pad = op.getBase().getDefiningOp<tensor::PadOp>();
    Value value = pad ? pad.getConstantPaddingValue() : Value();
    if (!value || !pad.hasZeroLowPad() || op.getMask() ||
        op.getVectorType().isScalable() ||
        llvm::any_of(op.getPermutationMap().getResults(),
                     [](AffineExpr expr) { return isa<AffineDimExpr>(expr); }))
      return rewriter.notifyMatchFailure(op, "not one element of a high pad");
    Location loc = op.getLoc();
    Value isInside;
    for (auto [dimension, index] : llvm::enumerate(op.getIndices())) {
      Value end =
          rewriter.createOrFold<tensor::DimOp>(loc, pad.getSource(), dimension);
      Value isBefore = arith::CmpIOp::create(
          rewriter, loc, arith::CmpIPredicate::slt, index, end);
      isInside = isInside
                     ? arith::AndIOp::create(rewriter, loc, isInside, isBefore)
                           .getResult()
                     : isBefore;
    }
    auto element = scf::IfOp::create(
        rewriter, loc, isInside,
        [&](OpBuilder &b, Location inner) {
          scf::YieldOp::create(b, inner,
                               tensor::ExtractOp::create(
                                   b, inner, pad.getSource(), op.getIndices())
                                   .getResult());
        },
        [&](OpBuilder &b, Location inner) {
          scf::YieldOp::create(b, inner, value);
        });
    rewriter.replaceOpWithNewOp<vector::BroadcastOp>(op, op.getVectorType(),
                                                     element.getResult(0));
    return success();
  }
};

/// A mask for all of `type` where `index` is within a dimension of a tensor.
static Value maskWithin(OpBuilder &b, Location loc, Value index, Value tensor,
                        int64_t dimension, VectorType type) {
  Value end = b.createOrFold<tensor::DimOp>(loc, tensor, dimension);
  Value isInside =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, index, end);
  return vector::BroadcastOp::create(b, loc, type.clone(b.getI1Type()),
                                     isInside);
}

/// A read of one row of a pad, which may be one of those that were added:
///   transfer_read (pad %a high[%n, 0]) [%i, %j] : vector<16xf32>
///   -> transfer_read %a[%i, %j], (broadcast (%i < dim %a)) : vector<16xf32>
/// Upstream's pattern for reads of pads forgets dimensions that the vector does
/// not have.
struct ReadRowOfPad : OpRewritePattern<vector::TransferReadOp> {
  explicit ReadRowOfPad(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(vector::TransferReadOp op,
                                PatternRewriter &rewriter) const override {
    auto pad = op.getBase().getDefiningOp<tensor::PadOp>();
    Value value = pad ? pad.getConstantPaddingValue() : Value();
    if (!value || !pad.hasZeroLowPad() || op.hasOutOfBoundsDim() ||
        op.getMask() || op.getVectorType().isScalable())
      return rewriter.notifyMatchFailure(op, "no read of a high pad");
    llvm::SmallBitVector isRead(pad.getResultType().getRank());
    for (AffineExpr expr : op.getPermutationMap().getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        isRead.set(dim.getPosition());
    Location loc = op.getLoc();
    VectorType type = op.getVectorType();
    Value mask;
    for (auto [dimension, high] : llvm::enumerate(pad.getMixedHighPad())) {
      if (isRead.test(dimension) || isZeroInteger(high))
        continue;
      Value isInside = maskWithin(rewriter, loc, op.getIndices()[dimension],
                                  pad.getSource(), dimension, type);
      mask = mask ? arith::AndIOp::create(rewriter, loc, mask, isInside)
                  : isInside;
    }
    if (!mask)
      return rewriter.notifyMatchFailure(op, "all padded dimensions are read");
    rewriter.replaceOpWithNewOp<vector::TransferReadOp>(
        op, type, pad.getSource(), op.getIndices(), op.getPermutationMapAttr(),
        value, mask,
        rewriter.getBoolArrayAttr(SmallVector<bool>(type.getRank(), false)));
    return success();
  }
};

/// A read of one row that may be beyond the end:
///   transfer_read %a[%i, %j] : vector<1x16xf32>
///   -> transfer_read %a[%i, %j], (broadcast (%i < dim %a)) : vector<16xf32>
/// Upstream's pattern that takes the leading dimension away forgets that end.
struct ReadRowWithinBounds : OpRewritePattern<vector::TransferReadOp> {
  explicit ReadRowWithinBounds(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(vector::TransferReadOp op,
                                PatternRewriter &rewriter) const override {
    VectorType type = op.getVectorType();
    if (type.getRank() < 2 || type.getDimSize(0) != 1 || type.isScalable() ||
        op.isDimInBounds(0) || !isa<RankedTensorType>(op.getBase().getType()))
      return rewriter.notifyMatchFailure(op,
                                         "no row that may be out of bounds");
    auto dim = dyn_cast<AffineDimExpr>(op.getPermutationMap().getResult(0));
    if (!dim)
      return rewriter.notifyMatchFailure(op, "a broadcast");
    Location loc = op.getLoc();
    unsigned position = dim.getPosition();
    auto rowType =
        VectorType::get(type.getShape().drop_front(), type.getElementType());
    Value mask = maskWithin(rewriter, loc, op.getIndices()[position],
                            op.getBase(), position, rowType);
    if (Value given = op.getMask()) {
      // A mask has the dimensions of the tensor that is read, in their order
      // there.
      auto givenType = cast<VectorType>(given.getType());
      if (givenType.getRank() != type.getRank() ||
          !op.getPermutationMap().isMinorIdentity())
        return rewriter.notifyMatchFailure(op, "its mask has another shape");
      Value ofRow = vector::ExtractOp::create(rewriter, loc, given, 0);
      mask = arith::AndIOp::create(rewriter, loc, mask, ofRow);
    }
    AffineMap rowMap = op.getPermutationMap().dropResult(0);
    SmallVector<bool> inBounds(op.getInBoundsValues());
    inBounds.erase(inBounds.begin());
    Value row = vector::TransferReadOp::create(
        rewriter, loc, rowType, op.getBase(), op.getIndices(),
        AffineMapAttr::get(rowMap), op.getPadding(), mask,
        rewriter.getBoolArrayAttr(inBounds));
    rewriter.replaceOpWithNewOp<vector::BroadcastOp>(op, type, row);
    return success();
  }
};

/// A gather from several dimensions, whose index counts elements as if there
/// were no gaps between rows, becomes reads of elements.
struct GatherFromDimensions : OpRewritePattern<vector::GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(vector::GatherOp op,
                                PatternRewriter &rewriter) const override {
    auto base = dyn_cast<RankedTensorType>(op.getBase().getType());
    VectorType type = op.getVectorType();
    if (!base || base.getRank() < 2 || type.getRank() != 1 ||
        type.isScalable() || !llvm::all_of(op.getOffsets(), isZeroInteger))
      return rewriter.notifyMatchFailure(op, "not from all of several "
                                             "dimensions");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    bool isMasked = !matchPattern(op.getMask(), m_One());
    Value result = op.getPassThru();
    for (int64_t i = 0; i < type.getDimSize(0); ++i) {
      Value number = vector::ExtractOp::create(b, op.getIndices(), i);
      if (!number.getType().isIndex())
        number = arith::IndexCastOp::create(b, b.getIndexType(), number);
      if (!isMasked) {
        Value element = read(b, op.getBase(), number);
        result = vector::InsertOp::create(b, element, result, i);
        continue;
      }
      auto branch = scf::IfOp::create(
          b, type, vector::ExtractOp::create(b, op.getMask(), i),
          /*addThenBlock=*/true, /*addElseBlock=*/true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      Value element = read(b, op.getBase(), number);
      scf::YieldOp::create(
          b, vector::InsertOp::create(b, element, result, i).getResult());
      b.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(b, result);
      result = branch.getResult(0);
    }
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  static Value read(ImplicitLocOpBuilder &b, Value tensor, Value number) {
    int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
    SmallVector<Value> indices(rank);
    for (int64_t dim = rank - 1; dim > 0; --dim) {
      Value extent = getValueOrCreateConstantIndexOp(
          b, b.getLoc(), tensor::getMixedSize(b, b.getLoc(), tensor, dim));
      indices[dim] = arith::RemUIOp::create(b, number, extent);
      number = arith::DivUIOp::create(b, number, extent);
    }
    indices[0] = number;
    return tensor::ExtractOp::create(b, tensor, indices);
  }
};

struct CPUVectorizePass
    : public sattn::impl::SAttnCPUVectorizeBase<CPUVectorizePass> {
  void runOnOperation() override {
    if (failed(vectorizeOps()) || failed(foldSlices()))
      return signalPassFailure();
  }

private:
  LogicalResult vectorizeOps() {
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (op->getParentOfType<scf::ForallOp>() && op.hasPureTensorSemantics())
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : ops) {
      FailureOr<SmallVector<int64_t>> sizes = getVectorSizes(op);
      if (failed(sizes))
        return op->emitOpError("expected loops of bounded sizes");
      rewriter.setInsertionPoint(op);
      FailureOr<linalg::VectorizationResult> result = linalg::vectorize(
          rewriter, op, *sizes,
          SmallVector<bool>(sizes->size(), /*Value=*/false),
          /*vectorizeNDExtract=*/true, /*flatten1DDepthwiseConv=*/false,
          /*assumeDynamicDimsMatchVecSizes=*/false,
          /*createNamedContraction=*/true);
      if (failed(result))
        return op->emitOpError("could not be vectorized");
      rewriter.replaceOp(op, result->replacements);
    }
    return success();
  }

  /// Folds masks into reads and writes, slices and pads into their indices, and
  /// rows into vectors of one dimension.
  LogicalResult foldSlices() {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    vector::populateVectorMaskLoweringPatternsForSideEffectingOps(patterns);
    patterns.add<ReadPadUnmasked, ReadOneElement, ReadElementOfPad,
                 ReadRowOfPad, ReadRowWithinBounds>(context);
    // Strides may be any: elements are read one by one.
    patterns.add<GatherFromDimensions>(context, PatternBenefit(2));
    vector::populateVectorGatherLoweringPatterns(patterns);
    vector::populateVectorGatherToConditionalLoadPatterns(patterns);
    linalg::populatePadOpVectorizationPatterns(patterns);
    tensor::populateFoldTensorSubsetIntoVectorTransferPatterns(patterns);
    tensor::populateMergeConsecutiveInsertExtractSlicePatterns(patterns);
    vector::populateCastAwayVectorLeadingOneDimPatterns(patterns);
    vector::populateVectorTransferPermutationMapLoweringPatterns(patterns);
    sattn::populateReduceSquaresPatterns(patterns);
    vector::populateVectorMultiReductionLoweringPatterns(
        patterns, vector::VectorMultiReductionLowering::InnerReduction);
    vector::TransferReadOp::getCanonicalizationPatterns(patterns, context);
    vector::TransferWriteOp::getCanonicalizationPatterns(patterns, context);
    tensor::ExtractSliceOp::getCanonicalizationPatterns(patterns, context);
    return applyPatternsGreedily(getOperation(), std::move(patterns));
  }
};
} // namespace
