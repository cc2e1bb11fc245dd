//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WidenLeft.h"

#include "LoopBounds.h"
#include "PackOperands.h"
#include "WindowLoop.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace sattn;

/// Rows, and columns of a row, that one iteration of the loop copies that
/// widens all of a tensor.
static constexpr int64_t kRowsPerIteration = 8, kColumnsPerIteration = 256;

namespace {
/// A window of a tensor of two or more dimensions, one of which the iterations
/// of a tile's loop walk along.
class LeftWindow {
public:
  static std::optional<LeftWindow> find(linalg::MatmulOp op,
                                        scf::ForallOp tiles, Type packed) {
    LeftWindow window;
    auto slice =
        op.getDpsInputOperand(0)->get().getDefiningOp<tensor::ExtractSliceOp>();
    window.slice = slice;
    window.packed = packed;
    if (!slice || !isWidenedOnce(slice.getType(), packed) ||
        slice.getSourceType().getRank() < 2 || !slice.hasUnitStride() ||
        !tiles.isDefinedOutsideOfLoop(slice.getSource()))
      return std::nullopt;
    std::optional<WindowLoop> windowLoop = WindowLoop::find(slice, op, tiles);
    if (!windowLoop)
      return std::nullopt;
    window.windowLoop = *windowLoop;
    SmallVector<OpFoldResult> offsets = slice.getMixedOffsets(),
                              sizes = slice.getMixedSizes();
    std::optional<unsigned> walked;
    for (unsigned dim = 0; dim < offsets.size(); ++dim) {
      std::optional<int64_t> bound = getBound(sizes[dim]);
      if (!bound || !window.windowLoop.addPlace(offsets[dim]) ||
          !window.windowLoop.addPlace(sizes[dim]))
        return std::nullopt;
      window.bounds.push_back(*bound);
      if (window.windowLoop.isFixed(offsets[dim]) &&
          window.windowLoop.isFixed(sizes[dim]))
        continue;
      if (walked)
        return std::nullopt;
      walked = dim;
    }
    if (!walked)
      return std::nullopt;
    window.walked = *walked;
    return window;
  }

  /// Whether a window is widened once rather than by each register tile: if its
  /// elements take many instructions, or its rows are no whole vectors. Other
  /// rows are widened into the first-level cache, in which they cost less than
  /// rows of f32 from memory.
  static bool isWidenedOnce(RankedTensorType window, Type packed) {
    Type element = window.getElementType();
    bool isFloat8 =
        isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8;
    return element != packed && (isFloat8 || !window.hasStaticShape());
  }

  /// Makes `op` read the window from a widened copy.
  void widen(RewriterBase &rewriter, linalg::MatmulOp op, scf::ForallOp tiles) {
    Location loc = op.getLoc();
    rewriter.setInsertionPoint(tiles);
    Value isOften = isReadOften(rewriter, loc, tiles);
    Value whole = widenAll(rewriter, loc, isOften);
    rewriter.setInsertionPoint(windowLoop.loop);
    Value from = scf::IfOp::create(
                     rewriter, loc, isOften,
                     [&](OpBuilder &b, Location) {
                       scf::YieldOp::create(b, loc, whole);
                     },
                     [&](OpBuilder &b, Location) {
                       scf::YieldOp::create(b, loc, widenTurns(b, loc));
                     })
                     .getResult(0);
    rewriter.setInsertionPoint(op);
    SmallVector<OpFoldResult> offsets = slice.getMixedOffsets(),
                              own = getPlaceOfIteration(
                                  rewriter, loc,
                                  windowLoop.loop.getInductionVar());
    for (auto [offset, ofTile] : llvm::zip_equal(offsets, own))
      offset = selectIndex(rewriter, loc, isOften, offset, ofTile);
    Value left = tensor::ExtractSliceOp::create(
        rewriter, loc, slice.getType().clone(packed), from, offsets,
        slice.getMixedSizes(), slice.getMixedStrides());
    Value right = op.getDpsInputOperand(1)->get();
    // A new op, since the scalar product that it implies changes its types.
    rewriter.replaceOpWithNewOp<linalg::MatmulOp>(op, ValueRange{left, right},
                                                  op.getDpsInits());
  }

private:
  tensor::ExtractSliceOp slice;
  Type packed;
  WindowLoop windowLoop;
  /// The most elements of the window along each dimension of the tensor.
  SmallVector<int64_t> bounds;
  /// The dimension that the iterations walk along.
  unsigned walked = 0;

  /// The type of both copies: a dimension is static where it is as long in all
  /// of the tensor as in a window.
  RankedTensorType getType() {
    SmallVector<int64_t> shape(bounds);
    for (auto [dim, size] : llvm::enumerate(shape))
      if (dim == walked || slice.getSourceType().getDimSize(dim) != size)
        size = ShapedType::kDynamic;
    return RankedTensorType::get(shape, packed);
  }

  /// A new tensor of that type.
  Value emptyOf(OpBuilder &b, Location loc, ArrayRef<OpFoldResult> sizes) {
    SmallVector<Value> dynamic;
    RankedTensorType type = getType();
    for (auto [dim, size] : llvm::enumerate(sizes))
      if (type.isDynamicDim(dim))
        dynamic.push_back(getValueOrCreateConstantIndexOp(b, loc, size));
    return tensor::EmptyOp::create(b, loc, type, dynamic);
  }

  /// Whether all tiles read the tensor often enough for a copy of all of it.
  Value isReadOften(OpBuilder &b, Location loc, scf::ForallOp tiles) {
    auto times = [&](Value value, OpFoldResult size) -> Value {
      return arith::MulIOp::create(
          b, loc, value, getValueOrCreateConstantIndexOp(b, loc, size));
    };
    Value read = windowLoop.count(b, loc, tiles, /*column=*/std::nullopt);
    for (int64_t size : bounds)
      read = times(read, b.getIndexAttr(size));
    Value elements = arith::ConstantIndexOp::create(b, loc, 1);
    for (OpFoldResult size : tensor::getMixedSizes(b, loc, slice.getSource()))
      elements = times(elements, size);
    return arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::sge, read,
        times(elements, getReadsOfPacked(b, loc, elements)));
  }

  /// The place in a tile's own copy of the window of an iteration.
  SmallVector<OpFoldResult> getPlaceOfIteration(OpBuilder &b, Location loc,
                                                Value iteration) {
    SmallVector<OpFoldResult> place(bounds.size(), b.getIndexAttr(0));
    AffineExpr d0 = b.getAffineDimExpr(0), s0 = b.getAffineSymbolExpr(0);
    place[walked] = affine::makeComposedFoldedAffineApply(
        b, loc, (d0 - s0) * bounds[walked],
        {iteration, windowLoop.loop.getLowerBound()});
    return place;
  }

  /// A copy of the windows of all iterations of this tile, one after the other.
  Value widenTurns(OpBuilder &b, Location loc) {
    scf::ForOp loop = windowLoop.loop;
    SmallVector<OpFoldResult> shape =
        getAsIndexOpFoldResult(b.getContext(), bounds);
    shape[walked] = getPlaceOfIteration(b, loc, loop.getUpperBound())[walked];
    auto copy = [&](OpBuilder &nested, Location, Value iteration,
                    ValueRange carried) {
      IRMapping mapping = windowLoop.clonePlace(nested, iteration);
      auto ofIteration = [&](SmallVector<OpFoldResult> values) {
        for (OpFoldResult &value : values)
          if (auto dynamic = dyn_cast<Value>(value))
            value = mapping.lookupOrDefault(dynamic);
        return values;
      };
      SmallVector<OpFoldResult> sizes = ofIteration(slice.getMixedSizes()),
                                ones = slice.getMixedStrides(),
                                place =
                                    getPlaceOfIteration(nested, loc, iteration);
      Value window = tensor::ExtractSliceOp::create(
          nested, loc, slice.getType(), slice.getSource(),
          ofIteration(slice.getMixedOffsets()), sizes, ones);
      Value target = tensor::ExtractSliceOp::create(
          nested, loc, slice.getType().clone(packed), carried[0], place, sizes,
          ones);
      target = copyWidened(nested, loc, window, target);
      target = tensor::InsertSliceOp::create(nested, loc, target, carried[0],
                                             place, sizes, ones);
      scf::YieldOp::create(nested, loc, target);
    };
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    return scf::ForOp::create(b, loc, loop.getLowerBound(),
                              loop.getUpperBound(), one, emptyOf(b, loc, shape),
                              copy)
        .getResult(0);
  }

  /// A copy of all of the tensor; of nothing where `condition` does not hold.
  Value widenAll(OpBuilder &b, Location loc, Value condition) {
    Value source = slice.getSource();
    SmallVector<OpFoldResult> dims = tensor::getMixedSizes(b, loc, source);
    unsigned rank = dims.size();
    SmallVector<OpFoldResult> lengths(dims);
    lengths[walked] =
        selectIndex(b, loc, condition, dims[walked], b.getIndexAttr(0));
    Value empty = emptyOf(b, loc, lengths);
    // The rows of none are no rows.
    SmallVector<OpFoldResult> ends(ArrayRef(lengths).drop_back());
    if (walked == rank - 1)
      ends[0] = selectIndex(b, loc, condition, dims[0], b.getIndexAttr(0));
    SmallVector<OpFoldResult> begins(rank - 1, b.getIndexAttr(0)),
        steps(rank - 1, b.getIndexAttr(1));
    steps.back() = b.getIndexAttr(kRowsPerIteration);
    // A slice of the last two dimensions, or of all.
    auto sliceOf = [&](OpBuilder &builder, Value tensor,
                       ArrayRef<OpFoldResult> offsets,
                       ArrayRef<OpFoldResult> sizes, bool isMatrix) -> Value {
      SmallVector<OpFoldResult> kept(sizes.drop_front(isMatrix ? rank - 2 : 0));
      auto [shape, dynamic] = decomposeMixedValues(kept);
      SmallVector<OpFoldResult> ones(rank, builder.getIndexAttr(1));
      return tensor::ExtractSliceOp::create(
          builder, loc,
          RankedTensorType::get(shape, getElementTypeOrSelf(tensor)), tensor,
          offsets, sizes, ones);
    };
    auto rows = [&](OpBuilder &nested, Location, ValueRange args) {
      OpFoldResult zero = nested.getIndexAttr(0);
      SmallVector<OpFoldResult> place = getAsOpFoldResult(args.drop_back()),
                                sizes(rank - 2, nested.getIndexAttr(1)),
                                ones(rank, nested.getIndexAttr(1));
      sizes.push_back(
          atMost(nested, loc, kRowsPerIteration, place.back(), dims[rank - 2]));
      place.push_back(zero);
      sizes.push_back(dims.back());
      Value part =
          sliceOf(nested, args.back(), place, sizes, /*isMatrix=*/false);
      auto columns = [&](OpBuilder &inner, Location, Value column,
                         ValueRange carried) {
        SmallVector<OpFoldResult> from(place), to(rank, zero), extent(sizes);
        from.back() = to.back() = column;
        extent.back() =
            atMost(inner, loc, kColumnsPerIteration, column, dims.back());
        Value window = sliceOf(inner, source, from, extent, /*isMatrix=*/true);
        Value target =
            sliceOf(inner, carried[0], to, extent, /*isMatrix=*/true);
        target = copyWidened(inner, loc, window, target);
        target = tensor::InsertSliceOp::create(inner, loc, target, carried[0],
                                               to, extent, ones);
        scf::YieldOp::create(inner, loc, target);
      };
      auto index = [&](OpFoldResult value) {
        return getValueOrCreateConstantIndexOp(nested, loc, value);
      };
      Value copied =
          scf::ForOp::create(nested, loc, index(zero), index(dims.back()),
                             index(nested.getIndexAttr(kColumnsPerIteration)),
                             part, columns)
              .getResult(0);
      auto done = scf::InParallelOp::create(nested, loc);
      nested.setInsertionPointToStart(done.getBody());
      tensor::ParallelInsertSliceOp::create(nested, loc, copied, args.back(),
                                            place, sizes, ones);
    };
    return scf::ForallOp::create(b, loc, begins, ends, steps, empty,
                                 /*mapping=*/std::nullopt, rows)
        .getResult(0);
  }
};
} // namespace

void sattn::readWidened(RewriterBase &rewriter, linalg::MatmulOp op,
                        Type packed) {
  auto tiles = op->getParentOfType<scf::ForallOp>();
  if (std::optional<LeftWindow> window = LeftWindow::find(op, tiles, packed))
    window->widen(rewriter, op, tiles);
}
