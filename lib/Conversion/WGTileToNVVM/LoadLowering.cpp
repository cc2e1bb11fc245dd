//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Synchronous loads of shared tiles: by TMA, for which one thread issues the
// copies and all wait, or by all threads.

#include "TileRegisters.h"

#include "sattn/Layout/SharedTile.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace wgtile;

/// Time after which a suspended wait tests its barrier again, in nanoseconds;
/// the wait itself has no limit.
static constexpr int64_t kWaitTicks = 10'000'000;

static Value isFirstThread(OpBuilder &b, Location loc) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                               createThreadId(b, loc), createI32(b, loc, 0));
}

Value wgtile::createDescriptor(OpBuilder &b, Location loc, Value map) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  return UnrealizedConversionCastOp::create(b, loc, pointer, map).getResult(0);
}

/// Requests tensor maps, which are parameters of the kernel, before the first
/// copy by them.
static void prefetchTensorMaps(OpBuilder &b, Location loc, ValueRange maps) {
  for (Value map : maps) {
    NVVM::PrefetchOp::create(b, loc, /*cacheLevel=*/nullptr,
                             /*evictPriority=*/nullptr,
                             createDescriptor(b, loc, map),
                             /*predicate=*/Value(), /*tensormap=*/true,
                             /*uniform=*/false, /*in_param_space=*/false);
  }
}

void wgtile::initializeBarriers(OpBuilder &b, Location loc,
                                ArrayRef<BarrierInit> barriers,
                                ValueRange tensorMaps) {
  if (barriers.empty())
    return;
  scf::IfOp::create(b, loc, isFirstThread(b, loc),
                    [&](OpBuilder &b, Location loc) {
                      prefetchTensorMaps(b, loc, tensorMaps);
                      for (const BarrierInit &barrier : barriers)
                        NVVM::MBarrierInitOp::create(
                            b, loc, createSharedAddress(b, loc, barrier.offset),
                            createI32(b, loc, barrier.arrivals),
                            /*predicate=*/Value());
                      // TMA must see the barriers too.
                      NVVM::FenceMbarrierInitOp::create(b, loc);
                      scf::YieldOp::create(b, loc);
                    });
  gpu::BarrierOp::create(b, loc);
}

void wgtile::createBarrierWait(OpBuilder &b, Location loc, Value barrier,
                               Value phase) {
  NVVM::MBarrierTryWaitParityOp::create(b, loc, barrier, phase,
                                        createI32(b, loc, kWaitTicks));
}

/// The coordinates of a copy by TMA; the hardware counts dimensions from the
/// innermost.
static SmallVector<Value> getCoordinates(OpBuilder &b, Location loc,
                                         ValueRange indices) {
  SmallVector<Value> coordinates;
  for (Value index : llvm::reverse(indices))
    coordinates.push_back(
        arith::IndexCastOp::create(b, loc, b.getI32Type(), index));
  return coordinates;
}

void wgtile::createBoxPrefetch(OpBuilder &b, Location loc, Value map,
                               ValueRange indices) {
  NVVM::CpAsyncBulkTensorPrefetchOp::create(
      b, loc, createDescriptor(b, loc, map), getCoordinates(b, loc, indices),
      /*im2colOffsets=*/ValueRange(), NVVM::TMALoadMode::TILE,
      /*l2CacheHint=*/Value());
}

void wgtile::createTileCopy(OpBuilder &b, Location loc, SharedType type,
                            Value offset, Value map, ValueRange indices,
                            Value barrier, bool arrive) {
  sattn::layout::SharedTile tile = type.getTile();
  // Rows of padding are not copied.
  int64_t rows = tile.isPacked ? tile.boxRows() : type.getRows();
  Value bytes = createI32(b, loc, rows * tile.swizzle * tile.numBoxes());
  if (arrive)
    NVVM::MBarrierArriveExpectTxOp::create(
        b, loc, /*res=*/Type(), barrier, bytes, NVVM::MemScopeKind::CTA,
        /*relaxed=*/false, /*predicate=*/Value());
  else
    NVVM::MBarrierExpectTxOp::create(b, loc, barrier, bytes,
                                     NVVM::MemScopeKind::CTA);
  SmallVector<Value> coordinates = getCoordinates(b, loc, indices);
  Value descriptor = createDescriptor(b, loc, map);
  Value column = coordinates.front();
  for (int64_t box = 0; box < tile.numBoxes(); ++box) {
    Value boxOffset = offset;
    if (box > 0) {
      coordinates.front() = arith::AddIOp::create(
          b, loc, column, createI32(b, loc, box * tile.boxColumns()));
      boxOffset = arith::AddIOp::create(
          b, loc, offset, createI32(b, loc, box * tile.boxBytes()));
    }
    NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
        b, loc, createSharedAddress(b, loc, boxOffset), descriptor, coordinates,
        barrier, /*im2colOffsets=*/ValueRange(),
        /*multicastMask=*/Value(), /*l2CacheHint=*/Value(),
        NVVM::TMALoadMode::TILE, /*isCTAOnly=*/true,
        /*group=*/NVVM::CTAGroupKindAttr(), /*predicate=*/Value());
  }
}

namespace {
struct LoadLowering : OpConversionPattern<LoadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LoadOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    bool hasMap = isa<TensorMapType>(op.getSource().getType());
    if (!op.getOffset() || hasMap != op.getBarrier().has_value())
      return op.emitOpError(
          "expected an offset, and a barrier with a tensor map "
          "(wgtile-allocate-shared)");
    if (!hasMap) {
      if (op.getTile().getType().getPacked())
        return op.emitOpError("expected a tensor map for a packed tile "
                              "(wgtile-create-tensor-maps)");
      loadByThreads(op, rewriter);
      return success();
    }
    Location loc = op.getLoc();
    auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
    // Each use of the barrier flips its phase; a variable that LLVM turns into
    // a register holds the phase to wait for.
    Value phase;
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(&kernel.getBody().front());
      phase = memref::AllocaOp::create(
          rewriter, loc, MemRefType::get({}, rewriter.getI32Type()));
      memref::StoreOp::create(rewriter, loc, createI32(rewriter, loc, 0),
                              phase);
    }

    // No thread may still read the tile's old content.
    gpu::BarrierOp::create(rewriter, loc);
    scf::IfOp::create(rewriter, loc, isFirstThread(rewriter, loc),
                      [&](OpBuilder &b, Location loc) {
                        createTileCopy(
                            b, loc, op.getTile().getType(),
                            createI32(b, loc, *op.getOffset()), op.getSource(),
                            op.getIndices(),
                            createSharedAddress(b, loc, *op.getBarrier()),
                            /*arrive=*/true);
                        scf::YieldOp::create(b, loc);
                      });
    Value barrier = createSharedAddress(rewriter, loc, *op.getBarrier());
    Value current = memref::LoadOp::create(rewriter, loc, phase);
    createBarrierWait(rewriter, loc, barrier, current);
    memref::StoreOp::create(rewriter, loc,
                            arith::XOrIOp::create(rewriter, loc, current,
                                                  createI32(rewriter, loc, 1)),
                            phase);
    rewriter.replaceOp(op, createI32(rewriter, loc, *op.getOffset()));
    return success();
  }

private:
  static void loadByThreads(LoadOp op, ConversionPatternRewriter &rewriter) {
    Location loc = op.getLoc();
    // No thread may still read the tile's old content.
    gpu::BarrierOp::create(rewriter, loc);
    Value offset = createI32(rewriter, loc, *op.getOffset());
    createThreadCopy(rewriter, loc, op.getTile().getType(), offset,
                     cast<TypedValue<MemRefType>>(op.getSource()),
                     op.getIndices(), op.getAligned(), getBlockThreads(op));
    if (op.getAligned()) {
      NVVM::CpAsyncCommitGroupOp::create(rewriter, loc);
      NVVM::CpAsyncWaitGroupOp::create(rewriter, loc, 0);
    }
    gpu::BarrierOp::create(rewriter, loc);
    rewriter.replaceOp(op, offset);
  }
};
} // namespace

void wgtile::populateLoadPatterns(const TileTypeConverter &converter,
                                  RewritePatternSet &patterns) {
  patterns.add<LoadLowering>(converter, patterns.getContext());
}
