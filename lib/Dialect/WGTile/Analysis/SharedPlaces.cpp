//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "sattn/Dialect/WGTile/Analysis/SharedPlaces.h"

#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Dialect/WGTile/Utils/Options.h"
#include "sattn/Layout/Barriers.h"
#include "sattn/Layout/Fragment.h"
#include "sattn/Layout/SharedTile.h"

using namespace mlir;
using namespace wgtile;
using sattn::layout::kBarrierBytes;
using sattn::layout::kWarpgroupThreads;
using sattn::layout::kWarpThreads;

namespace {
class Places {
public:
  explicit Places(gpu::GPUFuncOp kernel) : kernel(kernel) {}

  LogicalResult verify() {
    kernel.walk([&](Operation *op) {
      if (auto load = dyn_cast<LoadOp>(op)) {
        sattn::layout::SharedTile tile = load.getTile().getType().getTile();
        add(op, load.getOffset(), tile.sizeInBytes(), tile.alignment());
        add(op, load.getBarrier(), kBarrierBytes, kBarrierBytes);
      } else if (auto ring = dyn_cast<RingOp>(op)) {
        RingType type = ring.getRing().getType();
        if (ring.getLender()) {
          checkLender(ring);
          return;
        }
        add(op, ring.getOffset(), type.getSizeInBytes(), type.getAlignment());
        add(op, ring.getBarriers(), 2 * type.getStages() * kBarrierBytes,
            kBarrierBytes);
      } else if (auto reduce = dyn_cast<ClusterReduceOp>(op)) {
        add(op, reduce.getOffset(), reduce.getBytes(), kStageAlignment);
      } else if (auto reduce = dyn_cast<TileReduceOp>(op)) {
        add(op, reduce.getOffset(), reduce.getExchangeBytes(), kExchangeBytes);
      } else if (auto combine = dyn_cast<TileCombineOp>(op)) {
        add(op, combine.getOffset(), combine.getExchangeBytes(),
            kExchangeBytes);
      }
    });
    return failure(failed || overlap());
  }

private:
  struct Place {
    Operation *op;
    int64_t begin, end;
  };
  gpu::GPUFuncOp kernel;
  SmallVector<Place> places;
  bool failed = false;

  /// Checks that a ring in another one begins where that does.
  void checkLender(RingOp ring) {
    auto lender = ring.getLender().getDefiningOp<RingOp>();
    if (lender && ring.getOffset() == lender.getOffset())
      return;
    InFlightDiagnostic error =
        ring.emitOpError("expected the place of the ring that it is in");
    if (lender)
      error.attachNote(lender.getLoc()) << "which is made here";
    failed = true;
  }

  void add(Operation *op, std::optional<uint64_t> offset, int64_t bytes,
           int64_t alignment) {
    if (!offset)
      return;
    auto begin = static_cast<int64_t>(*offset);
    auto size = kernel->getAttrOfType<IntegerAttr>(kSharedBytesAttrName);
    int64_t all = size ? size.getInt() : kMaxSharedBytes;
    if (begin < 0 || begin % alignment != 0 || begin > all - bytes) {
      op->emitOpError() << "expected a place for " << bytes
                        << " bytes in the kernel's " << all
                        << " bytes of shared memory, at a multiple of "
                        << alignment << ", but got " << begin;
      failed = true;
    }
    places.push_back({op, begin, begin + bytes});
  }

  bool overlap() {
    llvm::sort(places, [](const Place &a, const Place &b) {
      return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
    });
    for (size_t i = 1; i < places.size(); ++i) {
      const Place &before = places[i - 1], &after = places[i];
      if (before.end <= after.begin)
        continue;
      InFlightDiagnostic error = after.op->emitOpError()
                                 << "expected a place of its own in shared "
                                    "memory, but "
                                 << after.begin << " lies in another";
      error.attachNote(before.op->getLoc())
          << "which has bytes " << before.begin << " to " << before.end;
      return true;
    }
    return false;
  }
};
} // namespace

int64_t wgtile::countTileWarpgroups(gpu::GPUFuncOp kernel) {
  DenseI32ArrayAttr threads = kernel.getKnownBlockSizeAttr();
  int64_t warps = threads ? threads[0] / kWarpThreads : 0;
  kernel.walk([&](RolesOp roles) { warps = roles.getTileWarps(); });
  return warps / (kWarpgroupThreads / kWarpThreads);
}

LogicalResult wgtile::verifyPlaces(gpu::GPUFuncOp kernel) {
  return Places(kernel).verify();
}
