//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Dialect/WGTile/Transforms/Schedule/Passes.h"
#include "sattn/Layout/Fragment.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILEORDERWARPGROUPS
#include "sattn/Dialect/WGTile/Transforms/Schedule/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;
using sattn::layout::kWarpgroupThreads;
using sattn::layout::kWarpThreads;

/// The asynchronous MMAs of an iteration, if there are several and a part of
/// the iteration needs no tensor cores.
static SmallVector<MmaAsyncOp> findMmas(scf::ForOp loop) {
  SmallVector<MmaAsyncOp> mmas(loop.getBody()->getOps<MmaAsyncOp>());
  bool isRotated = llvm::any_of(mmas, [&](MmaAsyncOp mma) {
    return llvm::is_contained(loop.getRegionIterArgs(), mma.getA());
  });
  return mmas.size() > 1 && isRotated ? mmas : SmallVector<MmaAsyncOp>();
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
        for (unsigned role = 0; role < each.getPrograms().size(); ++role)
          order(each, role);
    }
  }

private:
  /// Orders the warpgroups of one role.
  void order(RolesOp roles, unsigned role) {
    int64_t warpgroups =
        roles.getWarps()[role] * kWarpThreads / kWarpgroupThreads;
    if (roles.getConsumerGroups()[role] != 1 || warpgroups < 2)
      return;
    Region &program = roles.getPrograms()[role];
    bool hasOrder = false;
    program.walk([&](scf::ForOp loop) {
      SmallVector<MmaAsyncOp> mmas = findMmas(loop);
      if (!loop->hasAttr(kBlockLoopAttrName) || mmas.empty())
        return;
      OpBuilder b(mmas.front());
      OrderWaitOp::create(b, mmas.front().getLoc(), warpgroups);
      b.setInsertionPointAfter(mmas.back());
      OrderArriveOp::create(b, mmas.back().getLoc(), warpgroups);
      hasOrder = true;
      ++numOrdered;
    });
    if (!hasOrder) {
      remark::missed(roles.getLoc(), remark::RemarkOpts::name("OrderWarpgroups")
                                         .category("wgtile-order-warpgroups"))
          << "warpgroups have no order: no block loop of the role has two MMAs "
             "in a chain that overlap";
      return;
    }
    OpBuilder b = OpBuilder::atBlockBegin(&program.front());
    OrderInitOp::create(b, roles.getLoc(), warpgroups);
  }
};
} // namespace
