//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Dialect/WGTile/Transforms/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILESPECIALIZE
#include "sattn/Dialect/WGTile/Transforms/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;

/// Threads of a warpgroup; the producer is one.
static constexpr int64_t kWarpgroupThreads = 128;
/// Registers of a multiprocessor, and the most that a thread may have.
static constexpr int64_t kRegisters = 65536;
static constexpr int64_t kMaxThreadRegisters = 255;
/// Registers that the producer's threads keep: indices are 64 bits wide.
static constexpr int64_t kProducerRegisters = 56;
/// Accumulator registers of a thread up to which two thread blocks share a
/// multiprocessor: ptxas refuses wider products where a kernel starts with the
/// 128 registers that two leave it.
static constexpr int64_t kMaxSharedAccumulator = 64;
/// Bytes of the two barriers of a stage.
static constexpr int64_t kStageBarrierBytes = 16;
/// Shared memory that the hardware keeps for itself in each thread block.
static constexpr int64_t kReservedBytes = 1024;

namespace {
/// Registers a thread at a kernel's start and after each role's change. They
/// come in eights, and roles may not have more in all than the kernel started
/// with, or the change never returns.
struct RegisterBudget {
  int64_t entry, producer, consumer;

  RegisterBudget(int64_t consumerThreads, int64_t blocks) {
    int64_t threads = consumerThreads + kWarpgroupThreads;
    auto floor8 = [](int64_t count) { return count / 8 * 8; };
    entry =
        floor8(std::min(kMaxThreadRegisters, kRegisters / blocks / threads));
    producer = std::min(entry, kProducerRegisters);
    consumer = std::min<int64_t>(
        floor8(kMaxThreadRegisters),
        floor8((threads * entry - kWarpgroupThreads * producer) /
               consumerThreads));
  }
};

/// The loads of one block, and the ring that takes their place.
struct LoadGroup {
  SmallVector<LoadOp> loads;
  RingOp ring;

  /// Type of a ring of so many stages for these loads.
  RingType getRingType(int64_t stages) {
    SmallVector<Type> tiles;
    for (LoadOp load : loads)
      tiles.push_back(load.getTile().getType());
    return RingType::get(loads.front().getContext(), stages, tiles);
  }
};

class Specialization {
public:
  Specialization(gpu::GPUFuncOp kernel, int64_t maxSharedBytes,
                 int64_t maxStages, int64_t blocks)
      : kernel(kernel), maxSharedBytes(maxSharedBytes), maxStages(maxStages),
        blocks(blocks) {}

  LogicalResult run() {
    SmallVector<ForEachTileOp> loops(kernel.getBody().getOps<ForEachTileOp>());
    DenseI32ArrayAttr threads = kernel.getKnownBlockSizeAttr();
    bool hasLoads = false;
    kernel.walk([&](LoadOp) { hasLoads = true; });
    if (!hasLoads)
      return success();
    if (loops.size() != 1 || !threads)
      return kernel.emitOpError("expected one loop over tiles and a number of "
                                "threads (wgtile-assign-layouts)");
    loop = loops.front();
    consumerThreads = threads[0];
    if (consumerThreads % kWarpgroupThreads != 0)
      return kernel.emitOpError() << "expected whole warpgroups, but got "
                                  << consumerThreads << " threads";
    // Where one warpgroup consumes, a second thread block works while it
    // stores.
    if (blocks == 0) {
      int64_t accumulator = 0;
      loop.walk([&](MmaOp op) {
        accumulator =
            std::max(accumulator, op.getResult().getType().getDimSize(1) / 2);
      });
      blocks = consumerThreads == kWarpgroupThreads &&
                       accumulator <= kMaxSharedAccumulator
                   ? 2
                   : 1;
    }
    if (failed(collectGroups()) || failed(createRings()))
      return failure();

    RegisterBudget budget(consumerThreads, blocks);
    OpBuilder b(loop);
    auto roles =
        RolesOp::create(b, loop.getLoc(), budget.producer, budget.consumer);
    IRMapping mapping;
    for (Region *role : {&roles.getProducer(), &roles.getConsumer()}) {
      Block *block = b.createBlock(role);
      RolesOp::ensureTerminator(*role, b, loop.getLoc());
      b.setInsertionPointToStart(block);
      if (role == &roles.getProducer())
        b.clone(*loop.getOperation(), mapping);
    }
    loop->moveBefore(roles.getConsumer().front().getTerminator());
    if (failed(makeProducer(roles, mapping)) || failed(makeConsumer()))
      return failure();

    MLIRContext *context = kernel.getContext();
    kernel.setKnownBlockSizeAttr(DenseI32ArrayAttr::get(
        context,
        {static_cast<int32_t>(consumerThreads + kWarpgroupThreads), 1, 1}));
    kernel->setAttr(NVVM::NVVMDialect::getMaxnregAttrName(),
                    b.getI32IntegerAttr(budget.entry));
    kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    b.getI32IntegerAttr(blocks));
    return success();
  }

private:
  gpu::GPUFuncOp kernel;
  int64_t maxSharedBytes, maxStages, blocks;
  ForEachTileOp loop;
  int64_t consumerThreads = 0;
  SmallVector<LoadGroup> groups;

  LogicalResult collectGroups() {
    DenseMap<Block *, size_t> groupOf;
    WalkResult walk = loop.walk([&](LoadOp load) {
      for (Operation *op = load->getParentOp(); op != loop;
           op = op->getParentOp())
        if (!isa<scf::ForOp>(op)) {
          load.emitOpError("expected a load in loops only");
          return WalkResult::interrupt();
        }
      auto [it, inserted] =
          groupOf.try_emplace(load->getBlock(), groups.size());
      if (inserted)
        groups.emplace_back();
      groups[it->second].loads.push_back(load);
      return WalkResult::advance();
    });
    return failure(walk.wasInterrupted());
  }

  /// The rings have the same number of stages: as many as fit.
  LogicalResult createRings() {
    int64_t stageBytes = 0;
    for (LoadGroup &group : groups)
      stageBytes += group.getRingType(1).getStageBytes() + kStageBarrierBytes;
    int64_t available =
        (maxSharedBytes + kReservedBytes) / blocks - kReservedBytes;
    int64_t stages = std::min(maxStages, available / stageBytes);
    if (stages < 1)
      return kernel.emitOpError()
             << "expected at most " << available
             << " bytes of shared memory, but one stage needs " << stageBytes
             << "; choose smaller tiles";
    OpBuilder b(loop);
    for (LoadGroup &group : groups)
      group.ring = RingOp::create(
          b, group.loads.front().getLoc(), group.getRingType(stages),
          consumerThreads / 32, /*offset=*/IntegerAttr(),
          /*barriers=*/IntegerAttr());
    return success();
  }

  /// Loads become copies into the ring; whatever no copy needs goes.
  LogicalResult makeProducer(RolesOp roles, IRMapping &mapping) {
    for (LoadGroup &group : groups) {
      Value ring = group.ring;
      for (auto [position, original] : llvm::enumerate(group.loads)) {
        auto load = cast<LoadOp>(mapping.lookup(original.getOperation()));
        auto source = dyn_cast<TypedValue<TensorMapType>>(load.getSource());
        if (!source)
          return load.emitOpError("expected a tensor map as the source "
                                  "(wgtile-create-tensor-maps)");
        OpBuilder b(load);
        if (position == 0)
          RingAcquireOp::create(b, load.getLoc(), ring);
        RingCopyOp::create(b, load.getLoc(), ring, position, source,
                           load.getIndices());
        if (position + 1 == group.loads.size())
          RingCommitOp::create(b, load.getLoc(), ring);
        load.replaceAllUsesWith(
            ub::PoisonOp::create(b, load.getLoc(), load.getTile().getType(),
                                 ub::PoisonAttr::get(b.getContext()))
                .getResult());
        load.erase();
      }
    }
    eraseUnneeded(roles.getProducer());
    WalkResult walk = roles.getProducer().walk([&](Operation *op) {
      if (!isa<MmaOp, WaitMmaOp>(op))
        return WalkResult::advance();
      op->emitOpError("expected loads that do not depend on a product");
      return WalkResult::interrupt();
    });
    return failure(walk.wasInterrupted());
  }

  /// Erases what neither moves data into a ring nor computes for what does: all
  /// that has no users, stores included, until nothing is left of that kind.
  static void eraseUnneeded(Region &role) {
    auto isRoot = [](Operation *op) {
      return isa<RingAcquireOp, RingCopyOp, RingCommitOp>(op);
    };
    auto needed = [&](Operation *op) {
      if (op->hasTrait<OpTrait::IsTerminator>() || isRoot(op))
        return true;
      bool containsRoot = false;
      op->walk([&](Operation *nested) { containsRoot |= isRoot(nested); });
      return containsRoot;
    };
    bool changed = true;
    while (changed) {
      changed = false;
      SmallVector<Operation *> ops;
      role.walk([&](Operation *op) { ops.push_back(op); });
      // Last first, users before what they use.
      for (Operation *op : llvm::reverse(ops)) {
        if (!op->use_empty())
          continue;
        if (!needed(op)) {
          op->dropAllReferences();
          op->erase();
          changed = true;
          break;
        }
        auto forOp = dyn_cast<scf::ForOp>(op);
        if (forOp && dropUnusedResults(forOp)) {
          changed = true;
          break;
        }
      }
    }
  }

  /// A loop none of whose results is used carries nothing.
  static bool dropUnusedResults(scf::ForOp forOp) {
    if (forOp->getNumResults() == 0)
      return false;
    OpBuilder b(forOp);
    auto newLoop = scf::ForOp::create(b, forOp.getLoc(), forOp.getLowerBound(),
                                      forOp.getUpperBound(), forOp.getStep());
    newLoop->setDiscardableAttrs(llvm::to_vector(forOp->getDiscardableAttrs()));
    Block *body = newLoop.getBody();
    body->getTerminator()->erase();
    forOp.getInductionVar().replaceAllUsesWith(newLoop.getInductionVar());
    for (auto [argument, init] :
         llvm::zip(forOp.getRegionIterArgs(), forOp.getInitArgs())) {
      b.setInsertionPoint(forOp);
      argument.replaceAllUsesWith(
          ub::PoisonOp::create(b, forOp.getLoc(), argument.getType(),
                               ub::PoisonAttr::get(b.getContext()))
              .getResult());
    }
    body->getOperations().splice(body->end(), forOp.getBody()->getOperations());
    body->getTerminator()->setOperands({});
    forOp.erase();
    return true;
  }

  /// Loads become takes, with the releases that they need.
  LogicalResult makeConsumer() {
    for (LoadGroup &group : groups) {
      OpBuilder b(group.loads.front());
      Location loc = group.loads.front().getLoc();
      Block *block = group.loads.front()->getBlock();
      RingType type = group.ring.getRing().getType();
      auto take = RingTakeOp::create(b, loc, type.getTiles(), group.ring);
      Operation *lastReader = take;
      for (auto [load, tile] : llvm::zip(group.loads, take.getTiles())) {
        for (Operation *user : load.getTile().getUsers()) {
          if (!isa<MmaOp>(user) || user->getBlock() != block)
            return user->emitOpError(
                "expected a product in the block of its loads");
          if (lastReader->isBeforeInBlock(user))
            lastReader = user;
        }
        load.getTile().replaceAllUsesWith(tile);
      }
      for (LoadOp load : group.loads)
        load.erase();
      release(block, group.ring, lastReader);
    }
    return success();
  }

  static void release(Block *block, Value ring, Operation *lastReader) {
    Location loc = lastReader->getLoc();
    OpBuilder b(block->getParentOp());
    b.setInsertionPointAfter(lastReader);
    auto mma = dyn_cast<MmaOp>(lastReader);
    if (!mma || !mma.getAsync()) {
      RingReleaseOp::create(b, loc, ring, /*held=*/0);
      return;
    }
    // Still running at the end of the turn: the next turn gives the stage back,
    // once the products of this one are all that runs.
    int64_t products = llvm::range_size(block->getOps<MmaOp>());
    auto wait =
        WaitMmaOp::create(b, loc, mma.getType(), mma.getResult(), products);
    mma.getResult().replaceAllUsesExcept(wait.getResult(), wait);
    RingReleaseOp::create(b, loc, ring, /*held=*/1);
    // After the loop, behind the wait for all.
    Operation *loop = block->getParentOp();
    Operation *last = loop;
    for (Operation *user : loop->getUsers())
      if (isa<WaitMmaOp>(user) && user->getBlock() == loop->getBlock())
        last = user;
    b.setInsertionPointAfter(last);
    RingReleaseOp::create(b, loc, ring, /*held=*/0);
  }
};

struct SpecializePass
    : public wgtile::impl::WGTileSpecializeBase<SpecializePass> {
  using WGTileSpecializeBase::WGTileSpecializeBase;

  void runOnOperation() override {
    if (maxStages < 1 || blocks < 0) {
      getOperation().emitError()
          << "expected 'max-stages' to be positive and 'blocks' not negative, "
             "but got "
          << maxStages.getValue() << " and " << blocks.getValue();
      return signalPassFailure();
    }
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>())
      if (kernel.isKernel() &&
          failed(
              Specialization(kernel, maxSharedBytes, maxStages, blocks).run()))
        return signalPassFailure();
  }
};
} // namespace
