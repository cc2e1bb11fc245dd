//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Products by wgmma.

#include "TileRegisters.h"

#include "sattn/Layout/WgmmaDescriptor.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace wgtile;
using namespace sattn::layout;

/// The only swizzle of the descriptors that are made here.
static constexpr int64_t kSwizzleBytes = 128;

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
    if (op.getMmaSync())
      return rewriter.notifyMatchFailure(op, "not by wgmma");
    std::optional<TileRegisters> layout = TileRegisters::get(op.getType());
    if (!layout || op.getB().getType().getSwizzle() == 0)
      return op.emitOpError(
          "expected tiles with layouts (wgtile-assign-layouts)");
    AccumulatorFragment fragment = getFragment(layout->type);
    auto aShared = dyn_cast<SharedType>(op.getA().getType());
    SharedTile b = op.getB().getType().getTile();
    int64_t depth = wgmmaK(b.elementBytes);
    if (fragment.columnWarps != 1 || fragment.rowTiles != 1 ||
        fragment.rows() != layout->type.getDimSize(0) ||
        fragment.rows() % kWgmmaRows != 0 || b.elementBytes != 2 ||
        op.getB().getType().isPadded() || b.swizzle != kSwizzleBytes ||
        (aShared &&
         (aShared.getSwizzle() != kSwizzleBytes || aShared.isPadded())))
      return op.emitOpError()
             << "expected 16-bit tiles of a multiple of " << kWgmmaRows
             << " rows, 16 a warp, with a swizzle of " << kSwizzleBytes
             << " bytes and no padding (wgmma), but got " << op.getA().getType()
             << ", " << op.getB().getType() << " and " << layout->type;

    Location loc = op.getLoc();
    Value aDescriptor;
    if (aShared)
      aDescriptor =
          descriptorOfRows(rewriter, loc, adaptor.getA().front(), aShared);
    Value bDescriptor =
        createDescriptor(rewriter, loc, adaptor.getB().front(), b, Major::MN);

    // Operands: the accumulator's registers, tied, then those of a or its
    // descriptors, and the descriptors of b.
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
    auto addOperand = [&](Value value, StringRef constraint) {
      operands.push_back(value);
      constraints += (constraint + ",").str();
      return "$" + std::to_string(next++);
    };
    StringRef type =
        op.getB().getType().getElementType().isF16() ? "f16" : "bf16";
    std::string text = "wgmma.fence.sync.aligned;\n";
    for (int64_t k = 0; k < b.rows / depth; ++k) {
      std::string a;
      if (aShared) {
        a = addOperand(
            addToDescriptor(rewriter, loc, aDescriptor,
                            descriptorStep(aShared.getTile(), Major::K, 0, k)),
            "l");
      } else {
        // A packed accumulator's registers are those of the A fragment, in
        // their order.
        for (int64_t i = 0; i < AFragment::registersPerStep; ++i) {
          Value bits = LLVM::BitcastOp::create(
              rewriter, loc, rewriter.getI32Type(),
              adaptor.getA()[AFragment::registersPerStep * k + i]);
          a += (i ? ", " : "{") + addOperand(bits, "r");
        }
        a += "}";
      }
      std::string bText =
          addOperand(addToDescriptor(rewriter, loc, bDescriptor,
                                     descriptorStep(b, Major::MN, 0, k)),
                     "l");
      // Scale of the accumulator, signs, transpositions (b's rows run along k).
      text +=
          llvm::formatv("wgmma.mma_async.sync.aligned.m64n{0}k{1}.f32.{2}.{2} "
                        "{{{3}}, {4}, {5}, 1, 1, 1, {6}1;\n",
                        b.cols, depth, type, registers, a, bText,
                        aShared ? "0, " : "")
              .str();
    }
    text += "wgmma.commit_group.sync.aligned;\n";
    // Registers of a must stay as they are until the product is complete: it
    // completes here.
    if (!op.getAsync() || !aShared)
      text += "wgmma.wait_group.sync.aligned 0;\n";
    constraints += "~{memory}";

    rewriter.replaceOpWithMultiple(
        op, {createTiedAsm(rewriter, loc, numRegisters, operands, text,
                           constraints)});
    return success();
  }

private:
  /// Descriptor of the 64 rows of a that this thread's warpgroup multiplies.
  static Value descriptorOfRows(OpBuilder &b, Location loc, Value offset,
                                SharedType type) {
    SharedTile tile = type.getTile();
    Value descriptor = createDescriptor(b, loc, offset, tile, Major::K);
    if (tile.rows == kWgmmaRows)
      return descriptor;
    Value warpgroup =
        arith::ExtUIOp::create(b, loc, b.getI64Type(), createWarpgroup(b, loc));
    Value step = arith::ConstantOp::create(
        b, loc,
        b.getI64IntegerAttr(descriptorStep(tile, Major::K, kWgmmaRows, 0)));
    return arith::AddIOp::create(
        b, loc, descriptor, arith::MulIOp::create(b, loc, warpgroup, step));
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
