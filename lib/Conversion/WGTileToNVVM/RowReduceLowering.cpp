//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Reductions of register tiles. Along rows: first over the elements that a
// thread holds of a row, then over the four lanes of a quad, which hold the row
// between them. Of whole tiles: over a thread's elements, then over all lanes.

#include "TileRegisters.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace wgtile;
using sattn::layout::AccumulatorFragment;
using sattn::layout::kWarpThreads;

static constexpr int64_t kQuadLanes = 4;

/// The value of the lane at a distance. 64 bits go in two halves.
static Value shuffle(OpBuilder &b, Location loc, Value value,
                     int64_t distance) {
  Type type = value.getType();
  auto exchange = [&](Value word) -> Value {
    return NVVM::ShflOp::create(b, loc, word.getType(), createI32(b, loc, -1),
                                word, createI32(b, loc, distance),
                                createI32(b, loc, 31), NVVM::ShflKind::bfly,
                                UnitAttr());
  };
  if (type.getIntOrFloatBitWidth() == 32)
    return exchange(value);
  auto halves = VectorType::get(2, b.getI32Type());
  Value words = LLVM::BitcastOp::create(b, loc, halves, value);
  for (int64_t half : {0, 1}) {
    Value place = createI32(b, loc, half);
    Value word = LLVM::ExtractElementOp::create(b, loc, words, place);
    words = LLVM::InsertElementOp::create(b, loc, words, exchange(word), place);
  }
  return LLVM::BitcastOp::create(b, loc, type, words);
}

/// Combines a value with those of the other lanes of a group of neighbors, or
/// of every so many of the group.
static Value combineLanes(OpBuilder &b, Location loc, arith::AtomicRMWKind kind,
                          Value value, int64_t lanes, int64_t every = 1) {
  for (int64_t distance = every; distance < lanes; distance *= 2)
    value = arith::getReductionOp(kind, b, loc, value,
                                  shuffle(b, loc, value, distance));
  return value;
}

/// Combines values, neighbors first: a chain would wait for each of its steps.
static Value combineAll(OpBuilder &b, Location loc, arith::AtomicRMWKind kind,
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
      Value value = combineAll(rewriter, loc, op.getKind(), std::move(row));
      values.push_back(
          op.getPartial()
              ? value
              : combineLanes(rewriter, loc, op.getKind(), value, kQuadLanes));
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
      values.push_back(
          combineLanes(rewriter, op.getLoc(), op.getKind(), value, kQuadLanes));
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }
};

struct TileReduceLowering : OpConversionPattern<TileReduceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(TileReduceOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::optional<TileRegisters> source =
        TileRegisters::get(op.getTile().getType());
    if (!source)
      return rewriter.notifyMatchFailure(op, "not a tile with a layout");
    RankedTensorType type = source->type;
    // The lanes of a quad hold the same elements of a vector of rows.
    int64_t copies = isRowVector(type.getEncoding()) ? kQuadLanes : 1;
    if (source->elements * kWarpThreads != copies * type.getNumElements())
      return op.emitOpError()
             << "expected a tile that one warp has, but got " << type;
    Value value = combineAll(rewriter, op.getLoc(), op.getKind(),
                             llvm::to_vector_of<Value>(adaptor.getTile()));
    rewriter.replaceOp(op, combineLanes(rewriter, op.getLoc(), op.getKind(),
                                        value, kWarpThreads, copies));
    return success();
  }
};
} // namespace

void wgtile::populateRowReducePatterns(const TileTypeConverter &converter,
                                       RewritePatternSet &patterns) {
  patterns.add<RowCombineLowering, RowReduceLowering, TileReduceLowering>(
      converter, patterns.getContext());
}
