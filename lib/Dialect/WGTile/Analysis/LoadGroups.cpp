//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/Analysis/LoadGroups.h"

#include "sattn/Dialect/WGTile/Analysis/GroupDependence.h"
#include "sattn/Dialect/WGTile/Analysis/Rotation.h"
#include "sattn/Dialect/WGTile/Utils/Resources.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace wgtile;

/// Tiles of which each consumer group reads one.
static constexpr int64_t kChosen = 2;

RingType LoadGroup::getRingType(int64_t stages) {
  SmallVector<Type> tiles;
  for (LoadOp load : loads)
    tiles.push_back(load.getTile().getType());
  bool hasInstances =
      llvm::any_of(instances, [](int64_t count) { return count > 1; });
  return RingType::get(block->getParentOp()->getContext(), stages, tiles,
                       hasInstances ? ArrayRef<int64_t>(instances)
                                    : ArrayRef<int64_t>());
}

static bool isReadOnly(LoadOp load) {
  return llvm::all_of(load->getUsers(),
                      [](Operation *user) { return isa<ReadSharedOp>(user); });
}

bool LoadGroup::isRead() { return llvm::all_of(loads, isReadOnly); }

bool LoadGroup::isCarried(LoadOp load) {
  return llvm::any_of(load->getUsers(), [](Operation *user) {
    return isa<scf::ForOp>(user) ||
           (isa<scf::YieldOp>(user) && isa<scf::ForOp>(user->getParentOp()));
  });
}

/// The type of the ring that borrows a stage. Stages that divide the tile's
/// stores are the same for each in every tile, constants; two are enough to
/// write one while TMA reads the other.
RingType LoadGroup::getBorrowingType() {
  RingType type = borrower.getRing().getType();
  int64_t fills =
      llvm::count_if(borrower->getUsers(), llvm::IsaPred<ProducerAcquireOp>);
  auto withStages = [&](int64_t stages) {
    return RingType::get(type.getContext(), stages, type.getTiles(),
                         type.getInstances(), type.getWarpgroups());
  };
  auto fits = [&](int64_t stages) {
    return RingOp::findLendingFault(getRingType(/*stages=*/1),
                                    withStages(stages))
        .empty();
  };
  for (int64_t stages = fills; stages > 1; --stages)
    if (fits(stages) && (fills % stages == 0 || stages == 2))
      return withStages(stages);
  return withStages(1);
}

namespace {
class LoadGrouping {
public:
  LoadGrouping(ForEachTileOp loop, bool areWaitsPending, bool isOverlapPending)
      : loop(loop), areWaitsPending(areWaitsPending) {
    if (isOverlapPending)
      loop.walk([&](scf::ForOp forOp) {
        std::optional<Rotation> rotation;
        if (forOp->hasAttr(kBlockLoopAttrName))
          rotation = findRotation(forOp);
        if (!rotation)
          return;
        rotated.insert(forOp.getBody());
        DenseSet<Operation *> last(rotation->last.begin(),
                                   rotation->last.end());
        for (Operation *op : rotation->first)
          if (isa<LoadOp>(op) && llvm::any_of(op->getUsers(), [&](auto *user) {
                return last.contains(
                    forOp.getBody()->findAncestorOpInBlock(*user));
              }))
            willBeCarried.insert(op);
      });
  }

  FailureOr<SmallVector<LoadGroup>> run() {
    if (failed(collectGroups()))
      return failure();
    chooseOwners();
    findBorrower();
    return std::move(groups);
  }

private:
  ForEachTileOp loop;
  /// Whether wgtile-place-waits has yet to run.
  bool areWaitsPending;
  /// Bodies of the loops that wgtile-overlap will rotate.
  DenseSet<Block *> rotated;
  /// Loads in them whose tiles they will carry.
  DenseSet<Operation *> willBeCarried;
  SmallVector<LoadGroup> groups;

  /// Whether a loop, rotated or not, carries a load's tile.
  bool isCarried(LoadOp load) const {
    return willBeCarried.contains(load) || LoadGroup::isCarried(load);
  }

  /// The last op of a block that is, or contains, a reader of a load's tile.
  Operation *findLastReader(LoadOp load, Block *block) const {
    Operation *last = nullptr;
    if (willBeCarried.contains(load))
      return block->getTerminator();
    for (Operation *user : load->getUsers())
      if (Operation *op = block->findAncestorOpInBlock(*user);
          op && (!last || last->isBeforeInBlock(op)))
        last = op;
    return last;
  }

  /// Loads of one iteration share a stage if the same op reads their tiles
  /// last: a stage is released as a whole.
  LogicalResult collectGroups() {
    GroupDependence dependence(loop);
    DenseMap<std::tuple<Block *, unsigned, Operation *, unsigned>, size_t>
        groupOf;
    DenseMap<Block *, unsigned> parts;
    Block *lastBlock = nullptr;
    size_t lastGroup = 0;
    WalkResult walk = loop.walk([&](LoadOp load) {
      // The iteration of a loop, or the part of the tile's program, that the
      // load belongs to; branches around it are its condition.
      Operation *op = load->getParentOp();
      while (isa<scf::IfOp>(op))
        op = op->getParentOp();
      Block *block = op == loop ? load->getBlock() : nullptr;
      if (auto forOp = dyn_cast<scf::ForOp>(op))
        block = forOp.getBody();
      for (; op != loop; op = op->getParentOp())
        if (!isa<scf::ForOp, scf::IfOp>(op)) {
          load.emitOpError("expected a load in loops and branches only");
          return WalkResult::interrupt();
        }
      // After a loop with loads of its own a new load group begins: otherwise
      // consumers would wait for the last load of a stage before that loop
      // starts. A tile that is only read into registers has a stage of its own,
      // which is released as soon as it is read.
      if (isReadOnly(load)) {
        lastGroup = groups.size();
      } else {
        if (lastBlock && lastBlock != block)
          ++parts[block];
        lastBlock = block;
        auto key = std::tuple(block, parts[block], findLastReader(load, block),
                              unsigned(isCarried(load)));
        lastGroup = groupOf.try_emplace(key, groups.size()).first->second;
      }
      if (lastGroup == groups.size()) {
        groups.emplace_back();
        groups.back().block = block;
      }
      LoadGroup &group = groups[lastGroup];
      group.loads.push_back(load);
      group.carried |= isCarried(load);
      group.choices.push_back(dependence.findChoice(load));
      group.instances.push_back(!dependence.dependsOnGroup(load.getOperation())
                                    ? 1
                                : group.choices.back() ? kChosen
                                                       : loop.getGroupSize());
      return WalkResult::advance();
    });
    return failure(walk.wasInterrupted());
  }

  /// The op from which on `op` no longer reads shared memory: the wait for an
  /// asynchronous MMA, or the block's end if the MMA still runs there;
  /// otherwise `op` itself. Where waits are pending, a wgmma counts as one with
  /// those that wgtile-place-waits will place: before the first use of its
  /// result as anything but an accumulator, and before the block's end if its
  /// left operand is in registers.
  Operation *findRetirement(Operation *op) {
    auto mma = dyn_cast<MmaOpInterface>(op);
    if (!mma || mma.getMmaSync())
      return op;
    Operation *end = op->getBlock()->getTerminator();
    if (isa<MmaAsyncOp>(op)) {
      for (Operation *user : mma.getResult().getUsers())
        if (isa<WarpgroupMmaWaitOp>(user) && user->getBlock() == op->getBlock())
          return user;
      return end;
    }
    if (!areWaitsPending)
      return op;
    Operation *first = end;
    for (Operation *user : mma.getResult().getUsers()) {
      auto other = dyn_cast<MmaOpInterface>(user);
      Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*user);
      if (ancestor && !(other && other.getAcc() == mma.getResult()) &&
          ancestor->isBeforeInBlock(first))
        first = ancestor;
    }
    if (first == end && isa<RankedTensorType>(mma.getA().getType()))
      first = end->getPrevNode();
    return first;
  }

  /// Whether wgmmas that will run beside each other read the tiles of two load
  /// groups of a loop.
  bool runBesideEachOther(LoadGroup &group, LoadGroup &later) {
    return group.block == later.block && rotated.contains(group.block) &&
           llvm::all_of(ArrayRef<LoadGroup *>{&group, &later},
                        [](LoadGroup *each) {
                          return llvm::any_of(each->loads, [](LoadOp load) {
                            return llvm::any_of(load->getUsers(),
                                                llvm::IsaPred<MmaOpInterface>);
                          });
                        });
  }

  /// Whether all reads of a load group's tiles are complete before an op of its
  /// block.
  bool isOverBefore(LoadGroup &group, Operation *op) {
    return llvm::all_of(group.loads, [&](LoadOp load) {
      return llvm::all_of(load->getUsers(), [&](Operation *user) {
        Operation *reader = group.block->findAncestorOpInBlock(*user);
        return findRetirement(reader)->isBeforeInBlock(op);
      });
    });
  }

  /// Whether the last reads of a load group's tiles come before the loads of a
  /// later group, and the other way around in the next iteration: stages are
  /// released in the order in which they were taken.
  bool isOverBefore(LoadGroup &group, LoadGroup &later) {
    if (group.carried)
      return isCarriedOverBefore(group, later);
    if (runBesideEachOther(group, later))
      return false;
    Operation *start = group.block->findAncestorOpInBlock(*later.loads.front());
    if (!start)
      return true;
    bool isSameIteration = group.block == later.block &&
                           isa<scf::ForOp>(group.block->getParentOp());
    return isOverBefore(group, start) &&
           (!isSameIteration ||
            isOverBefore(later, later.block->getTerminator()));
  }

  /// The values that a tile is in other iterations of loops and after these;
  /// the tiles of loads that take its place there are not among them, but
  /// added to `replacing`.
  static SmallVector<Value> followCarried(Value tile,
                                          DenseSet<Value> &replacing) {
    llvm::SetVector<Value> values;
    values.insert(tile);
    for (size_t i = 0; i < values.size(); ++i)
      for (OpOperand &use : values[i].getUses()) {
        Operation *op = use.getOwner();
        auto forOp = dyn_cast<scf::ForOp>(
            isa<scf::YieldOp>(op) ? op->getParentOp() : op);
        if (!forOp)
          continue;
        unsigned carried = use.getOperandNumber() -
                           (forOp == op ? forOp.getNumControlOperands() : 0);
        replacing.insert(forOp.getYieldedValues()[carried]);
        values.insert(forOp.getRegionIterArg(carried));
        values.insert(forOp.getResult(carried));
      }
    replacing.erase(tile);
    return values.takeVector();
  }

  /// Whether a reader, or the loop or branch with it that `op` is not in, no
  /// longer reads shared memory before `op`.
  bool isRetiredBefore(Operation *reader, Operation *op) {
    for (; op != loop; op = op->getParentOp())
      if (Operation *place = op->getBlock()->findAncestorOpInBlock(*reader))
        return place != op && findRetirement(place)->isBeforeInBlock(op);
    return false;
  }

  /// Whether a carried load group's stages can be taken in turn with those of a
  /// later one: that is the one whose tiles take the place of its own, or it
  /// comes after the ops that read its tiles when the loops are over.
  bool isCarriedOverBefore(LoadGroup &group, LoadGroup &later) {
    if (areWaitsPending && rotated.contains(group.block))
      return !group.block->findAncestorOpInBlock(*later.loads.front());
    bool isReplaced = group.loads.size() == later.loads.size();
    bool isOver = true;
    for (auto [i, load] : llvm::enumerate(group.loads)) {
      DenseSet<Value> replacing;
      SmallVector<Value> values = followCarried(load.getTile(), replacing);
      isReplaced =
          isReplaced && replacing.contains(LoadOp(later.loads[i]).getTile());
      for (Value value : values)
        for (Operation *user : value.getUsers())
          isOver &= isRetiredBefore(user, later.loads.front());
    }
    return isReplaced || isOver;
  }

  /// The tiles of an owner's stages that a load group's tiles become: all of
  /// them, or some if the group is only read into registers. Nothing if the
  /// types differ.
  static std::optional<SmallVector<int64_t>> findPositions(LoadGroup &owner,
                                                           LoadGroup &group) {
    RingType stage = owner.getRingType(1), tiles = group.getRingType(1);
    if (stage == tiles)
      return llvm::to_vector(llvm::seq<int64_t>(group.loads.size()));
    if (!group.isRead())
      return std::nullopt;
    SmallVector<int64_t> positions;
    for (auto [i, tile] : llvm::enumerate(tiles.getTiles())) {
      int64_t position = 0, count = stage.getTiles().size();
      while (position < count &&
             (stage.getTiles()[position] != tile ||
              stage.getNumInstances(position) != tiles.getNumInstances(i) ||
              llvm::is_contained(positions, position)))
        ++position;
      if (position == count)
        return std::nullopt;
      positions.push_back(position);
    }
    return positions;
  }

  /// Whether the tiles of two load groups come from the same memory.
  static bool haveSameSources(LoadGroup &lhs, LoadGroup &rhs) {
    return llvm::equal(lhs.loads, rhs.loads, [](LoadOp left, LoadOp right) {
      return left.getSource() == right.getSource();
    });
  }

  /// The first op of a tile's program that uses a ring, all of whose uses are
  /// ops of that program; null if there are others.
  Operation *findFirstUse(RingOp ring) {
    Block *body = &loop.getBody().front();
    Operation *first = nullptr;
    for (Operation *user : ring->getUsers()) {
      if (user->getBlock() == body) {
        if (!first || user->isBeforeInBlock(first))
          first = user;
      } else if (!isa<ProducerTailOp>(user)) {
        return nullptr;
      }
    }
    return first;
  }

  /// Whether the program takes no stage of any ring from an op on. The producer
  /// lends at the end of the program: it must not wait for a stage which
  /// consumers that wait for the lent one still hold.
  bool areFilledBefore(Operation *op) {
    return llvm::all_of(groups, [&](LoadGroup &group) {
      return llvm::all_of(group.loads, [&](LoadOp load) {
        return op->getBlock()->findAncestorOpInBlock(*load)->isBeforeInBlock(
            op);
      });
    });
  }

  /// The first ring that a loop fills, and one of warpgroups which the tile's
  /// program fills afterwards and which fits into a stage of it.
  void findBorrower() {
    if (loop.getGroupSize() != 1)
      return;
    DenseSet<size_t> inLoop = countRingBytes(groups).inLoop;
    for (auto ring : loop->getBlock()->getOps<RingOp>()) {
      Operation *first =
          ring.getRing().getType().isStaging() && !ring.getLender()
              ? findFirstUse(ring)
              : nullptr;
      if (!first || !areFilledBefore(first))
        continue;
      for (auto [i, group] : llvm::enumerate(groups)) {
        if (group.owner != i || !inLoop.contains(i))
          continue;
        group.borrower = ring;
        if (RingOp::findLendingFault(group.getRingType(/*stages=*/1),
                                     group.getBorrowingType())
                .empty())
          return;
        group.borrower = {};
      }
    }
  }

  /// Chooses for each load group the group whose ring it uses: one with the
  /// same tiles, none of which is held any longer, so that both roles reach
  /// their stages in the same order. A ring of tiles from the same memory is
  /// preferred, since a rotated loop continues with it; otherwise the first.
  void chooseOwners() {
    auto isWhole = [](LoadGroup &group) {
      return llvm::all_of(group.loads, [&](LoadOp load) {
        return load->getBlock() == group.block;
      });
    };
    for (auto [i, group] : llvm::enumerate(groups)) {
      auto canTakeRingOf = [&, &group = group, i = i](size_t owner) {
        if (!isWhole(groups[owner]) || !isWhole(group) ||
            !findPositions(groups[owner], group))
          return false;
        for (size_t other = owner; other < i; ++other)
          if (groups[other].owner == owner &&
              !isOverBefore(groups[other], group))
            return false;
        return true;
      };
      SmallVector<size_t> candidates;
      for (size_t owner = 0; owner < i; ++owner)
        if (groups[owner].owner == owner && canTakeRingOf(owner))
          candidates.push_back(owner);
      auto same = llvm::find_if(candidates, [&, &group = group](size_t owner) {
        return haveSameSources(groups[owner], group);
      });
      group.owner = same != candidates.end() ? *same
                    : candidates.empty()     ? i
                                             : candidates.front();
      group.positions = *findPositions(groups[group.owner], group);
    }
  }
};
} // namespace

FailureOr<SmallVector<LoadGroup>>
wgtile::collectLoadGroups(ForEachTileOp loop) {
  return LoadGrouping(loop, /*areWaitsPending=*/false,
                      /*isOverlapPending=*/false)
      .run();
}

FailureOr<SmallVector<LoadGroup>>
wgtile::predictLoadGroups(ForEachTileOp loop, bool isOverlapPending) {
  return LoadGrouping(loop, /*areWaitsPending=*/true, isOverlapPending).run();
}

LoadGroup *wgtile::findLender(MutableArrayRef<LoadGroup> groups) {
  auto *lender = llvm::find_if(
      groups, [](LoadGroup &group) { return bool(group.borrower); });
  return lender == groups.end() ? nullptr : lender;
}

RingBytes wgtile::countRingBytes(MutableArrayRef<LoadGroup> groups) {
  RingBytes result;
  for (LoadGroup &group : groups)
    if (isa<scf::ForOp>(group.block->getParentOp()))
      result.inLoop.insert(group.owner);
  for (auto [i, group] : llvm::enumerate(groups))
    if (group.owner == i)
      (result.inLoop.contains(i) ? result.loop : result.tile) +=
          ResourceModel::getStageBytes(group.getRingType(1));
  return result;
}
