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
#include "sattn/Support/OldOptions.h"

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
    stages = StagesOp::create(
        b, loc, StagesType::get(b.getContext(), count, tiles), IntegerAttr());
    Value begin = loop.getLowerBound(), end = loop.getUpperBound();
    Value last = arith::SubIOp::create(b, loc, end, constant(1));
    for (int64_t i = 0; i + 1 < count; ++i) {
      Value turn = arith::AddIOp::create(b, loc, begin, constant(i));
      scf::IfOp::create(b, loc, less(turn, end), [&](OpBuilder &, Location) {
        fill(computeIndices(turn), constant(i));
        scf::YieldOp::create(b, loc);
      });
      AsyncCommitGroupOp::create(b, loc);
    }

    SmallVector<Value> inits(loop.getInitArgs());
    inits.push_back(constant(0));
    auto rotated =
        scf::ForOp::create(b, loc, begin, end, loop.getStep(), inits);
    rotated->setDiscardableAttrs(llvm::to_vector(loop->getDiscardableAttrs()));
    Block *body = rotated.getBody();
    b.setInsertionPointToStart(body);
    // The stage of this iteration has arrived, and that of the last one is
    // read.
    AsyncWaitGroupOp::create(b, loc, count - 2);
    Value stage = body->getArguments().back();
    Value next = arith::AddIOp::create(b, loc, rotated.getInductionVar(),
                                       constant(count - 1));
    // Indices of the next load are requested before this iteration's MMAs,
    // which hide their latency; past the end, the last iteration's again.
    SmallVector<SmallVector<Value>> indices =
        computeIndices(arith::MinSIOp::create(b, loc, next, last).getResult());
    auto take = StageOp::create(b, loc, tiles, stages, stage);
    for (auto [load, tile] : llvm::zip(loads, take.getTiles()))
      load.getTile().replaceAllUsesWith(tile);

    // The rest of the body, then the loads of a later iteration into the stage
    // that the last iteration read.
    Operation *yield = loop.getBody()->getTerminator();
    SmallVector<Value> yielded(yield->getOperands());
    yield->erase();
    body->getOperations().splice(body->end(), loop.getBody()->getOperations());
    for (auto [from, to] : llvm::zip(loop.getBody()->getArguments(),
                                     body->getArguments().drop_back()))
      from.replaceAllUsesWith(to);
    b.setInsertionPointToEnd(body);
    Value free = arith::SelectOp::create(
        b, loc, equal(stage, constant(0)), constant(count - 1),
        arith::SubIOp::create(b, loc, stage, constant(1)));
    scf::IfOp::create(b, loc, less(next, end), [&](OpBuilder &, Location) {
      fill(indices, free);
      scf::YieldOp::create(b, loc);
    });
    AsyncCommitGroupOp::create(b, loc);
    Value following = arith::AddIOp::create(b, loc, stage, constant(1));
    yielded.push_back(arith::SelectOp::create(
        b, loc, equal(following, constant(count)), constant(0), following));
    scf::YieldOp::create(b, loc, yielded);
    for (LoadOp load : loads)
      load.erase();
    for (Operation *op : llvm::reverse(slice))
      if (op->use_empty())
        op->erase();

    // All reads of stages are complete: the stages may be filled again.
    b.setInsertionPointAfter(rotated);
    AsyncWaitGroupOp::create(b, loc, 0);
    loop.replaceAllUsesWith(rotated.getResults().drop_back());
    loop.erase();
  }

private:
  scf::ForOp loop;
  SmallVector<LoadOp> loads;
  int64_t count;
  OpBuilder b;
  Location loc;
  SetVector<Operation *> slice;
  Value stages;

  /// Indices of every load in an iteration of the loop.
  SmallVector<SmallVector<Value>> computeIndices(Value turn) {
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), turn);
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

  void fill(ArrayRef<SmallVector<Value>> indices, Value stage) {
    for (auto [tile, load] : llvm::enumerate(loads))
      AsyncCopyOp::create(b, load.getLoc(), stages, stage, tile,
                          load.getSource(), indices[tile], load.getAligned());
  }

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value less(Value lhs, Value rhs) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, lhs, rhs);
  }
  Value equal(Value lhs, Value rhs) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, lhs, rhs);
  }
};

struct PipelinePass
    : sattn::OldOptionHints<wgtile::impl::WGTilePipelineBase<PipelinePass>> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>()) {
      Schedule schedule = getSchedule(kernel);
      if (!kernel.isKernel() || schedule.specialized.value_or(false) ||
          schedule.stages.value_or(1) < 2)
        continue;
      if (failed(verifyStructured(kernel)) || failed(verifySwizzles(kernel)))
        return signalPassFailure();
      for (PipelinedLoop &loop : findPipelinedLoops(kernel))
        LoopPipelining(std::move(loop), *schedule.stages).run();
      if (schedule.ctasPerSM)
        kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                        IntegerAttr::get(IntegerType::get(&getContext(), 32),
                                         *schedule.ctasPerSM));
    }
  }
};
} // namespace
