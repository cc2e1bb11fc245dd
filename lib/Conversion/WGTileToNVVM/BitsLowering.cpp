//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Conditions of a tile's elements as words, a bit for each column of a lane.

#include "I32Arithmetic.h"
#include "TileRegisters.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace wgtile;
using sattn::layout::AccumulatorFragment;

namespace {
struct LaneBitsLowering : OpConversionPattern<LaneBitsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(LaneBitsOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    I32Arithmetic a{rewriter, loc};
    Type word = rewriter.getI32Type();
    auto permute = [&](Value low, Value high, Value bytes) -> Value {
      return LLVM::CallIntrinsicOp::create(
                 rewriter, loc, word, rewriter.getStringAttr("llvm.nvvm.prmt"),
                 ValueRange{low, high, bytes})
          .getResult(0);
    };
    // The own byte of each of two words.
    Value quad = arith::AndIOp::create(rewriter, loc, createLane(rewriter, loc),
                                       a.i32(3));
    Value own = a.add(a.mul(quad, 0x11), a.i32(0x40));
    SmallVector<Value> halves;
    for (size_t part = 0; part < op.getParts().size(); part += 2) {
      SmallVector<Value> votes;
      for (Value bit : op.getParts().slice(part, 2))
        votes.push_back(NVVM::VoteSyncOp::create(
            rewriter, loc, word, a.i32(-1), bit, NVVM::VoteSyncKind::ballot));
      halves.push_back(permute(votes[0], votes[1], own));
    }
    rewriter.replaceOp(op, halves.size() == 1
                               ? halves[0]
                               : permute(halves[0], halves[1], a.i32(0x5410)));
    return success();
  }
};

struct BitsBelowLowering : OpConversionPattern<BitsBelowOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(BitsBelowOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::optional<TileRegisters> layout = TileRegisters::get(op.getType());
    if (!layout)
      return rewriter.notifyMatchFailure(op, "not a vector with a layout");
    Location loc = op.getLoc();
    I32Arithmetic a{rewriter, loc};
    Value first = createThreadColumn(rewriter, loc, getFragment(layout->type));
    SmallVector<Value> words;
    for (Value bound : adaptor.getBounds()) {
      // A lane has two of each eight columns.
      Value before = arith::SubIOp::create(
          rewriter, loc, arith::MaxSIOp::create(rewriter, loc, bound, first),
          first);
      Value eights = arith::ShRUIOp::create(rewriter, loc, before, a.i32(3));
      Value rest = arith::AndIOp::create(rewriter, loc, before, a.i32(7));
      Value count =
          a.add(a.mul(eights, 2),
                arith::MinUIOp::create(rewriter, loc, rest, a.i32(2)));
      words.push_back(createPureAsm(rewriter, loc, rewriter.getI32Type(), count,
                                    "bmsk.clamp.b32 $0, 0, $1;", "=r,r"));
    }
    rewriter.replaceOpWithMultiple(op, {words});
    return success();
  }
};

struct TestBitsLowering : OpConversionPattern<TestBitsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(TestBitsOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::optional<TileRegisters> layout = TileRegisters::get(op.getType());
    if (!layout)
      return rewriter.notifyMatchFailure(op, "not a tile with a layout");
    Location loc = op.getLoc();
    AccumulatorFragment fragment = getFragment(layout->type);
    SmallVector<Value> elements;
    for (int64_t i = 0; i < layout->elements; ++i) {
      Value word = adaptor.getWords()[fragment.rowVectorRegister(i)];
      uint32_t bit = uint32_t(1) << fragment.columnVectorRegister(i);
      // As LLVM's, it would be a shift and a bit, of which ptxas does not make
      // several predicates at once.
      elements.push_back(createPureAsm(
          rewriter, loc, rewriter.getI1Type(), word,
          llvm::formatv("{{\n.reg .b32 %t;\nand.b32 %t, $1, {0};\n"
                        "setp.ne.s32 $0, %t, 0;\n}",
                        bit)
              .str(),
          "=b,r"));
    }
    rewriter.replaceOpWithMultiple(op, {elements});
    return success();
  }
};
} // namespace

void wgtile::populateBitsPatterns(const TileTypeConverter &converter,
                                  RewritePatternSet &patterns) {
  patterns.add<BitsBelowLowering, LaneBitsLowering, TestBitsLowering>(
      converter, patterns.getContext());
}
