//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Target/Manifest.h"
#include "sattn/Target/Passes.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace sattn {
#define GEN_PASS_DEF_SATTNEMITMANIFESTS
#include "sattn/Target/Passes.h.inc"
} // namespace sattn

namespace {
struct EmitManifestsPass
    : public sattn::impl::SAttnEmitManifestsBase<EmitManifestsPass> {
  using SAttnEmitManifestsBase::SAttnEmitManifestsBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function.isPublic() || function.isExternal())
        continue;
      FailureOr<std::string> manifest = sattn::emitManifest(function, target);
      if (failed(manifest))
        return signalPassFailure();
      function->setAttr(sattn::kManifestAttrName,
                        StringAttr::get(&getContext(), *manifest));
    }
  }
};
} // namespace
