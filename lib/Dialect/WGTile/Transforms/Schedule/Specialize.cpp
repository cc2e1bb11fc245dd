//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Specialize.h"

#include "sattn/Dialect/WGTile/Transforms/Passes.h"
#include "sattn/Dialect/WGTile/Utils/Options.h"
#include "sattn/Dialect/WGTile/Utils/VerifyLayouts.h"
#include "sattn/Layout/Fragment.h"
#include "sattn/Layout/WorkTiles.h"
#include "sattn/Support/SourceOp.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILESPECIALIZE
#include "sattn/Dialect/WGTile/Transforms/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;
using sattn::layout::kWarpgroupThreads;
using sattn::layout::kWarpThreads;

/// CTAs that an SM runs at most.
static constexpr int64_t kMaxCTAsPerSM = 32;
/// Threads of a thread block at most.
static constexpr int64_t kMaxThreads = 1024;
/// Registers of an SM, and the most that a thread may have.
static constexpr int64_t kRegisters = 65536;
static constexpr int64_t kMaxThreadRegisters = 255;
/// Registers that ptxas needs for a wgmma beside its accumulator.
static constexpr int64_t kProductRegisters = 26;
/// Registers that the producer's threads keep, the first number that leaves the
/// consumers enough: indices are 64 bits wide.
static constexpr int64_t kProducerRegisters[] = {56, 40, 32};
/// Registers that consumers need beside their tiles, for addresses and scalars;
/// and, where they compute a left operand, for vectors of rows and for what is
/// computed at one time.
static constexpr int64_t kConsumerRegisters = 32;
static constexpr int64_t kLeftOperandRegisters = 20;
/// Accumulator registers of a thread up to which two CTAs share an SM: ptxas
/// refuses wider MMAs in a kernel that starts with the 128 registers that two
/// CTAs leave.
static constexpr int64_t kMaxSharedAccumulator = 64;
/// The same for four CTAs, whose MMAs are by mma.sync: the fewer rows a tile
/// has, the more of a step is waiting, which other CTAs fill. Each CTA needs
/// kMinFlatStages.
static constexpr int64_t kMaxFlatAccumulator = 32;
static constexpr int64_t kMinFlatStages = 4;
/// Bytes of the two barriers of a stage.
static constexpr int64_t kStageBarrierBytes = 16;
/// Shared memory that the hardware keeps for itself in each thread block.
static constexpr int64_t kReservedBytes = 1024;

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

static bool isMmaSync(Operation *op) {
  auto mma = dyn_cast<MmaOp>(op);
  return mma && mma.getMmaSync();
}

bool LoadGroup::isRead() { return llvm::all_of(loads, isReadOnly); }

namespace {
/// Registers of a thread at a kernel's start and after each role's change; 0 if
/// a role keeps those of the start, since only whole warpgroups can change
/// theirs. They come in multiples of 8. If all roles together asked for more
/// registers than the kernel started with, the change would never return.
struct RegisterBudget {
  int64_t entry, producer = 0, consumer = 0;

  /// `tiles` are the registers of the tiles that a consumer's thread holds.
  RegisterBudget(int64_t consumerThreads, int64_t ctasPerSM, int64_t tiles) {
    int64_t threads = consumerThreads + kWarpgroupThreads;
    auto floor8 = [](int64_t count) { return count / 8 * 8; };
    entry =
        floor8(std::min(kMaxThreadRegisters, kRegisters / ctasPerSM / threads));
    if (consumerThreads % kWarpgroupThreads != 0)
      return;
    for (int64_t wanted : kProducerRegisters) {
      producer = std::min(entry, wanted);
      consumer = std::min<int64_t>(
          floor8(kMaxThreadRegisters),
          floor8((threads * entry - kWarpgroupThreads * producer) /
                 consumerThreads));
      if (consumer >= tiles + kConsumerRegisters)
        break;
    }
  }
};

class Specialization {
public:
  Specialization(gpu::GPUFuncOp kernel, int64_t maxSharedBytes,
                 int64_t maxStages, int64_t ctasPerSM)
      : kernel(kernel), maxSharedBytes(maxSharedBytes), maxStages(maxStages),
        ctasPerSM(ctasPerSM) {}

  LogicalResult run() {
    SmallVector<ForEachTileOp> loops(kernel.getBody().getOps<ForEachTileOp>());
    DenseI32ArrayAttr threads = kernel.getKnownBlockSizeAttr();
    bool hasLoads = false;
    kernel.walk([&](LoadOp load) {
      hasLoads |= isa<TensorMapType>(load.getSource().getType());
    });
    if (!hasLoads)
      return success();
    if (loops.size() != 1 || !threads)
      return kernel.emitOpError("expected one loop over tiles and a number of "
                                "threads (wgtile-assign-layouts)");
    if (failed(verifyStructured(kernel)) || failed(verifySwizzles(kernel)) ||
        failed(verifyThreads(kernel)))
      return failure();
    loop = loops.front();
    consumerThreads = threads[0] * loop.getGroupSize();
    maxStages = loop.getAskedStages().value_or(maxStages);
    if (failed(checkWarpgroups(threads[0])))
      return failure();
    if (failed(collectGroups()))
      return failure();
    chooseOwners();
    if (ctasPerSM == 0)
      ctasPerSM = chooseCTAsPerSM(threads[0]);
    RegisterBudget budget(consumerThreads, ctasPerSM,
                          countTileRegisters(threads[0]));
    if (failed(checkThreads(threads[0], budget)) || failed(createRings()))
      return failure();

    OpBuilder b(loop);
    auto roles = RolesOp::create(
        b, loop.getLoc(), b.getStrArrayAttr({"producer", "consumer"}),
        {kWarpgroupThreads / kWarpThreads, consumerThreads / kWarpThreads},
        {budget.producer, budget.consumer}, {0, loop.getGroupSize()},
        /*programsCount=*/2);
    Region &producing = roles.getPrograms()[0],
           &consuming = roles.getPrograms()[1];
    for (Region *role : {&producing, &consuming}) {
      b.createBlock(role);
      RolesOp::ensureTerminator(*role, b, loop.getLoc());
    }
    IRMapping mapping;
    b.setInsertionPointToStart(&producing.front());
    b.clone(*loop.getOperation(), mapping);
    loop->moveBefore(consuming.front().getTerminator());
    auto producer = cast<ForEachTileOp>(mapping.lookup(loop.getOperation()));
    if (failed(makeProducer(producer, groups, mapping)) ||
        failed(makeConsumer(loop, groups)))
      return failure();
    loadIndicesAhead(producing);
    loadIndicesAhead(consuming);

    MLIRContext *context = kernel.getContext();
    kernel.setKnownBlockSizeAttr(DenseI32ArrayAttr::get(
        context,
        {static_cast<int32_t>(consumerThreads + kWarpgroupThreads), 1, 1}));
    kernel->setAttr(NVVM::NVVMDialect::getMaxnregAttrName(),
                    b.getI32IntegerAttr(budget.entry));
    kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    b.getI32IntegerAttr(ctasPerSM));
    return success();
  }

private:
  gpu::GPUFuncOp kernel;
  int64_t maxSharedBytes, maxStages, ctasPerSM;
  ForEachTileOp loop;
  int64_t consumerThreads = 0;
  SmallVector<LoadGroup> groups;
  /// For each load group, the group whose ring it uses.
  SmallVector<size_t> owners;

  /// wgmma is an instruction of whole warpgroups.
  LogicalResult checkWarpgroups(int64_t threads) {
    WalkResult walk = loop.walk([&](MmaOpInterface op) {
      if (isMmaSync(op) || threads % kWarpgroupThreads == 0)
        return WalkResult::advance();
      op->emitOpError() << "expected whole warpgroups, but got " << threads
                        << " threads";
      return WalkResult::interrupt();
    });
    return failure(walk.wasInterrupted());
  }

  /// Registers of a thread for the accumulators of a loop's MMAs and their left
  /// operands in registers, in the loop that has most.
  int64_t countTileRegisters(int64_t threads) {
    DenseMap<Block *, int64_t> inBlock;
    int64_t most = 0;
    loop.walk([&](MmaOpInterface op) {
      int64_t &count = inBlock[op->getBlock()];
      count += op.getResult().getType().getNumElements() / threads;
      if (auto left = dyn_cast<RankedTensorType>(op.getA().getType()))
        count += left.getElementTypeBitWidth() * left.getNumElements() / 32 /
                     threads +
                 kLeftOperandRegisters;
      most = std::max(most, count);
    });
    return most;
  }

  /// Checks that a thread block can be so large, and that its threads have
  /// registers for the MMAs, which ptxas cannot spill.
  LogicalResult checkThreads(int64_t threads, const RegisterBudget &budget) {
    int64_t all = consumerThreads + kWarpgroupThreads;
    int64_t accumulator = 0;
    loop.walk([&](MmaOpInterface op) {
      if (!isMmaSync(op))
        accumulator = std::max(
            accumulator, op.getResult().getType().getNumElements() / threads);
    });
    if (all <= kMaxThreads &&
        (accumulator == 0 || accumulator + kProductRegisters <= budget.entry))
      return success();
    return sattn::emitSourceError(kernel.getLoc())
           << "expected a tile for at most " << kMaxThreads
           << " threads, with registers for M x N, but got one for " << all
           << " threads of at most " << budget.entry << " registers, of which "
           << "the product takes " << accumulator + kProductRegisters
           << "; choose a smaller tile";
  }

  /// The last op of a block that is, or contains, a reader of a load's tile.
  static Operation *findLastReader(LoadOp load, Block *block) {
    Operation *last = nullptr;
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
    DenseMap<std::tuple<Block *, unsigned, Operation *>, size_t> groupOf;
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
        auto key = std::tuple(block, parts[block], findLastReader(load, block));
        lastGroup = groupOf.try_emplace(key, groups.size()).first->second;
      }
      if (lastGroup == groups.size()) {
        groups.emplace_back();
        groups.back().block = block;
      }
      groups[lastGroup].loads.push_back(load);
      groups[lastGroup].instances.push_back(
          dependence.dependsOnGroup(load.getOperation()) ? loop.getGroupSize()
                                                         : 1);
      return WalkResult::advance();
    });
    return failure(walk.wasInterrupted());
  }

  /// The op from which on `op` no longer reads shared memory: the wait for an
  /// asynchronous MMA, or the block's end if the MMA still runs there;
  /// otherwise `op` itself.
  static Operation *findRetirement(Operation *op) {
    auto mma = dyn_cast<MmaAsyncOp>(op);
    if (!mma)
      return op;
    for (Operation *user : mma.getResult().getUsers())
      if (isa<WarpgroupMmaWaitOp>(user) && user->getBlock() == op->getBlock())
        return user;
    return op->getBlock()->getTerminator();
  }

  /// Whether all reads of a load group's tiles are complete before an op of its
  /// block.
  static bool isOverBefore(LoadGroup &group, Operation *op) {
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
  static bool isOverBefore(LoadGroup &group, LoadGroup &later) {
    Operation *start = group.block->findAncestorOpInBlock(*later.loads.front());
    if (!start)
      return true;
    bool isSameIteration = group.block == later.block &&
                           isa<scf::ForOp>(group.block->getParentOp());
    return isOverBefore(group, start) &&
           (!isSameIteration ||
            isOverBefore(later, later.block->getTerminator()));
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
          if (owners[other] == owner && !isOverBefore(groups[other], group))
            return false;
        return true;
      };
      SmallVector<size_t> candidates;
      for (size_t owner = 0; owner < i; ++owner)
        if (owners[owner] == owner && canTakeRingOf(owner))
          candidates.push_back(owner);
      auto same = llvm::find_if(candidates, [&, &group = group](size_t owner) {
        return haveSameSources(groups[owner], group);
      });
      owners.push_back(same != candidates.end() ? *same
                       : candidates.empty()     ? i
                                                : candidates.front());
      size_t owner = owners.back();
      group.positions = *findPositions(groups[owner], group);
    }
  }
  LoadGroup &getOwner(LoadGroup &group) {
    return groups[owners[&group - groups.begin()]];
  }

  /// CTAs per SM: with one warpgroup of consumers, a second CTA works while the
  /// first stores; small-M tiles have two more.
  int64_t chooseCTAsPerSM(int64_t threads) {
    int64_t accumulator = 0;
    bool isFlat = true;
    loop.walk([&](MmaOpInterface op) {
      int64_t elements = op.getResult().getType().getNumElements();
      accumulator = std::max(accumulator, elements / threads);
      isFlat &= isMmaSync(op);
    });
    if (consumerThreads > kWarpgroupThreads ||
        accumulator > kMaxSharedAccumulator)
      return 1;
    RingBytes bytes = countBytes();
    isFlat &= accumulator <= kMaxFlatAccumulator &&
              kMinFlatStages * (bytes.loop + bytes.tile) <= getAvailable(4);
    return isFlat ? 4 : 2;
  }

  /// Bytes of one stage of the rings that loops fill, and of the other rings.
  struct RingBytes {
    DenseSet<LoadGroup *> inLoop;
    int64_t loop = 0, tile = 0;
  };
  RingBytes countBytes() {
    RingBytes result;
    for (LoadGroup &group : groups)
      if (isa<scf::ForOp>(group.block->getParentOp()))
        result.inLoop.insert(&getOwner(group));
    for (LoadGroup &group : groups) {
      int64_t bytes = group.getRingType(1).getStageBytes() + kStageBarrierBytes;
      if (&getOwner(group) == &group)
        (result.inLoop.contains(&group) ? result.loop : result.tile) += bytes;
    }
    return result;
  }

  /// Bytes that each of so many CTAs has for its rings, beside the work-tile
  /// pipeline (wgtile-persist).
  int64_t getAvailable(int64_t ctas) {
    int64_t available = (maxSharedBytes + kReservedBytes) / ctas -
                        kReservedBytes -
                        sattn::layout::WorkTilesLayout::sizeInBytes();
    kernel.walk([&](StagingOp staging) {
      available -= consumerThreads / kWarpgroupThreads * staging.getTileBytes();
    });
    return available;
  }

  /// Makes as many stages as fit, the same number in all rings that loops fill.
  /// A ring that is loaded once per tile needs two stages at most.
  LogicalResult createRings() {
    int64_t available = getAvailable(ctasPerSM);
    auto [inLoop, loopBytes, tileBytes] = countBytes();
    int64_t tileStages = std::min<int64_t>(maxStages, 2), stages = 0;
    for (; tileStages > 0; --tileStages) {
      int64_t left = available - tileStages * tileBytes;
      stages =
          loopBytes == 0 ? left >= 0 : std::min(maxStages, left / loopBytes);
      if (stages >= std::min<int64_t>(maxStages, 2) ||
          (stages >= 1 && (tileStages == 1 || loopBytes == 0)))
        break;
    }
    if (tileStages < 1)
      return sattn::emitSourceError(kernel.getLoc())
             << "expected at most " << available
             << " bytes of shared memory, but one stage needs "
             << loopBytes + tileBytes << "; choose smaller tiles";
    OpBuilder b(loop);
    for (LoadGroup &group : groups) {
      LoadGroup &owner = getOwner(group);
      if (&owner != &group) {
        group.ring = owner.ring;
        continue;
      }
      group.ring = RingOp::create(
          b, group.loads.front().getLoc(),
          group.getRingType(inLoop.contains(&group) ? stages : tileStages),
          consumerThreads / 32, /*offset=*/IntegerAttr(),
          /*barriers=*/IntegerAttr());
    }
    return success();
  }
};

struct SpecializePass
    : public wgtile::impl::WGTileSpecializeBase<SpecializePass> {
  using WGTileSpecializeBase::WGTileSpecializeBase;

  LogicalResult
  initializeOptions(StringRef options,
                    function_ref<LogicalResult(const Twine &)> error) override {
    if (failed(verifyOptionNames(getArgument(), options, error)))
      return failure();
    return WGTileSpecializeBase::initializeOptions(options, error);
  }

  void runOnOperation() override {
    if (failed(verifyOption(getOperation(), "max-stages", maxStages, 1,
                            kMaxStages)) ||
        failed(verifyOption(getOperation(), "ctas-per-sm", ctasPerSM, 0,
                            kMaxCTAsPerSM)) ||
        failed(verifyOption(getOperation(), "max-shared-bytes", maxSharedBytes,
                            0, kMaxSharedBytes)))
      return signalPassFailure();
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>())
      if (kernel.isKernel() &&
          failed(Specialization(kernel, maxSharedBytes, maxStages, ctasPerSM)
                     .run()))
        return signalPassFailure();
  }
};
} // namespace
