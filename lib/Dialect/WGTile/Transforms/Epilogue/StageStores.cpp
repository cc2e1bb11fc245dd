//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StageStores.h"

#include "sattn/Dialect/WGTile/Transforms/Epilogue/Passes.h"
#include "sattn/Dialect/WGTile/Utils/Launches.h"
#include "sattn/Dialect/WGTile/Utils/TensorMapArguments.h"
#include "sattn/Layout/SharedTile.h"
#include "sattn/Layout/WgmmaDescriptor.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILESTAGESTORES
#include "sattn/Dialect/WGTile/Transforms/Epilogue/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;

/// Tiles of one type for each warpgroup: while TMA reads one, the next is
/// written.
static constexpr int64_t kSlots = 2;

SharedType wgtile::getStagingType(StoreOp store, gpu::GPUFuncOp kernel) {
  RankedTensorType tile = store.getTile().getType();
  int64_t bits = tile.getElementTypeBitWidth();
  auto dest = dyn_cast<BlockArgument>(store.getDest());
  if (!dest || dest.getOwner() != &kernel.getBody().front() ||
      !kernel.getArgAttr(dest.getArgNumber(), kTMACompatibleAttrName) ||
      tile.getRank() != 2 || (bits != 16 && bits != 32) ||
      cast<MemRefType>(dest.getType()).getRank() > kMaxTensorMapRank)
    return {};
  SmallVector<int64_t> shape = {sattn::layout::kWgmmaRows, tile.getDimSize(1)};
  if (store.getTransposed()) {
    if (getNumWarpgroups(tile) == 0)
      return {};
    std::swap(shape[0], shape[1]);
  } else if (!hasSwizzledRows(tile)) {
    return {};
  }
  return SharedType::get(store.getContext(), shape, tile.getElementType(),
                         kRowSwizzle);
}

namespace {
/// A store and the staging tile it goes through.
struct StagedStore {
  StoreOp store;
  SharedType type;
  Value slot;
  /// Copies that may still run when the slot is written again: those that were
  /// started after the slot's last one.
  int64_t pending = 0;
};

class StoreStaging {
public:
  StoreStaging(gpu::GPUFuncOp kernel, LaunchOp launch)
      : kernel(kernel), maps(kernel, launch) {}

  void run() {
    for (auto loop : kernel.getBody().getOps<ForEachTileOp>())
      stage(loop);
    maps.finish();
  }

private:
  gpu::GPUFuncOp kernel;
  TensorMapArguments maps;

  /// A remark on a store that threads make themselves, where TMA takes the
  /// argument.
  void explain(StoreOp store, bool isInProgram) {
    BlockArgument dest = maps.getArgument(store.getDest());
    if (!dest || store.getTile().getType().getRank() != 2 ||
        !kernel.getArgAttr(dest.getArgNumber(), kTMACompatibleAttrName))
      return;
    remark::missed(
        store.getLoc(),
        remark::RemarkOpts::name("StageStores").category("wgtile-stage-stores"))
        << (StringRef("threads store a tile themselves: ") +
            (isInProgram ? "its rows are not rows of the swizzle"
                         : "it is stored in a branch or a loop"))
               .str();
  }

  /// Stores of every tile's program. Those in branches and inner loops stay,
  /// since the number of running copies would depend on the path taken.
  SmallVector<StagedStore> collect(ForEachTileOp loop) {
    SmallVector<StagedStore> stores;
    loop.walk([&](StoreOp store) {
      bool isInProgram = store->getParentOp() == loop;
      SharedType type = getStagingType(store, kernel);
      if (isInProgram && type)
        stores.push_back({store, type, Value()});
      else
        explain(store, isInProgram);
    });
    return stores;
  }

  static void assignSlots(ForEachTileOp loop,
                          MutableArrayRef<StagedStore> stores) {
    OpBuilder b(loop);
    DenseMap<Type, SmallVector<Value>> slots;
    DenseMap<Type, int64_t> count;
    for (StagedStore &staged : stores) {
      SmallVector<Value> &ofType = slots[staged.type];
      int64_t slot = count[staged.type]++ % kSlots;
      if (slot == static_cast<int64_t>(ofType.size()))
        ofType.push_back(StagingOp::create(b, staged.store.getLoc(),
                                           staged.type, IntegerAttr()));
      staged.slot = ofType[slot];
    }
    // The same stores come again for the next tile.
    int64_t size = stores.size();
    for (int64_t i = 0; i < size; ++i)
      while (stores[(i + size - 1 - stores[i].pending) % size].slot !=
             stores[i].slot)
        ++stores[i].pending;
  }

  void stage(ForEachTileOp loop) {
    SmallVector<StagedStore> stores = collect(loop);
    if (stores.empty())
      return;
    assignSlots(loop, stores);
    OpBuilder b(loop.getContext());
    for (StagedStore &staged : stores) {
      StoreOp store = staged.store;
      Location loc = store.getLoc();
      b.setInsertionPoint(store);
      TmaStoreWaitOp::create(b, loc, staged.pending, /*read=*/true);
      StoreSharedOp::create(b, loc, store.getTile(), staged.slot,
                            store.getTransposedAttr());
      SmallVector<int64_t> box(store.getIndices().size() - 2, 1);
      box.push_back(staged.type.getRows());
      box.push_back(staged.type.getTile().boxColumns());
      auto mapType = TensorMapType::get(
          store.getContext(), box, staged.type.getElementType(), kRowSwizzle);
      Value map =
          maps.getMap(cast<BlockArgument>(store.getDest()), mapType, loc);
      TmaStoreOp::create(b, loc, staged.slot, map, store.getIndices(),
                         getNumWarpgroups(store.getTile().getType()),
                         store.getTransposed());
      store.erase();
    }
    // Shared memory must outlive the copies' reads; the end of the kernel waits
    // for their writes.
    b.setInsertionPointAfter(loop);
    TmaStoreWaitOp::create(b, loop.getLoc(), /*pending=*/0, /*read=*/true);
  }
};

struct StageStoresPass
    : public wgtile::impl::WGTileStageStoresBase<StageStoresPass> {
  void runOnOperation() override {
    for (auto [launch, kernel] : getLaunches(getOperation()))
      StoreStaging(kernel, launch).run();
  }
};
} // namespace
