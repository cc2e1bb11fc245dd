//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileSum.h"

#include "LoopBounds.h"
#include "RowBands.h"
#include "SumTaker.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace sattn;

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

scf::ForOp sattn::findSum(linalg::MatmulOp op) {
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

/// Whether the sum begins with a constant in new memory.
static bool startsEmpty(scf::ForOp sum) {
  auto fill = sum.getInitArgs()[0].getDefiningOp<linalg::FillOp>();
  return fill && fill.getDpsInits()[0].getDefiningOp<tensor::EmptyOp>();
}

/// The sum of one register tile, in place of `tile`, before the insertion
/// point; returns the product in its loop.
static linalg::MatmulOp sumOfTile(RewriterBase &rewriter, scf::ForOp sum,
                                  linalg::MatmulOp op,
                                  ArrayRef<OpFoldResult> offsets, Value tile) {
  OpBuilder::InsertionGuard guard(rewriter);
  Location loc = op.getLoc();
  if (startsEmpty(sum))
    tile = linalg::FillOp::create(
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
  auto product =
      linalg::MatmulOp::create(rewriter, loc, ValueRange{left, right}, target);
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

/// The accumulators of register tiles one below the other, in place of the
/// band of `strip`; returns the products' sums and appends the product of
/// one.
static FailureOr<Value> sumOfBand(RewriterBase &rewriter, scf::ForOp sum,
                                  linalg::MatmulOp op,
                                  ArrayRef<OpFoldResult> offsets, Value strip,
                                  RowBand band,
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

/// Rows of register tiles that fill whole vectors as columns; all of the
/// tile's if no number of them does.
static int64_t rowsOfStrip(RankedTensorType tile,
                           const RegisterTileSizes &ofType,
                           ArrayRef<RowBand> bands) {
  int64_t size = tile.getDimSize(0);
  int64_t strip = ofType.lanes(size);
  return bands.size() == 1 && strip % bands[0].rows == 0 ? strip : size;
}

LogicalResult sattn::tileSum(RewriterBase &rewriter, scf::ForOp sum,
                             linalg::MatmulOp op,
                             const RegisterTileSizes &ofType, int64_t columns,
                             SmallVectorImpl<TilingInterface> &products) {
  Location loc = op.getLoc();
  Value init = sum.getInitArgs()[0];
  SumTaker taker = findSumTaker(sum);
  auto type = cast<RankedTensorType>(init.getType());
  SmallVector<RowBand, 2> bands = ofType.bands(type.getDimSize(0), columns);
  rewriter.setInsertionPoint(taker ? taker.op : sum);
  auto newTile = [&](ArrayRef<int64_t> shape) -> Value {
    return tensor::EmptyOp::create(rewriter, loc, shape, type.getElementType());
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
    auto tiles = scf::ForOp::create(rewriter, loc, constant(begin),
                                    index(endOfRows), constant(taken), carried);
    carried = tiles.getResult(0);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(tiles.getBody());
    Value whole = tiles.getRegionIterArg(0);
    SmallVector<OpFoldResult> offsets = {tiles.getInductionVar(), column};
    SmallVector<OpFoldResult> sizes =
        getAsIndexOpFoldResult(rewriter.getContext(), {taken, columns});
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
    Value written = tensor::ExtractSliceOp::create(rewriter, loc, whole, place,
                                                   extent, ones);
    Value target = written;
    if (taker)
      target =
          startsEmpty(sum)
              ? newTile({taken, columns})
              : Value(tensor::ExtractSliceOp::create(
                    rewriter, loc, sum.getInitArgs()[0], offsets, sizes, ones));
    Value result = target;
    if (bandsOfTaken.size() == 1 && bandsOfTaken[0].rows == taken) {
      linalg::MatmulOp product = sumOfTile(rewriter, sum, op, offsets, target);
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
      Value tile = tensor::ExtractSliceOp::create(rewriter, loc, result, zeros,
                                                  clipped, ones);
      FailureOr<Value> stored = takeTile(rewriter, rewriter.clone(*taker.op),
                                         {sum, tile, written, place, extent});
      if (failed(stored))
        return failure();
      result = *stored;
    }
    result = tensor::InsertSliceOp::create(rewriter, loc, result, whole, place,
                                           extent, ones);
    scf::YieldOp::create(rewriter, loc, result);
    return success();
  };

  if (taker.isTransposed) {
    int64_t size = type.getDimSize(0);
    int64_t strip = rowsOfStrip(type, ofType, bands);
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
