//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// An iteration of a role's loop begins with values from memory: the indices of
// its tiles, and whether there are any. With small stages the latency of the
// index is as long as an iteration, so the index is requested one iteration
// ahead.

#include "Specialize.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace wgtile;

/// Whether an op has operands that are the same in all iterations, or computed
/// from the induction variable.
static bool takesNoCarriedValue(Operation *op, scf::ForOp loop) {
  return llvm::none_of(op->getOperands(), [&](Value operand) {
    return llvm::is_contained(loop.getRegionIterArgs(), operand);
  });
}

/// The ops of a loop's body that the bounds of its inner loops are computed
/// from.
static llvm::SetVector<Operation *>
collectBounds(scf::ForOp loop, const BackwardSliceOptions &options) {
  llvm::SetVector<Operation *> slice;
  for (auto inner : loop.getBody()->getOps<scf::ForOp>())
    for (Value bound : {inner.getLowerBound(), inner.getUpperBound()})
      if (Operation *op = bound.getDefiningOp();
          op && op->getBlock() == loop.getBody()) {
        slice.insert(op);
        (void)getBackwardSlice(op, &slice, options);
      }
  return slice;
}

/// Loads that can be issued one iteration ahead and, in `slice`, the ops that
/// they need. Those of bounds are not: both roles have them, and of two values
/// that loops carry it would have to be proved that they are equal.
static SmallVector<memref::LoadOp>
collectLoads(scf::ForOp loop, llvm::SetVector<Operation *> &slice) {
  BackwardSliceOptions options;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *op) {
    return op->getBlock() == loop.getBody();
  };
  llvm::SetVector<Operation *> bounds = collectBounds(loop, options);
  SmallVector<memref::LoadOp> loads;
  for (auto load : loop.getBody()->getOps<memref::LoadOp>()) {
    llvm::SetVector<Operation *> needed;
    if (bounds.contains(load.getOperation()) ||
        load.getMemRef().getParentBlock() == loop.getBody() ||
        !takesNoCarriedValue(load, loop) ||
        failed(getBackwardSlice(load.getOperation(), &needed, options)) ||
        !llvm::all_of(needed, [&](Operation *op) {
          return op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
                 takesNoCarriedValue(op, loop);
        }))
      continue;
    slice.insert_range(needed);
    loads.push_back(load);
  }
  return loads;
}

static bool writesMemory(scf::ForOp loop) {
  WalkResult walk = loop.getBody()->walk([](Operation *op) {
    bool isKnown = op->getNumRegions() != 0 || isMemoryEffectFree(op) ||
                   isa<memref::LoadOp, ReadLanesOp, SyncOpInterface>(op);
    return isKnown ? WalkResult::advance() : WalkResult::interrupt();
  });
  return walk.wasInterrupted();
}

/// Erases dead ops, among them carried values that the role does not need.
static void eraseDead(Block &block) {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(block.getOperations())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

static void loadAhead(scf::ForOp loop) {
  eraseDead(*loop.getBody());
  llvm::SetVector<Operation *> slice;
  SmallVector<memref::LoadOp> loads = collectLoads(loop, slice);
  if (loads.empty() || writesMemory(loop) ||
      !isConstantIntValue(loop.getStep(), 1))
    return;
  Location loc = loop.getLoc();
  Value begin = loop.getLowerBound(), end = loop.getUpperBound();
  auto loadFor = [&](OpBuilder &b, Value iteration) {
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), iteration);
    for (Operation *op : slice)
      b.clone(*op, mapping);
    SmallVector<Value> results;
    for (memref::LoadOp load : loads)
      results.push_back(b.clone(*load, mapping)->getResult(0));
    return results;
  };

  IRRewriter b(loop);
  // A loop without iterations loads nothing.
  Value isEntered =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, begin, end);
  Value last = arith::SubIOp::create(b, loc, end,
                                     arith::ConstantIndexOp::create(b, loc, 1));
  auto first = scf::IfOp::create(
      b, loc, isEntered,
      [&](OpBuilder &nested, Location) {
        scf::YieldOp::create(nested, loc, loadFor(nested, begin));
      },
      [&](OpBuilder &nested, Location) {
        SmallVector<Value> zeros;
        for (memref::LoadOp load : loads)
          zeros.push_back(arith::ConstantOp::create(
              nested, loc, nested.getZeroAttr(load.getType())));
        scf::YieldOp::create(nested, loc, zeros);
      });
  (void)loop.replaceWithAdditionalYields(
      b, first.getResults(), /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &nested, Location, ArrayRef<BlockArgument> arguments) {
        // The next iteration's loads come first; past the end, the last
        // iteration's again.
        OpBuilder::InsertionGuard guard(nested);
        nested.setInsertionPointToStart(loop.getBody());
        Value next = arith::AddIOp::create(nested, loc, loop.getInductionVar(),
                                           loop.getStep());
        SmallVector<Value> ahead =
            loadFor(nested, arith::MinSIOp::create(nested, loc, next, last));
        for (auto [load, argument] : llvm::zip(loads, arguments)) {
          load.getResult().replaceAllUsesWith(argument);
          load.erase();
        }
        for (Operation *op : llvm::reverse(slice))
          if (op->use_empty())
            op->erase();
        return ahead;
      });
}

void wgtile::loadIndicesAhead(Region &role) {
  SmallVector<scf::ForOp> loops;
  role.walk([&](scf::ForOp loop) {
    for (Operation &op : *loop.getBody())
      if (isa<ProducerAcquireOp, ConsumerWaitOp>(op)) {
        loops.push_back(loop);
        return;
      }
  });
  for (scf::ForOp loop : loops)
    loadAhead(loop);
}
