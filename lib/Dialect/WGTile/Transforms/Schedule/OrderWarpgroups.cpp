//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Dialect/WGTile/Transforms/Passes.h"
#include "sattn/Layout/Fragment.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILEORDERWARPGROUPS
#include "sattn/Dialect/WGTile/Transforms/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;
using sattn::layout::kWarpgroupThreads;

/// The asynchronous MMAs of an iteration, if there are several and a part of
/// the iteration needs no tensor cores.
static SmallVector<MmaOp> findMmas(scf::ForOp loop) {
  SmallVector<MmaOp> mmas;
  for (auto mma : loop.getBody()->getOps<MmaOp>())
    if (mma.getAsync())
      mmas.push_back(mma);
  bool isRotated = llvm::any_of(mmas, [&](MmaOp mma) {
    return llvm::is_contained(loop.getRegionIterArgs(), mma.getA());
  });
  return mmas.size() > 1 && isRotated ? mmas : SmallVector<MmaOp>();
}

namespace {
struct OrderWarpgroupsPass
    : public wgtile::impl::WGTileOrderWarpgroupsBase<OrderWarpgroupsPass> {
  using WGTileOrderWarpgroupsBase::WGTileOrderWarpgroupsBase;

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>()) {
      if (!getSchedule(kernel).orderWarpgroups.value_or(false))
        continue;
      auto roles = kernel.getBody().getOps<RolesOp>();
      if (roles.empty()) {
        kernel.emitOpError("expected roles: wgtile-order-warpgroups runs after "
                           "wgtile-specialize");
        return signalPassFailure();
      }
      for (RolesOp each : roles)
        order(each);
    }
  }

private:
  void order(RolesOp roles) {
    auto kernel = roles->getParentOfType<gpu::GPUFuncOp>();
    DenseI32ArrayAttr threads =
        kernel ? kernel.getKnownBlockSizeAttr() : DenseI32ArrayAttr();
    if (!threads || roles.getGroups() != 1)
      return;
    // The producer is a warpgroup too.
    int64_t warpgroups = threads[0] / kWarpgroupThreads - 1;
    if (warpgroups < 2)
      return;
    bool hasOrder = false;
    roles.getConsumer().walk([&](scf::ForOp loop) {
      SmallVector<MmaOp> mmas = findMmas(loop);
      if (!loop->hasAttr(kBlockLoopAttrName) || mmas.empty())
        return;
      OpBuilder b(mmas.front());
      OrderWaitOp::create(b, mmas.front().getLoc(), warpgroups);
      b.setInsertionPointAfter(mmas.back());
      OrderArriveOp::create(b, mmas.back().getLoc(), warpgroups);
      hasOrder = true;
      ++numOrdered;
    });
    if (!hasOrder)
      return;
    OpBuilder b = OpBuilder::atBlockBegin(&roles.getConsumer().front());
    OrderInitOp::create(b, roles.getLoc(), warpgroups);
  }
};
} // namespace
