//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Dialect/WGTile/Transforms/Passes.h"
#include "sattn/Dialect/WGTile/Utils/Options.h"
#include "sattn/Dialect/WGTile/Utils/VerifyLayouts.h"
#include "sattn/Layout/WorkTiles.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILEPIPELINE
#include "sattn/Dialect/WGTile/Transforms/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;

/// Shared memory that the hardware keeps for itself in each thread block.
static constexpr int64_t kReservedBytes = 1024;
/// Minimum of stages with which two CTAs share an SM: one is read, one arrives,
/// one is requested.
static constexpr int64_t kMinSharedStages = 3;
/// Maximum of threads with which two CTAs share an SM: their registers then
/// suffice.
static constexpr int64_t kMaxSharedThreads = 128;

/// Loads of a loop's body from memrefs, in order.
static SmallVector<LoadOp> collectLoads(scf::ForOp loop) {
  SmallVector<LoadOp> loads;
  for (LoadOp load : loop.getBody()->getOps<LoadOp>())
    if (isa<MemRefType>(load.getSource().getType()))
      loads.push_back(load);
  return loads;
}

/// Adds the ops that compute a value in the loop's body from its induction
/// variable. Fails if they are more than arithmetic and loads of memory.
static LogicalResult collectSlice(Value value, scf::ForOp loop,
                                  SetVector<Operation *> &slice) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return success(argument == loop.getInductionVar() ||
                   argument.getOwner() != loop.getBody());
  Operation *op = value.getDefiningOp();
  if (!loop->isProperAncestor(op) || slice.contains(op))
    return success();
  if (op->getBlock() != loop.getBody() || op->getNumRegions() != 0 ||
      !(isMemoryEffectFree(op) || isa<memref::LoadOp>(op)))
    return failure();
  for (Value operand : op->getOperands())
    if (failed(collectSlice(operand, loop, slice)))
      return failure();
  slice.insert(op);
  return success();
}

namespace {
/// Rewrites one loop so that its tiles are loaded some iterations ahead.
class LoopPipelining {
public:
  LoopPipelining(scf::ForOp loop, SmallVector<LoadOp> loads, int64_t count)
      : loop(loop), loads(std::move(loads)), count(count), b(loop),
        loc(loop.getLoc()) {}

  /// Whether all loads can be issued ahead, and collects the ops that compute
  /// them.
  bool prepare() {
    if (!isConstantIntValue(loop.getStep(), 1))
      return false;
    for (LoadOp load : loads) {
      if (load.getSource().getParentBlock() == loop.getBody())
        return false;
      for (Value index : load.getIndices())
        if (failed(collectSlice(index, loop, slice)))
          return false;
    }
    return true;
  }

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

struct PipelinePass : public wgtile::impl::WGTilePipelineBase<PipelinePass> {
  using WGTilePipelineBase::WGTilePipelineBase;

  void runOnOperation() override {
    if (failed(verifyOption(getOperation(), "max-stages", maxStages, 2,
                            kMaxStages)) ||
        failed(verifyOption(getOperation(), "max-shared-bytes", maxSharedBytes,
                            0, kMaxSharedBytes)))
      return signalPassFailure();
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>()) {
      if (!kernel.isKernel())
        continue;
      if (failed(verifyStructured(kernel)) || failed(verifySwizzles(kernel)))
        return signalPassFailure();
      pipeline(kernel);
    }
  }

private:
  /// Tiles in loops, tiles outside them and the work-tile pipeline
  /// (wgtile-persist) share the memory; a loop whose stages do not fit stays as
  /// it is.
  void pipeline(gpu::GPUFuncOp kernel) {
    SmallVector<std::pair<scf::ForOp, SmallVector<LoadOp>>> loops;
    int64_t stageBytes = 0, otherBytes = 0;
    kernel.walk([&](LoadOp load) {
      otherBytes += load.getTile().getType().getTile().sizeInBytes();
    });
    kernel.walk([&](scf::ForOp loop) {
      SmallVector<LoadOp> loads = collectLoads(loop);
      if (loads.empty() || !LoopPipelining(loop, loads, 0).prepare())
        return;
      SmallVector<Type> tiles;
      for (LoadOp load : loads) {
        tiles.push_back(load.getTile().getType());
        otherBytes -= load.getTile().getType().getTile().sizeInBytes();
      }
      stageBytes +=
          StagesType::get(&getContext(), /*stages=*/1, tiles).getStageBytes();
      loops.push_back({loop, loads});
    });
    if (loops.empty())
      return;
    auto fitting = [&](int64_t blocks) {
      int64_t bytes = (maxSharedBytes + kReservedBytes) / blocks -
                      kReservedBytes - otherBytes -
                      sattn::layout::WorkTilesLayout::sizeInBytes();
      return bytes / stageBytes;
    };
    int64_t most = maxStages;
    kernel.walk([&](ForEachTileOp loop) {
      most = loop.getAskedStages().value_or(most);
    });
    DenseI32ArrayAttr threads = kernel.getKnownBlockSizeAttr();
    int64_t blocks = threads && threads[0] <= kMaxSharedThreads &&
                             fitting(2) >= kMinSharedStages
                         ? 2
                         : 1;
    int64_t count = std::min(most, fitting(blocks));
    if (count < 2)
      return;
    for (auto &[loop, loads] : loops) {
      LoopPipelining pipelining(loop, loads, count);
      pipelining.prepare();
      pipelining.run();
    }
    kernel->setAttr(
        NVVM::NVVMDialect::getMinctasmAttrName(),
        IntegerAttr::get(IntegerType::get(&getContext(), 32), blocks));
  }
};
} // namespace
