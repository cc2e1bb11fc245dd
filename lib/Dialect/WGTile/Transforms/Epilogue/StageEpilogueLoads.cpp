//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EpilogueLoads.h"

#include "sattn/Dialect/WGTile/Analysis/IndexDifference.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace wgtile;

/// Types of the tiles that every iteration of a loop in a tile's program loads:
/// a stage of that loop's ring can hold other tiles of these types.
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

/// The type of the shared tile that a read goes through, or null.
static SharedType getStageType(ReadOp read) {
  RankedTensorType tile = read.getTile().getType();
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

EpilogueStaging::EpilogueStaging(gpu::GPUFuncOp kernel, ForEachTileOp loop)
    : kernel(kernel), loop(loop),
      loopTiles(getLoopTiles(loop.getBody().front())) {
  kernel.walk([&](StoreOp store) { stores[store.getDest()].push_back(store); });
}

/// Whether the kernel does not store to the memory that is read, or only by a
/// store of the same tile: tiles store to different elements, so no other store
/// touches the tile, and the copy may come at any earlier time.
bool EpilogueStaging::mayComeEarlier(ReadOp read) const {
  auto found = stores.find(read.getSource());
  return found == stores.end() ||
         llvm::any_of(found->second, [&](StoreOp store) {
           return !store.getTransposed() &&
                  store.getTile().getType() == read.getTile().getType() &&
                  areSameIndices(store.getIndices(), read.getIndices());
         });
}

StringRef EpilogueStaging::stage(ReadOp read) {
  if (!kernel->hasAttr(kTMAAttrName))
    return "the kernel's loads are not by TMA";
  // Consumer groups share the tiles that their loop loads.
  if (loop.getGroupSize() != 1)
    return "several consumer groups share the loop's stages";
  auto source = dyn_cast<BlockArgument>(read.getSource());
  if (!source ||
      !kernel.getArgAttr(source.getArgNumber(), kTMACompatibleAttrName) ||
      read.getIndices().size() > kMaxTensorMapRank)
    return "TMA cannot take its source";
  if (read.getPadding())
    return "TMA pads by zeros";
  if (!read.getAligned() || read.getTransposed() ||
      !hasSwizzledRows(read.getTile().getType()))
    return "it is not of aligned rows of the swizzle";
  SharedType type = getStageType(read);
  if (!type || !loopTiles.contains(type))
    return "no loop of the tile has stages of its type";
  if (!isInProgram(read, loop.getBody().front()))
    return "it is read in a loop";
  if (!mayComeEarlier(read))
    return "a store may have to come first";
  OpBuilder b(read);
  auto load = LoadOp::create(b, read.getLoc(), type, read.getSource(),
                             read.getIndices(), /*offset=*/IntegerAttr(),
                             /*barrier=*/IntegerAttr(), /*aligned=*/true);
  auto tile = ReadSharedOp::create(b, read.getLoc(), read.getTile().getType(),
                                   load.getTile());
  read.replaceAllUsesWith(tile.getTile());
  read.erase();
  return "";
}
