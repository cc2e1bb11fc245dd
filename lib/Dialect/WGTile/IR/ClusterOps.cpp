//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Ops of CTAs that share a tile. The constraint numbers are those of
// the ops' descriptions.

#include "sattn/Dialect/WGTile/IR/WGTile.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace wgtile;

int64_t ClusterReduceOp::getBytes(RankedTensorType tile, int64_t groups) {
  sattn::layout::AccumulatorFragment fragment = getFragment(tile);
  return groups * fragment.threads() * fragment.registersPerThread() *
         tile.getElementTypeBitWidth() / 8;
}

int64_t ClusterReduceOp::getBytes() {
  auto [roles, role] = RolesOp::getRoleOf(*this);
  return getBytes(getTile().getType(), roles ? roles.getNumGroups(role) : 1);
}

int64_t ClusterReduceOp::getClusterSize() {
  return (*this)
      ->getParentOfType<gpu::GPUFuncOp>()
      .getKnownClusterSizeAttr()[0];
}

LogicalResult ClusterReduceOp::verify() {
  // (C1)
  RankedTensorType type = getTile().getType();
  if (type.getRank() != 2 || !(type.getElementType().isF32() ||
                               type.getElementType().isSignlessInteger(32)))
    return emitOpError()
           << "expected a tile of f32 or i32 with two dimensions, but got "
           << type;
  // (C2)
  auto kernel = (*this)->getParentOfType<gpu::GPUFuncOp>();
  DenseI32ArrayAttr size = kernel ? kernel.getKnownClusterSizeAttr() : nullptr;
  if (!size || size.size() != 3 || size[0] < 1 || size[1] != 1 || size[2] != 1)
    return emitOpError("expected a kernel with a 'known_cluster_size' along x");
  return success();
}

void ClusterReduceOp::getSyncEffects(SmallVectorImpl<SyncEffect> &effects) {
  // In a role the threads that hold the tile meet, and no others of the block.
  effects.push_back(SyncEffect::barrier(
      RolesOp::getRoleOf(*this).first ? SyncScope::Group : SyncScope::Block));
}
