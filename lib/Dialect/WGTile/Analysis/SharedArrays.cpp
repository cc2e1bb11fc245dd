//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "sattn/Dialect/WGTile/Analysis/SharedArrays.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace wgtile;

/// The generic, the global and the local address space of LLVM's NVPTX backend.
static constexpr int64_t kOutsideShared[] = {0, 1, 5};

bool wgtile::isSharedMemory(Type type) {
  auto memref = dyn_cast<BaseMemRefType>(type);
  Attribute space = memref ? memref.getMemorySpace() : Attribute();
  if (!space)
    return false;
  if (auto number = dyn_cast<IntegerAttr>(space))
    return !llvm::is_contained(kOutsideShared, number.getInt());
  auto named = dyn_cast<gpu::AddressSpaceAttr>(space);
  return !named || named.getValue() == gpu::AddressSpace::Workgroup;
}

bool wgtile::isSharedArray(Value value) {
  return isSharedMemory(value.getType()) &&
         value.getDefiningOp<memref::GetGlobalOp>();
}

void wgtile::getSyncEffectsOf(Operation *op,
                              SmallVectorImpl<SyncEffect> &effects) {
  if (auto sync = dyn_cast<SyncOpInterface>(op)) {
    sync.getSyncEffects(effects);
    return;
  }
  if (isa<gpu::BarrierOp>(op)) {
    effects.push_back(SyncEffect::barrier(SyncScope::Block));
    return;
  }
  if (auto update = dyn_cast<memref::AtomicRMWOp>(op)) {
    if (isSharedArray(update.getMemref()))
      effects.push_back(SyncEffect::update(update.getMemref()));
    return;
  }
  auto memory = dyn_cast<MemoryEffectOpInterface>(op);
  if (!memory || llvm::none_of(op->getOperands(), isSharedArray))
    return;
  SmallVector<MemoryEffects::EffectInstance> instances;
  memory.getEffects(instances);
  for (const MemoryEffects::EffectInstance &effect : instances)
    if (effect.getValue() && isSharedArray(effect.getValue()))
      effects.push_back(SyncEffect::access(
          effect.getValue(), !isa<MemoryEffects::Read>(effect.getEffect()),
          Proxy::Generic));
}
