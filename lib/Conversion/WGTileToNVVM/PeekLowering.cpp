//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Reads that race with the kernel before.

#include "TileRegisters.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace wgtile;

namespace {
/// A relaxed load, which no line of the L1 cache keeps.
struct PeekLowering : OpConversionPattern<PeekOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(PeekOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type index = rewriter.getIndexType();
    Type element = op.getValue().getType();
    auto metadata =
        memref::ExtractStridedMetadataOp::create(rewriter, loc, op.getSource());
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(rewriter, loc, value);
    };
    Value zero = constant(0), offset = metadata.getOffset(), isEmpty;
    for (auto [position, size, stride] : llvm::zip(
             op.getIndices(), metadata.getSizes(), metadata.getStrides())) {
      Value isNone = arith::CmpIOp::create(
          rewriter, loc, arith::CmpIPredicate::sle, size, zero);
      isEmpty = isEmpty ? arith::OrIOp::create(rewriter, loc, isEmpty, isNone)
                        : isNone;
      Value last = arith::SubIOp::create(rewriter, loc, size, constant(1));
      Value inside = arith::MinSIOp::create(
          rewriter, loc, arith::MaxSIOp::create(rewriter, loc, position, zero),
          last);
      offset = arith::AddIOp::create(
          rewriter, loc, offset,
          arith::MulIOp::create(rewriter, loc, inside, stride));
    }
    Value base = memref::ExtractAlignedPointerAsIndexOp::create(
        rewriter, loc, index, op.getSource());
    int64_t bytes = element.getIntOrFloatBitWidth() / 8;
    Value address = arith::AddIOp::create(
        rewriter, loc, base,
        arith::MulIOp::create(rewriter, loc, offset, constant(bytes)));
    auto load = [&](OpBuilder &b, Location loc) -> Value {
      Value integer =
          arith::IndexCastOp::create(b, loc, b.getI64Type(), address);
      Value pointer = LLVM::IntToPtrOp::create(
          b, loc,
          LLVM::LLVMPointerType::get(
              b.getContext(),
              static_cast<unsigned>(NVVM::NVVMMemorySpace::Global)),
          integer);
      return LLVM::LoadOp::create(
          b, loc, element, pointer, /*alignment=*/bytes, /*isVolatile=*/false,
          /*isNonTemporal=*/false, /*isInvariant=*/false,
          /*isInvariantGroup=*/false, LLVM::AtomicOrdering::monotonic,
          /*syncscope=*/"device");
    };
    if (!isEmpty) {
      rewriter.replaceOp(op, load(rewriter, loc));
      return success();
    }
    auto branch = scf::IfOp::create(
        rewriter, loc, isEmpty,
        [&](OpBuilder &b, Location loc) {
          Value none =
              arith::ConstantOp::create(b, loc, b.getIntegerAttr(element, 0));
          scf::YieldOp::create(b, loc, none);
        },
        [&](OpBuilder &b, Location loc) {
          scf::YieldOp::create(b, loc, load(b, loc));
        });
    rewriter.replaceOp(op, branch.getResults());
    return success();
  }
};
} // namespace

void wgtile::populatePeekPatterns(const TileTypeConverter &converter,
                                  RewritePatternSet &patterns) {
  patterns.add<PeekLowering>(converter, patterns.getContext());
}
