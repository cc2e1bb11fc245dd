//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// Takes every synchronizing op of a module away in turn and asks
// wgtile-verify-sync for its opinion of the rest.

#include "TestPasses.h"

#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Dialect/WGTile/Transforms/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace wgtile;
using Kind = SyncEffect::Kind;

/// Whether an op does nothing but synchronize and pass values on.
static bool isDroppable(Operation *op) {
  auto sync = dyn_cast<SyncOpInterface>(op);
  if (!sync)
    return false;
  SmallVector<SyncEffect> effects;
  sync.getSyncEffects(effects);
  return llvm::any_of(effects,
                      [](const SyncEffect &effect) {
                        return effect.isSynchronization();
                      }) &&
         llvm::all_of(effects, [](const SyncEffect &effect) {
           return effect.isSynchronization() || effect.kind == Kind::Forward;
         });
}

static void drop(Operation *op) {
  SmallVector<SyncEffect> effects;
  cast<SyncOpInterface>(op).getSyncEffects(effects);
  for (SyncEffect &effect : effects)
    if (effect.kind == Kind::Forward)
      effect.result.replaceAllUsesWith(effect.value);
  op->erase();
}

static SmallVector<Operation *> collect(Operation *root) {
  SmallVector<Operation *> ops;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isDroppable(op))
      ops.push_back(op);
  });
  return ops;
}

namespace {
struct TestDropSyncPass
    : public PassWrapper<TestDropSyncPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestDropSyncPass)

  StringRef getArgument() const override { return "test-wgtile-drop-sync"; }
  StringRef getDescription() const override {
    return "Remarks at every synchronizing op what wgtile-verify-sync says "
           "without it";
  }

  void runOnOperation() override {
    SmallVector<gpu::GPUModuleOp> modules(
        getOperation().getOps<gpu::GPUModuleOp>());
    for (gpu::GPUModuleOp module : modules)
      for (auto [index, op] : llvm::enumerate(collect(module)))
        check(module, op, index);
  }

private:
  void check(gpu::GPUModuleOp module, Operation *op, size_t index) {
    OpBuilder b(module);
    auto copy = cast<gpu::GPUModuleOp>(b.clone(*module));
    drop(collect(copy)[index]);
    std::string message;
    {
      ScopedDiagnosticHandler handler(&getContext(), [&](Diagnostic &said) {
        if (message.empty())
          message = said.str();
        return success();
      });
      OpPassManager verifier(gpu::GPUModuleOp::getOperationName());
      verifier.addPass(createWGTileVerifySync());
      if (succeeded(runPipeline(verifier, copy)))
        message.clear();
    }
    copy.erase();
    if (!message.empty()) {
      op->emitRemark() << "without it: " << message;
      return;
    }
    op->emitRemark() << "without it: no error";
  }
};
} // namespace

void wgtile::test::registerTestDropSyncPass() {
  PassRegistration<TestDropSyncPass>();
}
