//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackOperands.h"
#include "RegisterTileSizes.h"
#include "RowBands.h"
#include "TileLoops.h"
#include "TileRows.h"
#include "TileSum.h"

#include "sattn/Codegen/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace sattn;

using Bands = SmallVector<RowBand, 2>;

namespace sattn {
#define GEN_PASS_DEF_SATTNCPUREGISTERTILE
#include "sattn/Codegen/Passes.h.inc"
} // namespace sattn

/// Whether an index is a multiple of `factor`, as a constant or as the counter
/// of a loop.
static bool isMultiple(OpFoldResult index, int64_t factor) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return *constant % factor == 0;
  scf::ForOp loop = scf::getForInductionVarOwner(cast<Value>(index));
  if (!loop)
    return false;
  std::optional<int64_t> first = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  return first && step && *first % factor == 0 && *step % factor == 0;
}

/// The columns of a panel that `op` unpacks, if panels of columns are all that
/// it unpacks.
static std::optional<int64_t> getPanelColumns(linalg::UnPackOp op) {
  if (op.getInnerDimsPos() != ArrayRef<int64_t>{1} ||
      op.getOuterDimsPerm() != ArrayRef<int64_t>{1, 0} ||
      ShapedType::isDynamic(op.getStaticInnerTiles().front()))
    return std::nullopt;
  return op.getStaticInnerTiles().front();
}

namespace {
/// extract_slice (unpack %panels) [%i, %j] [%h, c], where j is a multiple of c
///   -> extract_slice %panels [%j / c, %i, 0] [1, %h, c]
struct FoldSliceOfPanels : OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    auto unpack = op.getSource().getDefiningOp<linalg::UnPackOp>();
    std::optional<int64_t> columns =
        unpack ? getPanelColumns(unpack) : std::nullopt;
    if (!columns || op.getDroppedDims().any() || !op.hasUnitStride())
      return rewriter.notifyMatchFailure(op, "no slice of panels");
    SmallVector<OpFoldResult> offsets = op.getMixedOffsets(),
                              sizes = op.getMixedSizes();
    if (!isConstantIntValue(sizes[1], *columns) ||
        !isMultiple(offsets[1], *columns))
      return rewriter.notifyMatchFailure(op, "not of one panel");
    OpFoldResult panel = affine::makeComposedFoldedAffineApply(
        rewriter, op.getLoc(), rewriter.getAffineDimExpr(0).floorDiv(*columns),
        {offsets[1]});
    OpFoldResult zero = rewriter.getIndexAttr(0),
                 one = rewriter.getIndexAttr(1);
    rewriter.replaceOpWithNewOp<tensor::ExtractSliceOp>(
        op, op.getType(), unpack.getSource(),
        ArrayRef<OpFoldResult>{panel, offsets[0], zero},
        ArrayRef<OpFoldResult>{one, sizes[0], sizes[1]},
        ArrayRef<OpFoldResult>{one, one, one});
    return success();
  }
};
} // namespace

namespace {
struct CPURegisterTilePass
    : public sattn::impl::SAttnCPURegisterTileBase<CPURegisterTilePass> {
  using SAttnCPURegisterTileBase::SAttnCPURegisterTileBase;

  LogicalResult initialize(MLIRContext *context) override {
    return sizes().verify(UnknownLoc::get(context));
  }

  void runOnOperation() override {
    if (failed(RegisterTileSizes::verifyHints(getOperation(), vectorBits)))
      return signalPassFailure();
    SmallVector<linalg::LinalgOp> rowwise;
    IRRewriter rewriter(&getContext());
    writeRows(rewriter);
    for (linalg::MatmulOp op : findTileProducts(getOperation()))
      if (failed(tileProduct(rewriter, op)))
        return signalPassFailure();
    if (failed(simplify()))
      return signalPassFailure();

    // Copies that went into the loop over panels are found only now.
    getOperation().walk([&](linalg::LinalgOp op) {
      if (op->getParentOfType<scf::ForallOp>() && op.hasPureTensorSemantics() &&
          isRowwise(op, sizes(op)))
        rowwise.push_back(op);
    });
    for (linalg::LinalgOp op : rowwise)
      if (failed(tileRows(rewriter, op, sizes(op))))
        return signalPassFailure();
    if (failed(simplify()))
      return signalPassFailure();
  }

private:
  RegisterTileSizes sizes(Type element = {}, Operation *op = nullptr) const {
    return {vectorBits, registerTile, element, op};
  }
  /// Sizes for the op's widest elements.
  RegisterTileSizes sizes(linalg::LinalgOp op) const {
    for (Type type : op->getOperandTypes())
      if (getElementTypeOrSelf(type).isF64())
        return sizes(getElementTypeOrSelf(type), op);
    return sizes({}, op);
  }

  /// Makes elementwise ops whose results have other orders of dimensions than
  /// their loops count the results' dimensions instead.
  void writeRows(RewriterBase &rewriter) {
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) {
      if (op->getParentOfType<scf::ForallOp>() && op.getNumDpsInits() == 1 &&
          linalg::isElementwise(op))
        ops.push_back(op);
    });
    for (linalg::GenericOp op : ops) {
      AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
      if (map.isIdentity() || !map.isPermutation())
        continue;
      SmallVector<unsigned> order;
      for (AffineExpr expr : map.getResults())
        order.push_back(cast<AffineDimExpr>(expr).getPosition());
      (void)linalg::interchangeGenericOp(rewriter, op, order);
    }
  }

  LogicalResult tileProduct(RewriterBase &rewriter, linalg::MatmulOp op) {
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    if (!type.hasStaticShape())
      return op->emitOpError("expected tiles of static sizes, but got ")
             << type;
    RegisterTileSizes ofType = sizes(type.getElementType(), op);
    int64_t columns = ofType.columns(type.getDimSize(1));
    // Panels are packed already.
    if (auto unpack =
            op.getDpsInputOperand(1)->get().getDefiningOp<linalg::UnPackOp>())
      columns = getPanelColumns(unpack).value_or(columns);
    Bands bands = ofType.bands(type.getDimSize(0), columns);
    SmallVector<TilingInterface> products;
    if (scf::ForOp sum = findSum(op)) {
      if (failed(tileSum(rewriter, sum, op, ofType, columns, products)))
        return failure();
    } else {
      Value filler = takeFiller(rewriter, op);
      FailureOr<TilingInterface> panel = tilePanels(rewriter, op, columns);
      if (failed(panel) ||
          failed(tileBands(rewriter, *panel, bands, filler, products)))
        return failure();
    }
    for (TilingInterface product : products)
      if (failed(tile(rewriter, product, {0, 0, 1})))
        return failure();
    return success();
  }

  /// The scalar that the accumulator is filled with; null if there is none.
  /// Register tiles then begin with it, and `op` gets an accumulator without
  /// values: one that is filled would be read, and copied if it has other uses.
  static Value takeFiller(RewriterBase &rewriter, linalg::MatmulOp op) {
    auto fill = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
    if (!fill)
      return {};
    Value filler = fill.getInputs()[0], target = fill.getOutputs()[0];
    if (target.getDefiningOp<tensor::EmptyOp>()) {
      rewriter.setInsertionPoint(op);
      auto type = cast<RankedTensorType>(target.getType());
      target = tensor::EmptyOp::create(rewriter, op.getLoc(), type.getShape(),
                                       type.getElementType());
    } else if (!fill->hasOneUse()) {
      return {};
    }
    rewriter.modifyOpInPlace(op,
                             [&] { op.getDpsInitsMutable().assign(target); });
    if (fill->use_empty())
      rewriter.eraseOp(fill);
    return filler;
  }

  /// Tiles the rows of a panel; appends the products of register tiles. They
  /// begin with `filler`, or with what is in the accumulator if it is null.
  LogicalResult tileBands(RewriterBase &rewriter, TilingInterface panel,
                          const Bands &bands, Value filler,
                          SmallVectorImpl<TilingInterface> &products) {
    auto op = cast<linalg::MatmulOp>(panel.getOperation());
    rewriter.setInsertionPoint(op);
    Value result = op.getDpsInits()[0];
    SmallVector<Range> ranges = panel.getIterationDomain(rewriter);
    for (const RowBand &band : bands) {
      auto makeTile = [&](Value row, Value tile) -> FailureOr<Value> {
        SmallVector<OpFoldResult> offsets, extents;
        for (Range range : ranges) {
          offsets.push_back(range.offset);
          extents.push_back(range.size);
        }
        offsets[0] = row;
        extents[0] = rewriter.getIndexAttr(band.rows);
        FailureOr<TilingResult> tiled =
            panel.getTiledImplementation(rewriter, offsets, extents);
        if (failed(tiled))
          return op->emitOpError("could not be tiled to registers");
        auto product = cast<linalg::MatmulOp>(tiled->tiledOps.front());
        if (filler) {
          OpBuilder::InsertionGuard guard(rewriter);
          rewriter.setInsertionPoint(product);
          tile = linalg::FillOp::create(rewriter, op.getLoc(), filler, tile)
                     .getResult(0);
        }
        product.getDpsInitsMutable().assign(tile);
        products.push_back(cast<TilingInterface>(product.getOperation()));
        return product.getResult(0);
      };
      FailureOr<Value> written =
          loopOverBand(rewriter, op.getLoc(), result, band, makeTile);
      if (failed(written))
        return failure();
      result = *written;
    }
    rewriter.replaceOp(op, result);
    return success();
  }

  /// Tiles the columns and makes each panel's copy of the right operand in the
  /// loop.
  FailureOr<TilingInterface> tilePanels(RewriterBase &rewriter,
                                        linalg::MatmulOp op, int64_t columns) {
    Value right = op.getDpsInputOperand(1)->get();
    scf::SCFTileAndFuseOptions options;
    options.tilingOptions.setTileSizes(getAsIndexOpFoldResult(
        op.getContext(), ArrayRef<int64_t>{0, columns, 0}));
    options.setFusionControlFn(
        [&](tensor::ExtractSliceOp, OpResult producer, bool)
            -> std::optional<scf::SCFTileAndFuseOptions::ControlFnResult> {
          if (producer != right ||
              !isa<linalg::GenericOp, linalg::CopyOp>(producer.getOwner()))
            return std::nullopt;
          return scf::SCFTileAndFuseOptions::ControlFnResult{};
        });
    rewriter.setInsertionPoint(op);
    FailureOr<scf::SCFTileAndFuseResult> tiled =
        scf::tileConsumerAndFuseProducersUsingSCF(
            rewriter, cast<TilingInterface>(op.getOperation()), options);
    if (failed(tiled))
      return op->emitOpError("could not be tiled to panels");
    rewriter.replaceOp(op, tiled->replacements.lookup(op->getResult(0)));
    return cast<TilingInterface>(tiled->tiledAndFusedOps.front());
  }

  LogicalResult simplify() {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns =
        linalg::getLinalgTilingCanonicalizationPatterns(context);
    patterns.add<FoldSliceOfPanels>(context);
    scf::populateSCFForLoopCanonicalizationPatterns(patterns);
    // A size must not keep its tensor alive.
    memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
    tensor::populateFoldTensorEmptyPatterns(patterns);
    return applyPatternsGreedily(getOperation(), std::move(patterns));
  }
};
} // namespace
