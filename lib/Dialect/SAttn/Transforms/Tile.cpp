//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FuseConsumers.h"

#include "sattn/Dialect/SAttn/IR/SAttn.h"
#include "sattn/Dialect/SAttn/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace sattn {
#define GEN_PASS_DEF_SATTNTILE
#include "sattn/Dialect/SAttn/Transforms/Passes.h.inc"
} // namespace sattn

using namespace sattn;

/// Thread blocks are numbered along one axis, the last loop fastest: a grid's
/// other axes end at 65535, and batches may be any number of loops.
static SmallVector<Attribute> blockMapping(MLIRContext *context,
                                           int64_t numLoops) {
  SmallVector<Attribute> mapping;
  for (int64_t i = numLoops - 1; i >= 0; --i)
    mapping.push_back(gpu::GPUBlockMappingAttr::get(
        context, *gpu::symbolizeMappingId(
                     static_cast<int64_t>(gpu::MappingId::LinearDim0) + i)));
  return mapping;
}

/// Loops and mapping ids that upstream's attribute can name.
static constexpr int64_t kMaxLoops = 10;

/// Returns whether a consumer of the op was fused.
static FailureOr<bool> tile(RewriterBase &rewriter, TileProgramOpInterface op) {
  auto tiling = dyn_cast<TilingInterface>(op.getOperation());
  if (!tiling)
    return op->emitOpError("expected an implementation of TilingInterface");
  rewriter.setInsertionPoint(op);
  FailureOr<SmallVector<OpFoldResult>> sizes = op.getTileSizes(rewriter);
  if (failed(sizes))
    return failure();
  if (static_cast<int64_t>(sizes->size()) > kMaxLoops)
    return op->emitOpError()
           << "expected at most " << kMaxLoops - 2
           << " batch dimensions, but got " << sizes->size() - 2;

  SmallVector<int64_t> groups = op.getTileGroups();
  TileSchedule schedule = op.getTileSchedule();
  linalg::GenericOp consumer = prepareConsumer(rewriter, op);
  rewriter.setInsertionPoint(op);

  scf::SCFTilingOptions options;
  options.setLoopType(scf::SCFTilingOptions::LoopType::ForallOp);
  options.setTileSizes(*sizes);
  options.setMapping(blockMapping(op.getContext(), sizes->size()));
  FailureOr<scf::SCFTilingResult> tiled =
      scf::tileUsingSCF(rewriter, tiling, options);
  if (failed(tiled))
    return op->emitOpError("could not be tiled");
  rewriter.replaceOp(op, tiled->replacements);
  if (llvm::any_of(groups, [](int64_t count) { return count > 1; }))
    tiled->loops.front()->setAttr(kTileGroupsAttrName,
                                  rewriter.getDenseI64ArrayAttr(groups));
  for (auto [name, wish] : {std::pair(kTileStagesAttrName, schedule.stages),
                            std::pair(kTileWarpsAttrName, schedule.warps),
                            std::pair(kTileColumnsAttrName, schedule.columns)})
    if (wish)
      tiled->loops.front()->setAttr(name, rewriter.getI64IntegerAttr(*wish));

  linalg::GenericOp fused;
  if (consumer) {
    FailureOr<linalg::GenericOp> moved =
        fuseConsumer(rewriter, consumer,
                     cast<scf::ForallOp>(tiled->loops.front().getOperation()));
    if (failed(moved))
      return consumer.emitOpError("could not be fused into the loop over tiles "
                                  "of its operand");
    fused = *moved;
  }

  for (Operation *tiledOp : tiled->tiledOps) {
    rewriter.setInsertionPoint(tiledOp);
    FailureOr<SmallVector<Value>> results =
        cast<TileProgramOpInterface>(tiledOp).lowerToTileProgram(rewriter);
    if (failed(results))
      return failure();
    rewriter.replaceOp(tiledOp, *results);
  }
  if (!fused)
    return false;
  widenToTile(rewriter, fused);
  return true;
}

namespace {
/// extract (extract_slice (tensor.generate {f}) [offsets]) [indices]
///   -> f(offsets + indices)
/// A computed index tensor is never made; upstream's canonicalization does the
/// same without the slice.
struct FoldReadOfGenerated : OpRewritePattern<tensor::ExtractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractOp op,
                                PatternRewriter &rewriter) const override {
    auto slice = op.getTensor().getDefiningOp<tensor::ExtractSliceOp>();
    if (!slice || !slice.getSource().getDefiningOp<tensor::GenerateOp>() ||
        slice.getDroppedDims().any() || !slice.hasUnitStride())
      return rewriter.notifyMatchFailure(op, "no read of a computed tensor");
    AffineExpr d0 = rewriter.getAffineDimExpr(0),
               d1 = rewriter.getAffineDimExpr(1);
    SmallVector<Value> indices;
    for (auto [offset, index] :
         llvm::zip_equal(slice.getMixedOffsets(), op.getIndices()))
      indices.push_back(getValueOrCreateConstantIndexOp(
          rewriter, op.getLoc(),
          affine::makeComposedFoldedAffineApply(
              rewriter, op.getLoc(), d0 + d1, {offset, OpFoldResult(index)})));
    rewriter.replaceOpWithNewOp<tensor::ExtractOp>(op, slice.getSource(),
                                                   indices);
    return success();
  }
};

struct TilePass : public sattn::impl::SAttnTileBase<TilePass> {
  void runOnOperation() override {
    if (failed(mergeConsumers(getOperation())))
      return signalPassFailure();
    SmallVector<TileProgramOpInterface> ops;
    getOperation().walk([&](TileProgramOpInterface op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    bool hasFused = false;
    for (TileProgramOpInterface op : ops) {
      FailureOr<bool> isFused = tile(rewriter, op);
      if (failed(isFused))
        return signalPassFailure();
      hasFused |= *isFused;
    }

    RewritePatternSet patterns(&getContext());
    tensor::populateMergeConsecutiveInsertExtractSlicePatterns(patterns);
    tensor::ExtractOp::getCanonicalizationPatterns(patterns, &getContext());
    patterns.add<FoldReadOfGenerated>(&getContext());
    // What only a fused consumer used is no result of the loop.
    if (hasFused)
      scf::ForallOp::getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    if (hasFused)
      mergeInTiles(getOperation());
  }
};
} // namespace
