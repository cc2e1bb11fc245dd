//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EpilogueLoads.h"

#include "sattn/Dialect/WGTile/Transforms/Epilogue/Passes.h"
#include "sattn/Dialect/WGTile/Utils/Launches.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILEPLACEEPILOGUELOADS
#include "sattn/Dialect/WGTile/Transforms/Epilogue/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;

static void explain(ReadOp read, StringRef notStaged, StringRef notPrefetched) {
  remark::missed(read.getLoc(), remark::RemarkOpts::name("EpilogueLoads")
                                    .category("wgtile-place-epilogue-loads"))
      << ("a tile waits for global memory: it is not staged, since " +
          notStaged + ", and not prefetched, since " + notPrefetched)
             .str();
}

/// Places the epilogue's loads: in the ring's stages, if they take a tile,
/// which are better than L2, else by prefetches.
static void placeLoads(gpu::GPUFuncOp kernel, ForEachTileOp loop,
                       TensorMapArguments &maps) {
  SmallVector<ReadOp> reads;
  loop.walk([&](ReadOp read) {
    if (read.getTile().getType().getRank() == 2)
      reads.push_back(read);
  });
  EpilogueStaging staging(kernel, loop);
  EpiloguePrefetching prefetching(kernel, loop, maps);
  for (ReadOp read : reads) {
    StringRef notStaged = staging.stage(read);
    if (notStaged.empty())
      continue;
    StringRef notPrefetched = prefetching.plan(read);
    if (!notPrefetched.empty())
      explain(read, notStaged, notPrefetched);
  }
  prefetching.emit();
  hoistEpilogueLoads(kernel, loop);
}

namespace {
struct PlaceEpilogueLoadsPass
    : public wgtile::impl::WGTilePlaceEpilogueLoadsBase<
          PlaceEpilogueLoadsPass> {
  void runOnOperation() override {
    for (auto [launch, kernel] : getLaunches(getOperation())) {
      TensorMapArguments maps(kernel, launch);
      for (auto loop : kernel.getBody().getOps<ForEachTileOp>())
        placeLoads(kernel, loop, maps);
      maps.finish();
    }
  }
};
} // namespace
