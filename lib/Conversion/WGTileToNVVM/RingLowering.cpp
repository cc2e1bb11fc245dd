//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Rings of shared memory. Between roles a stage has two barriers: full, which
// the producer arrives at and the copies complete, and empty, which every
// consumer warp arrives at (one thread of each warp: a thread that arrived for
// several warps would release a stage that a slower warp still reads). Without
// roles a stage is a commit group of copies, and a wait for it is a barrier of
// the block. A stage that warpgroups fill is a commit group of copies to global
// memory.

#include "TileRegisters.h"

#include "sattn/Layout/Barriers.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace wgtile;
using sattn::layout::kBarrierBytes;
using sattn::layout::kWarpThreads;

/// The number that stands for no stage.
static constexpr int64_t kNoStage = -1;

void wgtile::createArrive(OpBuilder &b, Location loc, Value barrier,
                          Value predicate) {
  Value address = LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), barrier);
  SmallVector<Value> operands = {address};
  std::string text = "mbarrier.arrive.shared.b64 _, [$0];";
  std::string constraints = "r,";
  if (predicate) {
    operands.push_back(predicate);
    text = "@$1 " + text;
    constraints += "b,";
  }
  createInlineAsm(b, loc, TypeRange(), operands, text,
                  constraints + "~{memory}");
}

namespace {
/// Generates code for one ring in one thread.
class RingAccess {
public:
  RingAccess(OpBuilder &b, Location loc, TypedValue<RingType> ring)
      : b(b), loc(loc), type(ring.getType()), op(ring.getDefiningOp<RingOp>()) {
  }

  RingType getType() { return type; }

  Value fullBarrier(Value stage) { return barrier(*op.getBarriers(), stage); }
  Value emptyBarrier(Value stage) {
    return barrier(*op.getBarriers() + type.getStages() * kBarrierBytes, stage);
  }
  /// Offset of a tile of a stage in the kernel's shared memory.
  Value tileOffset(Value stage, int64_t tile) {
    Value bytes =
        arith::MulIOp::create(b, loc, stage, i32(type.getStageBytes()));
    return arith::AddIOp::create(
        b, loc, bytes, i32(*op.getOffset() + type.getTileOffset(tile)));
  }

  Value i32(int64_t value) { return createI32(b, loc, value); }

private:
  Value barrier(int64_t first, Value stage) {
    Value bytes = arith::MulIOp::create(b, loc, stage, i32(kBarrierBytes));
    return createSharedAddress(
        b, loc, arith::AddIOp::create(b, loc, bytes, i32(first)));
  }

  OpBuilder &b;
  Location loc;
  RingType type;
  RingOp op;
};

/// Erases a ring, whose place its ops have.
struct RingLowering : OpConversionPattern<RingOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(RingOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getOffset() || (op.getConsumerWarps() && !op.getBarriers()))
      return op.emitOpError("expected a placed ring (wgtile-allocate-shared)");
    rewriter.replaceOpWithMultiple(op, {ValueRange()});
    return success();
  }
};

/// Creates a wait of all threads; threads that started no copy have nothing to
/// wait for.
static void createStoreWait(OpBuilder &b, Location loc, int64_t pending) {
  NVVM::CpAsyncBulkWaitGroupOp::create(b, loc, static_cast<uint32_t>(pending),
                                       b.getUnitAttr());
}

static LogicalResult checkPosition(Operation *op, ValueRange position) {
  if (!position.empty())
    return success();
  return op->emitOpError("expected a position (wgtile-assign-stages)");
}

struct NoStageLowering : OpConversionPattern<NoStageOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(NoStageOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, createI32(rewriter, op.getLoc(), kNoStage));
    return success();
  }
};

struct AcquireLowering : OpConversionPattern<ProducerAcquireOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ProducerAcquireOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RingAccess ring(rewriter, loc, op.getRing());
    if (failed(checkPosition(op, op.getPosition())))
      return failure();
    Value stage = op.getPosition()[0];
    if (ring.getType().isStaging())
      createStoreWait(rewriter, loc, ring.getType().getStages() - 1);
    if (ring.getType().isStaging() || isCooperative(op)) {
      rewriter.replaceOp(op, stage);
      return success();
    }
    // In the first round no stage has to be released: the phase before the
    // first counts as complete.
    Value phase =
        arith::XOrIOp::create(rewriter, loc, op.getPosition()[1], ring.i32(1));
    createBarrierWait(rewriter, loc, ring.emptyBarrier(stage), phase);
    rewriter.replaceOp(op, stage);
    return success();
  }
};

struct CopyLowering : OpConversionPattern<TmaLoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(TmaLoadOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RingAccess ring(rewriter, loc, op.getRing());
    Value stage = adaptor.getToken().front();
    auto tile = cast<SharedType>(ring.getType().getTiles()[op.getTile()]);
    Value offset = arith::AddIOp::create(
        rewriter, loc, ring.tileOffset(stage, op.getTile()),
        ring.i32(op.getInstance() *
                 ring.getType().getInstanceBytes(op.getTile())));
    createTileCopy(rewriter, loc, tile, offset, op.getSource(), op.getIndices(),
                   ring.fullBarrier(stage),
                   /*arrive=*/false);
    rewriter.eraseOp(op);
    return success();
  }
};

struct AsyncCopyLowering : OpConversionPattern<AsyncCopyOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(AsyncCopyOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RingAccess ring(rewriter, loc, op.getRing());
    Value offset = ring.tileOffset(adaptor.getToken().front(), op.getTile());
    createThreadCopy(rewriter, loc,
                     cast<SharedType>(ring.getType().getTiles()[op.getTile()]),
                     offset, cast<TypedValue<MemRefType>>(op.getSource()),
                     op.getIndices(), op.getAligned(), getBlockThreads(op));
    rewriter.eraseOp(op);
    return success();
  }
};

struct TailLowering : OpConversionPattern<ProducerTailOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ProducerTailOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getRing().getType().isStaging()) {
      createStoreWait(rewriter, op.getLoc(), /*pending=*/0);
      rewriter.eraseOp(op);
      return success();
    }
    NVVM::CpAsyncWaitGroupOp::create(rewriter, op.getLoc(), 0);
    rewriter.replaceOpWithNewOp<gpu::BarrierOp>(op);
    return success();
  }
};

struct ReturnLowering : OpConversionPattern<StageReturnOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(StageReturnOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    createStoreWait(rewriter, op.getLoc(), /*pending=*/0);
    // Uses of the ring have found the stage in the op until here.
    for (Operation *user : llvm::make_early_inc_range(op.getRing().getUsers()))
      if (isa<StageBorrowOp>(user))
        rewriter.eraseOp(user);
    rewriter.replaceOpWithNewOp<NamedBarrierOp>(op);
    return success();
  }
};

struct StoreLowering : OpConversionPattern<RingStoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(RingStoreOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getValue().getType().isInteger())
      return rewriter.notifyMatchFailure(op, "not a number");
    Location loc = op.getLoc();
    RingAccess ring(rewriter, loc, op.getRing());
    Value offset = ring.tileOffset(adaptor.getToken().front(), op.getTile());
    // A producer's program runs in one thread.
    if (isCooperative(op)) {
      Value isFirst =
          arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                createThreadId(rewriter, loc), ring.i32(0));
      auto branch =
          scf::IfOp::create(rewriter, loc, isFirst, /*withElseRegion=*/false);
      rewriter.setInsertionPointToStart(branch.thenBlock());
    }
    LLVM::StoreOp::create(rewriter, loc, adaptor.getValue().front(),
                          createSharedAddress(rewriter, loc, offset));
    rewriter.eraseOp(op);
    return success();
  }
};

struct LoadLowering : OpConversionPattern<RingLoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(RingLoadOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RingAccess ring(rewriter, loc, op.getRing());
    Value offset = ring.tileOffset(adaptor.getToken().front(), op.getTile());
    Value number = LLVM::LoadOp::create(
        rewriter, loc, rewriter.getI32Type(),
        createSharedAddress(rewriter, loc, offset), /*alignment=*/0,
        /*isVolatile=*/true);
    if (isCooperative(op)) {
      rewriter.replaceOp(op, number);
      return success();
    }
    // All lanes have read when one releases the stage, and ptxas sees that
    // their values are equal.
    rewriter.replaceOpWithNewOp<NVVM::ShflOp>(
        op, rewriter.getI32Type(), ring.i32(-1), number, ring.i32(0),
        ring.i32(kWarpThreads - 1), NVVM::ShflKind::idx, UnitAttr());
    return success();
  }
};

struct CommitLowering : OpConversionPattern<ProducerCommitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ProducerCommitOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RingAccess ring(rewriter, loc, op.getRing());
    // A copy from a stage of warpgroups was a commit group of its own.
    if (ring.getType().isStaging() || isCooperative(op)) {
      if (isCooperative(op, ring.getType()) && ring.getType().hasSharedTiles())
        NVVM::CpAsyncCommitGroupOp::create(rewriter, loc);
      rewriter.eraseOp(op);
      return success();
    }
    createArrive(rewriter, loc, ring.fullBarrier(adaptor.getToken().front()));
    rewriter.eraseOp(op);
    return success();
  }
};

struct TakeLowering : OpConversionPattern<ConsumerWaitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ConsumerWaitOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RingAccess ring(rewriter, loc, op.getRing());
    if (failed(checkPosition(op, op.getPosition())))
      return failure();
    Value stage = op.getPosition()[0];
    if (isCooperative(op)) {
      if (op.getPending())
        NVVM::CpAsyncWaitGroupOp::create(rewriter, loc, *op.getPending());
      gpu::BarrierOp::create(rewriter, loc);
    } else {
      createBarrierWait(rewriter, loc, ring.fullBarrier(stage),
                        op.getPosition()[1]);
    }
    rewriter.replaceOp(op, stage);
    return success();
  }
};

struct TileLowering : OpConversionPattern<RingTileOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(RingTileOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RingAccess ring(rewriter, loc, op.getRing());
    Value offset = ring.tileOffset(adaptor.getToken().front(), op.getTile());
    if (!adaptor.getInstance().empty()) {
      Value instance = arith::IndexCastOp::create(
          rewriter, loc, rewriter.getI32Type(), adaptor.getInstance().front());
      offset = arith::AddIOp::create(
          rewriter, loc, offset,
          arith::MulIOp::create(
              rewriter, loc, instance,
              ring.i32(ring.getType().getInstanceBytes(op.getTile()))));
    }
    rewriter.replaceOp(op, offset);
    return success();
  }
};

/// Whether a token is that of a stage, i1; null if it always is.
static Value isStage(OpBuilder &b, Location loc, Value token, Value stage) {
  if (token.getDefiningOp<ConsumerWaitOp>())
    return {};
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, stage,
                               createI32(b, loc, kNoStage));
}

struct ReleaseLowering : OpConversionPattern<ConsumerReleaseOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ConsumerReleaseOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RingAccess ring(rewriter, loc, op.getRing());
    // The next barrier releases it.
    if (isCooperative(op)) {
      rewriter.eraseOp(op);
      return success();
    }
    Value stage = adaptor.getToken().front();
    Value releases =
        arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                              createLane(rewriter, loc), ring.i32(0));
    if (Value exists = isStage(rewriter, loc, op.getToken(), stage))
      releases = arith::AndIOp::create(rewriter, loc, exists, releases);
    createArrive(rewriter, loc, ring.emptyBarrier(stage), releases);
    rewriter.eraseOp(op);
    return success();
  }
};

/// Lowers a drain to a wait and a release in a branch.
struct DrainLowering : OpConversionPattern<ConsumerDrainOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ConsumerDrainOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value drains =
        isStage(rewriter, loc, op.getToken(), adaptor.getToken().front());
    if (!drains)
      drains =
          arith::ConstantOp::create(rewriter, loc, rewriter.getBoolAttr(true));
    auto branch = scf::IfOp::create(rewriter, loc, op.getResultTypes(), drains,
                                    /*withElseRegion=*/true);
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(branch.thenBlock());
      auto done = WarpgroupMmaWaitOp::create(rewriter, loc, op.getTiles(),
                                             /*pending=*/uint64_t(0));
      ConsumerReleaseOp::create(rewriter, loc, op.getRing(), op.getToken());
      scf::YieldOp::create(rewriter, loc, done.getResults());
      rewriter.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(rewriter, loc, op.getTiles());
    }
    rewriter.replaceOp(op, branch.getResults());
    return success();
  }
};
} // namespace

void wgtile::populateRingPatterns(const TileTypeConverter &converter,
                                  RewritePatternSet &patterns) {
  patterns.add<AcquireLowering, AsyncCopyLowering, CommitLowering, CopyLowering,
               DrainLowering, LoadLowering, NoStageLowering, ReleaseLowering,
               ReturnLowering, RingLowering, StoreLowering, TailLowering,
               TakeLowering, TileLowering>(converter, patterns.getContext());
}
