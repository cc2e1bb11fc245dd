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

#include "LaneExchange.h"
#include "TileRegisters.h"

using namespace mlir;
using namespace wgtile;
using sattn::layout::AccumulatorFragment;
using sattn::layout::kWarpThreads;

static constexpr int64_t kQuadLanes = 4;

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
    bool isNarrow = source->packing == 2 &&
                    llvm::is_contained({arith::AtomicRMWKind::maxnumf,
                                        arith::AtomicRMWKind::minnumf},
                                       op.getKind());
    if (fragment.columnWarps != 1 ||
        (source->type.getElementType().getIntOrFloatBitWidth() != 32 &&
         !isNarrow))
      return op.emitOpError()
             << "expected a tile of 32-bit elements, or of 16 for a maximum or "
                "minimum, whose rows each belong to one warp, but got "
             << source->type;
    Location loc = op.getLoc();
    SmallVector<SmallVector<Value>> rows(result->elements);
    for (auto [i, element] : llvm::enumerate(adaptor.getTile()))
      rows[fragment.rowVectorRegister(i * source->packing)].push_back(element);
    SmallVector<Value> values;
    for (SmallVector<Value> &row : rows) {
      Value value = combineAll(rewriter, loc, op.getKind(), std::move(row));
      if (isNarrow)
        value = combinePair(rewriter, loc, op.getKind(), value);
      if (!op.getPartial())
        value = combineLanes(rewriter, loc, op.getKind(), value, kQuadLanes);
      if (isNarrow)
        value = arith::TruncFOp::create(rewriter, loc,
                                        result->type.getElementType(), value);
      values.push_back(value);
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
} // namespace

void wgtile::populateRowReducePatterns(const TileTypeConverter &converter,
                                       RewritePatternSet &patterns) {
  patterns.add<RowCombineLowering, RowReduceLowering>(converter,
                                                      patterns.getContext());
}
