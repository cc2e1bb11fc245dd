//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// Delays of random length, for tests of synchronization.

#include "TileRegisters.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace wgtile;

namespace {
struct DelayLowering : OpConversionPattern<DelayOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(DelayOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    // The clock makes runs differ; site and warp make delays of one run differ.
    // The mixing is that of the finalizer "lowbias32" (C. Wellons,
    // hash-prospector). nanosleep takes at most twice the time it is given.
    auto site = static_cast<uint32_t>(op.getSite() * 0x9E3779B1u);
    std::string text = llvm::formatv("{{\n"
                                     ".reg .u32 a, b;\n"
                                     "mov.u32 a, %clock;\n"
                                     "mov.u32 b, %smid;\n"
                                     "mad.lo.u32 a, b, 0x85EBCA6B, a;\n"
                                     "mov.u32 b, %tid.x;\n"
                                     "shr.u32 b, b, 5;\n"
                                     "mad.lo.u32 a, b, 0xC2B2AE35, a;\n"
                                     "xor.b32 a, a, {0};\n"
                                     "shr.u32 b, a, 16;\n"
                                     "xor.b32 a, a, b;\n"
                                     "mul.lo.u32 a, a, 0x7FEB352D;\n"
                                     "shr.u32 b, a, 15;\n"
                                     "xor.b32 a, a, b;\n"
                                     "mul.lo.u32 a, a, 0x846CA68B;\n"
                                     "shr.u32 b, a, 16;\n"
                                     "xor.b32 a, a, b;\n"
                                     "mul.hi.u32 a, a, {1};\n"
                                     "nanosleep.u32 a;\n"
                                     "}",
                                     site, (op.getNanoseconds() + 1) / 2)
                           .str();
    createInlineAsm(rewriter, op.getLoc(), TypeRange(), ValueRange(), text,
                    "~{memory}");
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void wgtile::populateDelayPatterns(const TileTypeConverter &converter,
                                   RewritePatternSet &patterns) {
  patterns.add<DelayLowering>(converter, patterns.getContext());
}
