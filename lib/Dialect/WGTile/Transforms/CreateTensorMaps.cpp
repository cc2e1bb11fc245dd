//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Dialect/WGTile/Transforms/Passes.h"
#include "sattn/Layout/SharedTile.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILECREATETENSORMAPS
#include "sattn/Dialect/WGTile/Transforms/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;

/// A tensor map's rank, the hardware's limit.
static constexpr int64_t kMaxRank = 5;

/// Type of the map that fills the tile of a load, one box a copy.
static FailureOr<TensorMapType> getMapType(LoadOp load) {
  auto source = cast<MemRefType>(load.getSource().getType());
  if (source.getRank() > kMaxRank)
    return load.emitOpError()
           << "expected a source of rank at most " << kMaxRank
           << " (tensor maps), but got " << source;
  SharedType tile = load.getTile().getType();
  if (tile.getSwizzle() == 0)
    return load.emitOpError("expected a tile with a swizzle "
                            "(wgtile-assign-layouts), but got none");
  sattn::layout::SharedTile layout{tile.getRows(), tile.getColumns(),
                                   tile.getElementBytes(), tile.getSwizzle()};
  SmallVector<int64_t> box(source.getRank() - 2, 1);
  box.push_back(layout.rows);
  box.push_back(layout.boxColumns());
  auto type = TensorMapType::getChecked(
      [&] { return load.emitOpError(); }, load.getContext(),
      ArrayRef<int64_t>(box), tile.getElementType(), tile.getSwizzle());
  if (!type)
    return failure();
  return type;
}

static LogicalResult createMaps(gpu::GPUFuncOp kernel, LaunchOp launch) {
  SmallVector<LoadOp> loads;
  kernel.walk([&](LoadOp load) {
    if (isa<MemRefType>(load.getSource().getType()))
      loads.push_back(load);
  });
  SmallVector<Value> arguments(launch.getArgs());
  Block &entry = kernel.getBody().front();
  OpBuilder b(launch);
  DenseMap<std::pair<Value, Type>, Value> maps;
  for (LoadOp load : loads) {
    auto source = dyn_cast<BlockArgument>(load.getSource());
    if (!source || source.getOwner() != &entry)
      return load.emitOpError("expected a source that is an argument of the "
                              "kernel");
    FailureOr<TensorMapType> type = getMapType(load);
    if (failed(type))
      return failure();
    Value &map = maps[{source, *type}];
    if (!map) {
      arguments.push_back(TensorMapOp::create(
          b, load.getLoc(), *type, arguments[source.getArgNumber()]));
      map = entry.addArgument(*type, load.getLoc());
    }
    load.getSourceMutable().assign(map);
  }

  // The kernel's type follows from its block, less what it no longer uses.
  for (int64_t i = static_cast<int64_t>(arguments.size()) - 1; i >= 0; --i)
    if (entry.getArgument(i).use_empty()) {
      entry.eraseArgument(i);
      arguments.erase(arguments.begin() + i);
    }
  kernel.setFunctionType(
      b.getFunctionType(entry.getArgumentTypes(), TypeRange()));
  launch.getArgsMutable().assign(arguments);
  return success();
}

namespace {
struct CreateTensorMapsPass
    : public wgtile::impl::WGTileCreateTensorMapsBase<CreateTensorMapsPass> {
  void runOnOperation() override {
    SymbolTableCollection symbols;
    WalkResult walk = getOperation().walk([&](LaunchOp launch) {
      auto kernel = symbols.lookupNearestSymbolFrom<gpu::GPUFuncOp>(
          launch, launch.getKernelAttr());
      if (kernel && failed(createMaps(kernel, launch)))
        return WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
