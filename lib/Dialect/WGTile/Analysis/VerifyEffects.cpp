//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "sattn/Dialect/WGTile/Analysis/VerifyEffects.h"

#include "sattn/Dialect/WGTile/Analysis/SharedArrays.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace wgtile;

/// Whether values of a type stand for shared memory.
static bool isSharedTile(Type type) {
  return isa<RingType, SharedType, TokenType>(type);
}

/// Whether an op hands such values on to a block, as SyncAnalysis follows them.
static bool isBranch(Operation *op) {
  return isa<RegionBranchOpInterface, RegionBranchTerminatorOpInterface>(op);
}

/// Whether an op exchanges registers between the lanes of a warp, or waits for
/// other kernels.
static bool isRegisterOp(Operation *op) {
  return isa<NVVM::GriddepcontrolOp, NVVM::ReduxOp, NVVM::ShflOp>(op);
}

/// Whether an op without SyncOpInterface is known to touch no shared memory.
static bool isConfined(Operation *op) {
  if (!isBranch(op) && llvm::any_of(op->getOperandTypes(), isSharedTile))
    return false;
  if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
      op->hasTrait<OpTrait::IsTerminator>() || isRegisterOp(op))
    return true;
  if (isa<LLVM::InlineAsmOp>(op))
    return false;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return false;
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  return llvm::all_of(instances, [](const auto &effect) {
    Value value = effect.getValue();
    return value && isa<BaseMemRefType, TensorMapType>(value.getType());
  });
}

/// Whether an op does nothing with shared arrays but read, write and update
/// their elements, which the analysis follows.
static bool accessesElements(Operation *op) {
  return isa<memref::LoadOp, memref::StoreOp, memref::AtomicRMWOp,
             vector::LoadOp, vector::StoreOp>(op);
}

/// Verifies that shared memory has one of two forms: rings and tiles of wgtile,
/// or arrays of the module, each by one value, so that one array is one place.
static LogicalResult
verifySharedValues(Operation *op, DenseMap<StringAttr, Operation *> &arrays) {
  if (auto array = dyn_cast<memref::GetGlobalOp>(op)) {
    if (!isSharedMemory(array.getType()))
      return success();
    auto [it, isNew] =
        arrays.try_emplace(array.getNameAttr().getRootReference(), op);
    if (isNew)
      return success();
    InFlightDiagnostic error =
        op->emitOpError("expected one memref.get_global for each array in "
                        "shared memory");
    error.attachNote(it->second->getLoc()) << "another one of it";
    return failure();
  }
  SmallVector<Value> values(op->getOperands());
  llvm::append_range(values, op->getResults());
  for (Value value : values)
    if (isSharedMemory(value.getType()) &&
        !(isSharedArray(value) && accessesElements(op)))
      return op->emitOpError()
             << "expected shared memory in rings and tiles of wgtile, or in "
                "arrays of the module that are loaded from and stored to, but "
                "got "
             << value.getType();
  return success();
}

LogicalResult wgtile::verifyDeclaredEffects(gpu::GPUFuncOp kernel) {
  for (Value argument : kernel.getBody().getArguments())
    if (isSharedMemory(argument.getType()))
      return kernel.emitOpError()
             << "expected shared memory in rings and tiles of wgtile, or in "
                "arrays of the module, but got an argument of type "
             << argument.getType();
  DenseMap<StringAttr, Operation *> arrays;
  WalkResult walk = kernel.getBody().walk([&](Operation *op) {
    if (failed(verifySharedValues(op, arrays)))
      return WalkResult::interrupt();
    if (isa<gpu::BarrierOp>(op) && op->getParentOfType<RolesOp>()) {
      op->emitOpError("expected no role around a barrier of the CTA");
      return WalkResult::interrupt();
    }
    if (isa<SyncOpInterface, gpu::BarrierOp>(op) || isConfined(op))
      return WalkResult::advance();
    op->emitOpError("expected an op whose effects on shared memory and threads "
                    "are known (SyncOpInterface)");
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}
