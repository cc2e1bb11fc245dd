//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Loops over tiles of linalg ops, and the sequential program of a tile: as
// sattn-tile writes them for ops of sattn, with the same kinds of slices and
// pads, so that the passes after it take both.

#include "sattn/Codegen/Common/BlockMapping.h"

#include "sattn/Codegen/Passes.h"
#include "sattn/Support/TileLoopAttributes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace sattn {
#define GEN_PASS_DEF_SATTNTILELINALG
#include "sattn/Codegen/Passes.h.inc"
} // namespace sattn

using namespace sattn;

/// Most rows and columns of a tile, and of its left operand's columns.
static constexpr int64_t kTileSize = 64;
/// Unit to which a tile's size along a short dimension is rounded up: rows of
/// MMA fragments.
static constexpr int64_t kTileAlignment = 16;

static bool isTaken(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isF16() || element.isBF16() || element.isF32();
}

/// Whether the body is out + lhs * rhs, perhaps of widened elements.
static bool isMultiplyAdd(linalg::LinalgOp op) {
  return linalg::isaContractionOpInterface(op) &&
         op.getNumReductionLoops() == 1 &&
         llvm::all_of(op.getBlock()->without_terminator(), [](Operation &op) {
           return isa<arith::MulFOp, arith::AddFOp, arith::ExtFOp>(op);
         });
}

/// The loop of a dimension; nothing for the constant 0 of a dimension of size
/// 1.
static std::optional<unsigned> getLoop(AffineExpr expr) {
  auto dim = dyn_cast<AffineDimExpr>(expr);
  return dim ? std::optional<unsigned>(dim.getPosition()) : std::nullopt;
}

/// Whether each dimension follows a loop of its own, or is the first element.
static bool isWindowed(AffineMap map) {
  return map.isProjectedPermutation(/*allowZeroInResults=*/true);
}

/// How an op is computed tile by tile.
enum class Form {
  Elementwise,
  /// The sum of matrix products.
  Product,
  /// Sums of products along rows: rowsum(A * B).
  RowSum
};

/// How the sum of products of an op's two inputs is computed; nothing if it is
/// neither a matrix product nor one of rows.
static std::optional<Form> findSumForm(linalg::LinalgOp op) {
  OpOperand *init = op.getDpsInitOperand(0);
  AffineMap result = op.getMatchingIndexingMap(init);
  unsigned rank = result.getNumResults();
  if (op.getNumLoops() != rank + 1 || op.getNumDpsInputs() != 2)
    return std::nullopt;
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  auto has = [&](unsigned input, unsigned loop) {
    return op.getMatchingIndexingMap(op.getDpsInputOperand(input))
        .isFunctionOfDim(loop);
  };
  if (!has(0, reduced.front()) || !has(1, reduced.front()))
    return std::nullopt;
  unsigned column = result.getDimPosition(rank - 1);
  if (has(0, column) && has(1, column))
    return Form::RowSum;
  if (rank < 2)
    return std::nullopt;
  unsigned row = result.getDimPosition(rank - 2);
  for (unsigned left : {0, 1})
    if (has(left, row) && !has(1 - left, row) && !has(left, column) &&
        has(1 - left, column))
      return Form::Product;
  return std::nullopt;
}

static bool canBeTiled(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      op->getNumResults() != 1)
    return false;
  bool isElementwise = op.getNumReductionLoops() == 0;
  OpOperand *init = op.getDpsInitOperand(0);
  int64_t rank = op.getRank(init);
  if (rank < 1 || rank > kMaxBlockLoops ||
      !op.getMatchingIndexingMap(init).isProjectedPermutation() ||
      llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
        Type element = getElementTypeOrSelf(operand.get().getType());
        return (!isTaken(element) &&
                !(isElementwise && element.isSignlessInteger(32))) ||
               !isWindowed(op.getMatchingIndexingMap(&operand));
      }))
    return false;
  if (isElementwise)
    return op.getNumLoops() == static_cast<unsigned>(rank);
  return isMultiplyAdd(op) && findSumForm(op);
}

namespace {
/// Tiles one op whose loops are the dimensions of its result, in their order,
/// perhaps with a reduction as the last loop.
class LinalgTiler {
public:
  LinalgTiler(RewriterBase &b, linalg::GenericOp op, bool allowTF32)
      : b(b), op(op), loc(op.getLoc()), allowTF32(allowTF32),
        init(op.getDpsInitOperand(0)),
        outType(cast<RankedTensorType>(init->get().getType())),
        rank(outType.getRank()),
        form(op.getNumReductionLoops() == 0 ? Form::Elementwise
                                            : *findSumForm(op)),
        firstTileLoop(form == Form::RowSum ? rank - 1 : rank - 2) {}

  void run() {
    b.setInsertionPoint(op);
    SmallVector<OpFoldResult> zeros(rank, b.getIndexAttr(0)), steps;
    for (int64_t dim = 0; dim < rank; ++dim) {
      extents.push_back(isTileLoop(dim) ? chooseExtent(outType, dim) : 1);
      steps.push_back(b.getIndexAttr(extents.back()));
    }
    bool isSum = form != Form::Elementwise;
    Value target = init->get();
    if (auto fill = target.getDefiningOp<linalg::FillOp>();
        isSum && fill && matchPattern(fill.value(), m_AnyZeroFloat())) {
      // Zeros need not be written to be added to.
      target = fill.getOutputs().front();
      isAdded = false;
    }
    // The sizes of the target: an op that fills the init with zeros is dead
    // then.
    SmallVector<OpFoldResult> bounds = tensor::getMixedSizes(b, loc, target);
    if (isSum)
      extents.push_back(chooseDepth());
    auto loop = scf::ForallOp::create(
        b, loc, zeros, bounds, steps, ValueRange{target},
        b.getArrayAttr(blockMapping(b.getContext(), rank)));
    // Not on the contraction's own loop, which goes away if it has one step.
    if (form == Form::Product && allowTF32)
      loop->setAttr(kTF32AttrName, b.getUnitAttr());
    b.setInsertionPointToStart(loop.getBody());
    for (auto [dim, index] : llvm::enumerate(loop.getInductionVars()))
      // The only tile along a dimension begins where the dimension does.
      offsets.push_back(isWhole(dim) ? OpFoldResult(b.getIndexAttr(0))
                                     : OpFoldResult(index));
    destination = loop.getRegionIterArgs().front();
    Value tile = form == Form::Elementwise ? createElementwise()
                 : form == Form::Product   ? createProduct()
                                           : createRowSum();
    writeBack(loop, tile);
    sinkScalars(loop);
    b.replaceOp(op, loop.getResults());
  }

private:
  RewriterBase &b;
  linalg::GenericOp op;
  Location loc;
  bool allowTF32;
  OpOperand *init;
  RankedTensorType outType;
  int64_t rank;
  Form form;
  /// The first of the loops that are the tile's own dimensions.
  int64_t firstTileLoop;
  /// Whether the init is read.
  bool isAdded = true;
  /// Sizes of a tile along each loop, and where it begins.
  SmallVector<int64_t> extents;
  SmallVector<OpFoldResult> offsets;
  /// The loop's result, as its body has it.
  Value destination;

  static int64_t chooseExtent(RankedTensorType type, int64_t dim) {
    int64_t size = type.getDimSize(dim);
    if (ShapedType::isDynamic(size))
      return kTileSize;
    return std::clamp<int64_t>(llvm::alignTo(size, kTileAlignment),
                               kTileAlignment, kTileSize);
  }

  /// Whether one tile has all of a loop's range.
  bool isWhole(int64_t dim) {
    return !outType.isDynamicDim(dim) &&
           outType.getDimSize(dim) <= extents[dim];
  }

  int64_t chooseDepth() {
    int64_t depth = kTileSize;
    for (OpOperand *operand : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(operand);
      if (std::optional<unsigned> dim =
              map.getResultPosition(b.getAffineDimExpr(rank)))
        depth = std::min(
            depth, chooseExtent(
                       cast<RankedTensorType>(operand->get().getType()), *dim));
    }
    return depth;
  }

  /// Whether a loop is one of the tile's own dimensions.
  bool isTileLoop(unsigned loop) {
    return static_cast<int64_t>(loop) >= firstTileLoop;
  }

  /// The part of a tile inside a dimension of `source`, in terms of that
  /// operand's own size, which proves that its reads end where it ends.
  OpFoldResult insideOf(Value source, int64_t dim, OpFoldResult offset,
                        int64_t extent) {
    int64_t size = cast<RankedTensorType>(source.getType()).getDimSize(dim);
    if (!ShapedType::isDynamic(size) && size % extent == 0)
      return b.getIndexAttr(extent);
    AffineExpr d0 = b.getAffineDimExpr(0), s0 = b.getAffineSymbolExpr(0);
    auto map = AffineMap::get(1, 1, {s0 - d0, b.getAffineConstantExpr(extent)},
                              b.getContext());
    return affine::makeComposedFoldedAffineMin(
        b, loc, map, {offset, tensor::getMixedSize(b, loc, source, dim)});
  }

  /// The part of an operand that the tile needs, without batches, padded to the
  /// tile's size, in the order of the operand's own dimensions. A single
  /// element is a scalar. `loops` gets the loops of its dimensions.
  Value window(Value source, AffineMap map, SmallVectorImpl<unsigned> &loops) {
    auto type = dyn_cast<RankedTensorType>(source.getType());
    if (!type)
      return source;
    SmallVector<OpFoldResult> starts, sizes, high;
    SmallVector<int64_t> shape, padded;
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      std::optional<unsigned> from = getLoop(expr);
      starts.push_back(from ? offsets[*from] : OpFoldResult(b.getIndexAttr(0)));
      if (!from || !isTileLoop(*from)) {
        sizes.push_back(b.getIndexAttr(1));
        continue;
      }
      loops.push_back(*from);
      int64_t extent = extents[*from];
      sizes.push_back(insideOf(source, dim, starts.back(), extent));
      shape.push_back(
          getConstantIntValue(sizes.back()).value_or(ShapedType::kDynamic));
      padded.push_back(extent);
      high.push_back(affine::makeComposedFoldedAffineApply(
          b, loc, extent - b.getAffineDimExpr(0), {sizes.back()}));
    }
    if (loops.empty())
      return tensor::ExtractOp::create(
          b, loc, source, getValueOrCreateConstantIndexOp(b, loc, starts));
    SmallVector<OpFoldResult> ones(type.getRank(), b.getIndexAttr(1));
    Value slice = tensor::ExtractSliceOp::create(
        b, loc, RankedTensorType::get(shape, type.getElementType()), source,
        starts, sizes, ones);
    if (shape == padded)
      return slice;
    SmallVector<OpFoldResult> low(high.size(), b.getIndexAttr(0));
    Value zero =
        arith::ConstantOp::create(b, loc, b.getZeroAttr(type.getElementType()));
    return tensor::PadOp::create(
        b, loc, RankedTensorType::get(padded, type.getElementType()), slice,
        low, high, zero);
  }

  /// The tile's dimension of a loop: rows, columns.
  AffineExpr tileDim(unsigned loop) {
    return b.getAffineDimExpr(loop - firstTileLoop);
  }

  /// A tile without values, with the tile's dimensions of the result.
  Value emptyTile(Type element) {
    return tensor::EmptyOp::create(
        b, loc, ArrayRef(extents).slice(firstTileLoop, rank - firstTileLoop),
        element);
  }

  /// Creates the op itself on a tile.
  Value createElementwise() {
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    constexpr int64_t tileRank = 2;
    auto add = [&](Value source, AffineMap map) {
      SmallVector<unsigned> loops;
      inputs.push_back(window(source, map, loops));
      SmallVector<AffineExpr> exprs;
      for (unsigned loop : loops)
        exprs.push_back(tileDim(loop));
      maps.push_back(AffineMap::get(tileRank, 0, exprs, b.getContext()));
    };
    for (OpOperand *operand : op.getDpsInputOperands())
      add(operand->get(), op.getMatchingIndexingMap(operand));
    bool readsInit = op.payloadUsesValueFromOperand(init);
    if (readsInit)
      add(destination, op.getMatchingIndexingMap(init));
    maps.push_back(b.getMultiDimIdentityMap(tileRank));
    SmallVector<utils::IteratorType> iterators(tileRank,
                                               utils::IteratorType::parallel);
    Value empty = emptyTile(outType.getElementType());
    auto tile = linalg::GenericOp::create(b, loc, empty.getType(), inputs,
                                          empty, maps, iterators);
    b.cloneRegionBefore(op.getRegion(), tile.getRegion(),
                        tile.getRegion().begin());
    if (readsInit) {
      BlockArgument old = tile.getBody()->getArguments().back();
      tile.getBody()->addArgument(old.getType(), old.getLoc());
    }
    OpBuilder::InsertionGuard guard(b);
    shiftIndices(tile);
    hoistScalars(tile);
    clampExtractions(tile);
    return tile.getResult(0);
  }

  /// Shifts indices in the tile's body, which count from its first element.
  void shiftIndices(linalg::GenericOp tile) {
    for (auto index : llvm::make_early_inc_range(
             tile.getBody()->getOps<linalg::IndexOp>())) {
      unsigned loop = index.getDim();
      b.setInsertionPoint(tile);
      Value place = getValueOrCreateConstantIndexOp(b, loc, offsets[loop]);
      b.setInsertionPoint(index);
      if (isTileLoop(loop))
        place = arith::AddIOp::create(
            b, loc, place, linalg::IndexOp::create(b, loc, loop - (rank - 2)));
      b.replaceOp(index, place);
    }
  }

  /// Hoists computations that are the same for all elements of a tile out of
  /// it.
  static void hoistScalars(linalg::GenericOp tile) {
    Block *body = tile.getBody();
    for (Operation &op : llvm::make_early_inc_range(body->without_terminator()))
      if (isPure(&op) && !isa<linalg::IndexOp>(op) &&
          llvm::none_of(op.getOperands(), [&](Value operand) {
            return operand.getParentBlock() == body;
          }))
        op.moveBefore(tile);
  }

  /// Clamps reads of tensors: elements beyond the op's, which pad the tile, are
  /// computed too, and must not read beyond a tensor.
  void clampExtractions(linalg::GenericOp tile) {
    for (auto extract : tile.getBody()->getOps<tensor::ExtractOp>())
      for (OpOperand &index : extract.getIndicesMutable()) {
        b.setInsertionPoint(tile);
        int64_t dim = index.getOperandNumber() - 1;
        Value zero = arith::ConstantIndexOp::create(b, loc, 0);
        Value last = getValueOrCreateConstantIndexOp(
            b, loc,
            affine::makeComposedFoldedAffineApply(
                b, loc, b.getAffineDimExpr(0) - 1,
                {tensor::getMixedSize(b, loc, extract.getTensor(), dim)}));
        b.setInsertionPoint(extract);
        Value clamped = arith::MinSIOp::create(b, loc, index.get(), last);
        index.set(arith::MaxSIOp::create(b, loc, clamped, zero));
      }
  }

  /// Moves scalars that follow from elements of tensors into the loop: its
  /// kernel can read memory, the host cannot.
  void sinkScalars(scf::ForallOp loop) {
    SetVector<Value> captured;
    getUsedValuesDefinedAbove(loop.getRegion(), captured);
    BackwardSliceOptions options;
    options.inclusive = true;
    options.filter = [](Operation *op) {
      return isPure(op) && op->getNumRegions() == 0 &&
             op->getNumResults() == 1 &&
             op->getResult(0).getType().isIntOrIndexOrFloat();
    };
    IRMapping inLoop;
    b.setInsertionPointToStart(loop.getBody());
    for (Value value : captured) {
      SetVector<Operation *> slice;
      if (!value.getDefiningOp() || !options.filter(value.getDefiningOp()) ||
          failed(getBackwardSlice(value, &slice, options)) ||
          llvm::none_of(slice, llvm::IsaPred<tensor::ExtractOp>))
        continue;
      for (Operation *op : slice)
        if (!inLoop.contains(op->getResult(0)))
          b.clone(*op, inLoop);
      replaceAllUsesInRegionWith(value, inLoop.lookup(value), loop.getRegion());
    }
  }

  /// Creates the sum, added to the old content if that is read, rounded once.
  Value createEpilogue(Value sum) {
    unsigned dims = rank - firstTileLoop;
    AffineMap identity = b.getMultiDimIdentityMap(dims);
    SmallVector<Value> inputs = {sum};
    SmallVector<AffineMap> maps(isAdded ? 3 : 2, identity);
    if (isAdded) {
      SmallVector<unsigned> loops;
      inputs.push_back(
          window(destination, op.getMatchingIndexingMap(init), loops));
    }
    SmallVector<utils::IteratorType> iterators(dims,
                                               utils::IteratorType::parallel);
    Type element = outType.getElementType();
    Value empty = emptyTile(element);
    return linalg::GenericOp::create(
               b, loc, empty.getType(), inputs, empty, maps, iterators,
               [&](OpBuilder &nested, Location loc, ValueRange args) {
                 Value value = args[0];
                 if (isAdded) {
                   Value old = args[1];
                   if (!element.isF32())
                     old = arith::ExtFOp::create(nested, loc,
                                                 nested.getF32Type(), old);
                   value = arith::AddFOp::create(nested, loc, old, value);
                 }
                 if (!element.isF32())
                   value = arith::TruncFOp::create(nested, loc, element, value);
                 linalg::YieldOp::create(nested, loc, value);
               })
        .getResult(0);
  }

  /// A window of two dimensions with those of `first` first.
  Value matrixWindow(OpOperand *operand, unsigned first) {
    SmallVector<unsigned> loops;
    Value tile =
        window(operand->get(), op.getMatchingIndexingMap(operand), loops);
    if (loops.front() == first)
      return tile;
    auto type = cast<RankedTensorType>(tile.getType());
    Value empty = tensor::EmptyOp::create(
        b, loc, {type.getDimSize(1), type.getDimSize(0)},
        type.getElementType());
    return linalg::TransposeOp::create(b, loc, tile, empty,
                                       ArrayRef<int64_t>{1, 0})
        ->getResult(0);
  }

  /// Creates the sum along the reduction, in f32: `add` adds each step of `lhs`
  /// to the sum before.
  Value createSum(OpOperand *lhs, llvm::function_ref<Value(Value sum)> add) {
    Value zeroElement = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
    Value zeros =
        linalg::FillOp::create(b, loc, zeroElement, emptyTile(b.getF32Type()))
            .getResult(0);
    unsigned dim = *op.getMatchingIndexingMap(lhs).getResultPosition(
        b.getAffineDimExpr(rank));
    int64_t depth = extents[rank];
    AffineExpr s0 = b.getAffineSymbolExpr(0);
    OpFoldResult steps = affine::makeComposedFoldedAffineApply(
        b, loc, s0.ceilDiv(depth),
        {tensor::getMixedSize(b, loc, lhs->get(), dim)});
    Value zero = arith::ConstantIndexOp::create(b, loc, 0);
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    auto loop = scf::ForOp::create(
        b, loc, zero, getValueOrCreateConstantIndexOp(b, loc, steps), one,
        ValueRange{zeros});
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      offsets.push_back(affine::makeComposedFoldedAffineApply(
          b, loc, b.getAffineDimExpr(0) * depth, {loop.getInductionVar()}));
      scf::YieldOp::create(b, loc, add(loop.getRegionIterArgs().front()));
      offsets.pop_back();
    }
    return createEpilogue(loop.getResult(0));
  }

  Value createProduct() {
    unsigned row = rank - 2, reduced = rank;
    OpOperand *lhs = op.getDpsInputOperand(0), *rhs = op.getDpsInputOperand(1);
    if (!op.getMatchingIndexingMap(lhs).isFunctionOfDim(row))
      std::swap(lhs, rhs);
    return createSum(lhs, [&](Value sum) {
      Value left = matrixWindow(lhs, row), right = matrixWindow(rhs, reduced);
      return linalg::MatmulOp::create(b, loc, ValueRange{left, right},
                                      ValueRange{sum})
          .getResult(0);
    });
  }

  /// Creates the sums of rows of both factors, multiplied element by element.
  Value createRowSum() {
    return createSum(op.getDpsInputOperand(0), [&](Value sum) {
      SmallVector<Value> inputs;
      SmallVector<AffineMap> maps;
      for (OpOperand *operand : op.getDpsInputOperands()) {
        SmallVector<unsigned> loops;
        inputs.push_back(
            window(operand->get(), op.getMatchingIndexingMap(operand), loops));
        SmallVector<AffineExpr> exprs;
        for (unsigned loop : loops)
          exprs.push_back(tileDim(loop));
        maps.push_back(AffineMap::get(2, 0, exprs, b.getContext()));
      }
      maps.push_back(AffineMap::get(2, 0, b.getAffineDimExpr(0)));
      return linalg::GenericOp::create(
                 b, loc, sum.getType(), inputs, sum, maps,
                 ArrayRef{utils::IteratorType::parallel,
                          utils::IteratorType::reduction},
                 [](OpBuilder &nested, Location loc, ValueRange args) {
                   SmallVector<Value> factors(args.take_front(2));
                   for (Value &factor : factors)
                     if (!factor.getType().isF32())
                       factor = arith::ExtFOp::create(
                           nested, loc, nested.getF32Type(), factor);
                   Value product = arith::MulFOp::create(
                       nested, loc, factors[0], factors[1]);
                   linalg::YieldOp::create(nested, loc,
                                           ValueRange{arith::AddFOp::create(
                                               nested, loc, args[2], product)});
                 })
          .getResult(0);
    });
  }

  /// Writes the tile, clipped, to its place in the loop's result.
  void writeBack(scf::ForallOp loop, Value tile) {
    SmallVector<OpFoldResult> sizes, ones(rank, b.getIndexAttr(1)),
        zeros(rank, b.getIndexAttr(0));
    for (int64_t dim = 0; dim < rank; ++dim)
      sizes.push_back(extents[dim] == 1 ? OpFoldResult(b.getIndexAttr(1))
                                        : insideOf(destination, dim,
                                                   offsets[dim], extents[dim]));
    Value slice = tensor::ExtractSliceOp::create(b, loc, destination, offsets,
                                                 sizes, ones);
    int64_t tileRank = cast<RankedTensorType>(tile.getType()).getRank();
    ArrayRef<OpFoldResult> tileSizes = ArrayRef(sizes).take_back(tileRank);
    if (llvm::any_of(
            tileSizes,
            [](OpFoldResult size) { return !getConstantIntValue(size); }) ||
        *getConstantIntValues(tileSizes) !=
            cast<RankedTensorType>(tile.getType()).getShape())
      tile = tensor::ExtractSliceOp::create(
          b, loc, tile, ArrayRef(zeros).take_front(tileRank), tileSizes,
          ArrayRef(ones).take_front(tileRank));
    Value written =
        tensor::InsertSliceOp::create(b, loc, tile, slice, zeros, sizes, ones);
    b.setInsertionPointToEnd(loop.getTerminator().getBody());
    tensor::ParallelInsertSliceOp::create(b, loc, written, destination, offsets,
                                          sizes, ones);
  }
};

struct TileLinalgPass
    : public sattn::impl::SAttnTileLinalgBase<TileLinalgPass> {
  using SAttnTileLinalgBase::SAttnTileLinalgBase;

  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (!op->getParentOfType<scf::ForallOp>() && canBeTiled(op))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    // From the last: ops that became dead are not tiled.
    for (linalg::LinalgOp op : llvm::reverse(ops)) {
      if (isOpTriviallyDead(op)) {
        rewriter.eraseOp(op);
        continue;
      }
      FailureOr<linalg::GenericOp> generic = normalize(rewriter, op);
      if (failed(generic)) {
        op->emitOpError("could not be tiled");
        return signalPassFailure();
      }
      LinalgTiler(rewriter, *generic, precision == "tf32").run();
    }
  }

private:
  /// The op with loops in the order of its result's dimensions, of which there
  /// are at least two.
  static FailureOr<linalg::GenericOp> normalize(RewriterBase &rewriter,
                                                linalg::LinalgOp op) {
    rewriter.setInsertionPoint(op);
    auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
    if (!generic) {
      FailureOr<linalg::GenericOp> made =
          linalg::generalizeNamedOp(rewriter, op);
      if (failed(made))
        return failure();
      generic = *made;
    }
    SmallVector<unsigned> order;
    OpOperand *init = generic.getDpsInitOperand(0);
    for (AffineExpr expr : generic.getMatchingIndexingMap(init).getResults())
      order.push_back(cast<AffineDimExpr>(expr).getPosition());
    for (unsigned loop = 0; loop < generic.getNumLoops(); ++loop)
      if (!llvm::is_contained(order, loop))
        order.push_back(loop);
    if (!llvm::is_sorted(order)) {
      rewriter.setInsertionPoint(generic);
      FailureOr<linalg::GenericOp> ordered =
          linalg::interchangeGenericOp(rewriter, generic, order);
      if (failed(ordered))
        return failure();
      generic = *ordered;
    }
    if (generic.getNumLoops() == 1)
      generic = appendColumn(rewriter, generic);
    return generic;
  }

  /// An op on vectors as one on matrices of one column.
  static linalg::GenericOp appendColumn(RewriterBase &rewriter,
                                        linalg::GenericOp op) {
    Location loc = op.getLoc();
    rewriter.setInsertionPoint(op);
    Value init = op.getDpsInits()[0];
    auto type = cast<RankedTensorType>(init.getType());
    SmallVector<ReassociationIndices> groups = {{0, 1}};
    auto matrix =
        RankedTensorType::get({type.getDimSize(0), 1}, type.getElementType());
    init = tensor::ExpandShapeOp::create(
        rewriter, loc, matrix, init, groups,
        {tensor::getMixedSize(rewriter, loc, init, 0),
         OpFoldResult(rewriter.getIndexAttr(1))});
    SmallVector<AffineMap> maps;
    for (AffineMap map : op.getIndexingMapsArray())
      maps.push_back(AffineMap::get(2, 0, map.getResults(), op.getContext()));
    maps.back() = rewriter.getMultiDimIdentityMap(2);
    SmallVector<utils::IteratorType> iterators(2,
                                               utils::IteratorType::parallel);
    auto wide = linalg::GenericOp::create(rewriter, loc, matrix, op.getInputs(),
                                          init, maps, iterators);
    rewriter.inlineRegionBefore(op.getRegion(), wide.getRegion(),
                                wide.getRegion().begin());
    rewriter.setInsertionPointAfter(wide);
    if (!llvm::all_of(op->getUsers(), [](Operation *user) {
          return isa<func::ReturnOp>(user);
        })) {
      rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(
          op, type, wide.getResult(0), groups);
      return wide;
    }
    // Returned tensors are in the caller's memory, whose strides are unknown: a
    // reshape would copy them.
    OpFoldResult zero = rewriter.getIndexAttr(0),
                 one = rewriter.getIndexAttr(1);
    rewriter.replaceOpWithNewOp<tensor::ExtractSliceOp>(
        op, type, wide.getResult(0), ArrayRef<OpFoldResult>{zero, zero},
        ArrayRef<OpFoldResult>{
            tensor::getMixedSize(rewriter, loc, wide.getResult(0), 0), one},
        ArrayRef<OpFoldResult>{one, one});
    return wide;
  }
};
} // namespace
