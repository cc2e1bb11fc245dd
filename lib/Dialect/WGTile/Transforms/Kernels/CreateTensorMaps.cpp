//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/Transforms/Kernels/Passes.h"
#include "sattn/Dialect/WGTile/Utils/Launches.h"
#include "sattn/Dialect/WGTile/Utils/PackedRows.h"
#include "sattn/Dialect/WGTile/Utils/TensorMapArguments.h"
#include "sattn/Dialect/WGTile/Utils/VerifyLayouts.h"
#include "sattn/Layout/SharedTile.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILECREATETENSORMAPS
#include "sattn/Dialect/WGTile/Transforms/Kernels/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;

/// Type of the map that fills the tile of a load, one box per copy.
static FailureOr<TensorMapType> getMapType(LoadOp load) {
  auto source = cast<MemRefType>(load.getSource().getType());
  if (source.getRank() > kMaxTensorMapRank)
    return load.emitOpError()
           << "expected a source of rank at most " << kMaxTensorMapRank
           << " (tensor maps), but got " << source;
  SharedType tile = load.getTile().getType();
  sattn::layout::SharedTile layout = tile.getTile();
  SmallVector<int64_t> box(source.getRank() - 2, 1);
  box.push_back(tile.getPacked() ? layout.boxRows() : tile.getRows());
  box.push_back(layout.boxColumns());
  return TensorMapType::get(load.getContext(), box, tile.getElementType(),
                            tile.getSwizzle(), tile.getPacked());
}

static LogicalResult createMaps(gpu::GPUFuncOp kernel, LaunchOp launch) {
  SmallVector<LoadOp> loads;
  kernel.walk([&](LoadOp load) {
    if (isa<MemRefType>(load.getSource().getType()))
      loads.push_back(load);
  });
  if (!kernel->hasAttr(kTMAAttrName))
    return success();
  if (failed(verifySwizzles(kernel)))
    return failure();
  TensorMapArguments maps(kernel, launch);
  for (LoadOp load : loads) {
    BlockArgument source = maps.getArgument(load.getSource());
    if (!source)
      return load.emitOpError("expected a source that is an argument of the "
                              "kernel");
    FailureOr<TensorMapType> type = getMapType(load);
    if (failed(type))
      return failure();
    load.setAligned(false);
    if (type->getPacked()) {
      OpBuilder b(load);
      Value row = createPackedRow(b, load, type->getBox().back());
      load.getIndicesMutable()[type->getBox().size() - 2].assign(row);
    }
    load.getSourceMutable().assign(maps.getMap(source, *type, load.getLoc()));
  }
  maps.finish();
  return success();
}

namespace {
struct CreateTensorMapsPass
    : public wgtile::impl::WGTileCreateTensorMapsBase<CreateTensorMapsPass> {
  void runOnOperation() override {
    for (auto [launch, kernel] : getLaunches(getOperation()))
      if (failed(createMaps(kernel, launch)))
        return signalPassFailure();
  }
};
} // namespace
