//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Kernels/SortTiles.h"

#include "sattn/Dialect/WGTile/Analysis/LoadGroups.h"
#include "sattn/Dialect/WGTile/Analysis/PipelinedLoops.h"
#include "sattn/Dialect/WGTile/Analysis/Rotation.h"
#include "sattn/Dialect/WGTile/Analysis/SplitReduction.h"
#include "sattn/Dialect/WGTile/Analysis/TilePressure.h"
#include "sattn/Dialect/WGTile/Transforms/Schedule/Passes.h"
#include "sattn/Dialect/WGTile/Utils/Launches.h"
#include "sattn/Dialect/WGTile/Utils/Resources.h"
#include "sattn/Dialect/WGTile/Utils/VerifyLayouts.h"
#include "sattn/Layout/Fragment.h"
#include "sattn/Resources/Stages.h"
#include "sattn/Support/SourceOp.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILESCHEDULE
#include "sattn/Dialect/WGTile/Transforms/Schedule/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;
using sattn::layout::kWarpgroupThreads;
using sattn::layout::kWarpThreads;
using sattn::resources::kMinStages;
using sattn::resources::kMostStages;

/// The most stages without a hint of a ring that threads copy to by themselves:
/// they gain nothing from more.
static constexpr int64_t kMaxCopiedStages = 4;
/// Accumulator registers of a thread up to which two CTAs share an SM: ptxas
/// refuses wider MMAs in a kernel that starts with the 128 registers that two
/// CTAs leave.
static constexpr int64_t kMaxSharedAccumulator = 64;
/// The accumulator registers of a thread up to which four CTAs share an SM,
/// whose MMAs are by mma.sync: the fewer rows a tile has, the more of a step is
/// waiting, which other CTAs fill. Each CTA needs kMinSmallMStages.
static constexpr int64_t kMaxSmallMAccumulator = 32;
static constexpr int64_t kMinSmallMStages = 4;
/// Minimum of stages with which two CTAs share an SM if their threads copy: one
/// is read, one arrives, one is requested. Maximum of their threads: their
/// registers then suffice.
static constexpr int64_t kMinSharedStages = 3;
static constexpr int64_t kMaxSharedThreads = 128;
/// Warps of an SM in kernels that read to registers alone, without copies that
/// are issued ahead: what hides the latency of memory is their number.
static constexpr int64_t kLatencyWarps = 32;
/// Registers that a thread of such a kernel has beside tiles that it reads out
/// of loops, at least and at most: for what it computes of one of them, two for
/// each element and a third of wide ones, for addresses and numbers. Each
/// further array that it reads takes half as many.
static constexpr int64_t kMinLoopRegisters = 32, kMaxLoopRegisters = 64;
/// Schedulers of an SM, which share its registers and warps.
static constexpr int64_t kSchedulers = 4;
/// Columns of a raster group without a hint, and at most: points are counted in
/// 32 bits, which must hold the columns of a group times the rows of tiles.
static constexpr int64_t kRasterGroup = 4;
static constexpr int64_t kMaxRasterGroup = 64;
/// Steps of a tile's loops up to which taking its number from a counter, and
/// clearing that for each launch, costs more than it balances.
static constexpr int64_t kMaxShortSteps = 4;
/// Stages with which a loop hides what one iteration waits for, and steps up to
/// which a loop is over before they would help.
static constexpr int64_t kEnoughStages = 4;
static constexpr int64_t kMaxFewSteps = 16;
/// Registers of a thread of a kernel whose CTAs share a reduction, at
/// least: it needs no more for its indices and few accumulators.
static constexpr int64_t kMinSmallRegisters = 56;

/// The largest of the constants that a value is one of.
static std::optional<int64_t> findLargest(Value value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return constant;
  auto select = value.getDefiningOp<arith::SelectOp>();
  if (!select)
    return std::nullopt;
  std::optional<int64_t> left = findLargest(select.getTrueValue()),
                         right = findLargest(select.getFalseValue());
  if (!left || !right)
    return std::nullopt;
  return std::max(*left, *right);
}

/// Whether a tile is a few MMAs, in loops of at most `steps` steps, as far as
/// trip counts are known.
static bool isShort(ForEachTileOp loop, int64_t steps = kMaxShortSteps) {
  bool multiplies = false;
  WalkResult walk = loop.walk([&](Operation *op) {
    multiplies |= isa<MmaOpInterface>(op);
    auto forOp = dyn_cast<scf::ForOp>(op);
    if (!forOp || !forOp->hasAttr(kBlockLoopAttrName))
      return WalkResult::advance();
    std::optional<int64_t> end = findLargest(forOp.getUpperBound());
    bool isBounded =
        end && *end <= steps && isConstantIntValue(forOp.getLowerBound(), 0);
    return isBounded ? WalkResult::advance() : WalkResult::interrupt();
  });
  return multiplies && !walk.wasInterrupted();
}

/// Whether a loop without tiles reads memory.
static bool searches(ForEachTileOp loop) {
  WalkResult walk = loop.walk([](memref::LoadOp load) {
    auto forOp = load->getParentOfType<scf::ForOp>();
    if (!forOp)
      return WalkResult::advance();
    WalkResult tiles =
        forOp.walk([](LoadOp) { return WalkResult::interrupt(); });
    return tiles.wasInterrupted() ? WalkResult::advance()
                                  : WalkResult::interrupt();
  });
  return walk.wasInterrupted();
}

namespace {
/// Completes the schedule of one kernel.
class KernelScheduling {
public:
  KernelScheduling(gpu::GPUFuncOp kernel, const ResourceModel &resources)
      : kernel(kernel), resources(resources), schedule(getSchedule(kernel)) {}

  LogicalResult decideStages() {
    if (!kernel.getBody().getOps<RolesOp>().empty())
      return kernel.emitOpError(
          "expected a kernel without roles: "
          "wgtile-schedule runs before wgtile-specialize");
    bool hasLoads = false;
    kernel.walk([&](LoadOp load) {
      hasLoads |= isa<TensorMapType>(load.getSource().getType());
    });
    schedule.specialized = schedule.specialized.value_or(true) && hasLoads;
    if (*schedule.specialized)
      return decideRoles();
    schedule.overlap = schedule.orderWarpgroups = false;
    schedule.splitK = std::nullopt;
    return decideCopies();
  }

  /// How the tiles of a kernel with this launch are taken.
  void decideTiles(LaunchOp launch) {
    SmallVector<ForEachTileOp> loops(kernel.getBody().getOps<ForEachTileOp>());
    if (schedule.splitK || schedule.persistent == false || loops.empty() ||
        llvm::any_of(loops, [](ForEachTileOp loop) {
          return loop.getCounts().size() < 2 || loop.getPersistent();
        })) {
      // Without a walk and stages, no number of CTAs is worth their registers.
      if (schedule.persistent == true && !schedule.stages)
        schedule.ctasPerSM = std::nullopt;
      schedule.persistent = false;
      return;
    }
    schedule.persistent = true;
    if (!schedule.dynamic) {
      schedule.dynamic = !isShort(loops.front());
      // A launch is a good part of the time of short tiles.
      if (!*schedule.dynamic && resources.getChip().hasClusters)
        schedule.programmaticLaunch =
            schedule.programmaticLaunch.value_or(true);
    }
    schedule.rasterGroup =
        std::min(schedule.rasterGroup.value_or(kRasterGroup), kMaxRasterGroup);
    if (!schedule.tileOrder)
      schedule.tileOrder = chooseTileOrder(launch, loops.front());
  }

  void finish() { setSchedule(kernel, schedule); }

private:
  gpu::GPUFuncOp kernel;
  const ResourceModel &resources;
  Schedule schedule;
  ForEachTileOp loop;
  /// Threads of a consumer group, and of all.
  int64_t groupThreads = 0, consumerThreads = 0;
  /// Bytes of shared memory for all but rings of tiles: staging, the ring of
  /// tiles' numbers (wgtile-persist), tiles that a cluster's CTAs exchange.
  int64_t fixedBytes = 0;

  remark::detail::InFlightRemark explain(Location loc, StringRef name) {
    return remark::missed(
        loc, remark::RemarkOpts::name(name).category("wgtile-schedule"));
  }

  LogicalResult decideRoles() {
    SmallVector<ForEachTileOp> loops(kernel.getBody().getOps<ForEachTileOp>());
    DenseI32ArrayAttr threads = kernel.getKnownBlockSizeAttr();
    if (loops.size() != 1 || !threads)
      return kernel.emitOpError("expected one loop over tiles and a number of "
                                "threads (wgtile-assign-layouts)");
    if (failed(verifyStructured(kernel)) || failed(verifySwizzles(kernel)) ||
        failed(verifyThreads(kernel)))
      return failure();
    loop = loops.front();
    groupThreads = threads[0];
    consumerThreads = groupThreads * loop.getGroupSize();
    if (failed(checkWarpgroups()))
      return failure();
    fixedBytes = ResourceModel::getTileRingBytes(kernel.getContext());
    kernel.walk([&](RingOp staging) {
      fixedBytes += staging.getRing().getType().getSizeInBytes();
    });
    decideSplit();
    decideOverlap();
    FailureOr<SmallVector<LoadGroup>> groups =
        predictLoadGroups(loop, *schedule.overlap);
    if (failed(groups))
      return failure();
    if (!fitsCarried(*groups)) {
      decline("the loop would carry a tile, but its rings have one stage");
      groups = predictLoadGroups(loop, /*isOverlapPending=*/false);
    }
    RingBytes bytes = countRingBytes(*groups);
    if (!schedule.ctasPerSM)
      schedule.ctasPerSM = chooseCTAsPerSM(bytes);
    RoleRegisters registers = getRegisters(
        *schedule.ctasPerSM,
        countLiveTileRegisters(loop, groupThreads, *schedule.overlap));
    if (failed(checkThreads(registers)))
      return failure();
    schedule.entryRegisters = registers.entry;
    schedule.producerRegisters = registers.producer;
    schedule.consumerRegisters = registers.consumer;
    if (decideDepths(bytes, *groups))
      return success();
    return sattn::emitSourceError(kernel.getLoc())
           << "expected at most " << getRingBytes(*schedule.ctasPerSM)
           << " bytes of shared memory, but one stage needs "
           << bytes.loop + bytes.tile << "; choose smaller tiles";
  }

  RoleRegisters getRegisters(int64_t ctasPerSM, int64_t liveTiles) {
    return resources.getRoleRegisters(
        consumerThreads, ctasPerSM,
        ResourceModel::getTileRegisters(loop, groupThreads), liveTiles,
        searches(loop));
  }

  /// Decides how many CTAs share the reduction of a tile.
  void decideSplit() {
    if (!schedule.splitK)
      return;
    int64_t parts = llvm::bit_floor(static_cast<uint64_t>(
        std::min(*schedule.splitK, sattn::kMaxClusterSize)));
    schedule.splitK = std::nullopt;
    StringRef reason = "the chip has no clusters";
    scf::ForOp split;
    if (resources.getChip().hasClusters)
      split = findSplitLoop(loop, reason);
    if (split) {
      schedule.splitK = parts;
      schedule.programmaticLaunch = schedule.programmaticLaunch.value_or(true);
      if (parts == 1)
        return;
      for (Type type : split.getResultTypes())
        fixedBytes += ClusterReduceOp::getBytes(cast<RankedTensorType>(type),
                                                loop.getGroupSize());
      return;
    }
    explain(loop.getLoc(), "SplitK")
        << "a tile's reduction is not shared: " + reason.str();
  }

  /// Threads of a CTA.
  int64_t getThreads() const {
    return consumerThreads + ResourceModel::getProducerThreads(consumerThreads);
  }

  /// Checks that wgmma has whole warpgroups.
  LogicalResult checkWarpgroups() {
    WalkResult walk = loop.walk([&](MmaOpInterface op) {
      if (op.getMmaSync() || groupThreads % kWarpgroupThreads == 0)
        return WalkResult::advance();
      op->emitOpError() << "expected whole warpgroups, but got " << groupThreads
                        << " threads";
      return WalkResult::interrupt();
    });
    return failure(walk.wasInterrupted());
  }

  /// Decides `overlap`: two MMAs in a chain run beside each other if the
  /// registers for the tiles of both iterations fit; if several warpgroups
  /// compute one tile, they issue these in turn.
  void decideOverlap() {
    bool hasRotation = false;
    loop.walk([&](scf::ForOp forOp) {
      if (!forOp->hasAttr(kBlockLoopAttrName))
        return;
      StringRef reason;
      if (findRotation(forOp, &reason))
        hasRotation = true;
      else if (!reason.empty())
        explain(forOp.getLoc(), "Overlap")
            << "two MMAs in a chain do not overlap: " + reason.str();
    });
    schedule.overlap = hasRotation && schedule.overlap.value_or(true);
    schedule.orderWarpgroups = *schedule.overlap && loop.getGroupSize() == 1 &&
                               consumerThreads >= 2 * kWarpgroupThreads &&
                               schedule.orderWarpgroups.value_or(true);
    if (!*schedule.overlap)
      return;
    int64_t live = countLiveTileRegisters(loop, groupThreads, /*rotates=*/true);
    RoleRegisters registers =
        getRegisters(schedule.ctasPerSM.value_or(1), live);
    if (!ResourceModel::fitsTiles(registers, live))
      decline("tiles of both iterations take " + std::to_string(live) +
              " of a thread's " + std::to_string(registers.consumer) +
              " registers");
  }

  /// Leaves two MMAs in a chain one after the other.
  void decline(const Twine &reason) {
    schedule.overlap = schedule.orderWarpgroups = false;
    explain(loop.getLoc(), "Overlap")
        << ("two MMAs in a chain do not overlap: " + reason).str();
  }

  /// Whether the rings of tiles that loops carry, which hold one stage while
  /// the next is filled, have as many stages.
  bool fitsCarried(MutableArrayRef<LoadGroup> groups) {
    if (llvm::none_of(groups, [](LoadGroup &group) { return group.carried; }))
      return true;
    RingBytes bytes = countRingBytes(groups);
    int64_t ctas =
        schedule.ctasPerSM ? *schedule.ctasPerSM : chooseCTAsPerSM(bytes);
    return fitDepths(bytes, getRingBytes(ctas), kMinStages, kMinStages).loop >=
           kMinStages;
  }

  /// Checks that a CTA can be so large, and that its threads have
  /// registers for the MMAs, which ptxas cannot spill.
  LogicalResult checkThreads(const RoleRegisters &registers) {
    int64_t all = getThreads();
    int64_t most = resources.getChip().threadsPerCTA;
    int64_t needed = ResourceModel::getWgmmaRegisters(loop, groupThreads);
    if (all <= most && needed <= registers.entry)
      return success();
    return sattn::emitSourceError(kernel.getLoc())
           << "expected a tile for at most " << most
           << " threads, with registers for M x N, but got one for " << all
           << " threads of at most " << registers.entry
           << " registers, of which the product takes " << needed
           << "; choose a smaller tile";
  }

  /// The CTAs that share an SM. With one warpgroup of consumers, a second CTA
  /// works while the first stores, if both have memory for a stage; small-M
  /// tiles get four.
  int64_t chooseCTAsPerSM(const RingBytes &bytes) {
    if (schedule.splitK)
      return chooseSmallCTAs(bytes);
    int64_t accumulator = 0;
    bool isSmallM = true;
    loop.walk([&](MmaOpInterface op) {
      int64_t elements = op.getResult().getType().getNumElements();
      accumulator = std::max(accumulator, elements / groupThreads);
      isSmallM &= op.getMmaSync();
    });
    if (consumerThreads > kWarpgroupThreads ||
        accumulator > kMaxSharedAccumulator)
      return 1;
    isSmallM &= accumulator <= kMaxSmallMAccumulator &&
                kMinSmallMStages * (bytes.loop + bytes.tile) <= getRingBytes(4);
    int64_t ctas = isSmallM ? 4 : 2;
    while (ctas > 1 && bytes.loop + bytes.tile > getRingBytes(ctas))
      ctas /= 2;
    return ctas;
  }

  /// The CTAs that have a few stages and registers each: a cluster needs free
  /// CTAs of SMs that are close together.
  int64_t chooseSmallCTAs(const RingBytes &bytes) {
    int64_t needed = ResourceModel::getWgmmaRegisters(loop, groupThreads);
    for (int64_t ctas = resources.getChip().ctasPerSM; ctas > 1; --ctas)
      if (kMinSharedStages * bytes.loop + bytes.tile <= getRingBytes(ctas) &&
          resources.getRegisters(getThreads(), ctas) >=
              std::max(needed, kMinSmallRegisters))
        return ctas;
    return 1;
  }

  /// Bytes that each of `ctas` CTAs has for its rings of tiles.
  int64_t getRingBytes(int64_t ctas) {
    return resources.getSharedBytes(ctas) - fixedBytes;
  }

  using Depths = sattn::resources::RingStages;
  static Depths fitDepths(const RingBytes &bytes, int64_t available,
                          int64_t mostStages, int64_t mostTileStages) {
    return sattn::resources::fitRingStages(bytes.loop, bytes.tile, available,
                                           mostStages, mostTileStages);
  }

  /// Stages of the rings that are filled once a tile, without a hint. A second
  /// stage hides one load per tile; several stages of long loops that have few
  /// hide more, and are preferred where the memory holds only one of the two.
  int64_t chooseTileStages(const RingBytes &bytes, int64_t available,
                           int64_t mostStages) {
    if (bytes.loop == 0)
      return kMinStages;
    auto countBeside = [&](int64_t tileStages) {
      return std::min(mostStages,
                      (available - tileStages * bytes.tile) / bytes.loop);
    };
    int64_t beside = countBeside(kMinStages);
    bool gains = beside < kEnoughStages && countBeside(1) >= beside + 2;
    return gains && !isShort(loop, kMaxFewSteps) ? 1 : kMinStages;
  }

  /// Decides the rings' depths. Borrows a stage of a loop's ring for staging if
  /// loops would otherwise get fewer than two; that ring prefetches less during
  /// the store. Returns whether a stage of each ring fits.
  bool decideDepths(const RingBytes &bytes, MutableArrayRef<LoadGroup> groups) {
    int64_t maxStages =
        schedule.stages ? std::clamp(*schedule.stages, kMinStages, kMostStages)
                        : kMostStages;
    int64_t available = getRingBytes(*schedule.ctasPerSM);
    int64_t maxTileStages = schedule.tileStages.value_or(
        chooseTileStages(bytes, available, maxStages));
    Depths depths = fitDepths(bytes, available, maxStages, maxTileStages);
    LoadGroup *lender = schedule.splitK ? nullptr : findLender(groups);
    bool isShort = depths.tile < 1 || depths.loop < kMinStages;
    if (lender && schedule.borrow.value_or(isShort)) {
      RingOp borrower = lender->borrower;
      Depths borrowing = fitDepths(
          bytes, available + borrower.getRing().getType().getSizeInBytes(),
          maxStages, maxTileStages);
      if (schedule.borrow || borrowing.loop > depths.loop) {
        depths = borrowing;
        schedule.borrow = true;
      }
    } else if (schedule.borrow == true) {
      schedule.borrow = std::nullopt;
    }
    schedule.stages = depths.loop;
    schedule.tileStages = depths.tile;
    return depths.tile >= 1;
  }

  /// Decides the stages of copies. Tiles in loops, tiles outside them and the
  /// work-tile pipeline (wgtile-persist) share the memory.
  LogicalResult decideCopies() {
    std::optional<int64_t> asked = schedule.stages;
    std::optional<int64_t> ctas = schedule.ctasPerSM;
    schedule.stages = schedule.tileStages = schedule.ctasPerSM = std::nullopt;
    if (failed(verifySwizzles(kernel)))
      return failure();
    SmallVector<PipelinedLoop> loops =
        findPipelinedLoops(kernel, [&](scf::ForOp loop, StringRef reason) {
          explain(loop.getLoc(), "Pipeline")
              << ("loads are not issued ahead: " + reason).str();
        });
    if (loops.empty()) {
      if (readsToRegisters())
        decideLatencyCTAs(ctas);
      return success();
    }
    int64_t stageBytes = 0;
    int64_t otherBytes = ResourceModel::getTileRingBytes(kernel.getContext());
    kernel.walk([&](LoadOp load) {
      otherBytes += ResourceModel::getTileBytes(load.getTile().getType());
    });
    for (PipelinedLoop &pipelined : loops) {
      stageBytes += pipelined.getStageBytes();
      for (LoadOp load : pipelined.loads)
        otherBytes -= ResourceModel::getTileBytes(load.getTile().getType());
    }
    auto countFitting = [&](int64_t ctas) {
      return (resources.getSharedBytes(ctas) - otherBytes) / stageBytes;
    };
    DenseI32ArrayAttr threads = kernel.getKnownBlockSizeAttr();
    if (!ctas)
      ctas = threads && threads[0] <= kMaxSharedThreads &&
                     countFitting(2) >= kMinSharedStages
                 ? 2
                 : 1;
    int64_t most =
        asked ? std::clamp(*asked, kMinStages, kMostStages) : kMaxCopiedStages;
    int64_t stages = std::min(most, countFitting(*ctas));
    if (stages < kMinStages) {
      explain(kernel.getLoc(), "Stages")
          << "loads are not issued ahead: two stages of " +
                 std::to_string(stageBytes) + " bytes do not fit";
      return success();
    }
    schedule.stages = stages;
    schedule.ctasPerSM = ctas;
    return success();
  }

  /// Whether shared memory holds nothing that a loop waits for.
  bool readsToRegisters() {
    return !kernel
                .walk([](Operation *op) {
                  return isa<LoadOp, MmaOpInterface>(op)
                             ? WalkResult::interrupt()
                             : WalkResult::advance();
                })
                .wasInterrupted();
  }

  /// Decides the schedule of kernels that read only into registers. They gain
  /// nothing from persistence: launch one CTA per tile, which replaces one that
  /// ends, in order and without a counter; the first CTAs replace those of the
  /// preceding kernel. If the program asks for persistence, or no tile is read,
  /// so that a tile may take next to no time, as many CTAs as hide latency walk
  /// the tiles.
  void decideLatencyCTAs(std::optional<int64_t> asked) {
    bool readsTiles = false, storesTiles = false;
    kernel.walk([&](Operation *op) {
      readsTiles |= isa<GatherOp, ReadOp>(op);
      storesTiles |= isa<ScatterOp, StoreOp>(op);
    });
    schedule.persistent = schedule.persistent.value_or(!readsTiles);
    schedule.ctasPerSM = asked;
    if (*schedule.persistent) {
      schedule.ctasPerSM = asked.value_or(chooseLatencyCTAs());
      if (readsTiles || !storesTiles)
        return;
      // Most tiles take less time than their numbers from a counter.
      schedule.dynamic = schedule.dynamic.value_or(false);
      if (!*schedule.dynamic && resources.getChip().hasClusters)
        schedule.programmaticLaunch =
            schedule.programmaticLaunch.value_or(true);
      return;
    }
    if (!readsTiles)
      return;
    if (resources.getChip().hasClusters)
      schedule.programmaticLaunch = schedule.programmaticLaunch.value_or(true);
    DenseI32ArrayAttr threads = kernel.getKnownBlockSizeAttr();
    if (!threads || asked)
      return;
    KeptTiles kept = findKeptTiles(threads[0]);
    if (kept.registers == 0)
      return;
    const sattn::ChipResources &chip = resources.getChip();
    // A warp's registers are those of one scheduler.
    int64_t warps = llvm::divideCeil(threads[0], kWarpThreads);
    int64_t others =
        std::clamp(kept.computed, kMinLoopRegisters, kMaxLoopRegisters);
    others += others / 2 * (kept.arrays - 1);
    int64_t fitting = chip.registersPerSM / kSchedulers / kWarpThreads /
                      (others + kept.registers) * kSchedulers;
    schedule.ctasPerSM =
        std::clamp<int64_t>(fitting / warps, 1, chip.ctasPerSM);
  }

  /// The array that a view is of.
  static Value findArray(Value view) {
    while (Operation *op = view.getDefiningOp()) {
      if (!isa<ViewLikeOpInterface, memref::TransposeOp>(op))
        break;
      view = op->getOperand(0);
    }
    return view;
  }

  /// The tiles that are read outside the loops of a tile, by runs.
  struct KeptTiles {
    /// Registers of a thread for all of them, and for the values that it
    /// computes from the largest.
    int64_t registers = 0, computed = 0;
    /// Arrays that they are read from.
    int64_t arrays = 0;
  };

  /// Finds the kept tiles. The fewer registers they take, the more CTAs share
  /// an SM, and the more is read at one time. Accesses of single elements need
  /// too many other registers to tell.
  KeptTiles findKeptTiles(int64_t threads) {
    KeptTiles kept;
    SmallPtrSet<Value, 2> arrays;
    for (auto tiles : kernel.getBody().getOps<ForEachTileOp>()) {
      Block &body = tiles.getBody().front();
      if (llvm::none_of(body.getOps<scf::ForOp>(), [](scf::ForOp loop) {
            return loop->hasAttr(kBlockLoopAttrName);
          }))
        continue;
      body.walk<WalkOrder::PreOrder>([&](Operation *op) {
        if (isa<scf::ForOp>(op))
          return WalkResult::skip();
        if (auto read = dyn_cast<ReadOp>(op); read && read.getAligned()) {
          RankedTensorType type = read.getTile().getType();
          int64_t elements = type.getNumElements() / threads,
                  bits = type.getElementTypeBitWidth();
          kept.registers += elements * bits / 32;
          kept.computed =
              std::max(kept.computed, elements * (bits < 32 ? 2 : 3));
          arrays.insert(findArray(read.getSource()));
        }
        return WalkResult::advance();
      });
    }
    kept.arrays = arrays.size();
    return kept;
  }

  /// CTAs per SM that keep kLatencyWarps warps in flight.
  int64_t chooseLatencyCTAs() {
    DenseI32ArrayAttr threads = kernel.getKnownBlockSizeAttr();
    int64_t warps =
        threads ? llvm::divideCeil(threads[0], kWarpThreads) : kLatencyWarps;
    return std::clamp<int64_t>(kLatencyWarps / warps, 1,
                               resources.getChip().ctasPerSM);
  }

  /// The order of tiles: longest first where the costs are known and sorting
  /// pays.
  TileOrder chooseTileOrder(LaunchOp launch, ForEachTileOp tiles) {
    // The generic specialization of a kernel that has others is not worth
    // another launch.
    auto version = launch->getAttrOfType<StringAttr>(kVersionAttrName);
    bool isGeneric =
        version && version == "generic" && !launch->hasAttr(kReasonAttrName);
    TileTripCount tripCount(tiles);
    if (isGeneric || !*schedule.dynamic || !tripCount.find())
      return TileOrder::Ascending;
    switch (tripCount.findRowMonotonicity()) {
    case Monotonicity::Increasing:
      return TileOrder::Descending;
    case Monotonicity::Decreasing:
      return TileOrder::Ascending;
    default:
      break;
    }
    if (canSortTiles(launch, kernel, tiles, tripCount))
      return TileOrder::Sorted;
    explain(kernel.getLoc(), "TileOrder")
        << "tiles of unequal cost are not sorted: the host does not have the "
           "values that their trip counts are computed from";
    return TileOrder::Ascending;
  }
};

struct SchedulePass : public wgtile::impl::WGTileScheduleBase<SchedulePass> {
  void runOnOperation() override {
    DenseMap<Operation *, LaunchOp> launches;
    for (auto [launch, kernel] : getLaunches(getOperation()))
      launches[kernel] = launch;
    for (auto module : getOperation().getOps<gpu::GPUModuleOp>()) {
      FailureOr<ResourceModel> resources = ResourceModel::get(module);
      if (failed(resources))
        return signalPassFailure();
      for (auto kernel : module.getOps<gpu::GPUFuncOp>()) {
        if (!kernel.isKernel())
          continue;
        if (kernel.getKnownBlockSizeAttr() && failed(verifyThreads(kernel)))
          return signalPassFailure();
        KernelScheduling scheduling(kernel, *resources);
        if (failed(scheduling.decideStages()))
          return signalPassFailure();
        if (LaunchOp launch = launches.lookup(kernel))
          scheduling.decideTiles(launch);
        scheduling.finish();
      }
    }
  }
};
} // namespace
