//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// Mutates the synchronization of a module, one op at a time, and asks
// wgtile-verify-sync for its opinion of each mutant.

#include "TestPasses.h"

#include "sattn/Dialect/WGTile/Analysis/SharedArrays.h"
#include "sattn/Dialect/WGTile/Transforms/Schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace wgtile;
using Kind = SyncEffect::Kind;

static SmallVector<SyncEffect> getEffects(Operation *op) {
  SmallVector<SyncEffect> effects;
  // Accesses of arrays are not synchronization.
  if (isa<SyncOpInterface, gpu::BarrierOp>(op))
    getSyncEffectsOf(op, effects);
  return effects;
}

/// Whether an op starts a copy into a stage, or ends a group of them.
static bool isCopy(const SyncEffect &effect) {
  return effect.kind == Kind::Fill ||
         (effect.kind == Kind::Commit && effect.async == AsyncKind::Copy);
}

/// Whether an op does nothing but synchronize, or copy into a stage, and pass
/// values on.
static bool isMutable(Operation *op) {
  SmallVector<SyncEffect> effects = getEffects(op);
  return !effects.empty() &&
         llvm::all_of(effects, [](const SyncEffect &effect) {
           return effect.isSynchronization() || isCopy(effect) ||
                  effect.kind == Kind::Forward;
         });
}

/// Whether an op does something else the second time. A second fence, barrier
/// or wait right after the first is met by the same threads and finds nothing.
static bool changesTwice(Operation *op) {
  return llvm::any_of(getEffects(op), [](const SyncEffect &effect) {
    return effect.kind != Kind::Fence && effect.kind != Kind::Barrier &&
           effect.kind != Kind::Wait && effect.kind != Kind::Forward;
  });
}

static void drop(Operation *op) {
  for (SyncEffect &effect : getEffects(op))
    if (effect.kind == Kind::Forward)
      effect.result.replaceAllUsesWith(effect.value);
  // Without the stage its token is of none.
  OpBuilder b(op);
  for (Value result : op->getResults())
    if (isa<TokenType>(result.getType()))
      result.replaceAllUsesWith(NoStageOp::create(b, op->getLoc()));
  op->erase();
}

static void repeat(Operation *op) {
  OpBuilder b(op->getContext());
  b.setInsertionPointAfter(op);
  Operation *second = b.clone(*op);
  for (SyncEffect &effect : getEffects(op)) {
    if (effect.kind != Kind::Forward)
      continue;
    for (const SyncEffect &later : getEffects(second))
      if (later.kind == Kind::Forward && later.value == effect.value)
        effect.result.replaceAllUsesWith(later.result);
    second->replaceUsesOfWith(effect.value, effect.result);
  }
}

static bool hasEffect(Operation *op, Kind kind) {
  return llvm::any_of(getEffects(op), [&](const SyncEffect &effect) {
    return effect.kind == kind;
  });
}

/// Whether a branch can stand for an op: its results are numbers, or tiles of
/// the type of its first operand.
static bool canBeConditional(Operation *op) {
  return op->getNumRegions() == 0 &&
         llvm::all_of(op->getResultTypes(), [&](Type type) {
           return type.isIntOrFloat() ||
                  (isa<RankedTensorType>(type) && op->getNumOperands() != 0 &&
                   op->getOperand(0).getType() == type);
         });
}

/// Runs an op only if a number is zero; else its results are zeros, or its
/// first operand.
static void makeConditional(Operation *op,
                            llvm::function_ref<Value(OpBuilder &)> makeNumber) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value condition = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                          makeNumber(b), zero);
  auto branch = scf::IfOp::create(b, loc, op->getResultTypes(), condition,
                                  /*withElseRegion=*/true);
  op->replaceAllUsesWith(branch.getResults());
  auto fill = [&](Block *block, llvm::function_ref<ValueRange()> make) {
    if (!block->empty())
      block->back().erase();
    b.setInsertionPointToEnd(block);
    ValueRange values = make();
    b.setInsertionPointToEnd(block);
    scf::YieldOp::create(b, loc, values);
  };
  SmallVector<Value> others;
  fill(branch.thenBlock(), [&] {
    op->moveBefore(branch.thenBlock(), branch.thenBlock()->end());
    return op->getResults();
  });
  fill(branch.elseBlock(), [&] {
    for (Type type : op->getResultTypes())
      others.push_back(type.isIntOrFloat() ? arith::ConstantOp::create(
                                                 b, loc, b.getZeroAttr(type))
                                                 .getResult()
                                           : op->getOperand(0));
    return ValueRange(others);
  });
}

static void runInOneThread(Operation *op) {
  makeConditional(op, [&](OpBuilder &b) -> Value {
    return gpu::ThreadIdOp::create(b, op->getLoc(), gpu::Dimension::x);
  });
}

static void runInOneBlock(Operation *op) {
  makeConditional(op, [&](OpBuilder &b) -> Value {
    return gpu::BlockIdOp::create(b, op->getLoc(), gpu::Dimension::x);
  });
}

/// Whether an op fills a stage that all threads read, or lets the blocks of a
/// cluster meet.
static bool isNeededInAllBlocks(Operation *op) {
  return isa<ClusterReduceOp>(op) ||
         llvm::any_of(getEffects(op), [&](const SyncEffect &effect) {
           return effect.kind == Kind::Fill &&
                  isCooperative(op, cast<RingType>(effect.value.getType()));
         });
}

static void addUnknownBarrier(Operation *op) {
  OpBuilder b(op);
  LLVM::InlineAsmOp::create(b, op->getLoc(), TypeRange(), ValueRange(),
                            "bar.sync 0;", "", /*has_side_effects=*/true,
                            /*is_align_stack=*/false, LLVM::TailCallKind::None,
                            LLVM::AsmDialectAttr(), ArrayAttr());
}

/// Attributes that are places in shared memory.
static constexpr StringLiteral kPlaces[] = {"offset", "barriers", "barrier"};

static SmallVector<int64_t> collectPlaces(Operation *root) {
  SmallVector<int64_t> places;
  root->walk([&](Operation *op) {
    if (isPure(op))
      return;
    for (StringRef name : kPlaces)
      if (auto place = op->getAttrOfType<IntegerAttr>(name))
        places.push_back(place.getInt());
  });
  llvm::sort(places);
  places.erase(llvm::unique(places), places.end());
  return places;
}

/// Moves what an op has in shared memory onto something else of its kernel.
static void overlap(Operation *op, StringRef name, ArrayRef<int64_t> places) {
  int64_t place = op->getAttrOfType<IntegerAttr>(name).getInt();
  int64_t other = place == places.front() ? places[1] : places.front();
  op->setAttr(name, OpBuilder(op->getContext()).getI64IntegerAttr(other));
}

static SmallVector<Operation *> collect(Operation *root) {
  SmallVector<Operation *> ops;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  return ops;
}

namespace {
struct TestDropSyncPass
    : public PassWrapper<TestDropSyncPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestDropSyncPass)

  StringRef getArgument() const override { return "test-wgtile-drop-sync"; }
  StringRef getDescription() const override {
    return "Remarks at every synchronizing op what wgtile-verify-sync says "
           "without it, with it twice, with its place on another, or where "
           "only some threads or blocks reach it";
  }

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, gpu::GPUDialect, LLVM::LLVMDialect,
                    scf::SCFDialect>();
  }

  void runOnOperation() override {
    SmallVector<gpu::GPUModuleOp> modules(
        getOperation().getOps<gpu::GPUModuleOp>());
    for (gpu::GPUModuleOp module : modules)
      for (auto [index, op] : llvm::enumerate(collect(module))) {
        if (isMutable(op)) {
          check(module, op, index, "without it", drop);
          if (changesTwice(op))
            check(module, op, index, "with it twice", repeat);
        }
        if (!getEffects(op).empty() && canBeConditional(op)) {
          check(module, op, index, "in one thread", runInOneThread);
          if (isNeededInAllBlocks(op))
            check(module, op, index, "in one block", runInOneBlock);
        }
        if (hasEffect(op, Kind::Clear) && hasEffect(op, Kind::Issue))
          check(module, op, index, "with it twice", repeat);
        if (isa<gpu::ReturnOp>(op))
          check(module, op, index, "after a barrier in assembly",
                addUnknownBarrier);
        auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
        // Other offsets are of columns.
        if (!kernel || !isa<WGTileDialect>(op->getDialect()) || isPure(op))
          continue;
        SmallVector<int64_t> places = collectPlaces(kernel);
        for (StringRef name : kPlaces)
          if (op->hasAttrOfType<IntegerAttr>(name) && places.size() > 1)
            check(module, op, index, "with its place on another",
                  [&](Operation *copy) { overlap(copy, name, places); });
      }
  }

private:
  void check(gpu::GPUModuleOp module, Operation *op, size_t index,
             StringRef mutation,
             llvm::function_ref<void(Operation *copy)> mutate) {
    OpBuilder b(module);
    auto copy = cast<gpu::GPUModuleOp>(b.clone(*module));
    mutate(collect(copy)[index]);
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
    op->emitRemark() << op->getName() << " " << mutation << ": "
                     << (message.empty() ? "no error" : message);
  }
};
} // namespace

void wgtile::test::registerTestDropSyncPass() {
  PassRegistration<TestDropSyncPass>();
}
