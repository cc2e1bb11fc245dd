//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Reads and stores of register tiles: each thread accesses its own elements,
// one by one, at any strides, those out of bounds skipped by predicates.
// Address and predicate of an element are computed in the inline assembly of
// its access: LLVM would keep all of them in registers from a tile's read to
// its store.

#include "TileRegisters.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace wgtile;

namespace {
/// Accesses of the elements that this thread holds of a tile at `indices` of a
/// memref.
class ElementAccess {
public:
  ElementAccess(OpBuilder &b, Location loc, Value memref, ValueRange indices,
                ArrayRef<bool> inBounds, bool isTransposed,
                const TileRegisters &layout)
      : b(b), loc(loc), layout(layout), fragment(getFragment(layout.type)) {
    auto metadata = memref::ExtractStridedMetadataOp::create(b, loc, memref);
    Value address =
        memref::ExtractAlignedPointerAsIndexOp::create(b, loc, memref);
    Value elementBytes =
        constant(layout.type.getElementType().getIntOrFloatBitWidth() / 8);

    SmallVector<int64_t> strides;
    int64_t staticOffset;
    bool isStrided = succeeded(cast<MemRefType>(memref.getType())
                                   .getStridesAndOffset(strides, staticOffset));
    assert(isStrided && "verified by the ops");
    (void)isStrided;

    // The thread's first element, and the others' offsets from it.
    Attribute encoding = layout.type.getEncoding();
    SmallVector<Value> position(indices);
    if (!isRowVector(encoding))
      columnConstant =
          peelConstant(b, loc, position[indices.size() - 1 - isTransposed]);
    int64_t leading = indices.size() - layout.type.getRank();
    int64_t tileDim = 0;
    for (bool isRows : {true, false}) {
      if (isRows ? isColumnVector(encoding) : isRowVector(encoding))
        continue;
      int64_t dim = leading + (isTransposed ? 1 - tileDim : tileDim);
      position[dim] = add(position[dim], isRows ? threadRow() : laneColumn());
      Axis &axis = isRows ? rows : columns;
      axis.byteStride = toI64(mul(metadata.getStrides()[dim], elementBytes));
      if (!ShapedType::isDynamic(strides[dim]))
        axis.staticByteStride =
            strides[dim] *
            layout.type.getElementType().getIntOrFloatBitWidth() / 8;
      if (!inBounds[tileDim])
        axis.limit = clampToI32(arith::SubIOp::create(
            b, loc, metadata.getSizes()[dim], position[dim]));
      // Rows that the layout has beyond the tile's.
      if (int64_t size = layout.type.getDimSize(0);
          isRows && size < fragment.rows()) {
        Value left = arith::SubIOp::create(b, loc, createI32(b, loc, size),
                                           createThreadRow(b, loc, fragment));
        axis.limit = axis.limit
                         ? arith::MinSIOp::create(b, loc, axis.limit, left)
                         : left;
      }
      ++tileDim;
    }
    Value offset = metadata.getOffset();
    for (auto [index, stride] : llvm::zip(position, metadata.getStrides()))
      offset = add(offset, mul(index, stride));
    base = toI64(add(address, mul(offset, elementBytes)));
  }

  /// Inline assembly that runs an access on an element, whose place is {0} in
  /// the format `access`, under the element's predicate. `prologue` comes
  /// first. Operands and constraints follow those given.
  LLVM::InlineAsmOp create(int64_t element, TypeRange results,
                           StringRef prologue, const char *access,
                           SmallVector<Value> operands,
                           std::string constraints) {
    int64_t next = operands.size() + results.size();
    auto addOperand = [&](Value value, StringRef constraint) {
      operands.push_back(value);
      constraints += ("," + constraint).str();
      return "$" + std::to_string(next++);
    };
    std::string address = addOperand(rowBase(rowOffset(element)), "l");
    std::string text =
        "{\n.reg .b64 %a;\n.reg .pred %p, %q;\n" + prologue.str();
    int64_t columnPosition = columnConstant + columnOffset(element);
    if (int64_t offset = columnPosition) {
      if (columns.staticByteStride) {
        address += "+" + std::to_string(offset * *columns.staticByteStride);
      } else {
        text +=
            llvm::formatv("mad.lo.s64 %a, {0}, {1}, {2};\n",
                          addOperand(columns.byteStride, "l"), offset, address);
        address = "%a";
      }
    }
    bool predicated = false;
    for (auto [axis, offset] : {std::pair(&rows, rowOffset(element)),
                                std::pair(&columns, columnPosition)}) {
      if (!axis->limit)
        continue;
      text += llvm::formatv("setp.gt.s32 {0}, {1}, {2};\n",
                            predicated ? "%q" : "%p",
                            addOperand(axis->limit, "r"), offset);
      if (predicated)
        text += "and.pred %p, %p, %q;\n";
      predicated = true;
    }
    text += (predicated ? "@%p " : "") + llvm::formatv(access, address).str() +
            "\n}\n";
    return createInlineAsm(b, loc, results, operands, text, constraints);
  }

  /// Whether an element's right neighbour is next to it in memory.
  bool hasUnitStride() const {
    return columns.staticByteStride ==
           layout.type.getElementType().getIntOrFloatBitWidth() / 8;
  }

  /// Inline assembly that reads all elements of 16 bits, each and its right
  /// neighbour at once, the low and high half of a result; the pairs are
  /// aligned. What is out of bounds is 0 and not accessed.
  SmallVector<Value> createPairReads() {
    int64_t pairs = layout.elements / 2;
    std::string constraints = "=&r";
    for (int64_t i = 1; i < pairs; ++i)
      constraints += ",=&r";
    SmallVector<Type> types(pairs, b.getI32Type());
    Type type = pairs == 1
                    ? types.front()
                    : LLVM::LLVMStructType::getLiteral(b.getContext(), types);
    auto textOf = [](int64_t i, StringRef address) -> PairText {
      std::string place = llvm::formatv("${0}, {1};\n", i, address);
      // The left element goes straight into the result: to ptxas a separate
      // register, written only under a predicate, is live from the kernel's
      // start, around the loop over tiles.
      return {llvm::formatv("mov.b32 ${0}, 0;\n", i), "ld.global.b32 " + place,
              "@%q ld.global.u16 " + place};
    };
    Value all = createPairAccess(type, /*operands=*/{}, constraints, textOf)
                    .getResult(0);
    if (pairs == 1)
      return {all};
    SmallVector<Value> results;
    for (int64_t i = 0; i < pairs; ++i)
      results.push_back(LLVM::ExtractValueOp::create(b, loc, all, i));
    return results;
  }

  /// Inline assembly that writes all elements of 16 bits, each and its right
  /// neighbour at once, the low and high half of a value; the pairs are
  /// aligned. Nothing is written out of bounds.
  void createPairStores(ArrayRef<Value> pairs) {
    std::string constraints = "r";
    for (size_t i = 1; i < pairs.size(); ++i)
      constraints += ",r";
    auto textOf = [](int64_t i, StringRef address) -> PairText {
      return {"", llvm::formatv("st.global.b32 {0}, ${1};\n", address, i),
              llvm::formatv("cvt.u16.u32 %h, ${1};\n"
                            "@%q st.global.b16 {0}, %h;\n",
                            address, i)};
    };
    createPairAccess(TypeRange(), SmallVector<Value>(pairs), constraints,
                     textOf);
  }

private:
  /// Code of a pair: the prologue if some pairs are out of bounds, the access
  /// of both elements, and the access of the left one alone, under %q.
  struct PairText {
    std::string before, both, left;
  };

  /// Inline assembly that accesses all pairs. They are its first operands or
  /// results, whose constraints are given. A thread tests once whether any of
  /// its elements is out of bounds, and only then for each pair.
  LLVM::InlineAsmOp createPairAccess(
      TypeRange results, SmallVector<Value> operands, std::string constraints,
      llvm::function_ref<PairText(int64_t pair, StringRef address)> textOf) {
    int64_t pairs = layout.elements / 2, next = pairs;
    auto addOperand = [&](Value value, StringRef constraint) {
      operands.push_back(value);
      constraints += ("," + constraint).str();
      return "$" + std::to_string(next++);
    };
    std::string rowLimit, columnLimit;
    if (rows.limit)
      rowLimit = addOperand(rows.limit, "r");
    if (columns.limit)
      columnLimit = addOperand(columns.limit, "r");

    // The accesses if all elements are in bounds, and if some may not be.
    std::string whole, clipped;
    int64_t lastRow = 0, lastColumn = 0;
    DenseMap<int64_t, std::string> bases;
    for (int64_t i = 0; i < pairs; ++i) {
      int64_t row = rowOffset(2 * i);
      int64_t column = columnConstant + columnOffset(2 * i);
      lastRow = std::max(lastRow, row);
      lastColumn = std::max(lastColumn, column + 1);
      std::string &base = bases[row];
      if (base.empty())
        base = addOperand(rowBase(row), "l");
      std::string address =
          llvm::formatv("[{0}+{1}]", base, column * *columns.staticByteStride);
      PairText text = textOf(i, address);
      whole += text.both;

      clipped += text.before;
      std::string inRow;
      if (rows.limit) {
        clipped += llvm::formatv("setp.gt.s32 %p, {0}, {1};\n", rowLimit, row);
        inRow = "and.pred %q, %q, %p;\n";
      }
      if (!columns.limit) {
        clipped += "@%p " + text.both;
        continue;
      }
      // The last column, if their number is odd.
      clipped +=
          llvm::formatv("setp.gt.s32 %q, {0}, {1};\n{2}@%q {3}"
                        "setp.eq.s32 %q, {0}, {1};\n{2}{4}",
                        columnLimit, column + 1, inRow, text.both, text.left);
    }
    return createInlineAsm(
        b, loc, results, operands,
        chooseWhole(rowLimit, lastRow, columnLimit, lastColumn, whole, clipped),
        constraints);
  }

  /// Code that runs `whole` if the last row and column of a thread are in
  /// bounds, else `clipped`. An empty limit: always in bounds.
  static std::string chooseWhole(StringRef rowLimit, int64_t lastRow,
                                 StringRef columnLimit, int64_t lastColumn,
                                 const std::string &whole,
                                 const std::string &clipped) {
    if (rowLimit.empty() && columnLimit.empty())
      return "{\n" + whole + "}\n";
    std::string text = "{\n.reg .pred %p, %q;\n.reg .b16 %h;\n";
    if (!rowLimit.empty())
      text += llvm::formatv("setp.gt.s32 %p, {0}, {1};\n", rowLimit, lastRow);
    if (!columnLimit.empty())
      text += llvm::formatv("setp.gt.s32 {0}, {1}, {2};\n",
                            rowLimit.empty() ? "%p" : "%q", columnLimit,
                            lastColumn);
    if (!rowLimit.empty() && !columnLimit.empty())
      text += "and.pred %p, %p, %q;\n";
    return text + "@%p bra WHOLE;\n" + clipped + "bra DONE;\nWHOLE:\n" + whole +
           "DONE:\n}\n";
  }

  /// Rows or columns: bytes from one to the next, and their number from the
  /// thread's first on (i32), if an element may be out of bounds.
  struct Axis {
    Value byteStride, limit;
    std::optional<int64_t> staticByteStride;
  };

  /// Address of the thread's first column of a row.
  Value rowBase(int64_t row) {
    Value &result = rowBases[row];
    if (!result) {
      result = base;
      if (row != 0) {
        Value rowIndex =
            arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(row));
        result = arith::AddIOp::create(
            b, loc, base,
            arith::MulIOp::create(b, loc, rows.byteStride, rowIndex));
      }
    }
    return result;
  }
  /// An index as i32, or the largest one: a tile's positions are smaller.
  Value clampToI32(Value index) {
    Value bound = constant(std::numeric_limits<int32_t>::max());
    return arith::IndexCastOp::create(
        b, loc, b.getI32Type(), arith::MinSIOp::create(b, loc, index, bound));
  }

  /// Rows and columns from the thread's first element to another.
  int64_t rowOffset(int64_t element) {
    if (isColumnVector(layout.type.getEncoding()))
      return 0;
    if (isRowVector(layout.type.getEncoding()))
      return fragment.rowOfRowVector(0, element);
    return fragment.registerRowOffset(element);
  }
  int64_t columnOffset(int64_t element) {
    if (isRowVector(layout.type.getEncoding()))
      return 0;
    if (isColumnVector(layout.type.getEncoding()))
      return fragment.columnOfColumnVector(0, element);
    return fragment.registerColumnOffset(element);
  }
  Value threadRow() { return toIndex(createThreadRow(b, loc, fragment)); }
  Value laneColumn() { return toIndex(createThreadColumn(b, loc, fragment)); }
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value add(Value lhs, Value rhs) {
    return b.createOrFold<arith::AddIOp>(loc, lhs, rhs);
  }
  Value mul(Value lhs, Value rhs) {
    return b.createOrFold<arith::MulIOp>(loc, lhs, rhs);
  }
  Value toIndex(Value value) {
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), value);
  }
  Value toI64(Value index) {
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
  }

  OpBuilder &b;
  Location loc;
  TileRegisters layout;
  sattn::layout::AccumulatorFragment fragment;
  Value base;
  Axis rows, columns;
  /// Column of the tile's first element, counted from that of `base`.
  int64_t columnConstant = 0;
  DenseMap<int64_t, Value> rowBases;
};

/// The type that carries an element through inline assembly, its constraint and
/// the suffix of its accesses.
struct AsmElement {
  Type type;
  StringRef constraint, suffix;
};
} // namespace

static FailureOr<AsmElement> getAsmElement(Operation *op, Type element) {
  MLIRContext *context = element.getContext();
  switch (element.getIntOrFloatBitWidth()) {
  case 16:
    return AsmElement{IntegerType::get(context, 16), "h", "b16"};
  case 32:
    return AsmElement{IntegerType::get(context, 32), "r", "b32"};
  default:
    return op->emitOpError()
           << "expected elements of 16 or 32 bits, but got " << element;
  }
}

namespace {
struct ReadLowering : OpConversionPattern<ReadOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ReadOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::optional<TileRegisters> layout =
        TileRegisters::get(op.getTile().getType());
    if (!layout)
      return rewriter.notifyMatchFailure(op, "not a tile with a layout");
    Location loc = op.getLoc();
    Type element = layout->type.getElementType();
    FailureOr<AsmElement> carrier = getAsmElement(op, element);
    if (failed(carrier))
      return failure();
    ElementAccess access(rewriter, loc, op.getSource(), op.getIndices(),
                         op.getInBounds(), op.getTransposed(), *layout);
    if (op.getAligned() && layout->packing == 2 && access.hasUnitStride()) {
      SmallVector<Value> registers;
      for (Value pair : access.createPairReads())
        registers.push_back(LLVM::BitcastOp::create(
            rewriter, loc, layout->registerType(), pair));
      rewriter.replaceOpWithMultiple(op, {registers});
      return success();
    }
    std::string clear = ("mov." + carrier->suffix + " $0, 0;\n").str();
    std::string load = ("ld.global." + carrier->suffix + " $0, [{0}];").str();
    SmallVector<Value> elements;
    for (int64_t i = 0; i < layout->elements; ++i) {
      // The result is written before the other operands are read.
      LLVM::InlineAsmOp value =
          access.create(i, carrier->type, clear, load.c_str(), {},
                        ("=&" + carrier->constraint).str());
      elements.push_back(
          arith::BitcastOp::create(rewriter, loc, element, value.getResult(0)));
    }
    rewriter.replaceOpWithMultiple(op,
                                   {pack(rewriter, loc, *layout, elements)});
    return success();
  }
};

struct GatherLowering : OpConversionPattern<GatherOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(GatherOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::optional<TileRegisters> layout = TileRegisters::get(op.getType());
    if (!layout)
      return rewriter.notifyMatchFailure(op, "not a tile with a layout");
    Location loc = op.getLoc();
    SmallVector<Value> elements;
    for (int64_t i = 0; i < layout->elements; ++i) {
      SmallVector<Value> indices;
      for (ValueRange tile : adaptor.getIndices())
        indices.push_back(arith::IndexCastOp::create(
            rewriter, loc, rewriter.getIndexType(), tile[i]));
      elements.push_back(
          memref::LoadOp::create(rewriter, loc, op.getSource(), indices));
    }
    rewriter.replaceOpWithMultiple(op,
                                   {pack(rewriter, loc, *layout, elements)});
    return success();
  }
};

struct StoreLowering : OpConversionPattern<StoreOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(StoreOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::optional<TileRegisters> layout =
        TileRegisters::get(op.getTile().getType());
    if (!layout)
      return rewriter.notifyMatchFailure(op, "not a tile with a layout");
    Location loc = op.getLoc();
    FailureOr<AsmElement> carrier =
        getAsmElement(op, layout->type.getElementType());
    if (failed(carrier))
      return failure();
    ElementAccess access(rewriter, loc, op.getDest(), op.getIndices(),
                         op.getInBounds(), op.getTransposed(), *layout);
    if (op.getAligned() && layout->packing == 2 && access.hasUnitStride()) {
      SmallVector<Value> pairs;
      for (Value pair : adaptor.getTile())
        pairs.push_back(LLVM::BitcastOp::create(rewriter, loc,
                                                rewriter.getI32Type(), pair));
      access.createPairStores(pairs);
      rewriter.eraseOp(op);
      return success();
    }
    SmallVector<Value> elements =
        unpack(rewriter, loc, *layout, adaptor.getTile());
    std::string store = ("st.global." + carrier->suffix + " [{0}], $0;").str();
    for (auto [i, element] : llvm::enumerate(elements)) {
      Value value =
          arith::BitcastOp::create(rewriter, loc, carrier->type, element);
      access.create(i, TypeRange(), "", store.c_str(), {value},
                    carrier->constraint.str());
    }
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void wgtile::populateGlobalAccessPatterns(const TileTypeConverter &converter,
                                          RewritePatternSet &patterns) {
  patterns.add<GatherLowering, ReadLowering, StoreLowering>(
      converter, patterns.getContext());
}
