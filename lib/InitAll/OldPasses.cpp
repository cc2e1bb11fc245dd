//===- OldPasses.cpp - Old names of passes --------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OldPasses.h"

#include "sattn/Support/OldNames.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace {
/// Stands for a pass that has another name now, and refuses to be part of a
/// pipeline.
class OldPass : public PassWrapper<OldPass, OperationPass<>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OldPass)

  explicit OldPass(StringRef name) : name(name) {}

  StringRef getArgument() const override { return name; }
  StringRef getDescription() const override {
    return "Old name of a pass (an error that says the new one)";
  }

  LogicalResult
  initializeOptions(StringRef,
                    function_ref<LogicalResult(const Twine &)> error) override {
    return error(sattn::findRenaming(name));
  }

  void runOnOperation() override {
    getOperation()->emitError() << sattn::findRenaming(name);
    signalPassFailure();
  }

private:
  StringRef name;
};
} // namespace

void sattn::registerOldPasses() {
  for (const OldName &entry : kOldNames)
    if (entry.scope.empty() && !entry.old.contains('.'))
      registerPass([&entry] { return std::make_unique<OldPass>(entry.old); });
}
