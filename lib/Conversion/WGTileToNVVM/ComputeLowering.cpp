//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Products of shared tiles by wgmma.

#include "TileRegisters.h"

#include "sattn/Layout/WgmmaDescriptor.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace wgtile;
using namespace sattn::layout;

static SharedTile getTile(SharedType type) {
  return {type.getRows(), type.getColumns(), type.getElementBytes(),
          type.getSwizzle()};
}

/// Descriptor of a shared tile at an offset of the kernel's memory.
static Value createDescriptor(OpBuilder &b, Location loc, Value offset,
                              const SharedTile &tile, Major major) {
  Value address = LLVM::PtrToIntOp::create(b, loc, b.getI32Type(),
                                           createSharedAddress(b, loc, offset));
  // encodeAddress, of an address known at run time.
  Value masked =
      arith::AndIOp::create(b, loc, address, createI32(b, loc, 0x3FFFF));
  Value encoded = arith::ShRUIOp::create(b, loc, masked, createI32(b, loc, 4));
  Value wide = arith::ExtUIOp::create(b, loc, b.getI64Type(), encoded);
  Value bits = arith::ConstantOp::create(
      b, loc,
      b.getI64IntegerAttr(static_cast<int64_t>(descriptorBits(tile, major))));
  return arith::OrIOp::create(b, loc, wide, bits);
}

static Value addToDescriptor(OpBuilder &b, Location loc, Value descriptor,
                             int64_t step) {
  if (step == 0)
    return descriptor;
  Value constant = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(step));
  return arith::AddIOp::create(b, loc, descriptor, constant);
}

/// Index of this thread's warpgroup, the same register for all its threads.
static Value createWarpgroup(OpBuilder &b, Location loc) {
  Value warp = arith::ShRUIOp::create(b, loc, createTileThreadId(b, loc),
                                      createI32(b, loc, 5));
  Value uniform = NVVM::ShflOp::create(
      b, loc, b.getI32Type(), createI32(b, loc, -1), warp, createI32(b, loc, 0),
      createI32(b, loc, 31), NVVM::ShflKind::idx, UnitAttr());
  return arith::ShRUIOp::create(b, loc, uniform, createI32(b, loc, 2));
}

/// Inline assembly that changes f32 registers in place.
static SmallVector<Value> createTiedAsm(OpBuilder &b, Location loc,
                                        int64_t numRegisters,
                                        ValueRange operands, StringRef text,
                                        StringRef constraints) {
  SmallVector<Type> types(numRegisters, b.getF32Type());
  auto structType = LLVM::LLVMStructType::getLiteral(b.getContext(), types);
  auto op = LLVM::InlineAsmOp::create(
      b, loc, structType, operands, text, constraints,
      /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
      /*operand_attrs=*/ArrayAttr());
  SmallVector<Value> results;
  for (int64_t i = 0; i < numRegisters; ++i)
    results.push_back(LLVM::ExtractValueOp::create(b, loc, op.getRes(), i));
  return results;
}

namespace {
struct MmaLowering : OpConversionPattern<MmaOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MmaOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::optional<TileRegisters> layout = TileRegisters::get(op.getType());
    if (!layout || op.getA().getType().getSwizzle() == 0 ||
        op.getB().getType().getSwizzle() == 0)
      return op.emitOpError(
          "expected tiles with layouts (wgtile-assign-layouts)");
    Location loc = op.getLoc();
    SharedTile a = getTile(op.getA().getType());
    SharedTile b = getTile(op.getB().getType());
    int64_t depth = wgmmaK(a.elementBytes);
    if (a.rows % kWgmmaRows != 0 || a.cols % depth != 0)
      return op.emitOpError() << "expected rows in multiples of " << kWgmmaRows
                              << " and a depth in multiples of " << depth;

    // Each warpgroup multiplies its 64 rows of a.
    Value aDescriptor =
        createDescriptor(rewriter, loc, adaptor.getA().front(), a, Major::K);
    if (a.rows > kWgmmaRows) {
      Value warpgroup = arith::ExtUIOp::create(
          rewriter, loc, rewriter.getI64Type(), createWarpgroup(rewriter, loc));
      Value step =
          arith::ConstantOp::create(rewriter, loc,
                                    rewriter.getI64IntegerAttr(descriptorStep(
                                        a, Major::K, kWgmmaRows, 0)));
      aDescriptor = arith::AddIOp::create(
          rewriter, loc, aDescriptor,
          arith::MulIOp::create(rewriter, loc, warpgroup, step));
    }
    Value bDescriptor =
        createDescriptor(rewriter, loc, adaptor.getB().front(), b, Major::MN);

    // Operands: the accumulator's registers, tied, then the descriptors.
    int64_t numRegisters = layout->registers();
    SmallVector<Value> operands(adaptor.getAcc());
    std::string constraints, registers;
    for (int64_t i = 0; i < numRegisters; ++i) {
      constraints += "=f,";
      registers += (i ? ", $" : "$") + std::to_string(i);
    }
    for (int64_t i = 0; i < numRegisters; ++i)
      constraints += std::to_string(i) + ",";
    // Tied operands take numbers too.
    int64_t next = 2 * numRegisters;
    StringRef type =
        op.getA().getType().getElementType().isF16() ? "f16" : "bf16";
    std::string text = "wgmma.fence.sync.aligned;\n";
    for (int64_t k = 0; k < a.cols / depth; ++k) {
      operands.push_back(addToDescriptor(rewriter, loc, aDescriptor,
                                         descriptorStep(a, Major::K, 0, k)));
      operands.push_back(addToDescriptor(rewriter, loc, bDescriptor,
                                         descriptorStep(b, Major::MN, 0, k)));
      // Scale of the accumulator, signs, transpositions (b's rows run along k).
      text +=
          llvm::formatv("wgmma.mma_async.sync.aligned.m64n{0}k{1}.f32.{2}.{2} "
                        "{{{3}}, ${4}, ${5}, 1, 1, 1, 0, 1;\n",
                        b.cols, depth, type, registers, next, next + 1)
              .str();
      constraints += "l,l,";
      next += 2;
    }
    text += "wgmma.commit_group.sync.aligned;\n";
    if (!op.getAsync())
      text += "wgmma.wait_group.sync.aligned 0;\n";
    constraints += "~{memory}";

    rewriter.replaceOpWithMultiple(
        op, {createTiedAsm(rewriter, loc, numRegisters, operands, text,
                           constraints)});
    return success();
  }
};

/// The wait has the tile's registers as operands, so that nothing that uses
/// them can be moved before it.
struct WaitMmaLowering : OpConversionPattern<WaitMmaOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(WaitMmaOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::optional<TileRegisters> layout = TileRegisters::get(op.getType());
    if (!layout || !layout->type.getElementType().isF32())
      return op.emitOpError("expected an accumulator with a layout");
    std::string constraints;
    for (int64_t i = 0; i < layout->registers(); ++i)
      constraints += "=f,";
    for (int64_t i = 0; i < layout->registers(); ++i)
      constraints += std::to_string(i) + ",";
    std::string text =
        llvm::formatv("wgmma.wait_group.sync.aligned {0};", op.getPending());
    rewriter.replaceOpWithMultiple(
        op, {createTiedAsm(rewriter, op.getLoc(), layout->registers(),
                           SmallVector<Value>(adaptor.getTile()), text,
                           constraints + "~{memory}")});
    return success();
  }
};
} // namespace

void wgtile::populateComputePatterns(const TileTypeConverter &converter,
                                     RewritePatternSet &patterns) {
  patterns.add<MmaLowering, WaitMmaLowering>(converter, patterns.getContext());
}
