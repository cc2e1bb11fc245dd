//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Products by wgmma.

#include "TileRegisters.h"

#include "sattn/Dialect/WGTile/IR/MmaTypes.h"
#include "sattn/Layout/WgmmaDescriptor.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace wgtile;
using namespace sattn::layout;

namespace {
/// Descriptor of a shared tile. The address field is in its lower half, which
/// alone is computed: 64 bits would carry between halves, in a chain of
/// instructions before the first MMA.
struct Descriptor {
  Value low;
  uint32_t high;
};
} // namespace

/// The descriptor of a tile at an offset in the kernel's shared memory.
static Descriptor createDescriptor(OpBuilder &b, Location loc, Value offset,
                                   const SharedTile &tile, Major major) {
  Value address = LLVM::PtrToIntOp::create(b, loc, b.getI32Type(),
                                           createSharedAddress(b, loc, offset));
  // encodeAddress, of an address known at run time; shared memory is smaller
  // than what the field holds.
  Value encoded = arith::ShRUIOp::create(b, loc, address, createI32(b, loc, 4));
  uint64_t bits = descriptorBits(tile, major);
  return {arith::OrIOp::create(
              b, loc, encoded,
              createI32(b, loc, static_cast<int32_t>(llvm::Lo_32(bits)))),
          llvm::Hi_32(bits)};
}

/// Index of this thread's warpgroup, the same register for all its threads.
/// With roles it is computed at the start of the consumers' role, since nothing
/// moves a shuffle out of a loop.
static Value createWarpgroup(OpBuilder &b, Location loc) {
  OpBuilder::InsertionGuard insertion(b);
  for (Region *region = b.getInsertionBlock()->getParent(); region;
       region = region->getParentRegion())
    if (isa<RolesOp>(region->getParentOp()))
      b.setInsertionPointToStart(&region->front());
  Value warp = arith::ShRUIOp::create(b, loc, createTileThreadId(b, loc),
                                      createI32(b, loc, 5));
  Value uniform = NVVM::ShflOp::create(
      b, loc, b.getI32Type(), createI32(b, loc, -1), warp, createI32(b, loc, 0),
      createI32(b, loc, 31), NVVM::ShflKind::idx, UnitAttr());
  return arith::ShRUIOp::create(b, loc, uniform, createI32(b, loc, 2));
}

/// Inline assembly that changes registers in place, of f32, i32 or pairs of 16
/// bits; `constraints` are those of the other operands. Pairs are passed as
/// i32, the form of MMA operands.
static SmallVector<Value> createTiedAsm(OpBuilder &b, Location loc,
                                        ValueRange tied, ValueRange operands,
                                        StringRef text, StringRef constraints) {
  SmallVector<Value> all;
  SmallVector<Type> types;
  std::string tiedConstraints, numbers;
  for (auto [i, value] : llvm::enumerate(tied)) {
    bool isPair = isa<VectorType>(value.getType());
    all.push_back(
        isPair
            ? LLVM::BitcastOp::create(b, loc, b.getI32Type(), value).getResult()
            : value);
    types.push_back(all.back().getType());
    tiedConstraints += types.back().isInteger() ? "=r," : "=f,";
    numbers += std::to_string(i) + ",";
  }
  llvm::append_range(all, operands);
  Type type = types.size() == 1
                  ? types.front()
                  : LLVM::LLVMStructType::getLiteral(b.getContext(), types);
  LLVM::InlineAsmOp op = createInlineAsm(
      b, loc, type, all, text, tiedConstraints + numbers + constraints.str());
  SmallVector<Value> results;
  for (auto [i, value] : llvm::enumerate(tied)) {
    Value result =
        types.size() == 1
            ? op.getRes()
            : LLVM::ExtractValueOp::create(b, loc, op.getRes(), i).getResult();
    if (result.getType() != value.getType())
      result = LLVM::BitcastOp::create(b, loc, value.getType(), result);
    results.push_back(result);
  }
  return results;
}

namespace {
/// An MMA by wgmma, of `MmaOp` or `MmaAsyncOp`.
template <typename OpTy> struct WgmmaLowering : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;
  using Adaptor = typename OpConversionPattern<OpTy>::OneToNOpAdaptor;

  LogicalResult
  matchAndRewrite(OpTy op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    constexpr bool isAsync = std::is_same_v<OpTy, MmaAsyncOp>;
    if constexpr (!isAsync)
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
    Major aMajor = op.getTransposeA() ? Major::MN : Major::K;
    Major bMajor = op.getTransposeB() ? Major::K : Major::MN;
    if (fragment.columnWarps != 1 || fragment.rowTiles != 1 ||
        fragment.run != 2 || fragment.rows() != layout->type.getDimSize(0) ||
        !isWgmmaResult(fragment.rows(), layout->type.getDimSize(1),
                       layout->type.getElementType().isInteger()) ||
        !isOperand(op.getB().getType(), bMajor) ||
        (aShared && !isOperand(aShared, aMajor)))
      return op.emitOpError()
             << "expected tiles of 16 bits, or of 8 or 32 along K, of a "
                "multiple of "
             << kWgmmaRows << " rows, 16 a warp, with a swizzle of "
             << kWgmmaSwizzle << " bytes (" << kWgmmaShortSwizzle
             << " of shorter rows) and no padding (wgmma), but got "
             << op.getA().getType() << ", " << op.getB().getType() << " and "
             << layout->type;

    if (op.getRows())
      clearRows(rewriter, op, adaptor.getB().front(),
                adaptor.getRows().front());
    Location loc = op.getLoc();
    Descriptor aDescriptor;
    if (aShared)
      aDescriptor = descriptorOfRows(rewriter, loc, adaptor.getA().front(),
                                     aShared, aMajor);
    Descriptor bDescriptor =
        createDescriptor(rewriter, loc, adaptor.getB().front(), b, bMajor);
    // An accumulator of zeros is not read (scale-d 0).
    bool startsAtZero = isZero(op.getAcc());

    // Operands: the accumulator's registers, tied, then those of a or its
    // descriptors, and the descriptors of b.
    int64_t numRegisters = layout->registers();
    SmallVector<Value> operands;
    std::string constraints, registers;
    for (int64_t i = 0; i < numRegisters; ++i)
      registers += (i ? ", $" : "$") + std::to_string(i);
    // Tied operands have numbers too.
    int64_t next = 2 * numRegisters;
    auto addOperand = [&](Value value, StringRef constraint) {
      operands.push_back(value);
      constraints += (constraint + ",").str();
      return "$" + std::to_string(next++);
    };
    Type bElement = op.getB().getType().getElementType();
    Type aElement = aShared ? aShared.getElementType()
                            : getElementTypeOrSelf(op.getA().getType());
    bool isInteger = bElement.isInteger();
    std::string instruction =
        llvm::formatv("wgmma.mma_async.sync.aligned.m64n{0}k{1}.{2}.{3}.{4}",
                      op.getBColumns(), depth, isInteger ? "s32" : "f32",
                      getMmaName(aElement), getMmaName(bElement));
    // Signs, which floats have, and whether rows run along k, which 16 bits
    // say.
    std::string modifiers = isInteger ? "" : ", 1, 1";
    if (b.elementBytes == 2) {
      if (aShared)
        modifiers += aMajor == Major::K ? ", 0" : ", 1";
      modifiers += bMajor == Major::K ? ", 0" : ", 1";
    }
    std::string text = "{\n.reg .b64 %a, %b, %a0, %b0;\n";
    // Descriptors are put together and added up in the text: nothing then keeps
    // those of all steps in registers, out of a loop.
    auto putTogether = [&](StringRef name, const Descriptor &descriptor) {
      text += llvm::formatv("mov.b64 {0}, {{{1}, {2}};\n", name,
                            addOperand(descriptor.low, "r"),
                            static_cast<int32_t>(descriptor.high))
                  .str();
    };
    putTogether("%b0", bDescriptor);
    if (aShared)
      putTogether("%a0", aDescriptor);
    text += "wgmma.fence.sync.aligned;\n";
    auto addStep = [&](StringRef name, int64_t step) {
      text += llvm::formatv("add.s64 {0}, {0}0, {1};\n", name, step).str();
    };
    for (int64_t k = 0; k < op.getBRows() / depth; ++k) {
      std::string a;
      if (aShared) {
        a = "%a";
        addStep(a, descriptorStep(aShared.getTile(), aMajor, 0, k));
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
      addStep("%b", descriptorStep(b, bMajor, 0, k));
      text += llvm::formatv("{0} {{{1}}, {2}, {3}, {4}{5};\n", instruction,
                            registers, a, "%b", startsAtZero && k == 0 ? 0 : 1,
                            modifiers)
                  .str();
    }
    text += "wgmma.commit_group.sync.aligned;\n";
    // Registers of a do not change until the wait for an asynchronous MMA,
    // which has them as operands.
    if (!isAsync)
      text += "wgmma.wait_group.sync.aligned 0;\n";
    text += "}";
    constraints += "~{memory}";

    SmallVector<Value> accumulator(adaptor.getAcc());
    if (startsAtZero)
      for (Value &value : accumulator)
        value = LLVM::UndefOp::create(rewriter, loc, value.getType());
    rewriter.replaceOpWithMultiple(
        op, {createTiedAsm(rewriter, loc, accumulator, operands, text,
                           constraints)});
    return success();
  }

private:
  static bool isOperand(SharedType type, Major major) {
    return type.getSwizzle() != 0 && !type.getPacked() &&
           type.getSwizzle() == wgmmaSwizzle(type.getRows(), type.getColumns(),
                                             type.getElementBytes(), major);
  }

  static bool isZero(Value tile) {
    auto constant = tile.getDefiningOp<arith::ConstantOp>();
    auto splat =
        constant ? dyn_cast<SplatElementsAttr>(constant.getValue()) : nullptr;
    if (!splat)
      return false;
    return isa<FloatType>(splat.getElementType())
               ? splat.getSplatValue<APFloat>().isPosZero()
               : splat.getSplatValue<APInt>().isZero();
  }

  /// Descriptor of the 64 rows of a that this thread's warpgroup multiplies.
  static Descriptor descriptorOfRows(OpBuilder &b, Location loc, Value offset,
                                     SharedType type, Major major) {
    SharedTile tile = type.getTile();
    Descriptor descriptor = createDescriptor(b, loc, offset, tile, major);
    if ((major == Major::K ? tile.rows : tile.cols) == kWgmmaRows)
      return descriptor;
    Value step = createI32(b, loc, descriptorStep(tile, major, kWgmmaRows, 0));
    descriptor.low = arith::AddIOp::create(
        b, loc, descriptor.low,
        arith::MulIOp::create(b, loc, createWarpgroup(b, loc), step));
    return descriptor;
  }
};

/// Whether a loop ends with this wait, for MMAs that run beside what the
/// iteration computes after them. ptxas would move the wait up, over all that
/// does not depend on it.
static bool endsIteration(WarpgroupMmaWaitOp op) {
  return op.getPending() == 0 && isa<scf::ForOp>(op->getParentOp()) &&
         llvm::all_of(op->getUsers(),
                      [](Operation *user) {
                        return user->hasTrait<OpTrait::IsTerminator>();
                      }) &&
         llvm::any_of(op.getTiles(), [&](Value tile) {
           auto mma = tile.getDefiningOp<MmaAsyncOp>();
           return mma && mma->getBlock() == op->getBlock() &&
                  mma->getNextNode() != op;
         });
}

/// A loop with a wait alone, a block that ptxas moves nothing in or out of. No
/// grid is empty, which ptxas does not know: the loop runs once.
static constexpr const char *kWaitApart = R"({{
.reg .pred %p;
.reg .b32 %n;
mov.u32 %n, %nctaid.z;
setp.eq.u32 %p, %n, 0;
WAIT:
wgmma.wait_group.sync.aligned {0};
@%p bra.uni WAIT;
})";

/// Lowers a wait with the tiles' registers as operands: their uses cannot move
/// before it, and left operands of MMAs keep their registers until then.
struct WarpgroupMmaWaitLowering : OpConversionPattern<WarpgroupMmaWaitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(WarpgroupMmaWaitOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> registers;
    for (auto [tile, values] :
         llvm::zip_equal(op.getTiles(), adaptor.getTiles())) {
      std::optional<TileRegisters> layout = TileRegisters::get(tile.getType());
      if (!layout ||
          (layout->type.getElementTypeBitWidth() != 32 && layout->packing != 2))
        return op.emitOpError() << "expected tiles of 32 bits or of pairs of "
                                   "16 with a layout, but got "
                                << tile.getType();
      llvm::append_range(registers, values);
    }
    std::string text = llvm::formatv(
        endsIteration(op) ? kWaitApart : "wgmma.wait_group.sync.aligned {0};",
        op.getPending());
    SmallVector<Value> kept =
        createTiedAsm(rewriter, op.getLoc(), registers, {}, text, "~{memory}");
    ArrayRef<Value> results = kept;
    SmallVector<SmallVector<Value>> tiles;
    for (ValueRange values : adaptor.getTiles()) {
      tiles.emplace_back(results.take_front(values.size()));
      results = results.drop_front(values.size());
    }
    rewriter.replaceOpWithMultiple(op, std::move(tiles));
    return success();
  }
};
} // namespace

void wgtile::populateComputePatterns(const TileTypeConverter &converter,
                                     RewritePatternSet &patterns) {
  patterns.add<WgmmaLowering<MmaOp>, WgmmaLowering<MmaAsyncOp>,
               WarpgroupMmaWaitLowering>(converter, patterns.getContext());
}
