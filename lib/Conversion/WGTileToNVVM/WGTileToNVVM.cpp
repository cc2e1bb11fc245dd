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
/// A thread block's number gives its tiles.
struct ForEachTileLowering : OpConversionPattern<ForEachTileOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ForEachTileOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value block = gpu::BlockIdOp::create(rewriter, loc, gpu::Dimension::x);
    Block *body = &op.getBody().front();
    rewriter.eraseOp(body->getTerminator());
    // Where consumers are in groups, a thread block takes a group of tiles. The
    // producer's loop is over groups already.
    auto roles = dyn_cast<RolesOp>(op->getParentOp());
    bool isGrouped = roles && roles.getGroups() > 1 && op.getGroupedDim();
    SmallVector<Value> counts(op.getCounts());
    if (isGrouped) {
      Value size =
          arith::ConstantIndexOp::create(rewriter, loc, op.getGroupSize());
      Value &count = counts[*op.getGroupedDim()];
      count = arith::CeilDivUIOp::create(rewriter, loc, count, size);
    }
    auto tileIndices = [&](SmallVector<Value> indices) {
      if (isGrouped) {
        Value size =
            arith::ConstantIndexOp::create(rewriter, loc, op.getGroupSize());
        Value group =
            arith::IndexCastOp::create(rewriter, loc, rewriter.getIndexType(),
                                       createGroupId(rewriter, loc));
        Value &index = indices[*op.getGroupedDim()];
        index = arith::AddIOp::create(
            rewriter, loc, arith::MulIOp::create(rewriter, loc, index, size),
            group);
      }
      return indices;
    };
    if (!op.getPersistent()) {
      SmallVector<Value> indices =
          tileIndices(delinearize(rewriter, loc, block, counts));
      rewriter.inlineBlockBefore(body, op, indices);
      rewriter.eraseOp(op);
      return success();
    }
    // In 32 bits, which take half the registers and a fraction of the time of
    // 64-bit divisions; the host launches no more tiles than that.
    auto cast = [&](Type type, Value value) -> Value {
      return arith::IndexCastUIOp::create(rewriter, loc, type, value);
    };
    Type i32 = rewriter.getI32Type(), index = rewriter.getIndexType();
    for (Value &count : counts)
      count = cast(i32, count);
    Value total = constant(rewriter, loc, 1);
    for (Value count : counts)
      total = arith::MulIOp::create(rewriter, loc, total, count);
    Value blocks = gpu::GridDimOp::create(rewriter, loc, gpu::Dimension::x);
    auto loop = scf::ForOp::create(
        rewriter, loc, cast(i32, block), total, cast(i32, blocks),
        /*initArgs=*/{}, /*bodyBuilder=*/nullptr, /*unsignedCmp=*/true);
    rewriter.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> indices =
        orderedIndices(rewriter, loc, loop.getInductionVar(), op, counts);
    for (Value &value : indices)
      value = cast(index, value);
    indices = tileIndices(indices);
    rewriter.inlineBlockBefore(body, loop.getBody()->getTerminator(), indices);
    rewriter.eraseOp(op);
    return success();
  }

private:
  static Value constant(OpBuilder &b, Location loc, int64_t value) {
    return arith::ConstantIntOp::create(b, loc, b.getI32Type(), value);
  }
  static Value rem(OpBuilder &b, Location loc, Value lhs, Value rhs) {
    return arith::RemUIOp::create(b, loc, lhs, rhs);
  }
  static Value div(OpBuilder &b, Location loc, Value lhs, Value rhs) {
    return arith::DivUIOp::create(b, loc, lhs, rhs);
  }

  /// Indices of a point, the last one the fastest.
  static SmallVector<Value> delinearize(OpBuilder &b, Location loc, Value point,
                                        ValueRange counts) {
    SmallVector<Value> indices(counts.size());
    for (int64_t i = static_cast<int64_t>(counts.size()) - 1; i > 0; --i) {
      indices[i] = rem(b, loc, point, counts[i]);
      point = div(b, loc, point, counts[i]);
    }
    if (!indices.empty())
      indices[0] = point;
    return indices;
  }

  /// Indices of a point in the order that `persistent` stands for: groups of
  /// columns, in a group row after row. The last group may be narrower.
  static SmallVector<Value> orderedIndices(OpBuilder &b, Location loc,
                                           Value point, ForEachTileOp op,
                                           ArrayRef<Value> counts) {
    Value rows = counts[counts.size() - 2], columns = counts.back();
    Value plane = arith::MulIOp::create(b, loc, rows, columns);
    Value inPlane = rem(b, loc, point, plane);
    SmallVector<Value> indices =
        delinearize(b, loc, div(b, loc, point, plane), counts.drop_back(2));
    Value width = constant(b, loc, *op.getPersistent());
    Value group = arith::MulIOp::create(b, loc, width, rows);
    Value first =
        arith::MulIOp::create(b, loc, div(b, loc, inPlane, group), width);
    Value inGroup = rem(b, loc, inPlane, group);
    Value left = arith::SubIOp::create(b, loc, columns, first);
    Value actual = arith::MinUIOp::create(b, loc, width, left);
    indices.push_back(div(b, loc, inGroup, actual));
    indices.push_back(
        arith::AddIOp::create(b, loc, first, rem(b, loc, inGroup, actual)));
    return indices;
  }
};

struct ConvertWGTileToNVVMPass
    : public sattn::impl::ConvertWGTileToNVVMBase<ConvertWGTileToNVVMPass> {
  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    bool usesShared = false;
    for (auto kernel : module.getOps<gpu::GPUFuncOp>()) {
      SmallVector<BarrierInit> barriers = collectBarriers(kernel);
      usesShared |= !barriers.empty();
      kernel.walk([&](Operation *op) {
        usesShared |= isa<LoadOp, StagesOp, StagingOp>(op);
      });
      OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
      initializeBarriers(b, kernel.getLoc(), barriers);
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
    // Made branches at the end: what is in a role is lowered by its place.
    target.addLegalOp<RolesOp>();
    target.addDynamicallyLegalOp<EndOp>(
        [](EndOp op) { return isa<RolesOp>(op->getParentOp()); });
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                         target);
    populateComputePatterns(converter, patterns);
    populateDelayPatterns(converter, patterns);
    populateElementwisePatterns(converter, patterns);
    populateGlobalAccessPatterns(converter, patterns);
    populateLoadPatterns(converter, patterns);
    populateMmaSyncPatterns(converter, patterns);
    populateRowReducePatterns(converter, patterns);
    populateStagePatterns(converter, patterns);
    populateRingPatterns(converter, patterns);
    populateStagingPatterns(converter, patterns);
    patterns.add<ForEachTileLowering>(converter, &getContext());
    if (failed(applyPartialConversion(module, target, std::move(patterns))))
      return signalPassFailure();
    lowerRoles(module);
  }

private:
  /// Barriers of loads and of rings that have a place; the patterns report
  /// those that have none.
  static SmallVector<BarrierInit> collectBarriers(gpu::GPUFuncOp kernel) {
    SmallVector<BarrierInit> barriers;
    kernel.walk([&](Operation *op) {
      if (auto load = dyn_cast<LoadOp>(op)) {
        if (load.getBarrier())
          barriers.push_back(
              {static_cast<int64_t>(*load.getBarrier()), /*arrivals=*/1});
      } else if (auto ring = dyn_cast<RingOp>(op)) {
        if (!ring.getBarriers())
          return;
        int64_t stages = ring.getRing().getType().getStages();
        for (int64_t i = 0; i < 2 * stages; ++i)
          barriers.push_back(
              {static_cast<int64_t>(*ring.getBarriers()) + 8 * i,
               i < stages ? 1 : static_cast<int64_t>(ring.getConsumerWarps())});
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
