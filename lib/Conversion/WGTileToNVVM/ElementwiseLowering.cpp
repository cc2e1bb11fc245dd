//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Ops on register tiles that need no other thread's registers.

#include "TileRegisters.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace wgtile;

/// The thread's first row or column.
static Value createFirst(OpBuilder &b, Location loc,
                         const sattn::layout::AccumulatorFragment &fragment,
                         bool isRow) {
  Value first = isRow ? createThreadRow(b, loc, fragment)
                      : createThreadColumn(b, loc, fragment);
  // Opaque to LLVM and ptxas, which would otherwise hoist the values of all
  // elements out of the surrounding loop and keep them in registers.
  return createInlineAsm(b, loc, b.getI32Type(), {first}, "mov.b32 $0, $1;",
                         "=r,r")
      .getRes();
}

static Value createNumber(OpBuilder &b, Location loc, int64_t number,
                          Type element) {
  if (!element.isF32())
    return createI32(b, loc, number);
  return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(number));
}

/// An i32 in the element type.
static Value convertNumber(OpBuilder &b, Location loc, Value number,
                           Type element) {
  if (!element.isF32())
    return number;
  return arith::SIToFPOp::create(b, loc, element, number);
}

static Value createSum(OpBuilder &b, Location loc, Value x, Value y) {
  if (!x.getType().isF32())
    return arith::AddIOp::create(b, loc, x, y);
  return arith::AddFOp::create(b, loc, x, y);
}

/// x * y + z
static Value createMultiplyAdd(
    OpBuilder &b, Location loc, Value x, Value y, Value z,
    arith::IntegerOverflowFlags flags = arith::IntegerOverflowFlags::none) {
  if (x.getType().isF32())
    return math::FmaOp::create(b, loc, x, y, z);
  return arith::AddIOp::create(
      b, loc, b.createOrFold<arith::MulIOp>(loc, x, y, flags), z, flags);
}

namespace {
struct ConstantLowering : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::optional<TileRegisters> layout = TileRegisters::get(op.getType());
    auto splat = dyn_cast<SplatElementsAttr>(op.getValue());
    if (!layout || !splat)
      return rewriter.notifyMatchFailure(op, "not a splat of a tile");
    auto element = cast<TypedAttr>(splat.getSplatValue<Attribute>());
    TypedAttr value = element;
    if (auto vector = dyn_cast<VectorType>(layout->registerType()))
      value = SplatElementsAttr::get(vector, Attribute(element));
    Value constant = arith::ConstantOp::create(rewriter, op.getLoc(), value);
    rewriter.replaceOpWithMultiple(
        op, {SmallVector<Value>(layout->registers(), constant)});
    return success();
  }
};

struct SplatLowering : OpConversionPattern<tensor::SplatOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tensor::SplatOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::optional<TileRegisters> layout = TileRegisters::get(op.getType());
    if (!layout)
      return rewriter.notifyMatchFailure(op, "not a tile with a layout");
    Value value = adaptor.getInput().front();
    if (auto vector = dyn_cast<VectorType>(layout->registerType()))
      value = vector::BroadcastOp::create(rewriter, op.getLoc(), vector, value);
    rewriter.replaceOpWithMultiple(
        op, {SmallVector<Value>(layout->registers(), value)});
    return success();
  }
};

struct BroadcastLowering : OpConversionPattern<wgtile::BroadcastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(wgtile::BroadcastOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::optional<TileRegisters> source =
        TileRegisters::get(op.getSource().getType());
    std::optional<TileRegisters> result = TileRegisters::get(op.getType());
    if (!source || !result)
      return rewriter.notifyMatchFailure(op, "not tiles with layouts");
    Location loc = op.getLoc();
    SmallVector<Value> vector =
        unpack(rewriter, loc, *source, adaptor.getSource());
    sattn::layout::AccumulatorFragment fragment = getFragment(result->type);
    SmallVector<Value> elements;
    for (int64_t i = 0; i < result->elements; ++i)
      elements.push_back(
          vector[op.getDimension() == 0 ? fragment.rowVectorRegister(i)
                                        : fragment.columnVectorRegister(i)]);
    rewriter.replaceOpWithMultiple(op,
                                   {pack(rewriter, loc, *result, elements)});
    return success();
  }
};

struct ExtractColumnsLowering : OpConversionPattern<ExtractColumnsOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ExtractColumnsOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::optional<TileRegisters> source =
        TileRegisters::get(op.getSource().getType());
    std::optional<TileRegisters> result = TileRegisters::get(op.getType());
    if (!source || !result)
      return rewriter.notifyMatchFailure(op, "not tiles with layouts");
    // Registers go along the columns, one n8 fragment after the other.
    int64_t perEight = source->registers() * 8 / source->type.getShape().back();
    rewriter.replaceOpWithMultiple(
        op, {adaptor.getSource().slice(op.getOffset() / 8 * perEight,
                                       result->registers())});
    return success();
  }
};

struct StepLowering : OpConversionPattern<StepOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(StepOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::optional<TileRegisters> result = TileRegisters::get(op.getType());
    if (!result)
      return rewriter.notifyMatchFailure(op, "not a vector with a layout");
    Location loc = op.getLoc();
    sattn::layout::AccumulatorFragment fragment = getFragment(result->type);
    bool isRow = isRowVector(result->type.getEncoding());
    Type element = result->type.getElementType();
    Value first = convertNumber(
        rewriter, loc, createFirst(rewriter, loc, fragment, isRow), element);
    SmallVector<Value> elements;
    for (int64_t i = 0; i < result->elements; ++i) {
      int64_t number = isRow ? fragment.rowOfRowVector(0, i)
                             : fragment.columnOfColumnVector(0, i);
      Value constant = createNumber(rewriter, loc, number, element);
      elements.push_back(createSum(rewriter, loc, first, constant));
    }
    rewriter.replaceOpWithMultiple(op, {elements});
    return success();
  }
};

struct RampLowering : OpConversionPattern<RampOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(RampOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::optional<TileRegisters> start =
        TileRegisters::get(op.getStart().getType());
    std::optional<TileRegisters> result = TileRegisters::get(op.getType());
    if (!start || !result)
      return rewriter.notifyMatchFailure(op, "not tiles with layouts");
    Location loc = op.getLoc();
    sattn::layout::AccumulatorFragment fragment = getFragment(result->type);
    Type element = result->type.getElementType();
    Value slope = adaptor.getSlope().front();
    Value first = convertNumber(
        rewriter, loc, createFirst(rewriter, loc, fragment, /*isRow=*/false),
        element);
    auto flags = op.getNsw() ? arith::IntegerOverflowFlags::nsw
                             : arith::IntegerOverflowFlags::none;
    SmallVector<Value> rows, elements;
    for (Value value : unpack(rewriter, loc, *start, adaptor.getStart()))
      rows.push_back(
          createMultiplyAdd(rewriter, loc, first, slope, value, flags));
    for (int64_t i = 0; i < result->elements; ++i) {
      Value row = rows[fragment.rowVectorRegister(i)];
      if (op.getTile())
        row = createMultiplyAdd(rewriter, loc, adaptor.getTile()[i],
                                adaptor.getFactor().front(), row);
      int64_t column =
          fragment.columnOfColumnVector(0, fragment.columnVectorRegister(i));
      elements.push_back(createMultiplyAdd(
          rewriter, loc, createNumber(rewriter, loc, column, element), slope,
          row, flags));
    }
    rewriter.replaceOpWithMultiple(op,
                                   {pack(rewriter, loc, *result, elements)});
    return success();
  }
};

/// Lowers an op to one op per register, or per pair of columns if any operand
/// or the result is packed in pairs, so that conversions stay conversions of
/// pairs.
struct ElementwiseOpLowering : ConversionPattern {
  ElementwiseOpLowering(const TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, MatchAnyOpTypeTag(), /*benefit=*/1,
                          context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<ValueRange> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (op->getNumResults() != 1 || !OpTrait::hasElementwiseMappableTraits(op))
      return rewriter.notifyMatchFailure(op, "not an elementwise op");
    std::optional<TileRegisters> result =
        TileRegisters::get(op->getResult(0).getType());
    if (!result)
      return rewriter.notifyMatchFailure(op, "not on tiles with layouts");
    Location loc = op->getLoc();
    int64_t packing = result->packing;
    SmallVector<std::optional<TileRegisters>> layouts;
    for (Value operand : op->getOperands()) {
      layouts.push_back(TileRegisters::get(operand.getType()));
      if (layouts.back())
        packing = std::max(packing, layouts.back()->packing);
    }
    // A scalar operand (the condition of a select) serves every element.
    SmallVector<SmallVector<Value>> columns;
    for (auto [layout, registers] : llvm::zip(layouts, operands))
      columns.push_back(
          layout ? regroup(rewriter, loc, *layout, registers, packing)
                 : SmallVector<Value>(result->elements / packing,
                                      registers.front()));
    Type type = result->type.getElementType();
    if (packing > 1)
      type = VectorType::get({packing}, type);
    SmallVector<Value> results;
    for (int64_t i = 0; i < result->elements / packing; ++i) {
      SmallVector<Value> arguments;
      for (SmallVector<Value> &column : columns)
        arguments.push_back(column[i]);
      results.push_back(rewriter
                            .create(loc, op->getName().getIdentifier(),
                                    arguments, type, op->getAttrs())
                            ->getResult(0));
    }
    TileRegisters computed{result->type, result->elements, packing};
    rewriter.replaceOpWithMultiple(
        op, {regroup(rewriter, loc, computed, results, result->packing)});
    return success();
  }

private:
  static SmallVector<Value> regroup(OpBuilder &b, Location loc,
                                    const TileRegisters &layout,
                                    ValueRange registers, int64_t packing) {
    if (layout.packing == packing)
      return SmallVector<Value>(registers);
    TileRegisters target{layout.type, layout.elements, packing};
    return pack(b, loc, target, unpack(b, loc, layout, registers));
  }
};

/// Lowers a selection by more than two conditions to one instruction of each
/// element: as LLVM's, it would become one for each condition (`select (and a,
/// b), x, y` is `select a, (select b, x, y), y` to its instruction selection),
/// which ptxas does not take back. The conditions are then a chain of
/// comparisons.
struct SelectByConditionsLowering : OpConversionPattern<arith::SelectOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::SelectOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::optional<TileRegisters> layout = TileRegisters::get(op.getType());
    std::optional<TileRegisters> condition =
        TileRegisters::get(op.getCondition().getType());
    if (!layout || !condition || layout->packing != 1 ||
        layout->type.getRank() != 2)
      return rewriter.notifyMatchFailure(op, "not on tiles, by element");
    Type element = layout->registerType();
    if (!element.isF32() && !element.isInteger(32))
      return rewriter.notifyMatchFailure(op, "not of 32 bits");
    // Two comparisons are LLVM's: a window's spilled.
    Operation *both = op.getCondition().getDefiningOp();
    auto isPart = [](Value part) {
      return isa_and_present<arith::AndIOp, arith::OrIOp, TestBitsOp>(
          part.getDefiningOp());
    };
    if (!isPart(op.getCondition()) ||
        (!isa<TestBitsOp>(both) && llvm::none_of(both->getOperands(), isPart)))
      return rewriter.notifyMatchFailure(op, "not by several conditions");
    StringRef text = element.isF32() ? "selp.f32 $0, $1, $2, $3;"
                                     : "selp.b32 $0, $1, $2, $3;";
    StringRef constraints = element.isF32() ? "=f,f,f,b" : "=r,r,r,b";
    SmallVector<Value> results;
    for (auto [isTrue, x, y] :
         llvm::zip_equal(adaptor.getCondition(), adaptor.getTrueValue(),
                         adaptor.getFalseValue())) {
      moveBefore(isTrue, op, rewriter);
      results.push_back(createPureAsm(rewriter, op.getLoc(), element,
                                      {x, y, isTrue}, text, constraints));
    }
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }

private:
  /// Moves what a condition alone needs to its selection: of tests of bits that
  /// selections follow, ptxas makes several predicates by one instruction, and
  /// of others none.
  static void moveBefore(Value condition, Operation *place,
                         ConversionPatternRewriter &rewriter) {
    Operation *op = condition.getDefiningOp();
    if (!isa_and_present<arith::AndIOp, arith::OrIOp, arith::CmpIOp,
                         LLVM::InlineAsmOp>(op) ||
        !isMemoryEffectFree(op) || op->getBlock() != place->getBlock() ||
        !(op->use_empty() || op->hasOneUse()))
      return;
    for (Value operand : op->getOperands())
      moveBefore(operand, place, rewriter);
    rewriter.moveOpBefore(op, place);
  }
};

/// Negates f32 by an instruction that ptxas takes into those that use the
/// result. LLVM would negate what it has read as integers by operations on
/// bits, which wait for the values at once.
struct NegateLowering : OpConversionPattern<arith::NegFOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::NegFOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::optional<TileRegisters> layout = TileRegisters::get(op.getType());
    if (!layout || !layout->registerType().isF32())
      return rewriter.notifyMatchFailure(op, "not a tile of f32");
    SmallVector<Value> results;
    for (Value value : adaptor.getOperand())
      results.push_back(createPureAsm(rewriter, op.getLoc(), value.getType(),
                                      {value}, "neg.f32 $0, $1;", "=f,f"));
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

/// Widens pairs of bf16, which are the upper halves of f32. The upper one of a
/// pair needs no more than a mask, where ptxas would take it out and shift it
/// back. LLVM must not see that: it moves so cheap an operation before
/// branches, and would keep both forms of a tile in registers.
struct WidenPairsLowering : OpConversionPattern<arith::ExtFOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::ExtFOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::optional<TileRegisters> source =
        TileRegisters::get(op.getIn().getType());
    std::optional<TileRegisters> result = TileRegisters::get(op.getType());
    if (!source || !result || source->packing != 2 ||
        !source->type.getElementType().isBF16() ||
        !result->type.getElementType().isF32())
      return rewriter.notifyMatchFailure(op, "not pairs of bf16");
    Location loc = op.getLoc();
    Type f32 = rewriter.getF32Type();
    SmallVector<Value> elements;
    for (Value pair : adaptor.getIn()) {
      Value lower = vector::ExtractOp::create(rewriter, loc, pair, 0);
      elements.push_back(arith::ExtFOp::create(rewriter, loc, f32, lower));
      Value bits =
          LLVM::BitcastOp::create(rewriter, loc, rewriter.getI32Type(), pair);
      Value upper = createInlineAsm(rewriter, loc, bits.getType(), {bits},
                                    "and.b32 $0, $1, -65536;", "=r,r")
                        .getRes();
      elements.push_back(arith::BitcastOp::create(rewriter, loc, f32, upper));
    }
    rewriter.replaceOpWithMultiple(op, {elements});
    return success();
  }
};

/// Widens pairs of f16 that branches keep, and that are used only widened. LLVM
/// would widen them in the branch that reads them, and keep them wide: it must
/// not see that both are the same.
struct WidenKeptPairsLowering : OpConversionPattern<arith::ExtFOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::ExtFOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::optional<TileRegisters> source =
        TileRegisters::get(op.getIn().getType());
    std::optional<TileRegisters> result = TileRegisters::get(op.getType());
    if (!source || !result || source->packing != 2 ||
        !source->type.getElementType().isF16() ||
        !result->type.getElementType().isF32())
      return rewriter.notifyMatchFailure(op, "not pairs of f16");
    if (!op.getIn().getDefiningOp<scf::IfOp>() ||
        !llvm::all_of(op.getIn().getUsers(), llvm::IsaPred<arith::ExtFOp>))
      return rewriter.notifyMatchFailure(op, "not kept to be widened alone");
    Location loc = op.getLoc();
    SmallVector<Value> elements;
    for (Value pair : adaptor.getIn()) {
      Value bits =
          LLVM::BitcastOp::create(rewriter, loc, rewriter.getI32Type(), pair);
      Value kept = createInlineAsm(rewriter, loc, bits.getType(), {bits},
                                   "mov.b32 $0, $1;", "=r,r")
                       .getRes();
      Value own = LLVM::BitcastOp::create(rewriter, loc, pair.getType(), kept);
      for (int64_t half = 0; half < 2; ++half) {
        Value narrow = vector::ExtractOp::create(rewriter, loc, own, half);
        elements.push_back(arith::ExtFOp::create(
            rewriter, loc, rewriter.getF32Type(), narrow));
      }
    }
    rewriter.replaceOpWithMultiple(op, {elements});
    return success();
  }
};
} // namespace

void wgtile::populateElementwisePatterns(const TileTypeConverter &converter,
                                         RewritePatternSet &patterns) {
  patterns
      .add<BroadcastLowering, ConstantLowering, ElementwiseOpLowering,
           ExtractColumnsLowering, RampLowering, SplatLowering, StepLowering>(
          converter, patterns.getContext());
  patterns.add<NegateLowering, SelectByConditionsLowering,
               WidenKeptPairsLowering, WidenPairsLowering>(
      converter, patterns.getContext(),
      /*benefit=*/2);
}
