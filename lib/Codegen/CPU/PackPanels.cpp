//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackOperands.h"
#include "PackTile.h"
#include "RegisterTileSizes.h"
#include "WidenLeft.h"
#include "WindowLoop.h"

#include "sattn/Codegen/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace sattn;

namespace sattn {
#define GEN_PASS_DEF_SATTNCPUPACKPANELS
#include "sattn/Codegen/Passes.h.inc"
} // namespace sattn

/// Rows of the tensor that one iteration of the packing loop copies; of a
/// transposed one, cache lines.
static constexpr int64_t kRowsPerIteration = 8;
static constexpr int64_t kTransposedRowsPerIteration = 32;

/// Products of bytes that are added up in f32: no more than those of which each
/// sum is exact, 2^24 of 2^14, and so many that adding their sum to i32 costs
/// less than f32 gains.
static constexpr int64_t kLeastOfFloats = 64, kMostOfFloats = 1 << 10;

static bool isMultiple(OpFoldResult index, int64_t factor, scf::ForallOp tiles);

/// Whether each term of a sum is a multiple of `factor`.
static bool isMultiple(AffineExpr expr, affine::AffineApplyOp op,
                       int64_t factor, scf::ForallOp tiles) {
  if (expr.isMultipleOf(factor))
    return true;
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return isMultiple(op.getDimOperands()[dim.getPosition()], factor, tiles);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return isMultiple(op.getSymbolOperands()[symbol.getPosition()], factor,
                      tiles);
  auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
  return sum && sum.getKind() == AffineExprKind::Add &&
         isMultiple(sum.getLHS(), op, factor, tiles) &&
         isMultiple(sum.getRHS(), op, factor, tiles);
}

/// Whether an index is a multiple of `factor`: as a constant, as a count of the
/// loop's tiles, or as a sum of multiples, such as the place of a block whose
/// number is read from memory.
static bool isMultiple(OpFoldResult index, int64_t factor,
                       scf::ForallOp tiles) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return *constant % factor == 0;
  if (auto sum = cast<Value>(index).getDefiningOp<affine::AffineApplyOp>())
    return isMultiple(sum.getAffineMap().getResult(0), sum, factor, tiles);
  std::optional<unsigned> counter = findCounter(index, tiles);
  if (!counter)
    return false;
  std::optional<int64_t> step =
      getConstantIntValue(tiles.getMixedStep()[*counter]);
  return isZeroInteger(tiles.getMixedLowerBound()[*counter]) && step &&
         *step % factor == 0;
}

/// Whether `offset` plus the value of `expr` is the size of a dimension.
static bool reachesEnd(AffineExpr expr, AffineMap map, ValueRange operands,
                       OpFoldResult offset, Value tensor, int64_t dimension) {
  auto type = cast<RankedTensorType>(tensor.getType());
  MLIRContext *context = tensor.getContext();
  // d0 is the offset, d1 the size of the dimension, d2 anything else.
  AffineExpr begin = getAffineDimExpr(0, context);
  if (std::optional<int64_t> constant = getConstantIntValue(offset))
    begin = getAffineConstantExpr(*constant, context);
  AffineExpr end =
      type.isDynamicDim(dimension)
          ? getAffineDimExpr(1, context)
          : getAffineConstantExpr(type.getDimSize(dimension), context);
  auto replacement = [&](Value operand) {
    if (OpFoldResult(operand) == offset)
      return begin;
    auto dim = operand.getDefiningOp<tensor::DimOp>();
    if (dim && dim.getSource() == tensor &&
        dim.getConstantIndex() == std::optional<int64_t>(dimension))
      return end;
    return getAffineDimExpr(2, context);
  };
  SmallVector<AffineExpr> replacements =
      llvm::map_to_vector(operands, replacement);
  unsigned numDims = map.getNumDims();
  expr = expr.replaceDimsAndSymbols(ArrayRef(replacements).take_front(numDims),
                                    ArrayRef(replacements).drop_front(numDims));
  return simplifyAffineExpr(begin + expr - end, 3, 0) == 0;
}

/// Whether `size` elements from `offset` on are `width`, or end where the
/// dimension of the tensor does.
static bool isClippedByTensor(OpFoldResult size, OpFoldResult offset,
                              Value tensor, int64_t dimension, int64_t width) {
  MLIRContext *context = tensor.getContext();
  auto isEnough = [&](AffineExpr expr, AffineMap map, ValueRange operands) {
    auto constant = dyn_cast<AffineConstantExpr>(expr);
    return (constant && constant.getValue() >= width) ||
           reachesEnd(expr, map, operands, offset, tensor, dimension);
  };
  if (std::optional<int64_t> constant = getConstantIntValue(size)) {
    AffineMap map = AffineMap::getConstantMap(*constant, context);
    return isEnough(map.getResult(0), map, {});
  }
  Value value = cast<Value>(size);
  if (auto min = value.getDefiningOp<affine::AffineMinOp>())
    return llvm::all_of(min.getMap().getResults(), [&](AffineExpr expr) {
      return isEnough(expr, min.getMap(), min.getOperands());
    });
  AffineMap map = AffineMap::getMultiDimIdentityMap(1, context);
  return isEnough(map.getResult(0), map, value);
}

namespace {
/// A tensor of matrices that are packed, from outside the loop over tiles.
struct PanelSource {
  Value tensor;
  /// Whether its columns are the rows that are packed.
  bool isTransposed = false;

  /// Sizes or offsets of the tensor's dimensions, the last two of them in the
  /// order of what is packed: rows, columns. It is its own inverse.
  SmallVector<OpFoldResult> orient(SmallVector<OpFoldResult> ofDims) const {
    if (isTransposed)
      std::swap(ofDims.end()[-2], ofDims.end()[-1]);
    return ofDims;
  }

  SmallVector<OpFoldResult> sizes(OpBuilder &b, Location loc) const {
    return orient(tensor::getMixedSizes(b, loc, tensor));
  }
};

/// A window of such a tensor, as a tile takes it.
struct Window {
  tensor::ExtractSliceOp slice;
  bool isTransposed = false;
  /// The most rows that it has.
  int64_t depth = 0;

  explicit operator bool() const { return static_cast<bool>(slice); }

  PanelSource source() { return {slice.getSource(), isTransposed}; }

  SmallVector<OpFoldResult> offsets() {
    return source().orient(slice.getMixedOffsets());
  }
  OpFoldResult height() {
    return source().orient(slice.getMixedSizes()).end()[-2];
  }
};
} // namespace

/// The right operand as a window of columns of a tensor from outside the loop
/// over tiles: its rows are padded with zeros at that tensor's end, and it
/// begins at a multiple of its width. No window if it is none of these.
static Window findWindow(Value right, scf::ForallOp tiles) {
  auto type = cast<RankedTensorType>(right.getType());
  if (type.isDynamicDim(1) || type.getDimSize(1) == 0)
    return {};
  Window window;
  if (linalg::TransposeOp transpose = findTranspose(right)) {
    window.isTransposed = true;
    right = transpose.getInput();
  }
  if (auto pad = right.getDefiningOp<tensor::PadOp>()) {
    Value zero = pad.getConstantPaddingValue();
    if (!zero ||
        !(matchPattern(zero, m_AnyZeroFloat()) ||
          matchPattern(zero, m_Zero())) ||
        !pad.hasZeroLowPad() ||
        !isZeroInteger(pad.getMixedHighPad()[window.isTransposed ? 1 : 0]))
      return {};
    right = pad.getSource();
  }
  window.slice = right.getDefiningOp<tensor::ExtractSliceOp>();
  tensor::ExtractSliceOp slice = window.slice;
  if (!slice || !tiles.isDefinedOutsideOfLoop(slice.getSource()) ||
      !slice.hasUnitStride())
    return {};
  int64_t leading = slice.getSourceType().getRank() - 2;
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  if (static_cast<int64_t>(dropped.count()) != leading ||
      dropped.find_last() >= leading)
    return {};
  int64_t dimension = leading + (window.isTransposed ? 0 : 1);
  OpFoldResult offset = slice.getMixedOffsets()[dimension];
  if (!isMultiple(offset, type.getDimSize(1), tiles) ||
      !isClippedByTensor(slice.getMixedSizes()[dimension], offset,
                         slice.getSource(), dimension, type.getDimSize(1)))
    return {};
  std::optional<int64_t> depth = getBound(window.height());
  if (!depth)
    return {};
  window.depth = *depth;
  return window;
}

/// Sets the counters of the loop that an index is computed from.
static void setCounters(OpFoldResult index, scf::ForallOp tiles,
                        llvm::SmallBitVector &used) {
  if (std::optional<unsigned> counter = findCounter(index, tiles)) {
    used.set(*counter);
    return;
  }
  auto value = dyn_cast<Value>(index);
  auto apply = value ? value.getDefiningOp<affine::AffineApplyOp>()
                     : affine::AffineApplyOp();
  if (apply)
    for (Value operand : apply.getOperands())
      setCounters(operand, tiles, used);
}

/// Makes the given counters the outermost ones of the loop.
static void countFirst(RewriterBase &rewriter, scf::ForallOp tiles,
                       const llvm::SmallBitVector &counters) {
  SmallVector<unsigned> order(counters.set_bits());
  unsigned rank = tiles.getRank();
  for (unsigned i = 0; i < rank; ++i)
    if (!counters.test(i))
      order.push_back(i);
  if (llvm::is_sorted(order))
    return;
  SmallVector<OpFoldResult> begins, ends, steps;
  SmallVector<Attribute> mapping;
  for (unsigned i : order) {
    begins.push_back(tiles.getMixedLowerBound()[i]);
    ends.push_back(tiles.getMixedUpperBound()[i]);
    steps.push_back(tiles.getMixedStep()[i]);
    if (tiles.getMapping())
      mapping.push_back((*tiles.getMapping())[i]);
  }
  rewriter.setInsertionPoint(tiles);
  auto ordered = scf::ForallOp::create(
      rewriter, tiles.getLoc(), begins, ends, steps, tiles.getOutputs(),
      tiles.getMapping() ? std::optional(rewriter.getArrayAttr(mapping))
                         : std::nullopt);
  ordered->setDiscardableAttrs(tiles->getDiscardableAttrDictionary());
  ordered.getRegion().takeBody(tiles.getRegion());
  Block *body = ordered.getBody();
  for (unsigned i = 0; i < rank; ++i)
    body->insertArgument(i, rewriter.getIndexType(), tiles.getLoc());
  for (auto [i, old] : llvm::enumerate(order))
    rewriter.replaceAllUsesWith(body->getArgument(rank + old),
                                body->getArgument(i));
  body->eraseArguments(rank, rank);
  rewriter.replaceOp(tiles, ordered.getResults());
}

/// The loop that takes one window of the right operand after the other, along
/// its tensor's rows alone; none if the tile's columns change how often.
static std::optional<WindowLoop>
findWindowLoop(Window window, linalg::MatmulOp op, scf::ForallOp tiles) {
  std::optional<WindowLoop> windowLoop =
      WindowLoop::find(window.slice, op, tiles);
  if (!windowLoop)
    return std::nullopt;
  SmallVector<OpFoldResult> offsets = window.offsets();
  OpFoldResult row = offsets.end()[-2];
  offsets.erase(offsets.end() - 2);
  std::optional<unsigned> column = findCounter(offsets.back(), tiles);
  if (!llvm::all_of(
          offsets,
          [&](OpFoldResult offset) { return windowLoop->isFixed(offset); }) ||
      !windowLoop->addPlace(row) ||
      (column && windowLoop->counters.test(*column)))
    return std::nullopt;
  return windowLoop;
}

namespace {
struct CPUPackPanelsPass
    : public sattn::impl::SAttnCPUPackPanelsBase<CPUPackPanelsPass> {
  using SAttnCPUPackPanelsBase::SAttnCPUPackPanelsBase;

  LogicalResult initialize(MLIRContext *context) override {
    return sizes().verify(UnknownLoc::get(context));
  }

  void runOnOperation() override {
    if (failed(RegisterTileSizes::verifyHints(getOperation(), vectorBits)))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    orderTileProducts(rewriter, getOperation());
    for (linalg::MatmulOp op : findTileProducts(getOperation()))
      multiplyAsFloats(rewriter, op);
    moveFixedIndices();
    llvm::MapVector<scf::ForallOp, llvm::SmallBitVector> counters;
    for (linalg::MatmulOp op : findTileProducts(getOperation())) {
      auto tiles = op->getParentOfType<scf::ForallOp>();
      OpOperand *right = op.getDpsInputOperand(1);
      Type packed = getPackedType(op);
      Window window = packed ? findWindow(right->get(), tiles) : Window();
      if (!window)
        continue;
      llvm::SmallBitVector &used = counters[tiles];
      used.resize(tiles.getRank());
      for (OpFoldResult offset : window.offsets())
        if (std::optional<unsigned> counter = findCounter(offset, tiles))
          used.set(*counter);
      readPacked(rewriter, op, window, tiles, packed);
    }
    for (linalg::MatmulOp op : findTileProducts(getOperation()))
      if (Type packed = getPackedType(op))
        readWidened(rewriter, op, packed);
    for (linalg::MatmulOp op : findTileProducts(getOperation())) {
      Type packed = getPackedType(op);
      auto type = cast<RankedTensorType>(op.getResult(0).getType());
      if (!packed || type.isDynamicDim(1) || type.getDimSize(1) == 0)
        continue;
      RegisterTileSizes ofType = sizes(packed, op);
      int64_t columns = ofType.columns(type.getDimSize(1));
      auto tiles = op->getParentOfType<scf::ForallOp>();
      tensor::ExtractSliceOp repeated =
          packRightTile(rewriter, op, packed, columns, ofType.lanes(columns));
      llvm::SmallBitVector &used = counters[tiles];
      used.resize(tiles.getRank());
      if (repeated)
        for (OpFoldResult offset : repeated.getMixedOffsets())
          setCounters(offset, tiles, used);
    }
    for (auto &[tiles, used] : counters)
      countFirst(rewriter, tiles, used);
  }

private:
  RegisterTileSizes sizes(Type element = {}, Operation *op = nullptr) const {
    return {vectorBits, registerTile, element, op};
  }

  /// Multiplies bytes as f32, which has products and sums in one instruction,
  /// and adds up to i32 what is exact:
  ///   matmul %l, %r : i8, outs(%sum : i32)
  ///   -> %sum + fptosi (matmul %l, %r : i8, outs(%zeros : f32))
  static void multiplyAsFloats(RewriterBase &rewriter, linalg::MatmulOp op) {
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    auto isByte = [](Value operand) {
      return getElementTypeOrSelf(operand).isSignlessInteger(8);
    };
    if (!type.getElementType().isSignlessInteger(32) ||
        !type.hasStaticShape() || !llvm::all_of(op.getInputs(), isByte))
      return;
    std::optional<int64_t> depth = getLargestDepth(op);
    if (!depth || *depth < kLeastOfFloats || *depth > kMostOfFloats)
      return;
    Location loc = op.getLoc();
    rewriter.setInsertionPoint(op);
    Type f32 = rewriter.getF32Type();
    Value zero =
        arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(f32));
    Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(), f32);
    Value zeros =
        linalg::FillOp::create(rewriter, loc, zero, empty).getResult(0);
    Value product = linalg::MatmulOp::create(rewriter, loc, op.getInputs(),
                                             ValueRange{zeros})
                        .getResult(0);
    AffineMap identity = rewriter.getMultiDimIdentityMap(2);
    SmallVector<utils::IteratorType> iterators(2,
                                               utils::IteratorType::parallel);
    auto add = [](OpBuilder &b, Location at, ValueRange args) {
      Value whole = arith::FPToSIOp::create(b, at, args[1].getType(), args[0]);
      linalg::YieldOp::create(
          b, at, arith::AddIOp::create(b, at, args[1], whole).getResult());
    };
    rewriter.replaceOpWithNewOp<linalg::GenericOp>(
        op, op->getResultTypes(), product, op.getDpsInits()[0],
        ArrayRef<AffineMap>{identity, identity}, iterators, add);
  }

  /// The most elements of a row of the left operand.
  static std::optional<int64_t> getLargestDepth(linalg::MatmulOp op) {
    Value left = op.getInputs()[0];
    auto type = cast<RankedTensorType>(left.getType());
    if (!type.isDynamicDim(1))
      return type.getDimSize(1);
    auto slice = left.getDefiningOp<tensor::ExtractSliceOp>();
    if (!slice)
      return std::nullopt;
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    dropped.flip();
    return getBound(slice.getMixedSizes()[dropped.find_last()]);
  }

  /// Moves indices out of the loops in which they do not change, so that where
  /// they are computed says what they depend on.
  void moveFixedIndices() {
    getOperation().walk([](scf::ForOp loop) {
      if (!loop->getParentOfType<scf::ForallOp>())
        return;
      moveLoopInvariantCode(
          loop.getLoopRegions(),
          [&](Value value, Region *) {
            return loop.isDefinedOutsideOfLoop(value);
          },
          [](Operation *op, Region *) {
            return isa<affine::AffineApplyOp, affine::AffineMinOp>(op);
          },
          [&](Operation *op, Region *) { loop.moveOutOfLoop(op); });
    });
  }

  /// Makes `op` read the panels of a packed copy instead of `window`.
  void readPacked(RewriterBase &rewriter, linalg::MatmulOp op, Window window,
                  scf::ForallOp tiles, Type element) {
    auto type =
        cast<RankedTensorType>(op.getDpsInputOperand(1)->get().getType());
    int64_t depth = window.depth, width = type.getDimSize(1);
    int64_t columns = sizes(element, tiles).columns(width);
    Location loc = op.getLoc();
    std::optional<WindowLoop> windowLoop = findWindowLoop(window, op, tiles);
    rewriter.setInsertionPoint(tiles);
    Value isPacked;
    if (windowLoop)
      isPacked = isReadOften(rewriter, loc, *windowLoop, window, tiles, width);
    Value packed =
        pack(rewriter, loc, window.source(), element, width, columns, isPacked);

    rewriter.setInsertionPoint(op);
    SmallVector<OpFoldResult> offsets = window.offsets();
    OpFoldResult row = offsets.end()[-2];
    if (windowLoop)
      rewriter.setInsertionPoint(windowLoop->loop);
    offsets.end()[-2] = affine::makeComposedFoldedAffineApply(
        rewriter, loc, rewriter.getAffineDimExpr(0).floorDiv(columns),
        {offsets.back()});
    if (windowLoop) {
      packed = packTile(rewriter, loc, *windowLoop, window, packed, isPacked,
                        {depth, width, columns});
      for (OpFoldResult &offset : MutableArrayRef(offsets).drop_back())
        offset = selectIndex(rewriter, loc, isPacked, offset,
                             rewriter.getIndexAttr(0));
      rewriter.setInsertionPoint(op);
      row = selectIndex(rewriter, loc, isPacked, row,
                        getRowOfIteration(rewriter, loc, windowLoop->loop,
                                          windowLoop->loop.getInductionVar(),
                                          depth));
    }
    offsets.back() = row;
    offsets.push_back(rewriter.getIndexAttr(0));
    SmallVector<OpFoldResult> sliceSizes(offsets.size(),
                                         rewriter.getIndexAttr(1)),
        ones = sliceSizes;
    OpFoldResult height = window.height();
    SmallVector<int64_t> shape = {width / columns, staticSize(height), columns};
    llvm::copy(ArrayRef<OpFoldResult>{rewriter.getIndexAttr(shape[0]), height,
                                      rewriter.getIndexAttr(columns)},
               sliceSizes.end() - shape.size());
    Value panels = tensor::ExtractSliceOp::create(
        rewriter, loc, RankedTensorType::get(shape, element), packed, offsets,
        sliceSizes, ones);
    readPanels(rewriter, op, panels, {height, rewriter.getIndexAttr(width)},
               columns);
  }

  /// Whether the tiles of one column read the rows of the window's tensor often
  /// enough for a copy of all of it. False if they read none. Where no counter
  /// is the column, as where it is read from memory, tiles count for each
  /// alike.
  static Value isReadOften(OpBuilder &b, Location loc, WindowLoop &windowLoop,
                           Window window, scf::ForallOp tiles, int64_t width) {
    std::optional<unsigned> column =
        findCounter(window.offsets().back(), tiles);
    Value read = windowLoop.count(b, loc, tiles, column);
    Value rowsRead = arith::MulIOp::create(
        b, loc, read, arith::ConstantIndexOp::create(b, loc, window.depth));
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, loc, value);
    };
    SmallVector<OpFoldResult> dims = window.source().sizes(b, loc);
    Value rows = constant(1);
    auto times = [&](Value value, OpFoldResult size) -> Value {
      return arith::MulIOp::create(
          b, loc, value, getValueOrCreateConstantIndexOp(b, loc, size));
    };
    for (OpFoldResult dim : ArrayRef(dims).drop_back())
      rows = times(rows, dim);
    Value enough =
        times(rows, getReadsOfPacked(b, loc, times(rows, dims.back())));
    if (!column)
      enough = times(enough, affine::makeComposedFoldedAffineApply(
                                 b, loc, b.getAffineDimExpr(0).ceilDiv(width),
                                 {dims.back()}));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, rowsRead,
                                 enough);
  }

  /// The row of a tile's own copy at which the window of an iteration begins.
  static OpFoldResult getRowOfIteration(OpBuilder &b, Location loc,
                                        scf::ForOp loop, Value iteration,
                                        int64_t depth) {
    AffineExpr d0 = b.getAffineDimExpr(0), s0 = b.getAffineSymbolExpr(0);
    return affine::makeComposedFoldedAffineApply(
        b, loc, (d0 - s0) * depth, {iteration, loop.getLowerBound()});
  }

  struct TileShape {
    int64_t depth, width, columns;
  };

  /// `packed` or, if that has no rows, a copy of the windows of all iterations
  /// of this tile, one below the other.
  static Value packTile(OpBuilder &b, Location loc, WindowLoop &windowLoop,
                        Window window, Value packed, Value isPacked,
                        TileShape shape) {
    auto packedOnce = [&](OpBuilder &nested, Location) {
      scf::YieldOp::create(nested, loc, packed);
    };
    auto packedHere = [&](OpBuilder &nested, Location) {
      scf::YieldOp::create(nested, loc,
                           copyWindows(nested, loc, windowLoop, window,
                                       packed.getType(), shape));
    };
    return scf::IfOp::create(b, loc, isPacked, packedOnce, packedHere)
        .getResult(0);
  }

  static Value copyWindows(OpBuilder &b, Location loc, WindowLoop &windowLoop,
                           Window taken, Type type, TileShape shape) {
    PanelSource source = taken.source();
    scf::ForOp loop = windowLoop.loop;
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, loc, value);
    };
    auto asValue = [&](OpBuilder &builder, OpFoldResult value) {
      return getValueOrCreateConstantIndexOp(builder, loc, value);
    };
    int64_t panels = shape.width / shape.columns;
    int64_t leading = taken.slice.getSourceType().getRank() - 2;
    Value zero = constant(0), one = constant(1), numPanels = constant(panels);
    SmallVector<Value> lengths(leading, one);
    lengths.push_back(numPanels);
    lengths.push_back(asValue(
        b, getRowOfIteration(b, loc, loop, loop.getUpperBound(), shape.depth)));
    Value empty = tensor::EmptyOp::create(b, loc, type, lengths);
    SmallVector<OpFoldResult> dims = source.sizes(b, loc);
    OpFoldResult rowsOfSource = dims.end()[-2], end = dims.back();
    OpFoldResult first = affine::makeComposedFoldedAffineApply(
        b, loc, b.getAffineDimExpr(0).floorDiv(shape.columns),
        {taken.offsets().back()});

    auto copyIteration = [&](OpBuilder &nested, Location, Value iteration,
                             ValueRange carried) {
      IRMapping mapping = windowLoop.clonePlace(nested, iteration);
      SmallVector<OpFoldResult> place = taken.offsets();
      place.pop_back();
      if (auto value = dyn_cast<Value>(place.back()))
        place.back() = mapping.lookupOrDefault(value);
      OpFoldResult row =
          getRowOfIteration(nested, loc, loop, iteration, shape.depth);
      // The window does not pass the tensor's end. A minimum keeps its height
      // from being a constant, by which LLVM would unroll the copy: that
      // doubled the compile time at blocks of 16.
      OpFoldResult height = atMost(nested, loc, shape.depth,
                                   /*from=*/place.back(), /*to=*/rowsOfSource);
      auto copyRows = [&](OpBuilder &inner, Location, Value panel,
                          ValueRange target) {
        AffineExpr d0 = inner.getAffineDimExpr(0),
                   d1 = inner.getAffineDimExpr(1);
        OpFoldResult at = affine::makeComposedFoldedAffineApply(
            inner, loc, d0 + d1, {first, OpFoldResult(panel)});
        SmallVector<OpFoldResult> offsets(leading, inner.getIndexAttr(0)),
            sizes(leading + 1, inner.getIndexAttr(1)),
            ones(leading + 3, inner.getIndexAttr(1));
        offsets.append({panel, row, inner.getIndexAttr(0)});
        sizes.append({height, inner.getIndexAttr(shape.columns)});
        Value copy = tensor::ExtractSliceOp::create(
            inner, loc,
            RankedTensorType::get({staticSize(height), shape.columns},
                                  getElementTypeOrSelf(type)),
            target[0], offsets, sizes, ones);
        copy = CPUPackPanelsPass::copyPanel(inner, loc, source, place, height,
                                            end, asValue(inner, at),
                                            shape.columns, copy);
        copy = tensor::InsertSliceOp::create(inner, loc, copy, target[0],
                                             offsets, sizes, ones);
        scf::YieldOp::create(inner, loc, copy);
      };
      auto copied = scf::ForOp::create(nested, loc, zero, numPanels, one,
                                       carried[0], copyRows);
      scf::YieldOp::create(nested, loc, copied.getResult(0));
    };
    return scf::ForOp::create(b, loc, loop.getLowerBound(),
                              loop.getUpperBound(), one, empty, copyIteration)
        .getResult(0);
  }

  /// A copy of `source` in elements of that type: panels of `columns` columns,
  /// of as many as tiles of `width` reach, with zeros where the source ends.
  /// Without rows, and of dynamic sizes, where `condition` does not hold, if
  /// there is one.
  static Value pack(OpBuilder &b, Location loc, PanelSource source,
                    Type element, int64_t width, int64_t columns,
                    Value condition) {
    int64_t rowsPerIteration =
        source.isTransposed ? kTransposedRowsPerIteration : kRowsPerIteration;
    SmallVector<OpFoldResult> dims = source.sizes(b, loc);
    OpFoldResult rows = dims.end()[-2];
    OpFoldResult panels = affine::makeComposedFoldedAffineApply(
        b, loc, b.getAffineDimExpr(0).ceilDiv(width) * (width / columns),
        {dims.back()});
    SmallVector<OpFoldResult> packedSizes(dims.begin(), dims.end() - 2);
    OpFoldResult rowsPacked = rows;
    if (condition)
      rowsPacked = selectIndex(b, loc, condition, rows, b.getIndexAttr(0));
    packedSizes.append({panels, rowsPacked});
    if (condition)
      for (OpFoldResult &size : packedSizes)
        size = getValueOrCreateConstantIndexOp(b, loc, size);
    packedSizes.push_back(b.getIndexAttr(columns));
    Value empty = tensor::EmptyOp::create(b, loc, packedSizes, element);

    SmallVector<OpFoldResult> ends(dims.begin(), dims.end() - 2);
    ends.push_back(rowsPacked);
    SmallVector<OpFoldResult> begins(ends.size(), b.getIndexAttr(0)),
        steps(ends.size(), b.getIndexAttr(1));
    steps.back() = b.getIndexAttr(rowsPerIteration);
    auto body = [&](OpBuilder &nested, Location, ValueRange args) {
      SmallVector<OpFoldResult> place = getAsOpFoldResult(args.drop_back());
      Value target = args.back();
      OpFoldResult row = place.back(), zero = nested.getIndexAttr(0);
      OpFoldResult height = nested.getIndexAttr(rowsPerIteration);
      if (ShapedType::isDynamic(staticSize(rows)) ||
          staticSize(rows) % rowsPerIteration != 0)
        height =
            atMost(nested, loc, rowsPerIteration, /*from=*/row, /*to=*/rows);
      // The rows in all panels.
      SmallVector<OpFoldResult> offsets(place),
          sizes(place.size(), nested.getIndexAttr(1)),
          ones(place.size() + 2, nested.getIndexAttr(1));
      offsets.back() = zero;
      offsets.append({row, zero});
      sizes.back() = panels;
      sizes.append({height, nested.getIndexAttr(columns)});
      SmallVector<int64_t> shape = {staticSize(panels), staticSize(height),
                                    columns};
      // One panel has no slices: each would have all of the rows, and they
      // would fold to different forms.
      bool isOne = shape.front() == 1;
      auto partType = RankedTensorType::get(
          ArrayRef(shape).drop_front(isOne ? 1 : 0), element);
      Value part = tensor::ExtractSliceOp::create(nested, loc, partType, target,
                                                  offsets, sizes, ones);
      auto index = [&](OpFoldResult value) {
        return getValueOrCreateConstantIndexOp(nested, loc, value);
      };
      if (isOne) {
        part = copyPanel(nested, loc, source, place, height, dims.back(),
                         index(zero), columns, part);
      } else {
        auto copyRows = [&](OpBuilder &inner, Location, Value panel,
                            ValueRange carried) {
          SmallVector<OpFoldResult> panelOffsets = {panel, zero, zero},
                                    panelSizes(
                                        ArrayRef<OpFoldResult>(sizes).take_back(
                                            3)),
                                    panelOnes(3, inner.getIndexAttr(1));
          panelSizes[0] = inner.getIndexAttr(1);
          Value copy = tensor::ExtractSliceOp::create(
              inner, loc,
              RankedTensorType::get(ArrayRef(shape).drop_front(), element),
              carried[0], panelOffsets, panelSizes, panelOnes);
          copy = copyPanel(inner, loc, source, place, height, dims.back(),
                           panel, columns, copy);
          copy = tensor::InsertSliceOp::create(inner, loc, copy, carried[0],
                                               panelOffsets, panelSizes,
                                               panelOnes);
          scf::YieldOp::create(inner, loc, copy);
        };
        part = scf::ForOp::create(nested, loc, index(zero), index(panels),
                                  index(nested.getIndexAttr(1)), part, copyRows)
                   .getResult(0);
      }
      auto done = scf::InParallelOp::create(nested, loc);
      nested.setInsertionPointToStart(done.getBody());
      tensor::ParallelInsertSliceOp::create(nested, loc, part, target, offsets,
                                            sizes, ones);
    };
    return scf::ForallOp::create(b, loc, begins, ends, steps, empty,
                                 /*mapping=*/std::nullopt, body)
        .getResult(0);
  }

  static int64_t staticSize(OpFoldResult size) {
    return getConstantIntValue(size).value_or(ShapedType::kDynamic);
  }

  /// min(most, to - from)
  static OpFoldResult atMost(OpBuilder &b, Location loc, int64_t most,
                             OpFoldResult from, OpFoldResult to) {
    AffineExpr d0 = b.getAffineDimExpr(0), s0 = b.getAffineSymbolExpr(0);
    auto map = AffineMap::get(1, 1, {s0 - d0, b.getAffineConstantExpr(most)},
                              b.getContext());
    return affine::makeComposedFoldedAffineMin(b, loc, map, {from, to});
  }

  /// Copies `height` rows of `source`, from `place` on, into one panel of
  /// `columns` columns; zeros beyond `end`, where all of the panel may be.
  static Value copyPanel(OpBuilder &b, Location loc, PanelSource source,
                         ArrayRef<OpFoldResult> place, OpFoldResult height,
                         OpFoldResult end, Value panel, int64_t columns,
                         Value target) {
    Type element = getElementTypeOrSelf(source.tensor.getType());
    AffineExpr d0 = b.getAffineDimExpr(0), s0 = b.getAffineSymbolExpr(0);
    OpFoldResult column = affine::makeComposedFoldedAffineMin(
        b, loc, AffineMap::get(1, 1, {d0 * columns, s0}, b.getContext()),
        {panel, end});
    OpFoldResult inside = atMost(b, loc, columns, /*from=*/column, /*to=*/end);
    SmallVector<OpFoldResult> offsets(place),
        sizes(place.size() - 1, b.getIndexAttr(1)),
        ones(place.size() + 1, b.getIndexAttr(1));
    offsets.push_back(column);
    sizes.append({height, inside});
    SmallVector<OpFoldResult> shape = source.orient({height, inside});
    Value slice = tensor::ExtractSliceOp::create(
        b, loc,
        RankedTensorType::get({staticSize(shape[0]), staticSize(shape[1])},
                              element),
        source.tensor, source.orient(offsets), source.orient(sizes), ones);
    if (source.isTransposed)
      return copyTransposed(b, loc, slice, height, inside, columns, target);
    OpFoldResult zero = b.getIndexAttr(0);
    OpFoldResult high =
        affine::makeComposedFoldedAffineApply(b, loc, columns - d0, {inside});
    Value padding = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
    Value padded = tensor::PadOp::create(
        b, loc, RankedTensorType::get({staticSize(height), columns}, element),
        slice, ArrayRef<OpFoldResult>{zero, zero},
        ArrayRef<OpFoldResult>{zero, high}, padding);
    return copyWidened(b, loc, padded, target);
  }

  /// Copies a slice whose columns are the panel's rows, without a pad, which
  /// would have to be tested for each row of a square that registers transpose.
  static Value copyTransposed(OpBuilder &b, Location loc, Value slice,
                              OpFoldResult height, OpFoldResult inside,
                              int64_t columns, Value target) {
    if (!isConstantIntValue(inside, columns)) {
      auto keep = [&](OpBuilder &nested, Location) {
        scf::YieldOp::create(nested, loc, target);
      };
      auto clear = [&](OpBuilder &nested, Location) {
        Value zero = arith::ConstantOp::create(
            nested, loc, nested.getZeroAttr(getElementTypeOrSelf(target)));
        scf::YieldOp::create(
            nested, loc,
            linalg::FillOp::create(nested, loc, zero, target).getResults());
      };
      Value isFull = arith::CmpIOp::create(
          b, loc, arith::CmpIPredicate::eq,
          getValueOrCreateConstantIndexOp(b, loc, inside),
          arith::ConstantIndexOp::create(b, loc, columns));
      target = scf::IfOp::create(b, loc, isFull, keep, clear).getResult(0);
    }
    SmallVector<OpFoldResult> zeros(2, b.getIndexAttr(0)),
        ones(2, b.getIndexAttr(1)), sizes = {height, inside};
    Value part =
        tensor::ExtractSliceOp::create(b, loc, target, zeros, sizes, ones);
    part = copyWidened(b, loc, slice, part, /*isTransposed=*/true);
    return tensor::InsertSliceOp::create(b, loc, part, target, zeros, sizes,
                                         ones);
  }
};
} // namespace
