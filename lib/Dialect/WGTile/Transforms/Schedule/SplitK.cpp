//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The reduction of a tile, shared by the CTAs of a cluster.

#include "sattn/Dialect/WGTile/Analysis/SplitReduction.h"
#include "sattn/Dialect/WGTile/Transforms/Schedule/Passes.h"
#include "sattn/Dialect/WGTile/Utils/Launches.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILESPLITK
#include "sattn/Dialect/WGTile/Transforms/Schedule/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;

/// Gives each CTA of a cluster its part of a loop's range, of nearly
/// equal length; returns the rank of this CTA.
static Value splitRange(OpBuilder &b, scf::ForOp loop, int64_t parts) {
  Location loc = loop.getLoc();
  Value rank = gpu::ClusterBlockIdOp::create(b, loc, gpu::Dimension::x);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Value begin = loop.getLowerBound();
  Value length = arith::SubIOp::create(b, loc, loop.getUpperBound(), begin);
  length = arith::MaxSIOp::create(b, loc, length, constant(0));
  auto start = [&](Value part) -> Value {
    Value product = arith::MulIOp::create(b, loc, length, part);
    Value offset = arith::DivUIOp::create(b, loc, product, constant(parts));
    return arith::AddIOp::create(b, loc, begin, offset);
  };
  Value next = arith::AddIOp::create(b, loc, rank, constant(1));
  loop.setUpperBound(start(next));
  loop.setLowerBound(start(rank));
  return rank;
}

/// Puts what follows the reductions into a branch of the first CTA.
static void finishInFirst(OpBuilder &b, Operation *last, Value rank) {
  Location loc = last->getLoc();
  Block *block = last->getBlock();
  b.setInsertionPointAfter(last);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value isFirst =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rank, zero);
  auto branch = scf::IfOp::create(b, loc, isFirst, /*withElseRegion=*/false);
  branch.thenBlock()->getOperations().splice(
      branch.thenYield()->getIterator(), block->getOperations(),
      std::next(branch->getIterator()), block->getTerminator()->getIterator());
}

namespace {
struct SplitKPass : public wgtile::impl::WGTileSplitKBase<SplitKPass> {
  void runOnOperation() override {
    for (auto [launch, kernel] : getLaunches(getOperation())) {
      int64_t parts = getSchedule(kernel).splitK.value_or(1);
      if (parts > 1 && failed(split(launch, kernel, parts)))
        return signalPassFailure();
    }
  }

  static LogicalResult split(LaunchOp launch, gpu::GPUFuncOp kernel,
                             int64_t parts) {
    SmallVector<ForEachTileOp> tiles(kernel.getBody().getOps<ForEachTileOp>());
    StringRef reason = "it has not one loop over tiles";
    scf::ForOp loop;
    if (tiles.size() == 1 && !tiles.front().getPersistent())
      loop = findSplitLoop(tiles.front(), reason);
    if (!loop)
      return kernel.emitOpError()
             << "expected a kernel whose reduction " << parts
             << " CTAs can share (wgtile-schedule), but " << reason;
    kernel.setKnownClusterSize(
        ArrayRef<int32_t>{static_cast<int32_t>(parts), 1, 1});
    OpBuilder b(loop);
    Value rank = splitRange(b, loop, parts);
    b.setInsertionPointAfter(loop);
    Operation *last = loop;
    for (Value result : loop.getResults()) {
      auto sum = ClusterReduceOp::create(b, loop.getLoc(), result.getType(),
                                         result, /*offset=*/nullptr);
      result.replaceAllUsesExcept(sum.getResult(), sum);
      last = sum;
    }
    finishInFirst(b, last, rank);
    b.setInsertionPoint(launch);
    Location loc = launch.getLoc();
    launch.getGridMutable().assign(
        arith::MulIOp::create(b, loc, launch.getGrid(),
                              arith::ConstantIndexOp::create(b, loc, parts)));
    return success();
  }
};
} // namespace
