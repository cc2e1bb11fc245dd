//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Dialect/WGTile/Transforms/Schedule/Passes.h"
#include "sattn/Dialect/WGTile/Utils/Options.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILEINSERTDELAYS
#include "sattn/Dialect/WGTile/Transforms/Schedule/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;
using Kind = SyncEffect::Kind;

/// The longest time that nanosleep takes.
static constexpr int64_t kMaxNanoseconds = 1000000;

/// Whether an op waits, arrives, or starts asynchronous work.
static bool isRacy(Operation *op) {
  auto sync = dyn_cast<SyncOpInterface>(op);
  if (!sync)
    return false;
  SmallVector<SyncEffect> effects;
  sync.getSyncEffects(effects);
  return llvm::any_of(effects, [](const SyncEffect &effect) {
    return effect.isSynchronization() || effect.kind == Kind::Commit ||
           effect.kind == Kind::Fill;
  });
}

namespace {
struct InsertDelaysPass
    : public wgtile::impl::WGTileInsertDelaysBase<InsertDelaysPass> {
  using WGTileInsertDelaysBase::WGTileInsertDelaysBase;

  void runOnOperation() override {
    if (failed(verifyOption(getOperation(), "nanoseconds", nanoseconds, 1,
                            kMaxNanoseconds)))
      return signalPassFailure();
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isRacy(op))
        ops.push_back(op);
    });
    for (auto [site, op] : llvm::enumerate(ops)) {
      OpBuilder b(op);
      DelayOp::create(b, op->getLoc(), nanoseconds, site);
    }
  }
};
} // namespace
