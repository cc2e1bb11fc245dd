//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Dialect/WGTile/Transforms/Passes.h"
#include "sattn/Dialect/WGTile/Utils/Launches.h"
#include "sattn/Dialect/WGTile/Utils/Options.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <limits>

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILEPERSIST
#include "sattn/Dialect/WGTile/Transforms/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;

/// Most columns of a raster group. Points are counted in 32 bits, which must
/// hold so many columns times the rows of tiles.
static constexpr int64_t kMaxRasterGroup = 64;

namespace {
struct PersistPass : public wgtile::impl::WGTilePersistBase<PersistPass> {
  using WGTilePersistBase::WGTilePersistBase;

  LogicalResult
  initializeOptions(StringRef options,
                    function_ref<LogicalResult(const Twine &)> error) override {
    if (failed(verifyOptionNames(getArgument(), options, error)))
      return failure();
    return WGTilePersistBase::initializeOptions(options, error);
  }

  void runOnOperation() override {
    if (failed(verifyOption(getOperation(), "raster-group", rasterGroup, 1,
                            kMaxRasterGroup)))
      return signalPassFailure();
    for (auto [launch, kernel] : getLaunches(getOperation())) {
      SmallVector<ForEachTileOp> loops;
      kernel.walk([&](ForEachTileOp loop) { loops.push_back(loop); });
      if (loops.empty() || llvm::any_of(loops, [](ForEachTileOp loop) {
            return loop.getCounts().size() < 2 || loop.getPersistent();
          }))
        continue;
      OpBuilder b(launch);
      Value count = SmCountOp::create(b, launch.getLoc(), b.getIndexType());
      if (auto blocks = kernel->getAttrOfType<IntegerAttr>(
              NVVM::NVVMDialect::getMinctasmAttrName()))
        count = arith::MulIOp::create(b, launch.getLoc(), count,
                                      arith::ConstantIndexOp::create(
                                          b, launch.getLoc(), blocks.getInt()));
      Value tiles = launch.getGrid();
      launch.getGridMutable().assign(limitGrid(b, launch, count));
      for (ForEachTileOp loop : loops) {
        loop.setPersistent(getRasterGroup(loop));
        loop.removeRasterGroupAttr();
      }
      if (dynamic)
        addCounter(b, launch, kernel, tiles, loops);
    }
  }

  int64_t getRasterGroup(ForEachTileOp loop) {
    if (std::optional<int64_t> wish = loop.getRasterGroup())
      return std::min(*wish, kMaxRasterGroup);
    return rasterGroup;
  }

  /// Gives the kernel a counter, which is allocated if blocks get more than one
  /// tile.
  static void addCounter(OpBuilder &b, LaunchOp launch, gpu::GPUFuncOp kernel,
                         Value tiles, ArrayRef<ForEachTileOp> loops) {
    Location loc = launch.getLoc();
    auto type = MemRefType::get({ShapedType::kDynamic}, b.getI32Type());
    Value isShort = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt,
                                          tiles, launch.getGrid());
    Value size = arith::SelectOp::create(
        b, loc, isShort, arith::ConstantIndexOp::create(b, loc, 1),
        arith::ConstantIndexOp::create(b, loc, 0));
    Value counter = memref::AllocOp::create(b, loc, type, size);
    counter.getDefiningOp()->setDiscardableAttr(kZeroedAttrName,
                                                b.getUnitAttr());
    launch.getArgsMutable().append(counter);
    unsigned position = kernel.getNumArguments();
    (void)kernel.insertArgument(position, type, DictionaryAttr(), loc);
    for (ForEachTileOp loop : loops) {
      loop.getCounterMutable().assign(kernel.getArgument(position));
      if (auto [roles, role] = RolesOp::getRoleOf(loop); roles)
        passWorkTiles(loop, /*isProducer=*/!roles.holdsTiles(role));
    }
  }

  /// Ends an iteration of a role's tile loop with the ops that pass on the
  /// producer's next tile.
  static void passWorkTiles(ForEachTileOp loop, bool isProducer) {
    OpBuilder b(loop.getBody().front().getTerminator());
    Location loc = loop.getLoc();
    if (isProducer) {
      WorkTileAcquireOp::create(b, loc);
      WorkTileWriteOp::create(b, loc);
      WorkTileCommitOp::create(b, loc);
    } else {
      WorkTileWaitOp::create(b, loc);
      WorkTileReadOp::create(b, loc);
      WorkTileReleaseOp::create(b, loc);
    }
  }

  /// At most `count` thread blocks. Tiles are counted in 32 bits: if there are
  /// more, the grid keeps its size, which no device takes.
  static Value limitGrid(OpBuilder &b, LaunchOp launch, Value count) {
    Location loc = launch.getLoc();
    Value tiles = launch.getGrid();
    Value most = arith::ConstantIndexOp::create(
        b, loc, std::numeric_limits<int32_t>::max());
    Value fits =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, tiles, most);
    return arith::SelectOp::create(
        b, loc, fits, arith::MinSIOp::create(b, loc, tiles, count), tiles);
  }
};
} // namespace
