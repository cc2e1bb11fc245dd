//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Stages of shared memory: commit groups of cp.async.

#include "TileRegisters.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace wgtile;

/// Offset of a stage, i32.
static Value createStageOffset(OpBuilder &b, Location loc, StagesType type,
                               Value first, Value stage) {
  Value number = arith::IndexCastOp::create(b, loc, b.getI32Type(), stage);
  return arith::AddIOp::create(
      b, loc, first,
      arith::MulIOp::create(b, loc, number,
                            createI32(b, loc, type.getStageBytes())));
}

static Value addOffset(OpBuilder &b, Location loc, Value offset, int64_t more) {
  return more == 0
             ? offset
             : arith::AddIOp::create(b, loc, offset, createI32(b, loc, more));
}

namespace {
struct StagesLowering : OpConversionPattern<StagesOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(StagesOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getOffset())
      return op.emitOpError("expected an offset (wgtile-allocate-shared)");
    rewriter.replaceOp(op, createI32(rewriter, op.getLoc(), *op.getOffset()));
    return success();
  }
};

struct AsyncCopyLowering : OpConversionPattern<AsyncCopyOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(AsyncCopyOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    StagesType type = op.getStages().getType();
    int64_t tile = op.getTile();
    Value offset =
        addOffset(rewriter, loc,
                  createStageOffset(rewriter, loc, type,
                                    adaptor.getStages().front(), op.getStage()),
                  type.getTileOffset(tile));
    createThreadCopy(rewriter, loc, cast<SharedType>(type.getTiles()[tile]),
                     offset, op.getSource(), op.getIndices(), op.getAligned(),
                     getBlockThreads(op));
    rewriter.eraseOp(op);
    return success();
  }
};

struct AsyncCommitGroupLowering : OpConversionPattern<AsyncCommitGroupOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(AsyncCommitGroupOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncCommitGroupOp>(op);
    return success();
  }
};

struct AsyncWaitGroupLowering : OpConversionPattern<AsyncWaitGroupOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(AsyncWaitGroupOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NVVM::CpAsyncWaitGroupOp::create(rewriter, op.getLoc(), op.getPending());
    rewriter.replaceOpWithNewOp<gpu::BarrierOp>(op);
    return success();
  }
};

struct StageLowering : OpConversionPattern<StageOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(StageOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    StagesType type = op.getStages().getType();
    Value first = createStageOffset(rewriter, loc, type,
                                    adaptor.getStages().front(), op.getStage());
    SmallVector<Value> offsets;
    for (size_t i = 0; i < type.getTiles().size(); ++i)
      offsets.push_back(addOffset(rewriter, loc, first, type.getTileOffset(i)));
    rewriter.replaceOp(op, offsets);
    return success();
  }
};
} // namespace

void wgtile::populateStagePatterns(const TileTypeConverter &converter,
                                   RewritePatternSet &patterns) {
  patterns.add<AsyncCommitGroupLowering, AsyncCopyLowering, StageLowering,
               StagesLowering, AsyncWaitGroupLowering>(converter,
                                                       patterns.getContext());
}
