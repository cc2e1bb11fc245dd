//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/SAttn/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace sattn {
#define GEN_PASS_DEF_SATTNALLOWINLINING
#include "sattn/Dialect/SAttn/Transforms/Passes.h.inc"
} // namespace sattn

namespace {
struct AllowInliningPass
    : public sattn::impl::SAttnAllowInliningBase<AllowInliningPass> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (auto function = dyn_cast<func::FuncOp>(op))
        function.setNoInline(false);
      else if (auto call = dyn_cast<func::CallOp>(op))
        call.setNoInline(false);
    });
  }
};
} // namespace
