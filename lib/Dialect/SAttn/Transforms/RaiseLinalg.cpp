//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/SAttn/IR/SAttnDialect.h"
#include "sattn/Dialect/SAttn/Transforms/Passes.h"

using namespace mlir;

namespace sattn {
#define GEN_PASS_DEF_SATTNRAISELINALG
#include "sattn/Dialect/SAttn/Transforms/Passes.h.inc"
} // namespace sattn

using namespace sattn;

namespace {
struct RaiseLinalgPass
    : public sattn::impl::SAttnRaiseLinalgBase<RaiseLinalgPass> {
  using SAttnRaiseLinalgBase::SAttnRaiseLinalgBase;

  void runOnOperation() override {
    if (precision != "ieee" && precision != "tf32") {
      getOperation().emitError()
          << "expected 'precision' to be \"ieee\" or \"tf32\", but got \""
          << precision.getValue() << "\"";
      return signalPassFailure();
    }
    for (RegisteredOperationName name : getContext().getRegisteredOperations())
      if (auto *op = name.getInterface<RaiseOpInterface>())
        if (failed(op->raiseLinalg(getOperation(), precision)))
          return signalPassFailure();
  }
};
} // namespace
