//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Dialect/WGTile/Transforms/Kernels/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILEATTACHTARGET
#include "sattn/Dialect/WGTile/Transforms/Kernels/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;

namespace {
struct AttachTargetPass
    : public wgtile::impl::WGTileAttachTargetBase<AttachTargetPass> {
  using WGTileAttachTargetBase::WGTileAttachTargetBase;

  void runOnOperation() override {
    for (auto module : getOperation().getOps<gpu::GPUModuleOp>()) {
      if (module->hasAttr(kTargetAttrName))
        continue;
      std::optional<sattn::Chip> known = sattn::findChip(chip);
      if (!known) {
        module.emitError() << sattn::explainUnknownChip(chip);
        return signalPassFailure();
      }
      module->setAttr(kTargetAttrName, TargetAttr::get(&getContext(), *known));
    }
  }
};
} // namespace
