//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Liveness by places in a block. In a rotated loop the ops of `last` work on
// the values of the iteration before: these are live from the block's start to
// their use, and again from their definition to the block's end.
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/Analysis/TilePressure.h"

#include "sattn/Dialect/WGTile/Analysis/Rotation.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace wgtile;

namespace {
/// Register pressure of a block. Ops have places from 0; the block's start is
/// -1.
class BlockPressure {
public:
  BlockPressure(Block &block, int64_t threads, bool rotates)
      : block(block), threads(threads), rotates(rotates) {
    auto loop = dyn_cast<scf::ForOp>(block.getParentOp());
    std::optional<Rotation> rotation;
    if (loop && rotates && loop->hasAttr(kBlockLoopAttrName))
      rotation = findRotation(loop);
    if (rotation) {
      llvm::append_range(order, rotation->first);
      llvm::append_range(order, rotation->last);
      llvm::append_range(order, rotation->between);
      last.insert(rotation->last.begin(), rotation->last.end());
    } else {
      for (Operation &op : block.without_terminator())
        order.push_back(&op);
    }
    order.push_back(block.getTerminator());
    for (auto [i, op] : llvm::enumerate(order))
      placeOf[op] = i;
  }

  /// The most registers at one time. `captured` are values of outside that are
  /// counted here, to their last use or, in a loop, all the time.
  int64_t count(ArrayRef<Value> captured) {
    // Before each op, and after the last.
    SmallVector<int64_t> live(order.size() + 1);
    auto add = [&](Value value, int64_t begin, int64_t end) {
      counted.insert(value);
      for (int64_t i = begin; i < end; ++i)
        live[i + 1] += registersOf(value);
    };
    bool isLoop = isa<scf::ForOp>(block.getParentOp());
    for (Value value : captured)
      add(value, -1, isLoop ? getEnd() : findLastUse(value));
    for (BlockArgument argument : block.getArguments())
      if (registersOf(argument) != 0)
        add(argument, -1, findLastUse(argument));
    for (auto [i, op] : llvm::enumerate(order))
      for (Value result : op->getResults()) {
        if (registersOf(result) == 0 || !isCounted(op))
          continue;
        int64_t nextUse = findLastUse(result, /*ofNext=*/true);
        add(result, i, nextUse < 0 ? findLastUse(result) : getEnd());
        add(result, -1, nextUse);
      }
    // Ops on elements alone, such as an epilogue's, are computed in parts.
    int64_t counting = 0;
    for (auto [i, op] : llvm::enumerate(order))
      if (isa<MmaOpInterface>(op))
        counting = isLoop ? getEnd() : i;
    int64_t most = 0;
    for (auto [i, op] : llvm::enumerate(order))
      most = std::max({most, int64_t(i) <= counting ? live[i] : 0,
                       countRegions(op, live[i])});
    return most;
  }

private:
  Block &block;
  int64_t threads;
  bool rotates;
  SmallVector<Operation *> order;
  DenseMap<Operation *, int64_t> placeOf;
  /// The ops that a rotated loop computes an iteration later.
  DenseSet<Operation *> last;
  DenseSet<Value> counted;

  int64_t getEnd() const { return order.size() - 1; }

  int64_t registersOf(Value value) const {
    auto tile = dyn_cast<RankedTensorType>(value.getType());
    if (!tile || tile.getRank() != 2 || !tile.getElementType().isIntOrFloat() ||
        tile.getElementTypeBitWidth() == 1)
      return 0;
    return tile.getNumElements() * tile.getElementTypeBitWidth() / 32 / threads;
  }

  /// Whether an op's results count: those of MMAs, of loops and branches, and
  /// what is computed of counted values.
  bool isCounted(Operation *op) const {
    return isa<MmaOpInterface>(op) || op->getNumRegions() != 0 ||
           llvm::any_of(op->getOperands(),
                        [&](Value value) { return counted.contains(value); });
  }

  Operation *ancestorOf(Operation *user) const {
    return block.findAncestorOpInBlock(*user);
  }

  /// The argument of a rotated loop that a use by its yield becomes, if the
  /// value comes from `last`: ops outside `last` read it after that in the same
  /// iteration of the rotated loop. Null for other uses.
  Value findNext(OpOperand &use) const {
    Operation *definition = use.get().getDefiningOp();
    if (use.getOwner() != block.getTerminator() || !last.contains(definition))
      return {};
    return cast<scf::ForOp>(block.getParentOp())
        .getRegionIterArg(use.getOperandNumber());
  }

  /// Whether a value is such an argument.
  bool isNext(Value value) const {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.getOwner() != &block || last.empty())
      return false;
    Operation *yield = block.getTerminator();
    return findNext(yield->getOpOperand(argument.getArgNumber() - 1)) !=
           Value();
  }

  /// The place up to which a use holds its value.
  int64_t findEnd(OpOperand &use) const {
    Operation *op = ancestorOf(use.getOwner());
    if (Value next = findNext(use)) {
      int64_t end = -1;
      for (Operation *user : next.getUsers()) {
        Operation *place = ancestorOf(user);
        end = std::max(end,
                       last.contains(place) ? getEnd() : placeOf.lookup(place));
      }
      return end;
    }
    auto mma = dyn_cast<MmaOpInterface>(op);
    if (!mma || mma.getMmaSync() || mma.getA() != use.get())
      return placeOf.lookup(op);
    // A left operand's registers, until something else than an MMA that adds to
    // the result reads it.
    int64_t end = getEnd();
    for (OpOperand &read : mma.getResult().getUses()) {
      auto other = dyn_cast<MmaOpInterface>(read.getOwner());
      if (other && other.getAcc() == mma.getResult())
        continue;
      if (int64_t place = findEnd(read); place > placeOf.lookup(op))
        end = std::min(end, place);
    }
    return end;
  }

  /// The last place where a value is held, -1 without one: in a rotated loop by
  /// ops of its own iteration or, with `ofNext`, by those of `last` in the
  /// next.
  int64_t findLastUse(Value value, bool ofNext = false) const {
    int64_t end = -1;
    Operation *definition = value.getDefiningOp();
    bool isOfFirst = definition && definition->getBlock() == &block &&
                     !last.contains(definition);
    bool isNextArgument = isNext(value);
    for (OpOperand &use : value.getUses()) {
      Operation *op = ancestorOf(use.getOwner());
      if (!op || (isNextArgument && !last.contains(op)) ||
          (isOfFirst && last.contains(op)) != ofNext)
        continue;
      end = std::max(end, findEnd(use));
    }
    return end;
  }

  /// Counted values that an op or its regions use last.
  SmallVector<Value> findDying(Operation *op) const {
    llvm::SetVector<Value> dying;
    op->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (counted.contains(operand) &&
            findLastUse(operand) == placeOf.lookup(op))
          dying.insert(operand);
    });
    return dying.takeVector();
  }

  /// The most registers in an op's regions, with those that are held beside
  /// it: `before`, without what the op takes over.
  int64_t countRegions(Operation *op, int64_t before) const {
    if (op->getNumRegions() == 0)
      return 0;
    SmallVector<Value> captured;
    for (Value value : findDying(op)) {
      before -= registersOf(value);
      if (!llvm::is_contained(op->getOperands(), value))
        captured.push_back(value);
    }
    int64_t most = 0;
    for (Region &region : op->getRegions())
      for (Block &nested : region)
        most = std::max(
            most, BlockPressure(nested, threads, rotates).count(captured));
    return before + most;
  }
};
} // namespace

int64_t wgtile::countLiveTileRegisters(ForEachTileOp loop, int64_t threads,
                                       bool rotates) {
  return BlockPressure(loop.getBody().front(), threads, rotates).count({});
}
