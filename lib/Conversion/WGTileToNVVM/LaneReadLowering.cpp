//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Vectors of columns that the lanes of a warp read together, each element once,
// and have from each other where they need them.

#include "TileRegisters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/FormatVariadic.h"

#include <limits>

using namespace mlir;
using namespace wgtile;

static constexpr int64_t kPart = ReadLanesOp::kPart, kBytes = 4;

/// Column of a part of lane 0.
static int64_t columnOf(int64_t part) { return part * kPart; }

/// The first column that a lane reads: eight lanes read the columns that one
/// lane of a quad needs.
static Value createFirstColumn(OpBuilder &b, Location loc) {
  auto constant = [&](int64_t value) { return createI32(b, loc, value); };
  Value lane = createLane(b, loc);
  Value quad = arith::ShRUIOp::create(b, loc, lane, constant(3));
  Value inQuad = arith::ShLIOp::create(b, loc, quad, constant(1));
  Value pair = arith::AndIOp::create(b, loc, lane, constant(6));
  Value inPair = arith::AndIOp::create(b, loc, lane, constant(1));
  Value eight = arith::ShLIOp::create(b, loc, pair, constant(2));
  return arith::OrIOp::create(
      b, loc, arith::OrIOp::create(b, loc, eight, inQuad), inPair);
}

namespace {
struct ReadLanesLowering : OpConversionPattern<ReadLanesOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ReadLanesOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, value);
    };
    Value first = arith::IndexCastOp::create(b, b.getIndexType(),
                                             createFirstColumn(b, b.getLoc()));
    auto metadata = memref::ExtractStridedMetadataOp::create(b, op.getSource());
    SmallVector<Value> position(op.getIndices());
    Value &column = position.back();
    column = arith::AddIOp::create(b, column, first);
    Value limit = createLimit(b, op, first, column, metadata.getSizes().back());
    Value offset = metadata.getOffset();
    for (auto [place, stride] : llvm::zip(position, metadata.getStrides()))
      offset = arith::AddIOp::create(b, offset,
                                     arith::MulIOp::create(b, place, stride));
    Value address =
        memref::ExtractAlignedPointerAsIndexOp::create(b, op.getSource());
    address = arith::AddIOp::create(
        b, address, arith::MulIOp::create(b, offset, constant(kBytes)));
    address = arith::IndexCastOp::create(b, b.getI64Type(), address);
    uint64_t padding = op.getPaddingAttr() ? bitsOf(op.getPaddingAttr()) : 0;
    SmallVector<Value> parts;
    for (int64_t part = 0, end = op.getNumResults(); part < end; ++part)
      parts.push_back(createRead(b, address, limit, columnOf(part), padding));
    rewriter.replaceOp(op, parts);
    return success();
  }

private:
  /// Number of columns, in i32, that may be read from a lane's first one on,
  /// which is `column` of the source and `first` of the vector; null if all
  /// may.
  static Value createLimit(ImplicitLocOpBuilder &b, ReadLanesOp op, Value first,
                           Value column, Value size) {
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, value);
    };
    Value limit;
    if (!op.getInBounds()) {
      Value isBefore =
          arith::CmpIOp::create(b, arith::CmpIPredicate::slt, column, first);
      limit = arith::SelectOp::create(b, isBefore, constant(0),
                                      arith::SubIOp::create(b, size, column));
    }
    if (op.getSize() % ReadLanesOp::kGroup != 0) {
      Value own = arith::SubIOp::create(b, constant(op.getSize()), first);
      limit = limit ? arith::MinSIOp::create(b, limit, own).getResult() : own;
    }
    if (!limit)
      return {};
    Value most = constant(std::numeric_limits<int32_t>::max());
    return arith::IndexCastOp::create(b, b.getI32Type(),
                                      arith::MinSIOp::create(b, limit, most));
  }

  /// Reads the element at an offset in columns from a lane's first one.
  static Value createRead(ImplicitLocOpBuilder &b, Value address, Value limit,
                          int64_t column, uint64_t padding) {
    Type word = b.getI32Type();
    if (!limit)
      return createInlineAsm(
                 b, b.getLoc(), TypeRange(word), address,
                 llvm::formatv("ld.global.b32 $0, [$1+{0}];", column * kBytes)
                     .str(),
                 "=r,l")
          .getResult(0);
    // The result is written before the other operands are read.
    std::string text = llvm::formatv("{{\n.reg .pred %p;\nmov.b32 $0, {0};\n"
                                     "setp.gt.s32 %p, $2, {1};\n"
                                     "@%p ld.global.b32 $0, [$1+{2}];\n}",
                                     padding, column, column * kBytes);
    return createInlineAsm(b, b.getLoc(), TypeRange(word), {address, limit},
                           text, "=&r,l,r")
        .getResult(0);
  }
};

struct SpreadLanesLowering : OpConversionPattern<SpreadLanesOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(SpreadLanesOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::optional<TileRegisters> layout =
        TileRegisters::get(op.getTile().getType());
    if (!layout)
      return rewriter.notifyMatchFailure(op, "not a tile with a layout");
    Location loc = op.getLoc();
    sattn::layout::AccumulatorFragment fragment = getFragment(layout->type);
    // A lane of a quad has its columns from eight lanes that follow each other.
    Value own = arith::ShLIOp::create(
        rewriter, loc,
        arith::AndIOp::create(rewriter, loc, createLane(rewriter, loc),
                              createI32(rewriter, loc, 3)),
        createI32(rewriter, loc, 3));
    SmallVector<Value> registers, owners(kPart / 4);
    for (int64_t i = 0; i < layout->elements; ++i) {
      int64_t column = fragment.columnOfColumnVector(0, i);
      int64_t place = column % kPart / 8 * 2 + column % 2;
      Value &owner = owners[place];
      if (!owner)
        owner = arith::OrIOp::create(rewriter, loc, own,
                                     createI32(rewriter, loc, place));
      Value part = op.getParts()[column / kPart];
      Value word = NVVM::ShflOp::create(rewriter, loc, rewriter.getI32Type(),
                                        createI32(rewriter, loc, -1), part,
                                        owner, createI32(rewriter, loc, 31),
                                        NVVM::ShflKind::idx, UnitAttr());
      registers.push_back(
          LLVM::BitcastOp::create(rewriter, loc, layout->registerType(), word));
    }
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};
} // namespace

void wgtile::populateLaneReadPatterns(const TileTypeConverter &converter,
                                      RewritePatternSet &patterns) {
  patterns.add<ReadLanesLowering, SpreadLanesLowering>(converter,
                                                       patterns.getContext());
}
