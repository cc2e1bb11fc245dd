//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "sattn/Dialect/WGTile/Analysis/VerifyEffects.h"

#include "sattn/Dialect/WGTile/IR/WGTile.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace wgtile;

/// The generic, the global and the local address space of LLVM's NVPTX backend.
static constexpr int64_t kOutsideShared[] = {0, 1, 5};

/// Whether a memref lies in global memory, or in a thread's own.
static bool isOutsideShared(BaseMemRefType type) {
  Attribute space = type.getMemorySpace();
  if (!space)
    return true;
  if (auto number = dyn_cast<IntegerAttr>(space))
    return llvm::is_contained(kOutsideShared, number.getInt());
  auto named = dyn_cast<gpu::AddressSpaceAttr>(space);
  return named && named.getValue() != gpu::AddressSpace::Workgroup;
}

static bool isShared(Type type) {
  auto memref = dyn_cast<BaseMemRefType>(type);
  return memref && !isOutsideShared(memref);
}

/// Values that stand for shared memory.
static bool isSharedTile(Type type) {
  return isa<RingType, SharedType, TokenType>(type);
}

/// Whether an op hands such values on to a block, as SyncAnalysis follows them.
static bool isBranch(Operation *op) {
  return isa<RegionBranchOpInterface, RegionBranchTerminatorOpInterface>(op);
}

/// Exchanges between the lanes of a warp, and waits for other kernels.
static bool isRegisterOp(Operation *op) {
  return isa<NVVM::GriddepcontrolOp, NVVM::ReduxOp, NVVM::ShflOp>(op);
}

/// Whether an op without SyncOpInterface is known to touch no shared memory.
static bool isConfined(Operation *op) {
  if (!isBranch(op) &&
      llvm::any_of(op->getOperandTypes(), isSharedTile))
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

/// Arrays of a module (`memref.get_global`) are those of kernels that sort and
/// plan, without tiles (KernelBuilder): accesses of these are not followed, but
/// their barriers are checked like others.
LogicalResult wgtile::verifyDeclaredEffects(gpu::GPUFuncOp kernel) {
  for (Value argument : kernel.getBody().getArguments())
    if (isShared(argument.getType()))
      return kernel.emitOpError()
             << "expected shared memory in rings and tiles of wgtile alone, "
                "but got an argument of type "
             << argument.getType();
  WalkResult walk = kernel.getBody().walk([](Operation *op) {
    SmallVector<Value> values(op->getOperands());
    llvm::append_range(values, op->getResults());
    for (Value value : values)
      if (isShared(value.getType()) &&
          !value.getDefiningOp<memref::GetGlobalOp>()) {
        op->emitOpError() << "expected shared memory in rings and tiles of "
                             "wgtile alone, but got "
                          << value.getType();
        return WalkResult::interrupt();
      }
    if (isa<SyncOpInterface>(op) || isConfined(op))
      return WalkResult::advance();
    op->emitOpError("expected an op whose effects on shared memory and threads "
                    "are known (SyncOpInterface)");
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}
