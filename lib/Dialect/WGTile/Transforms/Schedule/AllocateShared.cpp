//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Dialect/WGTile/Transforms/Schedule/Passes.h"
#include "sattn/Dialect/WGTile/Utils/Resources.h"
#include "sattn/Dialect/WGTile/Utils/VerifyLayouts.h"
#include "sattn/Layout/Barriers.h"
#include "sattn/Layout/SharedTile.h"
#include "sattn/Support/SourceOp.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILEALLOCATESHARED
#include "sattn/Dialect/WGTile/Transforms/Schedule/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;
using sattn::layout::kBarrierBytes;

/// Bytes of shared memory in which warps exchange parts of a number.
static int64_t getExchangeBytes(Operation *op) {
  if (auto reduce = dyn_cast<TileReduceOp>(op))
    return reduce.getExchangeBytes();
  auto combine = dyn_cast<TileCombineOp>(op);
  return combine ? combine.getExchangeBytes() : 0;
}

static LogicalResult allocate(gpu::GPUFuncOp kernel, int64_t maxBytes) {
  OpBuilder b(kernel.getContext());
  int64_t bytes = 0;
  if (failed(verifySwizzles(kernel)))
    return failure();
  SmallVector<LoadOp> loads;
  kernel.walk([&](LoadOp load) { loads.push_back(load); });
  for (LoadOp load : loads) {
    SharedType type = load.getTile().getType();
    sattn::layout::SharedTile tile = type.getTile();
    bytes = llvm::alignTo(bytes, tile.alignment());
    load.setOffset(bytes);
    bytes += tile.sizeInBytes();
  }
  SmallVector<RingOp> rings;
  kernel.walk([&](RingOp ring) { rings.push_back(ring); });
  auto place = [&](RingOp ring) {
    RingType type = ring.getRing().getType();
    bytes = llvm::alignTo(bytes, type.getAlignment());
    ring.setOffset(bytes);
    bytes += type.getSizeInBytes();
  };
  auto isOfTiles = [](RingOp ring) {
    return ring.getRing().getType().hasSharedTiles();
  };
  // A loop's first ring is at 0, which costs no addition; staging follows, and
  // numbers stand where they leave no gaps before tiles.
  for (bool isStaging : {false, true})
    for (RingOp ring : rings)
      if (isOfTiles(ring) && !ring.getLender() &&
          ring.getRing().getType().isStaging() == isStaging)
        place(ring);
  for (RingOp ring : rings)
    if (ring.getLender())
      if (auto lender = ring.getLender().getDefiningOp<RingOp>())
        ring.setOffset(lender.getOffset());
  kernel.walk([&](ClusterReduceOp reduce) {
    bytes = llvm::alignTo(bytes, kStageAlignment);
    reduce.setOffset(bytes);
    bytes += reduce.getBytes();
  });
  for (RingOp ring : rings)
    if (!isOfTiles(ring))
      place(ring);
  bytes = llvm::alignTo(bytes, kBarrierBytes);
  kernel.walk([&](Operation *op) {
    int64_t exchanged = getExchangeBytes(op);
    if (exchanged == 0)
      return;
    op->setAttr("offset", b.getI64IntegerAttr(bytes));
    bytes += exchanged;
  });
  for (RingOp ring : rings) {
    if (!ring.getConsumerWarps())
      continue;
    ring.setBarriers(bytes);
    bytes += 2 * ring.getRing().getType().getStages() * kBarrierBytes;
  }
  for (LoadOp load : loads) {
    // Copies by the threads themselves end with their waits.
    if (!isa<TensorMapType>(load.getSource().getType()))
      continue;
    load.setBarrier(bytes);
    bytes += kBarrierBytes;
  }
  if (bytes > maxBytes)
    return sattn::emitSourceError(kernel.getLoc())
           << "expected at most " << maxBytes
           << " bytes of shared memory, but the tiles need " << bytes
           << "; choose smaller tiles";
  kernel->setAttr(kSharedBytesAttrName, b.getI64IntegerAttr(bytes));
  return success();
}

namespace {
struct AllocateSharedPass
    : wgtile::impl::WGTileAllocateSharedBase<AllocateSharedPass> {
  void runOnOperation() override {
    FailureOr<ResourceModel> resources = ResourceModel::get(getOperation());
    if (failed(resources))
      return signalPassFailure();
    int64_t maxBytes = resources->getSharedBytes(/*ctasPerSM=*/1);
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>())
      if (kernel.isKernel() && failed(allocate(kernel, maxBytes)))
        return signalPassFailure();
  }
};
} // namespace
