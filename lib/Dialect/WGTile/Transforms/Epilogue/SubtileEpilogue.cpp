//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/Analysis/IndexDifference.h"
#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Dialect/WGTile/Transforms/Epilogue/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/bit.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILESUBTILEEPILOGUE
#include "sattn/Dialect/WGTile/Transforms/Epilogue/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;

/// Rows of a tile above which subtiles that threads access element by element
/// are half as wide.
static constexpr int64_t kTallRows = 192;

/// Most bytes of a subtile's rows: more than any tile's.
static constexpr int64_t kMaxBytes = 1 << 20;

/// Whether an op, its regions included, only reads tiles from memory.
static bool onlyReads(Operation *op) {
  WalkResult walk = op->walk([](Operation *nested) {
    return isa<ReadOp, scf::IfOp>(nested) || isMemoryEffectFree(nested)
               ? WalkResult::advance()
               : WalkResult::interrupt();
  });
  return !walk.wasInterrupted();
}

/// The reads whose results do not change when they move after stores of other
/// columns, those in branches included.
static DenseSet<Operation *> findMovableReads(StoreOp store) {
  DenseSet<Operation *> reads;
  for (Operation *op = store->getPrevNode(); op && onlyReads(op);
       op = op->getPrevNode())
    op->walk([&](ReadOp read) {
      if (read.getSource() != store.getDest() ||
          (read.getTransposed() == store.getTransposed() &&
           areSameIndices(read.getIndices(), store.getIndices())))
        reads.insert(read);
    });
  return reads;
}

namespace {
/// Computes some columns of tiles again.
class ColumnSlicer {
public:
  ColumnSlicer(OpBuilder &b, StoreOp store,
               const DenseSet<Operation *> &movableReads, int64_t offset,
               int64_t columns)
      : b(b), store(store), movableReads(movableReads), offset(offset),
        columns(columns) {
    blocks.insert(store->getBlock());
  }

  Value slice(Value value) {
    if (Value known = slices.lookup(value))
      return known;
    Value result = compute(value);
    slices[value] = result;
    return result;
  }

  /// The indices of a subtile, given those of the tile, one of which runs along
  /// the tile's columns.
  SmallVector<Value> shift(ValueRange indices, unsigned column, Location loc) {
    SmallVector<Value> shifted(indices);
    if (offset != 0)
      shifted[column] = affine::makeComposedAffineApply(
          b, loc, b.getAffineDimExpr(0) + offset, {shifted[column]});
    return shifted;
  }

private:
  OpBuilder &b;
  StoreOp store;
  const DenseSet<Operation *> &movableReads;
  int64_t offset, columns;
  /// Columns of values, and whole values, as they are computed again. A vector
  /// of rows may be one of columns elsewhere, so that it has both.
  DenseMap<Value, Value> slices, wholes;
  /// The store's block, and those of the branches that are being sliced.
  DenseSet<Block *> blocks;

  RankedTensorType sliceType(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.back() = columns;
    return RankedTensorType::get(shape, type.getElementType());
  }

  /// A value that a subtile needs uncut: a value computed in a branch is
  /// computed in the cut branch again.
  Value unsliced(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() == store->getBlock() ||
        !blocks.contains(op->getBlock()))
      return value;
    if (Value known = wholes.lookup(value))
      return known;
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, unsliced(operand));
    Operation *clone = b.clone(*op, mapping);
    for (auto [from, to] : llvm::zip(op->getResults(), clone->getResults()))
      wholes[from] = to;
    return wholes.lookup(value);
  }

  /// A ramp's start, at the subtile's first column.
  Value startAtSlice(RampOp ramp) {
    Location loc = ramp.getLoc();
    Value start = unsliced(ramp.getStart()), slope = unsliced(ramp.getSlope());
    if (offset == 0)
      return start;
    Type type = slope.getType(), vector = start.getType();
    bool isFloat = type.isF32();
    Value columns = arith::ConstantOp::create(
        b, loc,
        isFloat ? TypedAttr(b.getF32FloatAttr(offset))
                : TypedAttr(b.getI32IntegerAttr(offset)));
    Value skipped = isFloat
                        ? b.createOrFold<arith::MulFOp>(loc, slope, columns)
                        : b.createOrFold<arith::MulIOp>(loc, slope, columns);
    skipped = tensor::SplatOp::create(b, loc, skipped,
                                      cast<RankedTensorType>(vector));
    if (isFloat)
      return arith::AddFOp::create(b, loc, start, skipped);
    return arith::AddIOp::create(b, loc, start, skipped);
  }

  /// Slices a branch: the same branch, on subtiles. Values computed in it stay
  /// in it.
  Value sliceBranch(scf::IfOp branch, RankedTensorType type) {
    OpBuilder::InsertionGuard guard(b);
    auto sliced = scf::IfOp::create(b, branch.getLoc(), type,
                                    unsliced(branch.getCondition()),
                                    /*addThenBlock=*/true,
                                    /*addElseBlock=*/true);
    for (auto [from, to] :
         {std::pair(branch.thenBlock(), sliced.thenBlock()),
          std::pair(branch.elseBlock(), sliced.elseBlock())}) {
      DenseMap<Value, Value> slicesOutside = slices, wholesOutside = wholes;
      blocks.insert(from);
      b.setInsertionPointToStart(to);
      Value tile = slice(from->getTerminator()->getOperand(0));
      scf::YieldOp::create(b, branch.getLoc(), tile);
      blocks.erase(from);
      slices = std::move(slicesOutside);
      wholes = std::move(wholesOutside);
    }
    return sliced.getResult(0);
  }

  Value compute(Value value) {
    Location loc = value.getLoc();
    Operation *op = value.getDefiningOp();
    RankedTensorType type = sliceType(value);
    if (op && blocks.contains(op->getBlock())) {
      if (auto branch = dyn_cast<scf::IfOp>(op);
          branch && branch.getNumResults() == 1)
        return sliceBranch(branch, type);
      if (auto read = dyn_cast<ReadOp>(op); read && movableReads.contains(op)) {
        SmallVector<Value> indices;
        for (Value index : read.getIndices())
          indices.push_back(unsliced(index));
        return ReadOp::create(b, loc, type, read.getSource(),
                              shift(indices, read.getColumnIndex(), loc),
                              read.getInBoundsAttr(), read.getAlignedAttr(),
                              read.getTransposedAttr(), read.getPaddingAttr());
      }
      if (auto broadcast = dyn_cast<BroadcastOp>(op))
        return BroadcastOp::create(b, loc, type,
                                   broadcast.getDimension() == 0
                                       ? unsliced(broadcast.getSource())
                                       : slice(broadcast.getSource()),
                                   broadcast.getDimensionAttr());
      if (auto ramp = dyn_cast<RampOp>(op))
        return RampOp::create(
            b, loc, type, startAtSlice(ramp), unsliced(ramp.getSlope()),
            ramp.getTile() ? slice(ramp.getTile()) : Value(),
            ramp.getFactor() ? unsliced(ramp.getFactor()) : Value(),
            ramp.getNsw());
      if (OpTrait::hasElementwiseMappableTraits(op) && isPure(op) &&
          op->getNumResults() == 1) {
        IRMapping mapping;
        for (Value operand : op->getOperands())
          mapping.map(operand, isa<RankedTensorType>(operand.getType())
                                   ? slice(operand)
                                   : unsliced(operand));
        Operation *clone = b.clone(*op, mapping);
        clone->getResult(0).setType(type);
        return clone->getResult(0);
      }
    }
    if (auto splat = dyn_cast_or_null<tensor::SplatOp>(op))
      return tensor::SplatOp::create(b, loc, unsliced(splat.getInput()), type);
    if (auto constant = dyn_cast_or_null<arith::ConstantOp>(op))
      if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
        return arith::ConstantOp::create(b, loc, splat.resizeSplat(type));
    return ExtractColumnsOp::create(b, loc, type, unsliced(value),
                                    b.getI64IntegerAttr(offset));
  }
};

struct SubtileEpiloguePass
    : public wgtile::impl::WGTileSubtileEpilogueBase<SubtileEpiloguePass> {
  using WGTileSubtileEpilogueBase::WGTileSubtileEpilogueBase;

  void runOnOperation() override {
    // Eight columns of the widest elements.
    if (bytes <= 0 || bytes % 64 != 0 || bytes > kMaxBytes) {
      getOperation().emitError()
          << "expected 'bytes' to be a positive multiple of 64 up to "
          << kMaxBytes << ", but got " << bytes.getValue();
      return signalPassFailure();
    }
    SmallVector<StoreOp> stores;
    getOperation().walk([&](StoreOp store) { stores.push_back(store); });
    for (StoreOp store : stores)
      slice(store);
  }

private:
  void slice(StoreOp store) {
    RankedTensorType type = store.getTile().getType();
    if (type.getRank() != 2)
      return;
    int64_t width = type.getDimSize(1);
    int64_t columns = bytes * 8 / type.getElementTypeBitWidth();
    // With unknown strides every access has an address of its own, for which a
    // large-M tile leaves few registers. Warps that divide the columns divide
    // 32.
    if (!store.getAligned() && type.getDimSize(0) > kTallRows && columns >= 64)
      columns /= 2;
    if (width <= columns)
      return;
    OpBuilder b(store);
    DenseSet<Operation *> movableReads = findMovableReads(store);
    // The rest is cut into rows of narrower swizzles.
    for (int64_t offset = 0; offset < width; offset += columns) {
      if (uint64_t left = width - offset; columns > static_cast<int64_t>(left))
        columns = llvm::bit_floor(left);
      ColumnSlicer slicer(b, store, movableReads, offset, columns);
      Value tile = slicer.slice(store.getTile());
      StoreOp::create(b, store.getLoc(), tile, store.getDest(),
                      slicer.shift(store.getIndices(), store.getColumnIndex(),
                                   store.getLoc()),
                      store.getInBoundsAttr(), store.getAlignedAttr(),
                      store.getTransposedAttr());
    }
    store.erase();
  }
};
} // namespace
