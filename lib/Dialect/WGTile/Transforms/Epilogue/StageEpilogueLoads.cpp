//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/Analysis/IndexDifference.h"
#include "sattn/Dialect/WGTile/Transforms/Epilogue/Passes.h"
#include "sattn/Dialect/WGTile/Utils/Launches.h"
#include "sattn/Dialect/WGTile/Utils/TensorMapArguments.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILESTAGEEPILOGUELOADS
#include "sattn/Dialect/WGTile/Transforms/Epilogue/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;

/// Types of the tiles that every iteration of a loop in a tile's program loads:
/// a stage of that loop's ring has room for other tiles of these types.
static DenseSet<Type> getLoopTiles(Block &program) {
  DenseSet<Type> tiles;
  for (auto loop : program.getOps<scf::ForOp>()) {
    bool isWhole = true;
    loop.walk(
        [&](LoadOp load) { isWhole &= load->getBlock() == loop.getBody(); });
    if (isWhole)
      for (auto load : loop.getBody()->getOps<LoadOp>())
        tiles.insert(load.getTile().getType());
  }
  return tiles;
}

/// Whether the kernel does not store to the memory that is read, or only by a
/// store of the same tile: tiles store to different elements, so no other store
/// touches the tile, and the copy may come at any earlier time.
static bool mayComeEarlier(ReadOp read, gpu::GPUFuncOp kernel) {
  bool isStored = false, isStoredThere = false;
  kernel.walk([&](StoreOp store) {
    if (store.getDest() != read.getSource())
      return;
    isStored = true;
    isStoredThere |= areSameIndices(store.getIndices(), read.getIndices()) &&
                     !store.getTransposed() &&
                     store.getTile().getType() == read.getTile().getType();
  });
  return !isStored || isStoredThere;
}

/// The type of the shared tile that a read goes through, or null.
static SharedType getStageType(ReadOp read, gpu::GPUFuncOp kernel) {
  auto source = dyn_cast<BlockArgument>(read.getSource());
  RankedTensorType tile = read.getTile().getType();
  if (!source || !read.getAligned() || read.getTransposed() ||
      !hasSwizzledRows(tile) ||
      !kernel.getArgAttr(source.getArgNumber(), kTMACompatibleAttrName) ||
      read.getIndices().size() > kMaxTensorMapRank ||
      !mayComeEarlier(read, kernel))
    return {};
  sattn::layout::SharedTile stage = {tile.getDimSize(0), tile.getDimSize(1),
                                     tile.getElementTypeBitWidth() / 8,
                                     kRowSwizzle};
  if (stage.invalidReason())
    return {};
  return SharedType::get(read.getContext(), tile.getShape(),
                         tile.getElementType(), kRowSwizzle);
}

/// Whether an op is in the program of a tile or in a branch of it.
static bool isInProgram(Operation *op, Block &program) {
  while (op->getBlock() != &program) {
    op = op->getParentOp();
    if (!isa<scf::IfOp>(op))
      return false;
  }
  return true;
}

static void stageReads(gpu::GPUFuncOp kernel, ForEachTileOp loop) {
  Block &program = loop.getBody().front();
  DenseSet<Type> loopTiles = getLoopTiles(program);
  loop.walk([&](ReadOp read) {
    SharedType type = getStageType(read, kernel);
    if (!type || !loopTiles.contains(type) || !isInProgram(read, program))
      return;
    OpBuilder b(read);
    Location loc = read.getLoc();
    auto load = LoadOp::create(b, loc, type, read.getSource(),
                               read.getIndices(), /*offset=*/IntegerAttr(),
                               /*barrier=*/IntegerAttr(), /*aligned=*/true);
    auto tile =
        ReadSharedOp::create(b, loc, read.getTile().getType(), load.getTile());
    read.replaceAllUsesWith(tile.getTile());
    read.erase();
  });
}

namespace {
struct StageEpilogueLoadsPass
    : public wgtile::impl::WGTileStageEpilogueLoadsBase<
          StageEpilogueLoadsPass> {
  void runOnOperation() override {
    for (auto [launch, kernel] : getLaunches(getOperation())) {
      if (!kernel->hasAttr(kTMAAttrName))
        continue;
      for (auto loop : kernel.getBody().getOps<ForEachTileOp>())
        // Consumer groups share the tiles that their loop loads.
        if (loop.getGroupSize() == 1)
          stageReads(kernel, loop);
    }
  }
};
} // namespace
