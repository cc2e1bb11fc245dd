//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "sattn/Dialect/WGTile/Analysis/ThreadDependence.h"

#include "sattn/Dialect/WGTile/Analysis/SharedArrays.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace wgtile;

/// Whether an op gives equal results for equal operands.
static bool isFunction(Operation *op) {
  if (isa<gpu::BlockIdOp, gpu::BlockDimOp, gpu::GridDimOp, gpu::ClusterIdOp,
          gpu::ClusterDimOp, gpu::ClusterBlockIdOp, gpu::ClusterDimBlocksOp>(
          op))
    return true;
  Dialect *dialect = op->getDialect();
  return isMemoryEffectFree(op) && !isa<LLVM::InlineAsmOp>(op) &&
         isa_and_present<affine::AffineDialect, arith::ArithDialect,
                         LLVM::LLVMDialect, math::MathDialect,
                         memref::MemRefDialect, ub::UBDialect,
                         vector::VectorDialect>(dialect);
}

/// Whether all threads get one number, whatever the operands: it is that of the
/// block or of the role.
static bool isShared(Operation *op) {
  if (auto reduce = dyn_cast<TileReduceOp>(op))
    return !reduce.getPartial();
  return isa<NextTileOp, RingLoadOp, TileCombineOp>(op);
}

/// Whether a value is a scalar, which may differ between threads. Tiles are
/// divided between threads, which run the same program on their parts; tokens
/// and shared tiles name the same stage.
static bool isScalar(Value value) {
  return !isa<RankedTensorType, SharedType, RingType, TokenType, TensorMapType>(
      value.getType());
}

/// The memory that a view is of.
static Value getBase(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  return memref;
}

ThreadDependence::ThreadDependence(gpu::GPUFuncOp kernel) {
  kernel->walk([&](MemoryEffectOpInterface op) {
    SmallVector<MemoryEffects::EffectInstance> effects;
    op.getEffects(effects);
    for (const MemoryEffects::EffectInstance &effect : effects)
      if (isa<MemoryEffects::Write>(effect.getEffect()) && effect.getValue())
        written.insert(getBase(effect.getValue()));
  });
  do {
    changed = false;
    kernel.getBody().walk<WalkOrder::PreOrder>(
        [&](Operation *op) { visit(op); });
  } while (changed);
}

void ThreadDependence::add(ValueRange added) {
  for (Value value : added)
    if (isScalar(value))
      changed |= values.insert(value).second;
}

void ThreadDependence::visit(Operation *op) {
  if (op->getNumRegions() != 0) {
    visitRegions(op);
    return;
  }
  if (op->hasTrait<OpTrait::IsTerminator>() || isShared(op))
    return;
  bool depends = llvm::any_of(op->getOperands(), [&](Value operand) {
    return values.contains(operand) || isa<RankedTensorType>(operand.getType());
  });
  // No thread writes to a shared array while another reads it: the check of
  // effects sees to it.
  if (auto load = dyn_cast<memref::LoadOp>(op))
    depends |= !isSharedArray(load.getMemRef()) &&
               written.contains(getBase(load.getMemRef()));
  else
    depends |= !isFunction(op);
  if (depends)
    add(op->getResults());
}

/// Visits the values that a branch forwards, and all of them where threads
/// leave it differently.
void ThreadDependence::visitRegions(Operation *op) {
  auto branch = dyn_cast<RegionBranchOpInterface>(op);
  if (isDivergent(op)) {
    add(op->getResults());
    for (Region &region : op->getRegions())
      if (isa<LoopLikeOpInterface>(op) || !branch)
        add(region.getArguments());
  }
  if (!branch)
    return;
  auto forward = [&](OperandRange operands, ValueRange inputs) {
    for (auto [operand, input] : llvm::zip(operands, inputs))
      if (values.contains(operand))
        add(input);
  };
  SmallVector<RegionSuccessor> successors;
  branch.getSuccessorRegions(RegionBranchPoint::parent(), successors);
  for (RegionSuccessor &successor : successors)
    forward(branch.getEntrySuccessorOperands(successor),
            successor.getSuccessorInputs());
  for (Region &region : op->getRegions()) {
    if (region.empty())
      continue;
    auto end = dyn_cast<RegionBranchTerminatorOpInterface>(
        region.front().getTerminator());
    if (!end)
      continue;
    successors.clear();
    branch.getSuccessorRegions(end, successors);
    for (RegionSuccessor &successor : successors)
      forward(end.getSuccessorOperands(successor),
              successor.getSuccessorInputs());
  }
}

bool ThreadDependence::isDivergent(Operation *op) const {
  auto depends = [&](ValueRange operands) {
    return llvm::any_of(operands,
                        [&](Value value) { return values.contains(value); });
  };
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return values.contains(branch.getCondition());
  if (auto choice = dyn_cast<scf::IndexSwitchOp>(op))
    return values.contains(choice.getArg());
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return depends(
        {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return values.contains(loop.getConditionOp().getCondition());
  if (auto tiles = dyn_cast<ForEachTileOp>(op))
    return depends(tiles.getCounts()) ||
           depends(tiles.getBody().front().getTerminator()->getOperands());
  return !isa<gpu::GPUFuncOp, RolesOp, scf::ExecuteRegionOp>(op);
}

Operation *ThreadDependence::findDivergence(Operation *op) const {
  for (Operation *parent = op->getParentOp();
       parent && !isa<gpu::GPUFuncOp>(parent); parent = parent->getParentOp())
    if (isDivergent(parent))
      return parent;
  return nullptr;
}

/// Whether threads meet at an op, have effects on shared memory by it, or
/// exchange parts of a tile.
static bool isCollective(Operation *op) {
  SmallVector<SyncEffect> effects;
  getSyncEffectsOf(op, effects);
  bool meets = llvm::any_of(effects, [](const SyncEffect &effect) {
    // Each thread accesses elements of its own.
    return !effect.value || !isSharedArray(effect.value);
  });
  return meets || (isa_and_present<WGTileDialect>(op->getDialect()) &&
                   op->getNumRegions() == 0 &&
                   llvm::any_of(op->getOperands(), [](Value value) {
                     return isa<RankedTensorType>(value.getType());
                   }));
}

/// The innermost loop or branch around an op. CTAs of a cluster have different
/// numbers; they meet with the same one of each other only outside of loops and
/// branches.
static Operation *findLoopOrBranch(Operation *op) {
  for (Operation *parent = op->getParentOp();
       parent && !isa<gpu::GPUFuncOp>(parent); parent = parent->getParentOp()) {
    auto tiles = dyn_cast<ForEachTileOp>(parent);
    if (!isa<RolesOp>(parent) && (!tiles || tiles.getPersistent()))
      return parent;
  }
  return nullptr;
}

LogicalResult wgtile::verifyMeetings(gpu::GPUFuncOp kernel) {
  ThreadDependence dependence(kernel);
  WalkResult walk = kernel.walk([&](Operation *op) {
    if (isa<ClusterReduceOp>(op))
      if (Operation *around = findLoopOrBranch(op)) {
        InFlightDiagnostic error =
            op->emitOpError("expected no loop or branch around it: all CTAs "
                            "of the cluster, and all their roles, meet");
        error.attachNote(around->getLoc()) << "the loop or branch";
        return WalkResult::interrupt();
      }
    if (!isCollective(op))
      return WalkResult::advance();
    Operation *divergence = dependence.findDivergence(op);
    if (!divergence)
      return WalkResult::advance();
    InFlightDiagnostic error = op->emitOpError(
        "expected to be reached by all threads or none, but a condition or a "
        "bound around it may differ between threads");
    error.attachNote(divergence->getLoc()) << "the branch or loop";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}
