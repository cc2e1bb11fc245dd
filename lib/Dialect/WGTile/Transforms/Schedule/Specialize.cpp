//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Specialize.h"

#include "sattn/Dialect/WGTile/Transforms/Schedule/Passes.h"
#include "sattn/Dialect/WGTile/Utils/Resources.h"
#include "sattn/Dialect/WGTile/Utils/VerifyLayouts.h"
#include "sattn/Layout/Fragment.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILESPECIALIZE
#include "sattn/Dialect/WGTile/Transforms/Schedule/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;
using sattn::layout::kWarpgroupThreads;
using sattn::layout::kWarpThreads;

namespace {
class Specialization {
public:
  Specialization(gpu::GPUFuncOp kernel, const Schedule &schedule)
      : kernel(kernel), schedule(schedule) {}

  LogicalResult run() {
    SmallVector<ForEachTileOp> loops(kernel.getBody().getOps<ForEachTileOp>());
    DenseI32ArrayAttr threads = kernel.getKnownBlockSizeAttr();
    if (loops.size() != 1 || !threads)
      return kernel.emitOpError("expected one loop over tiles and a number of "
                                "threads (wgtile-assign-layouts)");
    if (!schedule.stages || !schedule.tileStages || !schedule.ctasPerSM ||
        !schedule.entryRegisters || !schedule.producerRegisters ||
        !schedule.consumerRegisters)
      return kernel.emitOpError("expected a specialized kernel with stages, "
                                "CTAs and registers (wgtile-schedule)");
    if (failed(verifyStructured(kernel)) || failed(verifySwizzles(kernel)) ||
        failed(verifyThreads(kernel)))
      return failure();
    loop = loops.front();
    if (loop.getPersistent())
      return loop.emitOpError("expected a loop that is not persistent: "
                              "wgtile-specialize runs before wgtile-persist");
    consumerThreads = threads[0] * loop.getGroupSize();
    FailureOr<SmallVector<LoadGroup>> collected = collectLoadGroups(loop);
    if (failed(collected))
      return failure();
    groups = std::move(*collected);
    createRings();
    lend();

    OpBuilder b(loop);
    int64_t producerThreads =
        ResourceModel::getProducerThreads(consumerThreads);
    auto roles = RolesOp::create(
        b, loop.getLoc(), b.getStrArrayAttr({"producer", "consumer"}),
        {producerThreads / kWarpThreads, consumerThreads / kWarpThreads},
        {*schedule.producerRegisters, *schedule.consumerRegisters},
        {0, loop.getGroupSize()},
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
        {static_cast<int32_t>(consumerThreads + producerThreads), 1, 1}));
    kernel->setAttr(NVVM::NVVMDialect::getMaxnregAttrName(),
                    b.getI32IntegerAttr(*schedule.entryRegisters));
    kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    b.getI32IntegerAttr(*schedule.ctasPerSM));
    return success();
  }

private:
  gpu::GPUFuncOp kernel;
  const Schedule &schedule;
  ForEachTileOp loop;
  int64_t consumerThreads = 0;
  SmallVector<LoadGroup> groups;

  void createRings() {
    DenseSet<size_t> inLoop = countRingBytes(groups).inLoop;
    OpBuilder b(loop);
    for (auto [i, group] : llvm::enumerate(groups)) {
      if (group.owner != i) {
        group.ring = groups[group.owner].ring;
        continue;
      }
      group.ring = RingOp::create(
          b, group.loads.front().getLoc(),
          group.getRingType(inLoop.contains(i) ? *schedule.stages
                                               : *schedule.tileStages),
          b.getI64IntegerAttr(consumerThreads / 32), /*offset=*/IntegerAttr(),
          /*barriers=*/IntegerAttr());
    }
  }

  /// Lets a ring of warpgroups, which has a place of its own until now, borrow
  /// a stage of a ring of loads if the schedule says so, and of no other.
  void lend() {
    LoadGroup *lender =
        schedule.borrow.value_or(false) ? findLender(groups) : nullptr;
    if (lender) {
      RingOp borrower = lender->borrower;
      borrower->moveAfter(lender->ring);
      borrower.getRing().setType(lender->getBorrowingType());
      borrower.getLenderMutable().assign(lender->ring.getRing());
    }
    for (LoadGroup &group : groups)
      if (&group != lender)
        group.borrower = {};
  }
};

struct SpecializePass : wgtile::impl::WGTileSpecializeBase<SpecializePass> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>()) {
      Schedule schedule = getSchedule(kernel);
      if (schedule.specialized.value_or(false) &&
          failed(Specialization(kernel, schedule).run()))
        return signalPassFailure();
    }
  }
};
} // namespace
