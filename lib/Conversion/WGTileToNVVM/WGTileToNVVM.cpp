//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Conversion/Passes.h"

#include "TileRegisters.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
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
/// One thread block a tile: its number gives the tile, the last index fastest.
struct ForEachTileLowering : OpConversionPattern<ForEachTileOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ForEachTileOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value rest = gpu::BlockIdOp::create(rewriter, loc, gpu::Dimension::x);
    SmallVector<Value> indices(op.getCounts().size());
    for (int64_t i = static_cast<int64_t>(indices.size()) - 1; i > 0; --i) {
      Value count = op.getCounts()[i];
      indices[i] = arith::RemUIOp::create(rewriter, loc, rest, count);
      rest = arith::DivUIOp::create(rewriter, loc, rest, count);
    }
    if (!indices.empty())
      indices[0] = rest;
    Block *body = &op.getBody().front();
    rewriter.eraseOp(body->getTerminator());
    rewriter.inlineBlockBefore(body, op, indices);
    rewriter.eraseOp(op);
    return success();
  }
};

struct ConvertWGTileToNVVMPass
    : public sattn::impl::ConvertWGTileToNVVMBase<ConvertWGTileToNVVMPass> {
  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    bool usesShared = false;
    for (auto kernel : module.getOps<gpu::GPUFuncOp>()) {
      SmallVector<LoadOp> loads;
      kernel.walk([&](LoadOp load) { loads.push_back(load); });
      usesShared |= !loads.empty();
      if (llvm::any_of(loads, [](LoadOp load) { return !load.getBarrier(); }))
        continue; // The load's pattern reports it.
      OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
      initializeBarriers(b, kernel.getLoc(), loads);
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
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                         target);
    populateComputePatterns(converter, patterns);
    populateElementwisePatterns(converter, patterns);
    populateGlobalAccessPatterns(converter, patterns);
    populateLoadPatterns(converter, patterns);
    patterns.add<ForEachTileLowering>(converter, &getContext());
    if (failed(
            applyPartialConversion(module, target, std::move(patterns))))
      signalPassFailure();
  }

private:
  static void declareShared(gpu::GPUModuleOp module) {
    OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
    LLVM::GlobalOp::create(b, module.getLoc(),
                           LLVM::LLVMArrayType::get(b.getI8Type(), 0),
                           /*isConstant=*/false, LLVM::Linkage::External,
                           kSharedSymbol, /*value=*/Attribute(),
                           kSharedAlignment, /*addrSpace=*/3);
  }
};
} // namespace
