//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/Analysis/PipelinedLoops.h"
#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Dialect/WGTile/Transforms/Schedule/Passes.h"
#include "sattn/Dialect/WGTile/Utils/VerifyLayouts.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILEPIPELINE
#include "sattn/Dialect/WGTile/Transforms/Schedule/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;

namespace {
/// Rewrites one loop so that its tiles are loaded some iterations ahead.
class LoopPipelining {
public:
  LoopPipelining(PipelinedLoop found, int64_t count)
      : loop(found.loop), loads(std::move(found.loads)), count(count), b(loop),
        loc(loop.getLoc()), slice(std::move(found.slice)) {}

  void run() {
    SmallVector<Type> tiles;
    for (LoadOp load : loads)
      tiles.push_back(load.getTile().getType());
    ring =
        RingOp::create(b, loc, RingType::get(b.getContext(), count, tiles, {}),
                       /*consumer_warps=*/IntegerAttr(),
                       /*offset=*/IntegerAttr(), /*barriers=*/IntegerAttr());
    Value begin = loop.getLowerBound(), end = loop.getUpperBound();
    Value last = arith::SubIOp::create(b, loc, end, constant(1));
    for (int64_t i = 0; i + 1 < count; ++i) {
      Value iteration = arith::AddIOp::create(b, loc, begin, constant(i));
      fillStage(less(iteration, end),
                [&] { return computeIndices(iteration); });
    }

    auto rotated = scf::ForOp::create(b, loc, begin, end, loop.getStep(),
                                      loop.getInitArgs());
    // Without values the loop has a terminator already.
    if (Block *body = rotated.getBody(); !body->empty())
      body->back().erase();
    rotated->setDiscardableAttrs(llvm::to_vector(loop->getDiscardableAttrs()));
    Block *body = rotated.getBody();
    b.setInsertionPointToStart(body);
    // The stage of this iteration has arrived, and that of the last one is
    // read.
    Value stage =
        ConsumerWaitOp::create(b, loc, ring, b.getI64IntegerAttr(count - 2),
                               /*position=*/ValueRange());
    Value next = arith::AddIOp::create(b, loc, rotated.getInductionVar(),
                                       constant(count - 1));
    // Indices of the next load are requested before this iteration's MMAs,
    // which hide their latency; past the end, the last iteration's again.
    SmallVector<SmallVector<Value>> indices =
        computeIndices(arith::MinSIOp::create(b, loc, next, last).getResult());
    for (auto [tile, load] : llvm::enumerate(loads))
      load.getTile().replaceAllUsesWith(RingTileOp::create(
          b, loc, load.getTile().getType(), ring, stage, tile,
          /*instance=*/Value()));

    // The rest of the body, then the loads of a later iteration into the stage
    // that the last iteration read.
    Operation *yield = loop.getBody()->getTerminator();
    SmallVector<Value> yielded(yield->getOperands());
    yield->erase();
    body->getOperations().splice(body->end(), loop.getBody()->getOperations());
    for (auto [from, to] :
         llvm::zip_equal(loop.getBody()->getArguments(), body->getArguments()))
      from.replaceAllUsesWith(to);
    b.setInsertionPointToEnd(body);
    ConsumerReleaseOp::create(b, loc, ring, stage);
    fillStage(less(next, end), [&] { return indices; });
    scf::YieldOp::create(b, loc, yielded);
    for (LoadOp load : loads)
      load.erase();
    for (Operation *op : llvm::reverse(slice))
      if (op->use_empty())
        op->erase();

    b.setInsertionPointAfter(rotated);
    ProducerTailOp::create(b, loc, ring);
    loop.replaceAllUsesWith(rotated.getResults());
    loop.erase();
  }

private:
  scf::ForOp loop;
  SmallVector<LoadOp> loads;
  int64_t count;
  OpBuilder b;
  Location loc;
  SetVector<Operation *> slice;
  Value ring;

  /// Indices of every load in an iteration of the loop.
  SmallVector<SmallVector<Value>> computeIndices(Value iteration) {
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), iteration);
    for (Operation *op : slice)
      b.clone(*op, mapping);
    SmallVector<SmallVector<Value>> indices;
    for (LoadOp load : loads)
      indices.push_back(
          llvm::map_to_vector(load.getIndices(), [&](Value index) {
            return mapping.lookupOrDefault(index);
          }));
    return indices;
  }

  /// Fills the next stage under a condition. Past the loop's end it is
  /// committed empty, and not read.
  void fillStage(
      Value condition,
      llvm::function_ref<SmallVector<SmallVector<Value>>()> computeIndices) {
    Value stage =
        ProducerAcquireOp::create(b, loc, ring, /*position=*/ValueRange());
    scf::IfOp::create(b, loc, condition, [&](OpBuilder &, Location) {
      SmallVector<SmallVector<Value>> indices = computeIndices();
      for (auto [tile, load] : llvm::enumerate(loads))
        AsyncCopyOp::create(b, load.getLoc(), ring, stage, tile,
                            load.getSource(), indices[tile], load.getAligned());
      scf::YieldOp::create(b, loc);
    });
    ProducerCommitOp::create(b, loc, ring, stage);
  }

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value less(Value lhs, Value rhs) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, lhs, rhs);
  }
};

struct PipelinePass : wgtile::impl::WGTilePipelineBase<PipelinePass> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>()) {
      Schedule schedule = getSchedule(kernel);
      if (!kernel.isKernel() || schedule.specialized.value_or(false))
        continue;
      bool hasStages = schedule.stages.value_or(1) >= 2;
      if (hasStages &&
          (failed(verifyStructured(kernel)) || failed(verifySwizzles(kernel))))
        return signalPassFailure();
      if (hasStages)
        for (PipelinedLoop &loop : findPipelinedLoops(kernel))
          LoopPipelining(std::move(loop), *schedule.stages).run();
      // Without stages, persistent CTAs may wait for each other's registers.
      if (schedule.ctasPerSM &&
          (hasStages || !schedule.persistent.value_or(false)))
        kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                        IntegerAttr::get(IntegerType::get(&getContext(), 32),
                                         *schedule.ctasPerSM));
    }
  }
};
} // namespace
