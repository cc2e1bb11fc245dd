//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/Analysis/PipelinedLoops.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace wgtile;

int64_t PipelinedLoop::getStageBytes() {
  SmallVector<Type> tiles;
  for (LoadOp load : loads)
    tiles.push_back(load.getTile().getType());
  return RingType::get(loop.getContext(), /*stages=*/1, tiles, {})
      .getStageBytes();
}

/// Whether an op can be computed again for another iteration.
static bool isOfIndexAlone(Operation *op, scf::ForOp loop) {
  return op->getBlock() == loop.getBody() && op->getNumRegions() == 0 &&
         (isMemoryEffectFree(op) || isa<memref::LoadOp>(op)) &&
         llvm::none_of(op->getOperands(), [&](Value operand) {
           return llvm::is_contained(loop.getRegionIterArgs(), operand);
         });
}

/// The pipelined loop that a loop is; `reason` is set if it has loads that
/// cannot be issued ahead.
static std::optional<PipelinedLoop> analyze(scf::ForOp loop,
                                            StringRef &reason) {
  PipelinedLoop result{loop, {}, {}};
  for (LoadOp load : loop.getBody()->getOps<LoadOp>())
    if (isa<MemRefType>(load.getSource().getType()))
      result.loads.push_back(load);
  if (result.loads.empty())
    return std::nullopt;
  if (!isConstantIntValue(loop.getStep(), 1)) {
    reason = "the loop's step is not 1";
    return std::nullopt;
  }
  BackwardSliceOptions options;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *op) { return loop->isProperAncestor(op); };
  reason = "a load's place is not computed from the loop's index alone";
  for (LoadOp load : result.loads)
    if (load.getSource().getParentBlock() == loop.getBody() ||
        llvm::any_of(load.getIndices(),
                     [&](Value index) {
                       return llvm::is_contained(loop.getRegionIterArgs(),
                                                 index);
                     }) ||
        failed(getBackwardSlice(load.getOperation(), &result.slice, options)))
      return std::nullopt;
  if (!llvm::all_of(result.slice,
                    [&](Operation *op) { return isOfIndexAlone(op, loop); }))
    return std::nullopt;
  return result;
}

SmallVector<PipelinedLoop>
wgtile::findPipelinedLoops(gpu::GPUFuncOp kernel,
                           function_ref<void(scf::ForOp, StringRef)> declined) {
  SmallVector<PipelinedLoop> loops;
  kernel.walk([&](scf::ForOp loop) {
    StringRef reason;
    std::optional<PipelinedLoop> found = analyze(loop, reason);
    // Copies of both would be in flight, in one order.
    if (found && llvm::any_of(loops, [&](PipelinedLoop &other) {
          return loop->isProperAncestor(other.loop);
        })) {
      reason = "a loop in it has loads that are";
      found = std::nullopt;
    }
    if (found)
      loops.push_back(std::move(*found));
    else if (declined && !reason.empty())
      declined(loop, reason);
  });
  return loops;
}
