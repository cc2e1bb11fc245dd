//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Reductions and scans of register tiles: over a thread's elements, over the
// four lanes of a quad, which share rows, and over all lanes; reductions also
// over the block's warps. A scan keeps, on each way, what precedes.

#include "I32Arithmetic.h"
#include "LaneExchange.h"
#include "TileRegisters.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include <map>

using namespace mlir;
using namespace wgtile;
using sattn::layout::AccumulatorFragment;

using sattn::layout::kWarpThreads;

static constexpr int64_t kQuadLanes = 4;

/// Checks that `threads` threads hold a tile, each element of it `copies`
/// times.
static LogicalResult requireThreads(Operation *op,
                                    const TileRegisters &registers,
                                    int64_t threads, int64_t copies = 1) {
  if (registers.elements * threads == copies * registers.type.getNumElements())
    return success();
  return op->emitOpError() << "expected a tile that " << threads
                           << " threads have, but got " << registers.type;
}

/// Whether an op runs in a loop, where numbers of the iteration before may
/// still be read. Loops over tiles are converted before what is in them.
static bool isRepeated(Operation *op) {
  auto tiles = op->getParentOfType<ForEachTileOp>();
  return op->getParentOfType<LoopLikeOpInterface>() ||
         (tiles && tiles.getPersistent());
}

/// Combines one number of each of a CTA's warps by way of shared memory from
/// `offset` on. All lanes of a warp have that warp's number, and then the
/// result.
static FailureOr<Value> combineWarps(OpBuilder &b, Operation *op,
                                     arith::AtomicRMWKind kind, Value value,
                                     std::optional<uint64_t> offset) {
  int64_t warps = getBlockThreads(op) / kWarpThreads;
  if (warps == 1)
    return value;
  if (!offset)
    return op->emitOpError("expected a place in shared memory for the warps' "
                           "numbers (wgtile-allocate-shared)");
  if (RolesOp::getRoleOf(op).first)
    return op->emitOpError(
        "expected all threads of the block to take part, but "
        "got a role");
  Location loc = op->getLoc();
  Type type = value.getType();
  int64_t bytes = type.getIntOrFloatBitWidth() / 8;
  I32Arithmetic i32{b, loc};
  Value warp = arith::ShRUIOp::create(b, loc, createThreadId(b, loc),
                                      createI32(b, loc, 5));
  Value place = createSharedAddress(
      b, loc,
      i32.add(i32.mul(warp, bytes), i32.i32(static_cast<int64_t>(*offset))));
  if (isRepeated(op))
    gpu::BarrierOp::create(b, loc);
  LLVM::StoreOp::create(b, loc, value, place);
  gpu::BarrierOp::create(b, loc);
  SmallVector<Value> values;
  for (int64_t i = 0; i < warps; ++i)
    values.push_back(LLVM::LoadOp::create(
        b, loc, type,
        createSharedAddress(b, loc,
                            static_cast<int64_t>(*offset) + i * bytes)));
  return combineAll(b, loc, kind, std::move(values));
}

namespace {
struct TileReduceLowering : OpConversionPattern<TileReduceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(TileReduceOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::optional<TileRegisters> source =
        TileRegisters::get(op.getTile().getType());
    if (!source)
      return rewriter.notifyMatchFailure(op, "not a tile with a layout");
    Location loc = op.getLoc();
    // The lanes of a quad hold the same elements of a vector of rows.
    int64_t copies = isRowVector(source->type.getEncoding()) ? kQuadLanes : 1;
    if (failed(requireThreads(op, *source, getBlockThreads(op), copies)))
      return failure();
    Value value = combineAll(rewriter, loc, op.getKind(),
                             llvm::to_vector_of<Value>(adaptor.getTile()));
    // Narrow ones are compared in pairs, and exchanged in f32.
    bool isNarrow = source->packing == 2;
    if (isNarrow)
      value = combinePair(rewriter, loc, op.getKind(), value);
    if (!op.getPartial()) {
      value = combineLanes(rewriter, loc, op.getKind(), value, kWarpThreads,
                           copies);
      FailureOr<Value> whole =
          combineWarps(rewriter, op, op.getKind(), value, op.getOffset());
      if (failed(whole))
        return failure();
      value = *whole;
    }
    if (isNarrow)
      value = arith::TruncFOp::create(rewriter, loc, op.getType(), value);
    rewriter.replaceOp(op, value);
    return success();
  }
};

struct TileCombineLowering : OpConversionPattern<TileCombineOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(TileCombineOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value value = combineLanes(rewriter, op.getLoc(), op.getKind(),
                               adaptor.getNumber().front(), kWarpThreads);
    FailureOr<Value> whole =
        combineWarps(rewriter, op, op.getKind(), value, op.getOffset());
    if (failed(whole))
      return failure();
    rewriter.replaceOp(op, *whole);
    return success();
  }
};

/// The exclusive scan of a tile that one warp holds: for each element of a
/// thread, the elements before it, combined.
class TileScan {
public:
  TileScan(OpBuilder &b, Location loc, arith::AtomicRMWKind kind,
           const AccumulatorFragment &fragment)
      : b(b), loc(loc), kind(kind), fragment(fragment) {
    Value lane = createLane(b, loc);
    for (int64_t distance = 1; distance < kWarpThreads; distance *= 2) {
      Value bit =
          arith::AndIOp::create(b, loc, lane, createI32(b, loc, distance));
      isUpper[distance] = arith::CmpIOp::create(
          b, loc, arith::CmpIPredicate::ne, bit, createI32(b, loc, 0));
    }
  }

  SmallVector<Value> run(ArrayRef<Value> elements, Value initial) {
    // Rows, and runs of columns in them, in order.
    std::map<int64_t, std::map<int64_t, std::map<int64_t, int64_t>>> places;
    for (int64_t i = 0, end = elements.size(); i < end; ++i) {
      int64_t column = fragment.registerColumnOffset(i);
      places[fragment.registerRowOffset(i)][column / fragment.step()][column] =
          i;
    }
    SmallVector<Value> results(elements.size());
    for (auto &[row, runs] : places) {
      SmallVector<Part> parts;
      SmallVector<Value> totals;
      for (auto &[step, columns] : runs) {
        SmallVector<Value> own;
        for (auto [column, i] : columns)
          own.push_back(elements[i]);
        // The lanes of a quad.
        parts.push_back(exchange(combineAll(b, loc, kind, own), {1, 2}));
        totals.push_back(parts.back().total);
      }
      // Rows eight apart are one register's.
      Part rows = exchange(combineAll(b, loc, kind, totals), {4, 8, 16});
      Value before = precede(initial, rows);
      initial = combine(initial, rows.total);
      for (auto [part, run] : llvm::zip_equal(parts, runs)) {
        Value next = precede(before, part);
        for (auto [column, i] : run.second) {
          results[i] = next;
          next = combine(next, elements[i]);
        }
        before = combine(before, part.total);
      }
    }
    return results;
  }

private:
  /// Values that lanes exchanged: the other lane's at each distance, and the
  /// total of all lanes.
  struct Part {
    SmallVector<std::pair<int64_t, Value>> others;
    Value total;
  };

  OpBuilder &b;
  Location loc;
  arith::AtomicRMWKind kind;
  AccumulatorFragment fragment;
  /// Whether this lane comes after the one at a distance.
  DenseMap<int64_t, Value> isUpper;

  Value combine(Value lhs, Value rhs) {
    return arith::getReductionOp(kind, b, loc, lhs, rhs);
  }
  Part exchange(Value own, ArrayRef<int64_t> distances) {
    Part part{{}, own};
    for (int64_t distance : distances) {
      Value other = createShuffle(b, loc, part.total, distance);
      part.others.emplace_back(distance, other);
      part.total = combine(part.total, other);
    }
    return part;
  }
  /// A value and those of the lanes before this one.
  Value precede(Value value, const Part &part) {
    for (auto [distance, other] : part.others)
      value = arith::SelectOp::create(b, loc, isUpper[distance],
                                      combine(value, other), value);
    return value;
  }
};

struct TileScanLowering : OpConversionPattern<TileScanOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(TileScanOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::optional<TileRegisters> source =
        TileRegisters::get(op.getTile().getType());
    if (!source)
      return rewriter.notifyMatchFailure(op, "not a tile with a layout");
    if (failed(requireThreads(op, *source, kWarpThreads)))
      return failure();
    TileScan scan(rewriter, op.getLoc(), op.getKind(),
                  getFragment(source->type));
    SmallVector<Value> elements(adaptor.getTile());
    rewriter.replaceOpWithMultiple(
        op, {scan.run(elements, adaptor.getInitial().front())});
    return success();
  }
};
} // namespace

void wgtile::populateTileReducePatterns(const TileTypeConverter &converter,
                                        RewritePatternSet &patterns) {
  patterns.add<TileCombineLowering, TileReduceLowering, TileScanLowering>(
      converter, patterns.getContext());
}
