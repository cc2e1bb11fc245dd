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

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILEHOISTEPILOGUELOADS
#include "sattn/Dialect/WGTile/Transforms/Epilogue/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;

/// Whether a read and a store of some columns touch different elements: columns
/// apart.
static bool areDisjoint(ReadOp read, ValueRange storeIndices, bool isTransposed,
                        int64_t storeColumns) {
  RankedTensorType tile = read.getTile().getType();
  if (read.getIndices().size() != storeIndices.size() || tile.getRank() != 2 ||
      read.getTransposed() != isTransposed)
    return false;
  unsigned column = read.getColumnIndex();
  std::optional<int64_t> columns =
      getConstantDifference(read.getIndices()[column], storeIndices[column]);
  return columns &&
         (*columns >= storeColumns || *columns <= -tile.getDimSize(1));
}

static bool areDisjoint(ReadOp read, Operation *op) {
  if (auto store = dyn_cast<StoreOp>(op))
    return areDisjoint(read, store.getIndices(), store.getTransposed(),
                       store.getTile().getType().getShape().back());
  auto store = cast<TmaStoreOp>(op);
  SharedType tile = store.getSource().getType();
  return areDisjoint(read, store.getIndices(), store.getTransposed(),
                     store.getTransposed() ? tile.getRows()
                                           : tile.getColumns());
}

namespace {
/// A read of an epilogue subtile: `read` itself, or the branch of its block
/// that it is in.
struct SliceRead {
  ReadOp read;
  Operation *unit;
};

/// The subtiles of one block that go through staging, one after the other.
class Slices {
public:
  explicit Slices(Block &block) {
    for (Operation &op : block) {
      if (isa<TmaStoreWaitOp>(op))
        waits.push_back(&op);
      if (isa<StoreOp, TmaStoreOp>(op))
        stores.push_back(&op);
      if (auto read = findRead(&op))
        reads.push_back({read, &op});
    }
  }

  /// Moves the first read after each wait before that wait. A read is erased as
  /// it moves, so each is visited once.
  void advance() {
    Operation *last = nullptr;
    for (const SliceRead &slice : reads) {
      Operation *wait = findWaitBefore(slice.unit);
      if (!wait || wait == last)
        continue;
      last = wait;
      if (mayMove(slice, wait))
        moveBefore(slice, wait);
    }
  }

private:
  SmallVector<Operation *> waits;
  SmallVector<Operation *> stores;
  SmallVector<SliceRead> reads;

  /// A read of a tile at the top of a block, or the only one at the top of a
  /// branch.
  static ReadOp findRead(Operation *op) {
    auto isTile = [](ReadOp read) {
      return read && read.getTile().getType().getRank() == 2;
    };
    if (auto read = dyn_cast<ReadOp>(op))
      return isTile(read) ? read : ReadOp();
    auto branch = dyn_cast<scf::IfOp>(op);
    if (!branch)
      return {};
    ReadOp found;
    for (auto read : branch.thenBlock()->getOps<ReadOp>()) {
      if (!isTile(read))
        continue;
      if (found)
        return {};
      found = read;
    }
    return found;
  }

  /// The last wait before an op, or null.
  Operation *findWaitBefore(Operation *op) {
    Operation *found = nullptr;
    for (Operation *wait : waits)
      if (wait->isBeforeInBlock(op))
        found = wait;
    return found;
  }

  bool mayMove(const SliceRead &slice, Operation *to) {
    return llvm::all_of(stores, [&](Operation *store) {
      return store->isBeforeInBlock(to) || slice.unit->isBeforeInBlock(store) ||
             areDisjoint(slice.read, store);
    });
  }

  /// Moves the read, with the ops that compute its operands.
  static void moveBefore(SliceRead slice, Operation *to) {
    llvm::SetVector<Operation *> needed;
    for (Value operand : slice.read->getOperands())
      if (!collect(operand, to, needed))
        return;
    auto branch = dyn_cast<scf::IfOp>(slice.unit);
    if (branch && !collect(branch.getCondition(), to, needed))
      return;
    OpBuilder b(to);
    IRMapping mapping;
    for (Operation *op : needed)
      b.clone(*op, mapping);
    Location loc = slice.read.getLoc();
    Value tile;
    if (!branch) {
      tile = b.clone(*slice.read, mapping)->getResult(0);
    } else {
      auto guarded =
          scf::IfOp::create(b, loc, slice.read.getType(),
                            mapping.lookupOrDefault(branch.getCondition()),
                            /*withElseRegion=*/true);
      OpBuilder yes = guarded.getThenBodyBuilder();
      scf::YieldOp::create(yes, loc,
                           yes.clone(*slice.read, mapping)->getResult(0));
      OpBuilder no = guarded.getElseBodyBuilder();
      Value zero = arith::ConstantOp::create(
          no, loc, no.getZeroAttr(slice.read.getType()));
      scf::YieldOp::create(no, loc, zero);
      tile = guarded.getResult(0);
    }
    slice.read.replaceAllUsesWith(tile);
    slice.read.erase();
  }

  /// The ops at or after `to` that a value needs, none of which may touch
  /// memory.
  static bool collect(Value value, Operation *to,
                      llvm::SetVector<Operation *> &needed) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return true;
    Operation *ancestor = to->getBlock()->findAncestorOpInBlock(*op);
    if (!ancestor || ancestor->isBeforeInBlock(to) || needed.contains(op))
      return true;
    if (op->getNumRegions() != 0 || !isMemoryEffectFree(op))
      return false;
    for (Value operand : op->getOperands())
      if (!collect(operand, to, needed))
        return false;
    needed.insert(op);
    return true;
  }
};

struct HoistEpilogueLoadsPass
    : public wgtile::impl::WGTileHoistEpilogueLoadsBase<
          HoistEpilogueLoadsPass> {
  void runOnOperation() override {
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) {
      if (!block->getOps<TmaStoreWaitOp>().empty() &&
          !block->getOps<TmaStoreOp>().empty())
        blocks.push_back(block);
    });
    for (Block *block : blocks)
      Slices(*block).advance();
  }
};
} // namespace
