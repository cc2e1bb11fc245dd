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
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace sattn {
#define GEN_PASS_DEF_SATTNCPUVECTORIZE
#include "sattn/Dialect/SAttn/Transforms/Passes.h.inc"
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
    SmallVector<std::pair<Value, unsigned>> operandDims;
    op.mapIterationSpaceDimToAllOperandDims(loop, operandDims);
    FailureOr<int64_t> bound = failure();
    for (auto [operand, dim] : operandDims) {
      bound = ValueBoundsConstraintSet::computeConstantBound(
          presburger::BoundType::UB, {operand, static_cast<int64_t>(dim)},
          /*stopCondition=*/nullptr, /*closedUB=*/true);
      if (succeeded(bound))
        break;
    }
    if (failed(bound))
      return failure();
    size = *bound;
  }
  return sizes;
}

namespace {
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
          /*vectorizeNDExtract=*/false, /*flatten1DDepthwiseConv=*/false,
          /*assumeDynamicDimsMatchVecSizes=*/false,
          /*createNamedContraction=*/true);
      if (failed(result))
        return op->emitOpError("could not be vectorized");
      rewriter.replaceOp(op, result->replacements);
    }
    return success();
  }

  /// Masks go into reads and writes, slices and pads into their indices, and
  /// rows become vectors of one dimension.
  LogicalResult foldSlices() {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    vector::populateVectorMaskLoweringPatternsForSideEffectingOps(patterns);
    linalg::populatePadOpVectorizationPatterns(patterns);
    tensor::populateFoldTensorSubsetIntoVectorTransferPatterns(patterns);
    tensor::populateMergeConsecutiveInsertExtractSlicePatterns(patterns);
    vector::populateCastAwayVectorLeadingOneDimPatterns(patterns);
    vector::TransferReadOp::getCanonicalizationPatterns(patterns, context);
    vector::TransferWriteOp::getCanonicalizationPatterns(patterns, context);
    tensor::ExtractSliceOp::getCanonicalizationPatterns(patterns, context);
    return applyPatternsGreedily(getOperation(), std::move(patterns));
  }
};
} // namespace
