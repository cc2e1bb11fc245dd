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

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILESTAGESTORES
#include "sattn/Dialect/WGTile/Transforms/Epilogue/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;

/// Stages of the ring for all stores of a tile's program: while TMA reads one,
/// the next is written. Each store has the same stage in every tile, a
/// constant, if the stages divide the stores.
static int64_t chooseStages(ArrayRef<StoreOp> all) {
  int64_t stores = all.size();
  // In a loop the same store is made again and again.
  if (llvm::any_of(all, [](StoreOp store) {
        return isa<scf::ForOp>(store->getParentOp());
      }))
    return 2;
  for (int64_t stages : {2, 3})
    if (stores % stages == 0)
      return stages;
  return std::min<int64_t>(stores, 2);
}

/// Bytes of the swizzle whose rows are a tile's rows; 0 if no swizzle has such
/// rows. One narrower than `kRowSwizzle` serves the last columns of a tile
/// whose other columns fill whole rows: a few columns alone are not worth a
/// ring.
static int64_t getStagingSwizzle(StoreOp store) {
  RankedTensorType tile = store.getTile().getType();
  if (hasSwizzledRows(tile))
    return kRowSwizzle;
  int64_t bytes = tile.getDimSize(1) * tile.getElementTypeBitWidth() / 8;
  auto isWhole = [&](StoreOp other) {
    return other.getDest() == store.getDest() && !other.getTransposed() &&
           hasSwizzledRows(other.getTile().getType());
  };
  bool isLast = llvm::is_contained({32, 64}, bytes) &&
                getNumWarpgroups(tile) != 0 &&
                llvm::any_of(store->getBlock()->getOps<StoreOp>(), isWhole);
  return isLast ? bytes : 0;
}

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
  int64_t swizzle = kRowSwizzle;
  if (store.getTransposed()) {
    if (getNumWarpgroups(tile) == 0)
      return {};
    std::swap(shape[0], shape[1]);
  } else {
    swizzle = getStagingSwizzle(store);
    if (swizzle == 0)
      return {};
  }
  return SharedType::get(store.getContext(), shape, tile.getElementType(),
                         swizzle);
}

/// Warpgroups whose rows the consumer groups of a loop store.
static int64_t countWarpgroups(StoreOp store, ForEachTileOp loop) {
  return loop.getGroupSize() * getNumWarpgroups(store.getTile().getType());
}

namespace {
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
  /// The ring of each type of staging tile.
  llvm::MapVector<Type, Value> rings;

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
                         : "it is stored in a branch"))
               .str();
  }

  /// Whether all warpgroups make a store together, as often as each other.
  static bool isInProgramOf(ForEachTileOp loop, StoreOp store) {
    Operation *parent = store->getParentOp();
    while (isa<scf::ForOp>(parent))
      parent = parent->getParentOp();
    return parent == loop;
  }

  /// Stores of every tile's program that go through staging, with the types of
  /// their tiles.
  SmallVector<std::pair<StoreOp, SharedType>> collect(ForEachTileOp loop) {
    SmallVector<std::pair<StoreOp, SharedType>> stores;
    loop.walk([&](StoreOp store) {
      bool isInProgram = isInProgramOf(loop, store);
      SharedType type = isInProgram ? getStagingType(store, kernel) : nullptr;
      if (type && countWarpgroups(store, loop) <= kMaxWarpgroups)
        stores.emplace_back(store, type);
      else
        explain(store, isInProgram);
    });
    return stores;
  }

  /// Makes a ring for the stores of each type before a loop.
  void createRings(ForEachTileOp loop,
                   ArrayRef<std::pair<StoreOp, SharedType>> stores) {
    llvm::MapVector<Type, SmallVector<StoreOp>> byType;
    for (auto [store, type] : stores)
      byType[type].push_back(store);
    rings.clear();
    OpBuilder b(loop);
    for (auto &[type, ofType] : byType) {
      StoreOp first = ofType.front();
      rings[type] = RingOp::create(
          b, first.getLoc(),
          RingType::get(b.getContext(), chooseStages(ofType), type,
                        /*instances=*/{}, countWarpgroups(first, loop)),
          /*consumer_warps=*/IntegerAttr(), /*offset=*/IntegerAttr(),
          /*barriers=*/IntegerAttr());
    }
  }

  void stage(StoreOp store, SharedType type) {
    Value ring = rings.lookup(type);
    Location loc = store.getLoc();
    OpBuilder b(store);
    Value token =
        ProducerAcquireOp::create(b, loc, ring, /*position=*/ValueRange());
    RingStoreOp::create(b, loc, store.getTile(), ring, token, /*tile=*/0,
                        store.getTransposed());
    SmallVector<int64_t> box(store.getIndices().size() - 2, 1);
    box.push_back(type.getRows());
    box.push_back(type.getTile().boxColumns());
    auto mapType = TensorMapType::get(b.getContext(), box,
                                      type.getElementType(), type.getSwizzle());
    auto map = cast<TypedValue<TensorMapType>>(
        maps.getMap(cast<BlockArgument>(store.getDest()), mapType, loc));
    TmaStoreOp::create(b, loc, ring, token, /*tile=*/0, map, store.getIndices(),
                       getNumWarpgroups(store.getTile().getType()),
                       store.getTransposed());
    ProducerCommitOp::create(b, loc, ring, token);
    store.erase();
  }

  void stage(ForEachTileOp loop) {
    SmallVector<std::pair<StoreOp, SharedType>> stores = collect(loop);
    createRings(loop, stores);
    for (auto [store, type] : stores)
      stage(store, type);
    OpBuilder b(loop.getContext());
    b.setInsertionPointAfter(loop);
    for (auto [type, ring] : rings)
      ProducerTailOp::create(b, loop.getLoc(), ring);
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
