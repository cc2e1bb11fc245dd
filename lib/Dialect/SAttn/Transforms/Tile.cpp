//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckTiles.h"

#include "sattn/Codegen/Common/BlockMapping.h"
#include "sattn/Codegen/Common/FuseConsumers.h"
#include "sattn/Dialect/SAttn/IR/SAttnDialect.h"
#include "sattn/Dialect/SAttn/Transforms/Passes.h"
#include "sattn/Support/SourceOp.h"
#include "sattn/Support/TileLoopAttributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace sattn {
#define GEN_PASS_DEF_SATTNTILE
#include "sattn/Dialect/SAttn/Transforms/Passes.h.inc"
} // namespace sattn

using namespace sattn;

/// Replaces an op whose results have no elements by its destinations.
static bool dropEmpty(RewriterBase &rewriter, Operation *op) {
  auto destinations = dyn_cast<DestinationStyleOpInterface>(op);
  if (!destinations || !llvm::all_of(op->getResultTypes(), [](Type type) {
        auto shaped = dyn_cast<RankedTensorType>(type);
        return shaped && llvm::is_contained(shaped.getShape(), 0);
      }))
    return false;
  rewriter.replaceOp(op, llvm::to_vector(destinations.getDpsInits()));
  return true;
}

/// Returns whether a consumer of the op was fused.
static FailureOr<bool> tile(RewriterBase &rewriter, TileProgramOpInterface op,
                            const tuning::Target &target) {
  auto tiling = dyn_cast<TilingInterface>(op.getOperation());
  if (!tiling)
    return op->emitOpError("expected an implementation of TilingInterface");
  if (dropEmpty(rewriter, op))
    return false;
  rewriter.setInsertionPoint(op);
  FailureOr<SmallVector<OpFoldResult>> sizes = op.getTileSizes(rewriter);
  if (failed(sizes))
    return failure();
  if (static_cast<int64_t>(sizes->size()) > kMaxBlockLoops)
    return op->emitOpError()
           << "expected at most " << kMaxBlockLoops - 2
           << " batch dimensions, but got " << sizes->size() - 2;

  SmallVector<int64_t> groups = op.getTileGroups();
  TileSchedule schedule = op.getTileSchedule();
  op->setLoc(getSourceLocation(op));
  Attribute tuning = op->getDiscardableAttr(kTuningAttrName);
  bool coversResults = op.coversResults();
  // A consumer is fused only if tiles cover the results: elements in no tile
  // would otherwise not be computed.
  linalg::GenericOp consumer;
  if (coversResults)
    consumer = prepareConsumer(rewriter, op, [&](Value destination) {
      return op.writeInto(destination);
    });
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
    tiled->loops.front()->setAttr(kTileConsumerGroupsAttrName,
                                  rewriter.getDenseI64ArrayAttr(groups));
  for (auto [name, hint] :
       {std::pair(kTileStagesAttrName, schedule.stages),
        std::pair(kTileWarpsAttrName, schedule.warps),
        std::pair(kTileRasterGroupAttrName, schedule.rasterGroup),
        std::pair(kTileSplitKAttrName, schedule.splitK),
        std::pair(kTileRegisterRowsAttrName, schedule.registerRows),
        std::pair(kTileRegisterVectorsAttrName, schedule.registerVectors),
        std::pair(kTileThreadsAttrName, schedule.threads)})
    if (hint)
      tiled->loops.front()->setAttr(name, rewriter.getI64IntegerAttr(*hint));

  tiled->loops.front()->setAttr(coversResults ? kTileCoversResultsAttrName
                                              : kTileSkipsResultsAttrName,
                                rewriter.getUnitAttr());
  if (tuning)
    tiled->loops.front()->setAttr(kTuningAttrName, tuning);

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
    auto programOp = cast<TileProgramOpInterface>(tiledOp);
    Operation *before = tiledOp->getPrevNode();
    FailureOr<SmallVector<Value>> results =
        programOp.lowerToTileProgram(rewriter);
    if (failed(results))
      return failure();
    Block::iterator begin = before ? std::next(before->getIterator())
                                   : tiledOp->getBlock()->begin();
    if (failed(
            checkTileProgram(programOp, begin, tiledOp->getIterator(), target)))
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

struct TilePass : sattn::impl::SAttnTileBase<TilePass> {
  using SAttnTileBase::SAttnTileBase;

  void runOnOperation() override {
    std::optional<tuning::Target> limits = tuning::findTarget(target);
    if (!limits) {
      InFlightDiagnostic diag = getOperation().emitError()
                                << "expected 'target' to be one of ";
      llvm::interleaveComma(tuning::targetNames(), diag);
      diag << ", but got '" << target.getValue() << "'";
      return signalPassFailure();
    }
    if (failed(mergeConsumers(getOperation(), [](Operation *op) {
          return isa<TileProgramOpInterface>(op);
        })))
      return signalPassFailure();
    if (failed(canonicalizePrograms()))
      return signalPassFailure();
    SmallVector<TileProgramOpInterface> ops;
    getOperation().walk([&](TileProgramOpInterface op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    bool hasFused = false;
    for (TileProgramOpInterface op : ops) {
      FailureOr<bool> isFused = tile(rewriter, op, *limits);
      if (failed(isFused))
        return signalPassFailure();
      hasFused |= *isFused;
    }

    RewritePatternSet patterns(&getContext());
    tensor::populateMergeConsecutiveInsertExtractSlicePatterns(patterns);
    tensor::ExtractOp::getCanonicalizationPatterns(patterns, &getContext());
    patterns.add<FoldReadOfGenerated>(&getContext());
    // A value that only a fused consumer used is no result of the loop.
    if (hasFused)
      scf::ForallOp::getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    if (hasFused)
      mergeInTiles(getOperation());
  }

private:
  /// Canonicalizes ops after their consumers were merged: an op may then
  /// compute the result in the layout that its consumer reads.
  LogicalResult canonicalizePrograms() {
    SmallVector<Operation *> ops;
    RewritePatternSet patterns(&getContext());
    DenseSet<OperationName> names;
    getOperation().walk([&](TileProgramOpInterface op) {
      if (!op->hasOneUse() || !isa<linalg::GenericOp>(*op->user_begin()))
        return;
      ops.push_back(op);
      if (std::optional<RegisteredOperationName> name = op->getRegisteredInfo();
          name && names.insert(*name).second)
        name->getCanonicalizationPatterns(patterns, &getContext());
    });
    return applyOpPatternsGreedily(
        ops, std::move(patterns),
        GreedyRewriteConfig().enableFolding(false).setStrictness(
            GreedyRewriteStrictness::ExistingOps));
  }
};
} // namespace
