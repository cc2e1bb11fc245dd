//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Dialect/WGTile/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILESLICESTORES
#include "sattn/Dialect/WGTile/Transforms/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;

/// Moves a store of a branch's result into the branches; null if it stores
/// something else. The new stores are appended.
static bool sinkIntoBranches(StoreOp store, SmallVectorImpl<StoreOp> &stores) {
  auto branch = store.getTile().getDefiningOp<scf::IfOp>();
  if (!branch || branch->getBlock() != store->getBlock() ||
      branch.getNumResults() != 1 || !branch.getResult(0).hasOneUse())
    return false;
  // What the store needs must be known before the branch.
  for (Value operand : store->getOperands()) {
    Operation *op = operand.getDefiningOp();
    if (op && op != branch && op->getBlock() == branch->getBlock() &&
        branch->isBeforeInBlock(op))
      return false;
  }
  // Nothing in between may touch memory.
  for (Operation *op = branch->getNextNode(); op != store;
       op = op->getNextNode())
    if (!isMemoryEffectFree(op))
      return false;

  OpBuilder b(branch);
  auto newBranch = scf::IfOp::create(b, branch.getLoc(), branch.getCondition(),
                                     /*withElseRegion=*/true);
  for (auto [from, to] :
       {std::pair(branch.thenBlock(), newBranch.thenBlock()),
        std::pair(branch.elseBlock(), newBranch.elseBlock())}) {
    auto yield = cast<scf::YieldOp>(from->getTerminator());
    Value tile = yield.getOperand(0);
    yield->erase();
    to->getOperations().splice(to->begin(), from->getOperations());
    b.setInsertionPoint(to->getTerminator());
    stores.push_back(StoreOp::create(b, store.getLoc(), tile, store.getDest(),
                                     store.getIndices(),
                                     store.getInBoundsAttr()));
  }
  store.erase();
  branch.erase();
  return true;
}

/// The reads that give the same when they move behind stores of other columns.
static DenseSet<Operation *> findMovableReads(StoreOp store) {
  DenseSet<Operation *> reads;
  for (Operation *op = store->getPrevNode(); op; op = op->getPrevNode()) {
    auto read = dyn_cast<ReadOp>(op);
    if (!read) {
      if (!isMemoryEffectFree(op))
        break;
      continue;
    }
    if (read.getSource() != store.getDest() ||
        llvm::equal(read.getIndices(), store.getIndices()))
      reads.insert(op);
  }
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
        columns(columns) {}

  Value slice(Value value) {
    auto [it, inserted] = slices.try_emplace(value);
    if (inserted) {
      Value result = compute(value);
      slices[value] = result;
      return result;
    }
    return it->second;
  }

  /// The indices of a tile's slice, given those of the tile.
  SmallVector<Value> shift(ValueRange indices, Location loc) {
    SmallVector<Value> shifted(indices);
    if (offset != 0)
      shifted.back() = affine::makeComposedAffineApply(
          b, loc, b.getAffineDimExpr(0) + offset, {shifted.back()});
    return shifted;
  }

private:
  OpBuilder &b;
  StoreOp store;
  const DenseSet<Operation *> &movableReads;
  int64_t offset, columns;
  DenseMap<Value, Value> slices;

  RankedTensorType sliceType(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.back() = columns;
    return RankedTensorType::get(shape, type.getElementType());
  }

  Value compute(Value value) {
    Location loc = value.getLoc();
    Operation *op = value.getDefiningOp();
    RankedTensorType type = sliceType(value);
    if (op && op->getBlock() == store->getBlock()) {
      if (auto read = dyn_cast<ReadOp>(op); read && movableReads.contains(op))
        return ReadOp::create(b, loc, type, read.getSource(),
                              shift(read.getIndices(), loc),
                              read.getInBoundsAttr());
      if (auto broadcast = dyn_cast<BroadcastOp>(op))
        return BroadcastOp::create(b, loc, type,
                                   broadcast.getDimension() == 0
                                       ? broadcast.getSource()
                                       : slice(broadcast.getSource()),
                                   broadcast.getDimensionAttr());
      if (OpTrait::hasElementwiseMappableTraits(op) && isPure(op) &&
          op->getNumResults() == 1) {
        IRMapping mapping;
        for (Value operand : op->getOperands())
          if (isa<RankedTensorType>(operand.getType()))
            mapping.map(operand, slice(operand));
        Operation *clone = b.clone(*op, mapping);
        clone->getResult(0).setType(type);
        return clone->getResult(0);
      }
    }
    if (auto splat = dyn_cast_or_null<tensor::SplatOp>(op))
      return tensor::SplatOp::create(b, loc, splat.getInput(), type);
    if (auto constant = dyn_cast_or_null<arith::ConstantOp>(op))
      if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
        return arith::ConstantOp::create(b, loc, splat.resizeSplat(type));
    return ExtractColumnsOp::create(b, loc, type, value,
                                    b.getI64IntegerAttr(offset));
  }
};

struct SliceStoresPass
    : public wgtile::impl::WGTileSliceStoresBase<SliceStoresPass> {
  using WGTileSliceStoresBase::WGTileSliceStoresBase;

  void runOnOperation() override {
    if (columns <= 0 || columns % 8 != 0) {
      getOperation().emitError()
          << "expected 'columns' to be a positive multiple of 8, but got "
          << columns;
      return signalPassFailure();
    }
    SmallVector<StoreOp> stores;
    getOperation().walk([&](StoreOp store) { stores.push_back(store); });
    while (!stores.empty()) {
      StoreOp store = stores.pop_back_val();
      if (!sinkIntoBranches(store, stores))
        slice(store);
    }
  }

private:
  void slice(StoreOp store) {
    int64_t width = store.getTile().getType().getDimSize(1);
    if (width <= columns)
      return;
    OpBuilder b(store);
    DenseSet<Operation *> movableReads = findMovableReads(store);
    for (int64_t offset = 0; offset < width; offset += columns) {
      ColumnSlicer slicer(b, store, movableReads, offset,
                          std::min(columns.getValue(), width - offset));
      Value tile = slicer.slice(store.getTile());
      StoreOp::create(b, store.getLoc(), tile, store.getDest(),
                      slicer.shift(store.getIndices(), store.getLoc()),
                      store.getInBoundsAttr());
    }
    store.erase();
  }
};
} // namespace
