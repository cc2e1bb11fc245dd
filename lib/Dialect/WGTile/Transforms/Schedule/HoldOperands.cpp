//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Dialect/WGTile/Transforms/Schedule/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILEHOLDOPERANDS
#include "sattn/Dialect/WGTile/Transforms/Schedule/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;

/// Registers of a thread that one operand may take.
static constexpr int64_t kMostRegisters = 32;
/// Stages that a loop has beside an operand's own memory.
static constexpr int64_t kUsualStages = 2;

/// The layout in which wgmma takes a tile from registers; null if it does not
/// take the tile, or if that has too many.
static RankedTensorType getHeldType(SharedType tile, MmaOp mma) {
  auto layout = dyn_cast_or_null<MmaAttr>(mma.getType().getEncoding());
  if (!layout || mma.getMmaSync() || tile.getPacked() ||
      tile.getElementBytes() != 2 || !isa<FloatType>(tile.getElementType()) ||
      tile.getColumns() % tile.getTile().boxColumns() != 0)
    return {};
  auto type =
      RankedTensorType::get(tile.getShape(), tile.getElementType(), layout);
  int64_t threads = 32 * layout.getWarps();
  return getNumWarpgroups(type) != 0 &&
                 type.getNumElements() / 2 <= kMostRegisters * threads
             ? type
             : RankedTensorType();
}

/// Whether every use of a load is as the left operand of an MMA in a block loop
/// that loads tiles of the same type in each iteration.
static bool isHeldByLoops(LoadOp load) {
  return !load->use_empty() &&
         llvm::all_of(load->getUses(), [&](OpOperand &use) {
           auto mma = dyn_cast<MmaOp>(use.getOwner());
           auto loop = dyn_cast<scf::ForOp>(use.getOwner()->getParentOp());
           if (!mma || &mma.getAMutable() != &use || !loop ||
               !loop->hasAttr(kBlockLoopAttrName) ||
               loop->getBlock() != load->getBlock())
             return false;
           return llvm::any_of(
               loop.getBody()->getOps<LoadOp>(), [&](LoadOp other) {
                 return other.getTile().getType() == load.getTile().getType();
               });
         });
}

namespace {
struct HoldOperandsPass
    : public wgtile::impl::WGTileHoldOperandsBase<HoldOperandsPass> {
  using WGTileHoldOperandsBase::WGTileHoldOperandsBase;

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>())
      if (kernel->hasAttr(kTMAAttrName) &&
          getSchedule(kernel).stages.value_or(0) > kUsualStages)
        for (auto tiles : kernel.getBody().getOps<ForEachTileOp>())
          // Groups of consumers share what a loop loads.
          if (tiles.getGroupSize() == 1)
            hold(tiles.getBody().front());
  }

private:
  void hold(Block &program) {
    for (auto load : llvm::make_early_inc_range(program.getOps<LoadOp>())) {
      if (!isHeldByLoops(load))
        continue;
      RankedTensorType type = getHeldType(load.getTile().getType(),
                                          cast<MmaOp>(*load->user_begin()));
      if (!type)
        continue;
      OpBuilder b(&getContext());
      b.setInsertionPointAfter(load);
      auto read = ReadSharedOp::create(b, load.getLoc(), type, load.getTile());
      load.getTile().replaceAllUsesExcept(read.getTile(), read);
      ++numHeld;
    }
  }
};
} // namespace
