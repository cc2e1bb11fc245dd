//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Conversion/Passes.h"

#include "TileRegisters.h"

#include "sattn/Dialect/WGTile/Utils/VerifyLayouts.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace sattn {
#define GEN_PASS_DEF_CONVERTWGTILETONVVM
#include "sattn/Conversion/Passes.h.inc"
} // namespace sattn

using namespace wgtile;

/// Alignment of the kernel's shared memory: that of a swizzled tile.
static constexpr int64_t kSharedAlignment = 1024;

namespace {
struct ConvertWGTileToNVVMPass
    : public sattn::impl::ConvertWGTileToNVVMBase<ConvertWGTileToNVVMPass> {
  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    if (failed(verify(module)))
      return signalPassFailure();
    bool usesShared = false;
    for (auto kernel : module.getOps<gpu::GPUFuncOp>()) {
      SmallVector<BarrierInit> barriers = collectBarriers(kernel);
      usesShared |= !barriers.empty();
      kernel.walk([&](Operation *op) {
        usesShared |= isa<ClusterReduceOp, LoadOp, RingOp>(op);
        if (auto reduce = dyn_cast<TileReduceOp>(op))
          usesShared |= reduce.getOffset().has_value();
        if (auto combine = dyn_cast<TileCombineOp>(op))
          usesShared |= combine.getOffset().has_value();
      });
      OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
      SmallVector<Value> tensorMaps;
      for (Value argument : kernel.getArguments())
        if (isa<TensorMapType>(argument.getType()))
          tensorMaps.push_back(argument);
      initializeBarriers(b, kernel.getLoc(), barriers, tensorMaps);
    }
    if (usesShared)
      declareShared(module);

    TileTypeConverter converter;
    ConversionTarget target(getContext());
    RewritePatternSet patterns(&getContext());
    target.addIllegalDialect<WGTileDialect>();
    target.markUnknownOpDynamicallyLegal(
        [&](Operation *op) { return converter.isLegal(op); });
    target.addLegalOp<UnrealizedConversionCastOp>();
    // A kernel's arguments hold no tiles; tensor maps stay until the kernel's
    // signature is lowered.
    target.addLegalOp<gpu::GPUFuncOp>();
    // Roles become branches at the end, since ops are lowered by the role they
    // are in.
    target.addLegalOp<RolesOp>();
    // Erased with what ends it.
    target.addLegalOp<StageBorrowOp>();
    target.addDynamicallyLegalOp<EndOp>(
        [](EndOp op) { return isa<RolesOp>(op->getParentOp()); });
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                         target);
    populateBitsPatterns(converter, patterns);
    populateClusterPatterns(converter, patterns);
    populateComputePatterns(converter, patterns);
    populateDelayPatterns(converter, patterns);
    populateElementwisePatterns(converter, patterns);
    populateFmaPatterns(converter, patterns);
    populateGlobalAccessPatterns(converter, patterns);
    populateLaneReadPatterns(converter, patterns);
    populateLoadPatterns(converter, patterns);
    populateMmaSyncPatterns(converter, patterns);
    populateOrderPatterns(converter, patterns);
    populatePeekPatterns(converter, patterns);
    populateRowReducePatterns(converter, patterns);
    populateTileReducePatterns(converter, patterns);
    populateRingPatterns(converter, patterns);
    populateStagingPatterns(converter, patterns);
    populateTileLoopPatterns(converter, patterns);
    if (failed(applyPartialConversion(module, target, std::move(patterns))))
      return signalPassFailure();
    lowerRoles(module);
  }

private:
  /// Checks the assumptions of the patterns: earlier passes choose layouts.
  static LogicalResult verify(gpu::GPUModuleOp module) {
    for (auto kernel : module.getOps<gpu::GPUFuncOp>()) {
      bool hasRoles = false;
      kernel.walk([&](RolesOp) { hasRoles = true; });
      bool needsThreads = hasRoles || kernel.getKnownBlockSizeAttr();
      if (failed(verifySwizzles(kernel)) || failed(verifyRings(kernel)) ||
          failed(verifyRegisterTiles(kernel)) ||
          (needsThreads && failed(verifyThreads(kernel))))
        return failure();
    }
    WalkResult walk = module.walk([](Operation *op) {
      if (!isa_and_present<WGTileDialect>(op->getDialect()))
        return WalkResult::advance();
      if (!op->getParentOfType<gpu::GPUFuncOp>()) {
        op->emitOpError("expected to be in a gpu.func");
        return WalkResult::interrupt();
      }
      // Its offset is an attribute of the op.
      for (Value operand : op->getOperands())
        if (isa<RingType>(operand.getType()) &&
            !operand.getDefiningOp<RingOp>()) {
          op->emitOpError("expected a ring of this kernel (wgtile.ring)");
          return WalkResult::interrupt();
        }
      return WalkResult::advance();
    });
    return failure(walk.wasInterrupted());
  }

  /// Barriers of loads and of rings that have an offset; the patterns report
  /// those that have none.
  static SmallVector<BarrierInit> collectBarriers(gpu::GPUFuncOp kernel) {
    SmallVector<BarrierInit> barriers;
    kernel.walk([&](Operation *op) {
      if (auto load = dyn_cast<LoadOp>(op)) {
        if (load.getBarrier())
          barriers.push_back(
              {static_cast<int64_t>(*load.getBarrier()), /*arrivals=*/1});
      } else if (auto ring = dyn_cast<RingOp>(op)) {
        if (!ring.getBarriers() || !ring.getConsumerWarps())
          return;
        int64_t stages = ring.getRing().getType().getStages();
        for (int64_t i = 0; i < 2 * stages; ++i)
          barriers.push_back(
              {static_cast<int64_t>(*ring.getBarriers()) + 8 * i,
               i < stages ? 1
                          : static_cast<int64_t>(*ring.getConsumerWarps())});
      }
    });
    return barriers;
  }

  static void declareShared(gpu::GPUModuleOp module) {
    OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
    LLVM::GlobalOp::create(
        b, module.getLoc(), LLVM::LLVMArrayType::get(b.getI8Type(), 0),
        /*isConstant=*/false, LLVM::Linkage::External, kSharedSymbol,
        /*value=*/Attribute(), kSharedAlignment, /*addrSpace=*/3);
  }
};
} // namespace
