//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The order in which warpgroups issue MMAs: a named barrier for each, which the
// warpgroup waits at and the one before it arrives at.

#include "TileRegisters.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace wgtile;
using sattn::layout::kWarpgroupThreads;

/// Named barrier of the first warpgroup. Barrier 0 is the CTA's, and
/// barriers 1 to 7 are the warpgroups' own (StagingLowering.cpp): a
/// CTA has at most 7 warpgroups of consumers.
static constexpr int64_t kFirstOrderBarrier = 8;

static Value createWarpgroup(OpBuilder &b, Location loc) {
  return arith::DivUIOp::create(b, loc, createTileThreadId(b, loc),
                                createI32(b, loc, kWarpgroupThreads));
}

/// A named barrier at which two warpgroups meet: one waits, one arrives.
static void createBarrier(OpBuilder &b, Location loc, Value warpgroup,
                          StringRef instruction) {
  Value barrier = arith::AddIOp::create(b, loc, warpgroup,
                                        createI32(b, loc, kFirstOrderBarrier));
  createInlineAsm(
      b, loc, TypeRange(), {barrier},
      llvm::formatv("{0} $0, {1};", instruction, 2 * kWarpgroupThreads).str(),
      "r,~{memory}");
}

namespace {
/// The first warpgroup arrives in place of the last one, which has no iteration
/// before the first.
struct OrderInitLowering : OpConversionPattern<OrderInitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OrderInitOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value warpgroup = createWarpgroup(rewriter, op.getLoc());
    createInlineAsm(rewriter, op.getLoc(), TypeRange(), {warpgroup},
                    llvm::formatv("{{\n.reg .pred p;\n"
                                  "setp.eq.u32 p, $0, 0;\n"
                                  "@p bar.arrive {0}, {1};\n}",
                                  kFirstOrderBarrier, 2 * kWarpgroupThreads)
                        .str(),
                    "r,~{memory}");
    rewriter.eraseOp(op);
    return success();
  }
};

struct OrderWaitLowering : OpConversionPattern<OrderWaitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OrderWaitOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    createBarrier(rewriter, op.getLoc(), createWarpgroup(rewriter, op.getLoc()),
                  "bar.sync");
    rewriter.eraseOp(op);
    return success();
  }
};

struct OrderArriveLowering : OpConversionPattern<OrderArriveOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OrderArriveOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value next =
        arith::AddIOp::create(rewriter, loc, createWarpgroup(rewriter, loc),
                              createI32(rewriter, loc, 1));
    next = arith::RemUIOp::create(rewriter, loc, next,
                                  createI32(rewriter, loc, op.getWarpgroups()));
    createBarrier(rewriter, loc, next, "bar.arrive");
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void wgtile::populateOrderPatterns(const TileTypeConverter &converter,
                                   RewritePatternSet &patterns) {
  patterns.add<OrderArriveLowering, OrderInitLowering, OrderWaitLowering>(
      converter, patterns.getContext());
}
