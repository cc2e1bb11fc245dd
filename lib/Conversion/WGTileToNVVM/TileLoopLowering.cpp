//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The loop over a kernel's tiles: which CTA computes which, and when.

#include "TileRegisters.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace wgtile;

/// Indices of the `point`-th tile, in row-major order.
static SmallVector<Value> delinearize(OpBuilder &b, Location loc, Value point,
                                      ArrayRef<Value> counts) {
  SmallVector<Value> indices(counts.size());
  for (int64_t i = static_cast<int64_t>(counts.size()) - 1; i > 0; --i) {
    indices[i] = arith::RemUIOp::create(b, loc, point, counts[i]);
    point = arith::DivUIOp::create(b, loc, point, counts[i]);
  }
  if (!indices.empty())
    indices[0] = point;
  return indices;
}

/// Sorted tiles begin with the longest 1 / kFirstPart of each head.
static constexpr int64_t kFirstPart = 32;

namespace {
/// Arithmetic on unsigned i32: half the registers of 64 bits, and a fraction of
/// the time of their divisions. The host launches no more tiles than that.
class TileOrder {
public:
  TileOrder(OpBuilder &b, Location loc, ForEachTileOp op, ValueRange counts)
      : b(b), loc(loc), op(op) {
    for (Value count : counts)
      this->counts.push_back(cast(count));
    total = constant(1);
    for (Value count : this->counts)
      total = mul(total, count);
    first = cast(gpu::BlockIdOp::create(b, loc, gpu::Dimension::x));
    blocks = cast(gpu::GridDimOp::create(b, loc, gpu::Dimension::x));
    last = arith::SubIOp::create(b, loc, total, constant(1));
  }

  /// Number of tiles; this CTA's first one; number of blocks.
  Value total, first, blocks;
  /// One less than the number of tiles.
  Value last;

  Value constant(int64_t value) { return createI32(b, loc, value); }
  /// The value after the last tile. It is a constant, so that a loop with a
  /// counter keeps only `last` in a register.
  Value end() { return constant(-1); }
  Value less(Value lhs, Value rhs) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, lhs, rhs);
  }
  Value isTile(Value point) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, point,
                                 last);
  }

  /// Indices of a point in row-major order, as index.
  SmallVector<Value> rowMajor(Value point) {
    return toIndex(delinearize(b, loc, point, counts));
  }

  /// The point in row-major order that is at `point` in the order of blocks;
  /// `end` past the last one.
  Value lookUp(Value point) {
    auto branch = scf::IfOp::create(b, loc, b.getI32Type(), isTile(point),
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    SmallVector<Value> all = inOrder(point);
    Value outer = constant(0);
    for (auto [index, count] :
         llvm::zip(ArrayRef<Value>(all).drop_back(2), counts))
      outer = add(mul(outer, count), index);
    Value &row = all[all.size() - 2];
    if (Value order = op.getOrder()) {
      Value place = add(mul(outer, counts[counts.size() - 2]), row);
      row = memref::LoadOp::create(b, loc, order,
                                   ValueRange(arith::IndexCastUIOp::create(
                                       b, loc, b.getIndexType(), place)));
    }
    Value result =
        add(mul(add(mul(outer, counts[counts.size() - 2]), row), counts.back()),
            all.back());
    scf::YieldOp::create(b, loc, ValueRange(result));
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, loc, end());
    return branch.getResult(0);
  }

  /// Indices of a point in the order that `persistent` stands for: raster
  /// groups of columns, row after row within each. The last raster group may be
  /// narrower.
  SmallVector<Value> indices(Value point) { return toIndex(inOrder(point)); }

private:
  OpBuilder &b;
  Location loc;
  ForEachTileOp op;
  SmallVector<Value> counts;

  /// (the plane, the place in it). Planes come one after the other, since their
  /// tiles share what they read. Of sorted tiles the first ones of all planes
  /// come before the others: one that takes as long as many must not begin when
  /// most of the work is done.
  std::pair<Value, Value> splitPoint(Value point, Value size) {
    if (!op.getOrder() || counts.size() == 2)
      return {div(point, size), rem(point, size)};
    Value first = div(size, constant(kFirstPart));
    Value end = first;
    for (Value count : ArrayRef<Value>(counts).drop_back(2))
      end = mul(end, count);
    Value isFirst = less(point, end);
    auto select = [&](Value whereFirst, Value otherwise) -> Value {
      return arith::SelectOp::create(b, loc, isFirst, whereFirst, otherwise);
    };
    auto subtract = [&](Value lhs, Value rhs) -> Value {
      return arith::SubIOp::create(b, loc, lhs, rhs);
    };
    Value part = select(first, subtract(size, first));
    Value inPart = select(point, subtract(point, end));
    return {div(inPart, part),
            add(rem(inPart, part), select(constant(0), first))};
  }

  SmallVector<Value> inOrder(Value point) {
    Value rows = counts[counts.size() - 2], columns = counts.back();
    auto [plane, inPlane] = splitPoint(point, mul(rows, columns));
    SmallVector<Value> result =
        delinearize(b, loc, plane, ArrayRef<Value>(counts).drop_back(2));
    Value width = constant(*op.getPersistent());
    Value group = mul(width, rows);
    Value firstColumn = mul(div(inPlane, group), width);
    Value inGroup = rem(inPlane, group);
    Value left = arith::SubIOp::create(b, loc, columns, firstColumn);
    Value actual = arith::MinUIOp::create(b, loc, width, left);
    Value row = div(inGroup, actual);
    if (op.getDescending())
      row = arith::SubIOp::create(
          b, loc, arith::SubIOp::create(b, loc, rows, constant(1)), row);
    result.push_back(row);
    result.push_back(add(firstColumn, rem(inGroup, actual)));
    return result;
  }

  SmallVector<Value> toIndex(SmallVector<Value> values) {
    for (Value &value : values)
      value = arith::IndexCastUIOp::create(b, loc, b.getIndexType(), value);
    return values;
  }
  Value cast(Value index) {
    return arith::IndexCastUIOp::create(b, loc, b.getI32Type(), index);
  }
  Value add(Value lhs, Value rhs) {
    return arith::AddIOp::create(b, loc, lhs, rhs);
  }
  Value mul(Value lhs, Value rhs) {
    return arith::MulIOp::create(b, loc, lhs, rhs);
  }
  Value rem(Value lhs, Value rhs) {
    return arith::RemUIOp::create(b, loc, lhs, rhs);
  }
  Value div(Value lhs, Value rhs) {
    return arith::DivUIOp::create(b, loc, lhs, rhs);
  }
};

/// Fetches the next tile for this CTA from the counter.
class TileFetch {
public:
  TileFetch(OpBuilder &b, Location loc, ForEachTileOp op, TileOrder &order)
      : b(b), loc(loc), op(op), order(order) {}

  /// Takes the next number from the counter; for one thread.
  Value next() {
    // If no block gets a second tile, there is no counter.
    Value hasMore = order.isTile(order.blocks);
    auto branch = scf::IfOp::create(b, loc, b.getI32Type(), hasMore,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    // Each tile's program takes one number, so that the last one wraps.
    Value taken = LLVM::AtomicRMWOp::create(
        b, loc, LLVM::AtomicBinOp::uinc_wrap, counterAddress(), order.last,
        LLVM::AtomicOrdering::monotonic, "device");
    scf::YieldOp::create(
        b, loc, ValueRange(arith::AddIOp::create(b, loc, taken, order.blocks)));
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, loc, order.end());
    return branch.getResult(0);
  }

  /// Has the first thread take the next number; for all threads.
  Value nextInOneThread() {
    Value isFirst =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                              createThreadId(b, loc), order.constant(0));
    auto branch = scf::IfOp::create(b, loc, b.getI32Type(), isFirst,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, loc, ValueRange(order.lookUp(next())));
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, loc, ValueRange(order.constant(0)));
    return branch.getResult(0);
  }

private:
  OpBuilder &b;
  Location loc;
  ForEachTileOp op;
  TileOrder &order;

  Value counterAddress() {
    Value index =
        memref::ExtractAlignedPointerAsIndexOp::create(b, loc, op.getCounter());
    Value integer = arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
    return LLVM::IntToPtrOp::create(
        b, loc,
        LLVM::LLVMPointerType::get(
            b.getContext(),
            static_cast<unsigned>(NVVM::NVVMMemorySpace::Global)),
        integer);
  }
};

struct ForEachTileLowering : OpConversionPattern<ForEachTileOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ForEachTileOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Block *body = &op.getBody().front();
    Value next = op.getNextTile();
    SmallVector<Value> ended(op.getEndValues());
    rewriter.eraseOp(body->getTerminator());
    // With several consumer groups, a CTA takes a tile for each. The
    // producer's loop already steps over all of them.
    auto [roles, role] = RolesOp::getRoleOf(op);
    bool isGrouped =
        roles && roles.getNumGroups(role) > 1 && op.getGroupedDim();
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
      auto kernel = op->getParentOfType<gpu::GPUFuncOp>();
      Value block =
          kernel && kernel.getKnownClusterSizeAttr()
              ? gpu::ClusterIdOp::create(rewriter, loc, gpu::Dimension::x)
                    .getResult()
              : gpu::BlockIdOp::create(rewriter, loc, gpu::Dimension::x);
      SmallVector<Value> arguments =
          tileIndices(delinearize(rewriter, loc, block, counts));
      llvm::append_range(arguments, op.getInits());
      rewriter.inlineBlockBefore(body, op, arguments);
      rewriter.replaceOp(op, ended);
      return success();
    }
    TileOrder order(rewriter, loc, op, counts);
    // The thread that took a number from the counter looks it up.
    auto addBody = [&](Value point, ValueRange taken, Operation *before) {
      SmallVector<Value> arguments = tileIndices(
          op.getCounter() ? order.rowMajor(point) : order.indices(point));
      llvm::append_range(arguments, taken);
      rewriter.inlineBlockBefore(body, before, arguments);
    };
    rewriter.replaceOp(
        op, op.getCounter()
                ? fetchTiles(op, order, next, ended, rewriter, addBody)
                : strideTiles(op, order, ended, rewriter, addBody));
    return success();
  }

private:
  using AddBody = llvm::function_ref<void(Value point, ValueRange taken,
                                          Operation *before)>;

  /// A static walk: every n-th tile, of n CTAs. Returns the values
  /// that the last tile's program, which ends with `ended`, leaves.
  static ValueRange strideTiles(ForEachTileOp op, TileOrder &order,
                                ValueRange ended,
                                ConversionPatternRewriter &rewriter,
                                AddBody addBody) {
    Location loc = op.getLoc();
    auto loop = scf::ForOp::create(
        rewriter, loc, order.first, order.total, order.blocks, op.getInits(),
        /*bodyBuilder=*/nullptr, /*unsignedCmp=*/true);
    if (op.getInits().empty()) {
      rewriter.setInsertionPoint(loop.getBody()->getTerminator());
    } else {
      rewriter.setInsertionPointToEnd(loop.getBody());
      rewriter.setInsertionPoint(scf::YieldOp::create(rewriter, loc, ended));
    }
    addBody(loop.getInductionVar(), loop.getRegionIterArgs(),
            loop.getBody()->getTerminator());
    return loop.getResults();
  }

  /// scf.while (%point, ...) { %point <= last } do { body; next point }
  static ValueRange fetchTiles(ForEachTileOp op, TileOrder &order, Value next,
                               ValueRange ended,
                               ConversionPatternRewriter &rewriter,
                               AddBody addBody) {
    Location loc = op.getLoc();
    SmallVector<Value> inits = {order.lookUp(order.first)};
    llvm::append_range(inits, op.getInits());
    SmallVector<Type> types(ValueRange(inits).getTypes());
    SmallVector<Location> locs(types.size(), loc);
    auto loop = scf::WhileOp::create(rewriter, loc, types, inits);
    Block *before = rewriter.createBlock(&loop.getBefore(), {}, types, locs);
    scf::ConditionOp::create(rewriter, loc,
                             order.isTile(before->getArgument(0)),
                             before->getArguments());
    Block *after = rewriter.createBlock(&loop.getAfter(), {}, types, locs);
    Value point = after->getArgument(0);
    TileFetch fetch(rewriter, loc, op, order);
    auto yield = scf::YieldOp::create(rewriter, loc, after->getArguments());
    rewriter.setInsertionPoint(yield);
    addBody(point, after->getArguments().drop_front(), yield);
    SmallVector<NextTileOp> takes;
    after->walk([&](NextTileOp take) { takes.push_back(take); });
    for (NextTileOp take : takes) {
      rewriter.setInsertionPoint(take);
      Value number = isCooperative(op) ? fetch.nextInOneThread()
                                       : order.lookUp(fetch.next());
      if (next == take.getNumber())
        next = number;
      rewriter.replaceOp(take, number);
    }
    rewriter.setInsertionPoint(yield);
    SmallVector<Value> yielded = {next};
    llvm::append_range(yielded, ended);
    rewriter.modifyOpInPlace(yield, [&] { yield->setOperands(yielded); });
    return loop.getResults().drop_front();
  }
};
} // namespace

void wgtile::populateTileLoopPatterns(const TileTypeConverter &converter,
                                      RewritePatternSet &patterns) {
  patterns.add<ForEachTileLowering>(converter, patterns.getContext());
}
