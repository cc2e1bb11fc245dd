//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopBounds.h"
#include "PackOperands.h"
#include "RegisterTileSizes.h"

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
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sattn;

using Bands = SmallVector<RowBand, 2>;

namespace sattn {
#define GEN_PASS_DEF_SATTNCPUREGISTERTILE
#include "sattn/Codegen/Passes.h.inc"
} // namespace sattn

/// The elementwise op that adds a product, which began with zeros, to a sum of
/// another type; null if `op` adds to its sum itself.
static linalg::GenericOp findAdder(linalg::MatmulOp op) {
  auto adder = op->hasOneUse() ? dyn_cast<linalg::GenericOp>(*op->user_begin())
                               : linalg::GenericOp();
  if (!adder || !op.getDpsInits()[0].getDefiningOp<linalg::FillOp>() ||
      !linalg::isElementwise(adder) || adder.getNumDpsInputs() != 1 ||
      adder.getNumDpsInits() != 1 ||
      adder.getDpsInputOperand(0)->get() != op.getResult(0) ||
      !llvm::all_of(adder.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isIdentity(); }))
    return {};
  return adder;
}

/// Whether the right operand are panels that the loop does not pack.
static bool readsPanelsFromOutside(linalg::MatmulOp op, scf::ForOp loop) {
  auto unpack =
      op.getDpsInputOperand(1)->get().getDefiningOp<linalg::UnPackOp>();
  if (!unpack)
    return false;
  Value panels = unpack.getSource();
  if (auto slice = panels.getDefiningOp<tensor::ExtractSliceOp>())
    panels = slice.getSource();
  return loop.isDefinedOutsideOfLoop(panels);
}

/// The loop that only adds up matrix products, of which `op` is one: it carries
/// the sum alone, which only `op`, or its adder, uses. Its right operand are
/// panels from outside, which each row of tiles reads again. Null if there is
/// none.
static scf::ForOp findSum(linalg::MatmulOp op) {
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  linalg::LinalgOp last = op;
  if (linalg::GenericOp adder = findAdder(op))
    last = adder;
  if (!loop || loop.getNumRegionIterArgs() != 1 ||
      last.getDpsInits()[0] != loop.getRegionIterArg(0) ||
      !loop.getRegionIterArg(0).hasOneUse() || !last->hasOneUse() ||
      loop.getYieldedValues()[0] != last->getResult(0) ||
      !readsPanelsFromOutside(op, loop))
    return {};
  return loop;
}

/// Whether a map swaps the two dimensions of a matrix.
static bool isTransposedMap(AffineMap map) {
  return map == AffineMap::getPermutationMap(ArrayRef<int64_t>{1, 0},
                                             map.getContext());
}

/// A window of a matrix. Ops on it, such as the copy of a block, are computed
/// for the window alone.
static Value sliceOf(OpBuilder &b, Location loc, Value matrix,
                     ArrayRef<OpFoldResult> offsets,
                     ArrayRef<OpFoldResult> sizes) {
  if (auto producer = matrix.getDefiningOp<linalg::LinalgOp>())
    if (FailureOr<TilingResult> tiled =
            cast<TilingInterface>(producer.getOperation())
                .generateResultTileValue(
                    b, cast<OpResult>(matrix).getResultNumber(), offsets,
                    sizes);
        succeeded(tiled))
      return tiled->tiledValues.front();
  SmallVector<OpFoldResult> ones(offsets.size(), b.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(b, loc, matrix, offsets, sizes, ones);
}

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
          isRowwise(op))
        rowwise.push_back(op);
    });
    for (linalg::LinalgOp op : rowwise)
      if (failed(tileRows(rewriter, op)))
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

  /// Replaces `op` by a loop nest of tiles of the given sizes (0: not tiled)
  /// and returns the op on a tile.
  FailureOr<TilingInterface> tile(RewriterBase &rewriter, TilingInterface op,
                                  ArrayRef<int64_t> sizes) {
    FailureOr<scf::SCFTilingResult> tiled = tileToLoops(rewriter, op, sizes);
    if (failed(tiled))
      return failure();
    return cast<TilingInterface>(tiled->tiledOps.front());
  }

  /// Tiles as `tile` does, and returns the loops, too.
  FailureOr<scf::SCFTilingResult> tileToLoops(RewriterBase &rewriter,
                                              TilingInterface op,
                                              ArrayRef<int64_t> sizes) {
    scf::SCFTilingOptions options;
    options.setTileSizes(getAsIndexOpFoldResult(op.getContext(), sizes));
    rewriter.setInsertionPoint(op);
    FailureOr<scf::SCFTilingResult> tiled =
        scf::tileUsingSCF(rewriter, op, options);
    if (failed(tiled))
      return op->emitOpError("could not be tiled to registers");
    rewriter.replaceOp(op, tiled->replacements);
    return tiled;
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
      if (failed(tileSum(rewriter, sum, op, bands, columns, products)))
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
      auto takeTile = [&](Value row, Value tile) -> FailureOr<Value> {
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
          loopOverBand(rewriter, op.getLoc(), result, band, takeTile);
      if (failed(written))
        return failure();
      result = *written;
    }
    rewriter.replaceOp(op, result);
    return success();
  }

  /// Loops over the register tiles of a band, one below the other, and replaces
  /// each in `strip` by the value that `makeTile` makes of its first row and of
  /// it. Tiles of all bands are slices of one tensor: bufferization would copy
  /// a slice for a band.
  static FailureOr<Value>
  loopOverBand(RewriterBase &rewriter, Location loc, Value strip, RowBand band,
               function_ref<FailureOr<Value>(Value, Value)> makeTile) {
    OpBuilder::InsertionGuard guard(rewriter);
    int64_t columns = cast<RankedTensorType>(strip.getType()).getDimSize(1);
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(rewriter, loc, value);
    };
    auto tiles =
        scf::ForOp::create(rewriter, loc, constant(band.begin),
                           constant(band.end), constant(band.rows), strip);
    rewriter.setInsertionPointToStart(tiles.getBody());
    Value row = tiles.getInductionVar(), whole = tiles.getRegionIterArg(0);
    SmallVector<OpFoldResult> place = {row, rewriter.getIndexAttr(0)},
                              extent = getAsIndexOpFoldResult(
                                  rewriter.getContext(), {band.rows, columns}),
                              ones(2, rewriter.getIndexAttr(1));
    Value tile = tensor::ExtractSliceOp::create(rewriter, loc, whole, place,
                                                extent, ones);
    FailureOr<Value> made = makeTile(row, tile);
    if (failed(made))
      return failure();
    Value result = tensor::InsertSliceOp::create(rewriter, loc, *made, whole,
                                                 place, extent, ones);
    scf::YieldOp::create(rewriter, loc, result);
    return tiles.getResult(0);
  }

  /// Puts the loop that adds up matrix products into loops over panels and over
  /// rows of register tiles, and appends the matrix products of one. A tile
  /// then stays in registers until its sum is complete; the op that uses the
  /// sum takes it tile by tile.
  LogicalResult tileSum(RewriterBase &rewriter, scf::ForOp sum,
                        linalg::MatmulOp op, const Bands &bands,
                        int64_t columns,
                        SmallVectorImpl<TilingInterface> &products) {
    Location loc = op.getLoc();
    Value init = sum.getInitArgs()[0];
    Taker taker = findTaker(sum);
    auto type = cast<RankedTensorType>(init.getType());
    rewriter.setInsertionPoint(taker ? taker.op : sum);
    auto newTile = [&](ArrayRef<int64_t> shape) -> Value {
      return tensor::EmptyOp::create(rewriter, loc, shape,
                                     type.getElementType());
    };
    if (taker)
      init = taker.destination;
    else if (startsEmpty(sum)) // Zeros are written tile by tile.
      init = newTile(type.getShape());
    // The end of what is written, which may be before the tile's.
    OpFoldResult endRow = tensor::getMixedSize(rewriter, loc, init,
                                               taker.isTransposed ? 1 : 0),
                 end = tensor::getMixedSize(rewriter, loc, init,
                                            taker.isTransposed ? 0 : 1);
    auto index = [&](OpFoldResult value) {
      return getValueOrCreateConstantIndexOp(rewriter, loc, value);
    };
    auto constant = [&](int64_t value) {
      return index(rewriter.getIndexAttr(value));
    };
    auto panels = scf::ForOp::create(rewriter, loc, constant(0), index(end),
                                     constant(columns), init);
    rewriter.setInsertionPointToStart(panels.getBody());
    OpFoldResult column = panels.getInductionVar();
    Value carried = panels.getRegionIterArg(0);
    SmallVector<OpFoldResult> ones(2, rewriter.getIndexAttr(1));

    /// Takes rows from `begin` to `endOfRows`, `taken` together, in register
    /// tiles of those bands.
    auto takeRows = [&](int64_t begin, OpFoldResult endOfRows, int64_t taken,
                        ArrayRef<RowBand> bandsOfTaken) -> LogicalResult {
      auto tiles =
          scf::ForOp::create(rewriter, loc, constant(begin), index(endOfRows),
                             constant(taken), carried);
      carried = tiles.getResult(0);
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(tiles.getBody());
      Value whole = tiles.getRegionIterArg(0);
      SmallVector<OpFoldResult> offsets = {tiles.getInductionVar(), column};
      SmallVector<OpFoldResult> sizes =
          getAsIndexOpFoldResult(&getContext(), {taken, columns});
      // The first rows and columns of the tile, up to that end.
      SmallVector<OpFoldResult> clipped = {
          sattn::atMost(rewriter, loc, taken, offsets[0], endOfRows),
          sattn::atMost(rewriter, loc, columns, column, end)};
      // The same in the order of the destination.
      SmallVector<OpFoldResult> place = offsets, extent = clipped;
      if (taker.isTransposed) {
        std::swap(place[0], place[1]);
        std::swap(extent[0], extent[1]);
      }
      Value written = tensor::ExtractSliceOp::create(rewriter, loc, whole,
                                                     place, extent, ones);
      Value target = written;
      if (taker)
        target = startsEmpty(sum) ? newTile({taken, columns})
                                  : Value(tensor::ExtractSliceOp::create(
                                        rewriter, loc, sum.getInitArgs()[0],
                                        offsets, sizes, ones));
      Value result = target;
      if (bandsOfTaken.size() == 1 && bandsOfTaken[0].rows == taken) {
        linalg::MatmulOp product =
            sumOfTile(rewriter, sum, op, offsets, target);
        products.push_back(cast<TilingInterface>(product.getOperation()));
        result = product->getParentOp()->getResult(0);
      } else {
        for (const RowBand &band : bandsOfTaken) {
          FailureOr<Value> summed =
              sumOfBand(rewriter, sum, op, offsets, result, band, products);
          if (failed(summed))
            return failure();
          result = *summed;
        }
      }
      if (taker) {
        SmallVector<OpFoldResult> zeros(2, rewriter.getIndexAttr(0));
        Value tile = tensor::ExtractSliceOp::create(rewriter, loc, result,
                                                    zeros, clipped, ones);
        FailureOr<Value> stored = takeTile(rewriter, rewriter.clone(*taker.op),
                                           {sum, tile, written, place, extent});
        if (failed(stored))
          return failure();
        result = *stored;
      }
      result = tensor::InsertSliceOp::create(rewriter, loc, result, whole,
                                             place, extent, ones);
      scf::YieldOp::create(rewriter, loc, result);
      return success();
    };

    if (taker.isTransposed) {
      int64_t size = type.getDimSize(0);
      int64_t strip = rowsOfStrip(type, bands);
      RowBand ofStrip = {0, strip, bands[0].rows};
      if (failed(takeRows(0, endRow, strip,
                          strip < size ? ArrayRef(ofStrip) : ArrayRef(bands))))
        return failure();
    } else {
      for (const RowBand &band : bands) {
        OpFoldResult endOfBand = endRow;
        if (&band != &bands.back())
          endOfBand = sattn::atMost(rewriter, loc, band.end,
                                    rewriter.getIndexAttr(0), endRow);
        if (failed(takeRows(band.begin, endOfBand, band.rows, band)))
          return failure();
      }
    }
    scf::YieldOp::create(rewriter, loc, carried);
    rewriter.replaceOp(taker ? taker.op : sum, panels.getResult(0));
    return success();
  }

  /// Rows of register tiles that fill whole vectors as columns; all of the
  /// tile's if no number of them does.
  int64_t rowsOfStrip(RankedTensorType tile, const Bands &bands) const {
    int64_t size = tile.getDimSize(0);
    int64_t strip = sizes(tile.getElementType()).lanes(size);
    return bands.size() == 1 && strip % bands[0].rows == 0 ? strip : size;
  }

  /// The accumulators of register tiles one below the other, in place of the
  /// band of `strip`; returns the products' sums and appends the product of
  /// one.
  static FailureOr<Value>
  sumOfBand(RewriterBase &rewriter, scf::ForOp sum, linalg::MatmulOp op,
            ArrayRef<OpFoldResult> offsets, Value strip, RowBand band,
            SmallVectorImpl<TilingInterface> &products) {
    Location loc = op.getLoc();
    auto makeTile = [&](Value row, Value tile) -> FailureOr<Value> {
      AffineExpr d0 = rewriter.getAffineDimExpr(0),
                 d1 = rewriter.getAffineDimExpr(1);
      OpFoldResult rowOfSum = affine::makeComposedFoldedAffineApply(
          rewriter, loc, d0 + d1, {offsets[0], OpFoldResult(row)});
      linalg::MatmulOp product =
          sumOfTile(rewriter, sum, op, {rowOfSum, offsets[1]}, tile);
      products.push_back(cast<TilingInterface>(product.getOperation()));
      return product->getParentOp()->getResult(0);
    };
    return loopOverBand(rewriter, loc, strip, band, makeTile);
  }

  /// Whether the sum begins with a constant in new memory.
  static bool startsEmpty(scf::ForOp sum) {
    auto fill = sum.getInitArgs()[0].getDefiningOp<linalg::FillOp>();
    return fill && fill.getDpsInits()[0].getDefiningOp<tensor::EmptyOp>();
  }

  /// The sum of one register tile, in place of `tile`, before the insertion
  /// point; returns the product in its loop.
  static linalg::MatmulOp sumOfTile(RewriterBase &rewriter, scf::ForOp sum,
                                    linalg::MatmulOp op,
                                    ArrayRef<OpFoldResult> offsets,
                                    Value tile) {
    OpBuilder::InsertionGuard guard(rewriter);
    Location loc = op.getLoc();
    if (startsEmpty(sum))
      tile =
          linalg::FillOp::create(
              rewriter, loc,
              sum.getInitArgs()[0].getDefiningOp<linalg::FillOp>().getInputs(),
              tile)
              .getResult(0);
    auto loop = scf::ForOp::create(rewriter, loc, sum.getLowerBound(),
                                   sum.getUpperBound(), sum.getStep(), tile);
    loop->setDiscardableAttrs(sum->getDiscardableAttrDictionary());
    rewriter.setInsertionPointToStart(loop.getBody());
    IRMapping mapping;
    mapping.map(sum.getInductionVar(), loop.getInductionVar());
    linalg::GenericOp adder = findAdder(op);
    for (Operation &other : sum.getBody()->without_terminator())
      if (&other != op && &other != adder)
        rewriter.clone(other, mapping);
    ArrayRef<int64_t> shape = cast<RankedTensorType>(tile.getType()).getShape();
    Value left = mapping.lookupOrDefault(op.getDpsInputOperand(0)->get());
    OpFoldResult zero = rewriter.getIndexAttr(0);
    OpFoldResult depth = tensor::getMixedSize(rewriter, loc, left, 1);
    left = sliceOf(rewriter, loc, left, {offsets[0], zero},
                   {rewriter.getIndexAttr(shape[0]), depth});
    Value right = sliceOf(
        rewriter, loc, mapping.lookupOrDefault(op.getDpsInputOperand(1)->get()),
        {zero, offsets[1]}, {depth, rewriter.getIndexAttr(shape[1])});
    Value carried = loop.getRegionIterArg(0), target = carried;
    if (adder)
      target =
          linalg::FillOp::create(
              rewriter, loc,
              op.getDpsInits()[0].getDefiningOp<linalg::FillOp>().getInputs(),
              ValueRange{tensor::EmptyOp::create(
                  rewriter, loc, shape, getElementTypeOrSelf(op.getResult(0)))})
              .getResult(0);
    auto product = linalg::MatmulOp::create(rewriter, loc,
                                            ValueRange{left, right}, target);
    Value result = product.getResult(0);
    if (adder) {
      mapping.map(adder.getInputs()[0], result);
      mapping.map(adder.getOutputs()[0], carried);
      auto added = cast<linalg::GenericOp>(rewriter.clone(*adder, mapping));
      result = added->getResult(0);
      result.setType(carried.getType());
    }
    scf::YieldOp::create(rewriter, loc, result);
    return product;
  }

  /// Whether `value` is the sum, or its first columns.
  static bool isOfSum(Value value, scf::ForOp sum) {
    if (auto clip = value.getDefiningOp<tensor::ExtractSliceOp>();
        clip && clip.hasZeroOffset() && clip.hasUnitStride() &&
        clip.getDroppedDims().none())
      value = clip.getSource();
    return value == sum.getResult(0);
  }

  /// The only user of an accumulator tile, which takes it element by element:
  /// an elementwise op, or a branch between such ops.
  struct Taker {
    Operation *op = nullptr;
    /// The tensor that it writes to, row by row.
    Value destination;
    /// Whether rows of the destination are columns of the sum.
    bool isTransposed = false;

    explicit operator bool() const { return op; }
  };

  /// The destination of an elementwise op, or of a branch between elementwise
  /// ops; null for any other op. Appends the elementwise ops to `leaves`.
  static Value getDestination(Operation *op,
                              SmallVectorImpl<linalg::LinalgOp> &leaves) {
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      if (branch->getNumResults() != 1)
        return {};
      Value destination;
      for (scf::YieldOp yield : {branch.thenYield(), branch.elseYield()}) {
        Operation *producer = yield.getOperand(0).getDefiningOp();
        if (!producer || producer->getBlock() != yield->getBlock())
          return {};
        Value other = getDestination(producer, leaves);
        if (!other || (destination && other != destination))
          return {};
        destination = other;
      }
      return destination;
    }
    auto leaf = dyn_cast<linalg::LinalgOp>(op);
    if (!leaf || !linalg::isElementwise(leaf) || leaf.getNumLoops() != 2 ||
        leaf.getNumDpsInits() != 1)
      return {};
    leaves.push_back(leaf);
    OpOperand *init = leaf.getDpsInitOperand(0);
    bool readsElsewhere =
        llvm::any_of(leaf.getDpsInputOperands(), [&](OpOperand *input) {
          return input->get() == init->get();
        });
    return leaf.getMatchingIndexingMap(init).isIdentity() && !readsElsewhere
               ? init->get()
               : Value();
  }

  /// The taker of a sum; none if other ops use the sum.
  static Taker findTaker(scf::ForOp sum) {
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : sum->getUses()) {
      Value clip;
      if (isa<tensor::ExtractSliceOp>(use.getOwner()))
        clip = use.getOwner()->getResult(0);
      if (!clip)
        uses.push_back(&use);
      else if (isOfSum(clip, sum))
        for (OpOperand &clipUse : clip.getUses())
          uses.push_back(&clipUse);
      else
        return {};
    }
    if (uses.empty())
      return {};
    Taker taker;
    taker.op =
        sum->getBlock()->findAncestorOpInBlock(*uses.front()->getOwner());
    SmallVector<linalg::LinalgOp> leaves;
    taker.destination = taker.op ? getDestination(taker.op, leaves) : Value();
    // Known where the loops will be.
    if (!taker.destination ||
        taker.op->isAncestor(taker.destination.getParentBlock()->getParentOp()))
      return {};
    for (OpOperand *use : uses) {
      auto user = dyn_cast<linalg::LinalgOp>(use->getOwner());
      if (!user || !llvm::is_contained(leaves, user) || !user.isDpsInput(use))
        return {};
      AffineMap map = user.getMatchingIndexingMap(use);
      bool isTransposed = isTransposedMap(map);
      if ((!isTransposed && !map.isIdentity()) ||
          (use != uses.front() && isTransposed != taker.isTransposed))
        return {};
      taker.isTransposed = isTransposed;
    }
    return taker;
  }

  /// A tile of a sum, and the part of it that is written: its offset and size.
  struct TakenTile {
    scf::ForOp sum;
    Value tile, written;
    ArrayRef<OpFoldResult> offsets, sizes;
  };

  /// Makes an op that uses a sum take one tile of it; returns the result.
  static FailureOr<Value> takeTile(RewriterBase &rewriter, Operation *op,
                                   const TakenTile &taken) {
    OpBuilder::InsertionGuard guard(rewriter);
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      for (scf::YieldOp yield : {branch.thenYield(), branch.elseYield()}) {
        FailureOr<Value> value =
            takeTile(rewriter, yield.getOperand(0).getDefiningOp(), taken);
        if (failed(value))
          return failure();
        rewriter.modifyOpInPlace(yield, [&] { yield->setOperand(0, *value); });
      }
      rewriter.modifyOpInPlace(branch, [&] {
        branch->getResult(0).setType(taken.written.getType());
      });
      return branch->getResult(0);
    }
    auto whole = cast<linalg::LinalgOp>(op);
    rewriter.setInsertionPoint(op);
    FailureOr<TilingResult> tiled =
        cast<TilingInterface>(op).getTiledImplementation(
            rewriter, taken.offsets, taken.sizes);
    if (failed(tiled))
      return op->emitOpError("could not be tiled to registers");
    auto tile = cast<linalg::LinalgOp>(tiled->tiledOps.front());
    rewriter.modifyOpInPlace(tile, [&] {
      for (OpOperand *input : whole.getDpsInputOperands())
        if (isOfSum(input->get(), taken.sum))
          tile->setOperand(input->getOperandNumber(), taken.tile);
      tile.getDpsInitOperand(0)->set(taken.written);
    });
    if (op->use_empty())
      rewriter.eraseOp(op);
    return tile->getResult(0);
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

  /// Whether the op is the beginning of a sum that registers hold.
  bool isRegisterTile(linalg::LinalgOp op) const {
    if (!isa<linalg::FillOp>(op.getOperation()) || !op->hasOneUse() ||
        !isa<scf::ForOp>(*op->user_begin()))
      return false;
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    if (!type.hasStaticShape() || type.getRank() != 2 ||
        type.getDimSize(1) != sizes(op).columns(type.getDimSize(1)))
      return false;
    Bands bands = sizes(op).bands(type.getDimSize(0), type.getDimSize(1));
    return bands.size() == 1 && bands[0].rows == type.getDimSize(0);
  }

  /// Whether rows are apart from each other: an elementwise op, or one that
  /// reduces each row.
  bool isRowwise(linalg::LinalgOp op) const {
    SmallVector<utils::IteratorType> loops = op.getIteratorTypesArray();
    if (isRegisterTile(op))
      return false;
    return !isa<linalg::MatmulOp>(op.getOperation()) && !loops.empty() &&
           llvm::all_of(ArrayRef(loops).drop_back(),
                        linalg::isParallelIterator);
  }

  /// Whether an elementwise op writes rows and reads columns.
  static bool isTransposition(linalg::LinalgOp op) {
    if (op.getNumLoops() != 2 || op.getNumReductionLoops() != 0 ||
        op.getNumDpsInits() != 1 ||
        !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
      return false;
    return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
      return isTransposedMap(op.getMatchingIndexingMap(input));
    });
  }

  /// Tiles a transposition to squares of vectors, which are transposed in
  /// registers; what is left at the end of a dynamic dimension to single rows
  /// or columns.
  LogicalResult tileSquares(RewriterBase &rewriter, linalg::LinalgOp op) {
    SmallVector<int64_t> ranges = op.getStaticLoopRanges(), square;
    for (auto [dim, size] : llvm::enumerate(ranges)) {
      FailureOr<int64_t> bound = size;
      if (ShapedType::isDynamic(size))
        bound = sattn::getLargestSize(op, dim);
      if (failed(bound))
        return op->emitOpError("expected rows of bounded length");
      square.push_back(
          sizes(op).lanes(ShapedType::isDynamic(size)
                              ? llvm::bit_floor(static_cast<uint64_t>(*bound))
                              : size));
    }
    FailureOr<scf::SCFTilingResult> tiled =
        tileToLoops(rewriter, cast<TilingInterface>(op.getOperation()), square);
    if (failed(tiled))
      return failure();
    // Ops that the end clips, and in which dimensions. The inner loop first:
    // the outer one takes it along, with what is left at its end last.
    SmallVector<std::pair<Operation *, SmallVector<int64_t>>> clipped;
    for (int64_t dim : {1, 0}) {
      if (!ShapedType::isDynamic(ranges[dim]) || square[dim] == 1)
        continue;
      auto loop = cast<scf::ForOp>(tiled->loops[dim].getOperation());
      scf::ForOp rest;
      if (failed(scf::peelForLoopAndSimplifyBounds(rewriter, loop, rest)))
        continue;
      SmallVector<int64_t> single(2, 0);
      single[dim] = 1;
      SmallVector<Operation *> ops;
      rest.walk([&](linalg::LinalgOp other) { ops.push_back(other); });
      for (Operation *other : ops) {
        if (other != ops.front())
          single[1] = 1;
        clipped.push_back({other, single});
      }
    }
    for (auto [other, single] : clipped)
      if (failed(tile(rewriter, cast<TilingInterface>(other), single)))
        return failure();
    return success();
  }

  /// Whether an op reduces the rows of one tile of static size.
  static bool isReductionOfRows(linalg::LinalgOp op) {
    return op.getNumLoops() == 2 && op.getNumReductionLoops() == 1 &&
           op.getNumDpsInputs() == 1 && op.getNumDpsInits() == 1 &&
           op.getMatchingIndexingMap(op.getDpsInputOperand(0)).isIdentity() &&
           llvm::none_of(op.getStaticLoopRanges(), ShapedType::isDynamic);
  }

  LogicalResult tileRows(RewriterBase &rewriter, linalg::LinalgOp op) {
    SmallVector<int64_t> ranges = op.getStaticLoopRanges();
    if (isTransposition(op))
      return tileSquares(rewriter, op);
    if (isReductionOfRows(op))
      if (auto squares = sizes(op).squares(ranges[0], ranges[1]))
        return tile(rewriter, cast<TilingInterface>(op.getOperation()),
                    {squares->first,
                     squares->second < ranges[1] ? squares->second : 0});
    int64_t columns = ranges.back();
    if (ShapedType::isDynamic(columns)) {
      FailureOr<int64_t> bound = sattn::getLargestSize(op, ranges.size() - 1);
      if (failed(bound))
        return op->emitOpError("expected rows of bounded length");
      columns = *bound;
    }
    // A clipped row has the tile's own width, or less: the last vector then
    // stays within operands that are padded to that width.
    columns = llvm::alignTo(columns, kColumnAlignment);
    SmallVector<int64_t> tileSizes(ranges.size(), 1);
    // No loop of one iteration, whose counter would hide the values of an
    // index.
    int64_t width = sizes(op).columns(columns);
    tileSizes.back() = width < columns ? width : 0;
    if (ShapedType::isDynamic(ranges.back()) && width < columns &&
        readsNarrow(op))
      return tileWholeVectors(rewriter, op, tileSizes);
    return tile(rewriter, cast<TilingInterface>(op.getOperation()), tileSizes);
  }

  /// Whether an op reads elements that few CPUs read under a mask, one for each
  /// that it writes.
  static bool readsNarrow(linalg::LinalgOp op) {
    return linalg::isElementwise(op) && op.getNumDpsInputs() == 1 &&
           getElementTypeOrSelf(op.getDpsInputOperand(0)->get())
                   .getIntOrFloatBitWidth() < 32 &&
           op.getMatchingIndexingMap(op.getDpsInputOperand(0)).isIdentity();
  }

  /// Tiles the rows of `op` to whole vectors, and what is left of each to
  /// single elements.
  LogicalResult tileWholeVectors(RewriterBase &rewriter, linalg::LinalgOp op,
                                 ArrayRef<int64_t> tileSizes) {
    FailureOr<scf::SCFTilingResult> tiled = tileToLoops(
        rewriter, cast<TilingInterface>(op.getOperation()), tileSizes);
    if (failed(tiled))
      return failure();
    auto loop = cast<scf::ForOp>(tiled->loops.back().getOperation());
    scf::ForOp rest;
    if (failed(scf::peelForLoopAndSimplifyBounds(rewriter, loop, rest)))
      return success();
    SmallVector<linalg::LinalgOp> ops;
    rest.walk([&](linalg::LinalgOp other) { ops.push_back(other); });
    SmallVector<int64_t> single(tileSizes.size(), 0);
    single.back() = 1;
    for (linalg::LinalgOp other : ops)
      if (failed(tile(rewriter, cast<TilingInterface>(other.getOperation()),
                      single)))
        return failure();
    return success();
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
