//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Reductions along the rows of register tiles: first over the elements that a
// thread holds of a row, then over the four lanes of a quad, which hold the row
// between them.

#include "TileRegisters.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace wgtile;
using sattn::layout::AccumulatorFragment;

static constexpr int64_t kQuadLanes = 4;

/// Combines a value with those of lanes at distances from `first` to below
/// `end`, powers of 2.
static Value combineLanes(OpBuilder &b, Location loc, arith::AtomicRMWKind kind,
                          Value value, int64_t first, int64_t end) {
  for (int64_t distance = first; distance < end; distance *= 2) {
    Value other = NVVM::ShflOp::create(
        b, loc, value.getType(), createI32(b, loc, -1), value,
        createI32(b, loc, distance), createI32(b, loc, 31),
        NVVM::ShflKind::bfly, UnitAttr());
    value = arith::getReductionOp(kind, b, loc, value, other);
  }
  return value;
}

/// Combines a value with those of the other lanes that share its row.
static Value combineQuad(OpBuilder &b, Location loc, arith::AtomicRMWKind kind,
                         Value value) {
  return combineLanes(b, loc, kind, value, 1, kQuadLanes);
}

/// One value of several. Neighbors first: a chain would wait for each of its
/// steps.
static Value combineValues(OpBuilder &b, Location loc,
                           arith::AtomicRMWKind kind,
                           SmallVector<Value> values) {
  while (values.size() > 1) {
    SmallVector<Value> half;
    for (size_t i = 0; i + 1 < values.size(); i += 2)
      half.push_back(
          arith::getReductionOp(kind, b, loc, values[i], values[i + 1]));
    if (values.size() % 2)
      half.push_back(values.back());
    values = std::move(half);
  }
  return values.front();
}

namespace {
struct RowReduceLowering : OpConversionPattern<RowReduceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(RowReduceOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::optional<TileRegisters> source =
        TileRegisters::get(op.getTile().getType());
    std::optional<TileRegisters> result = TileRegisters::get(op.getType());
    if (!source || !result)
      return rewriter.notifyMatchFailure(op, "not tiles with layouts");
    AccumulatorFragment fragment = getFragment(source->type);
    if (fragment.columnWarps != 1 ||
        source->type.getElementType().getIntOrFloatBitWidth() != 32)
      return op.emitOpError()
             << "expected a tile of 32-bit elements whose rows each belong to "
                "one warp, but got "
             << source->type;
    Location loc = op.getLoc();
    SmallVector<SmallVector<Value>> rows(result->elements);
    for (auto [i, element] : llvm::enumerate(adaptor.getTile()))
      rows[fragment.rowVectorRegister(i)].push_back(element);
    SmallVector<Value> values;
    for (SmallVector<Value> &row : rows) {
      Value own = combineValues(rewriter, loc, op.getKind(), std::move(row));
      values.push_back(op.getPartial()
                           ? own
                           : combineQuad(rewriter, loc, op.getKind(), own));
    }
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }
};

struct RowCombineLowering : OpConversionPattern<RowCombineOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(RowCombineOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::optional<TileRegisters> result = TileRegisters::get(op.getType());
    if (!result)
      return rewriter.notifyMatchFailure(op, "not a vector with a layout");
    if (getFragment(result->type).columnWarps != 1 ||
        !isRowVector(result->type.getEncoding()))
      return op.emitOpError() << "expected a vector of rows that each belong "
                                 "to one warp, but got "
                              << result->type;
    SmallVector<Value> values;
    for (Value value : adaptor.getVector())
      values.push_back(combineQuad(rewriter, op.getLoc(), op.getKind(), value));
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }
};

struct VectorReduceLowering : OpConversionPattern<VectorReduceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(VectorReduceOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::optional<TileRegisters> source =
        TileRegisters::get(op.getVector().getType());
    if (!source)
      return rewriter.notifyMatchFailure(op, "not a vector with a layout");
    // A tile of 8 rows leaves the second half of a fragment unused.
    int64_t rows = source->type.getDimSize(0);
    SmallVector<Value> values;
    for (auto [i, value] : llvm::enumerate(adaptor.getVector()))
      if (8 * static_cast<int64_t>(i) < rows)
        values.push_back(value);
    Value own =
        combineValues(rewriter, op.getLoc(), op.getKind(), std::move(values));
    rewriter.replaceOp(op, combineLanes(rewriter, op.getLoc(), op.getKind(),
                                        own, kQuadLanes,
                                        sattn::layout::kWarpThreads));
    return success();
  }
};
} // namespace

void wgtile::populateRowReducePatterns(const TileTypeConverter &converter,
                                       RewritePatternSet &patterns) {
  patterns.add<RowCombineLowering, RowReduceLowering, VectorReduceLowering>(
      converter, patterns.getContext());
}
