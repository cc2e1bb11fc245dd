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
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
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

  /// Whether the elements are accessed in words of 32 bits, several at once
  /// where they are neighbors.
  bool takesWords() const {
    int64_t bits = layout.type.getElementTypeBitWidth();
    return hasUnitStride() &&
           (layout.packing == 2 || (bits == kWordBits && fragment.run > 1));
  }

  /// Whether a row of words is read, by the run where the address allows it.
  bool takesRowOfWords() const {
    return hasUnitStride() && isColumnVector(layout.type.getEncoding()) &&
           layout.type.getElementTypeBitWidth() == kWordBits &&
           fragment.run > 1;
  }

  /// Inline assembly that reads all elements, two of 16 bits or one of 32 in a
  /// word. What is out of bounds has the bits of `padding` and is not accessed.
  /// If runs may not be aligned, a thread tests it, and reads words one by one.
  SmallVector<Value> createWordReads(bool areRunsAligned, uint64_t padding) {
    testsAlignment = !areRunsAligned;
    uint64_t right = elementsPerWord() == 2 ? padding << 16 : 0;
    int64_t words = countWords();
    std::string constraints = "=&r";
    for (int64_t i = 1; i < words; ++i)
      constraints += ",=&r";
    SmallVector<Type> types(words, b.getI32Type());
    Type type = words == 1
                    ? types.front()
                    : LLVM::LLVMStructType::getLiteral(b.getContext(), types);
    auto access = [](ArrayRef<int64_t> words, StringRef address) {
      return llvm::formatv("ld.global{0} {1}, {2};\n", suffixOf(words),
                           listOf(words), address)
          .str();
    };
    // The left element goes straight into the result: to ptxas a separate
    // register, written only under a predicate, is live from the kernel's
    // start, around the loop over tiles.
    auto half = [&](int64_t word, StringRef address) {
      std::string text =
          llvm::formatv("@%q ld.global.u16 ${0}, {1};\n", word, address);
      if (right != 0)
        text += llvm::formatv("@%q or.b32 ${0}, ${0}, {1};\n", word, right);
      return text;
    };
    auto clear = [&](int64_t word) {
      return llvm::formatv("mov.b32 ${0}, {1};\n", word, right | padding).str();
    };
    Value all = createWordAccess(type, /*operands=*/{}, constraints,
                                 {clear, access, half})
                    .getResult(0);
    if (words == 1)
      return {all};
    SmallVector<Value> results;
    for (int64_t i = 0; i < words; ++i)
      results.push_back(LLVM::ExtractValueOp::create(b, loc, all, i));
    return results;
  }

  /// Inline assembly that writes all elements, as `createWordReads` reads them.
  /// Nothing is written out of bounds.
  void createWordStores(ArrayRef<Value> words) {
    std::string constraints = "r";
    for (size_t i = 1; i < words.size(); ++i)
      constraints += ",r";
    auto access = [](ArrayRef<int64_t> words, StringRef address) {
      return llvm::formatv("st.global{0} {1}, {2};\n", suffixOf(words), address,
                           listOf(words))
          .str();
    };
    auto half = [](int64_t word, StringRef address) {
      return llvm::formatv("cvt.u16.u32 %h, ${0};\n"
                           "@%q st.global.b16 {1}, %h;\n",
                           word, address)
          .str();
    };
    auto nothing = [](int64_t) { return std::string(); };
    createWordAccess(TypeRange(), SmallVector<Value>(words), constraints,
                     {nothing, access, half});
  }

private:
  static constexpr int64_t kWordBits = 32, kMostWords = 4;

  /// Code of words: what precedes one that may be out of bounds, the access of
  /// one or of several neighbors, and that of the left half of one, under %q.
  struct WordText {
    llvm::function_ref<std::string(int64_t word)> before;
    llvm::function_ref<std::string(ArrayRef<int64_t> words, StringRef address)>
        access;
    llvm::function_ref<std::string(int64_t word, StringRef address)> half;
  };

  static std::string suffixOf(ArrayRef<int64_t> words) {
    return words.size() == 1 ? ".b32"
                             : ".v" + std::to_string(words.size()) + ".b32";
  }
  static std::string listOf(ArrayRef<int64_t> words) {
    std::string list;
    for (int64_t word : words)
      list += (list.empty() ? "$" : ", $") + std::to_string(word);
    return words.size() == 1 ? list : "{" + list + "}";
  }

  int64_t elementsPerWord() const {
    return kWordBits / layout.type.getElementTypeBitWidth();
  }
  int64_t countWords() const { return layout.elements / elementsPerWord(); }
  int64_t wordRow(int64_t word) { return rowOffset(elementsPerWord() * word); }
  int64_t wordColumn(int64_t word) {
    return columnConstant + columnOffset(elementsPerWord() * word);
  }

  /// The words in groups of neighbors, of up to 16 bytes of a run.
  SmallVector<SmallVector<int64_t>> groupWords() {
    int64_t elements = elementsPerWord();
    int64_t most = std::min(fragment.run / elements, kMostWords);
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq(countWords()));
    // As the registers are numbered, where no words are neighbors.
    if (most > 1)
      llvm::stable_sort(order, [&](int64_t x, int64_t y) {
        return std::pair(wordRow(x), wordColumn(x)) <
               std::pair(wordRow(y), wordColumn(y));
      });
    SmallVector<SmallVector<int64_t>> groups;
    for (auto [i, word] : llvm::enumerate(order)) {
      if (i % most == 0)
        groups.emplace_back();
      groups.back().push_back(word);
      assert(wordColumn(word) ==
                 wordColumn(groups.back().front()) +
                     elements * int64_t(groups.back().size() - 1) &&
             "a run of columns");
    }
    return groups;
  }

  /// Inline assembly that accesses all words. They are its first operands or
  /// results, whose constraints are given. A thread tests once whether any of
  /// its elements is out of bounds, and only then for each word.
  LLVM::InlineAsmOp createWordAccess(TypeRange results,
                                     SmallVector<Value> operands,
                                     std::string constraints,
                                     const WordText &textOf) {
    int64_t next = countWords();
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
    for (ArrayRef<int64_t> group : groupWords()) {
      int64_t row = wordRow(group.front());
      lastRow = std::max(lastRow, row);
      lastColumn = std::max(lastColumn,
                            wordColumn(group.back()) + elementsPerWord() - 1);
      std::string &base = bases[row];
      if (base.empty())
        base = addOperand(rowBase(row), "l");
      auto addressOf = [&](int64_t word) {
        return llvm::formatv("[{0}+{1}]", base,
                             wordColumn(word) * *columns.staticByteStride)
            .str();
      };
      whole += textOf.access(group, addressOf(group.front()));
      if (rows.limit || columns.limit)
        for (int64_t word : group)
          clipped += textOf.before(word);
      std::string inRow;
      if (rows.limit) {
        clipped += llvm::formatv("setp.gt.s32 %p, {0}, {1};\n", rowLimit, row);
        inRow = "and.pred %q, %q, %p;\n";
      }
      if (!columns.limit && testsAlignment) {
        for (int64_t word : group)
          clipped += textOf.access(word, addressOf(word));
        continue;
      }
      if (!columns.limit) {
        clipped += "@%p " + textOf.access(group, addressOf(group.front()));
        continue;
      }
      for (int64_t word : group) {
        int64_t last = wordColumn(word) + elementsPerWord() - 1;
        clipped +=
            llvm::formatv("setp.gt.s32 %q, {0}, {1};\n{2}@%q {3}", columnLimit,
                          last, inRow, textOf.access(word, addressOf(word)));
        // The last column, if their number is odd.
        if (elementsPerWord() == 2)
          clipped +=
              llvm::formatv("setp.eq.s32 %q, {0}, {1};\n{2}{3}", columnLimit,
                            last, inRow, textOf.half(word, addressOf(word)));
      }
    }
    // The conditions for the accesses of `whole`.
    SmallVector<std::string> conditions;
    if (rows.limit)
      conditions.push_back(
          llvm::formatv("setp.gt.s32 {{0}, {0}, {1};\n", rowLimit, lastRow));
    if (columns.limit)
      conditions.push_back(llvm::formatv("setp.gt.s32 {{0}, {0}, {1};\n",
                                         columnLimit, lastColumn));
    if (testsAlignment) {
      assert(bases.size() == 1 && "one row");
      int64_t bytes = std::min(fragment.run, kMostWords) * kWordBits / 8;
      conditions.push_back(
          llvm::formatv("and.b64 %a, {0}, {1};\nsetp.eq.s64 {{0}, %a, 0;\n",
                        bases.begin()->second, bytes - 1));
    }
    return createInlineAsm(b, loc, results, operands,
                           chooseWhole(conditions, whole, clipped),
                           constraints);
  }

  /// Code that runs `whole` if all conditions hold, else `clipped`. A condition
  /// sets the predicate {0} of its format.
  static std::string chooseWhole(ArrayRef<std::string> conditions,
                                 const std::string &whole,
                                 const std::string &clipped) {
    if (conditions.empty())
      return "{\n" + whole + "}\n";
    std::string text = "{\n.reg .pred %p, %q;\n.reg .b16 %h;\n.reg .b64 %a;\n";
    for (auto [i, condition] : llvm::enumerate(conditions)) {
      text += llvm::formatv(condition.c_str(), i == 0 ? "%p" : "%q").str();
      if (i > 0)
        text += "and.pred %p, %p, %q;\n";
    }
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
  bool testsAlignment = false;
};

/// The type that carries an element through inline assembly, its constraint and
/// the suffixes of a move between its registers and of its accesses.
struct AsmElement {
  Type element, type;
  StringRef constraint, move, access;

  static AsmElement get(Type element);

  /// An element in a register of its carrier, whose other bits are 0, and back.
  Value wrap(OpBuilder &b, Location loc, Value value) const {
    Type bits = b.getIntegerType(element.getIntOrFloatBitWidth());
    value = arith::BitcastOp::create(b, loc, bits, value);
    return bits == type ? value : arith::ExtUIOp::create(b, loc, type, value);
  }
  Value unwrap(OpBuilder &b, Location loc, Value carried) const {
    Type bits = b.getIntegerType(element.getIntOrFloatBitWidth());
    if (bits != type)
      carried = arith::TruncIOp::create(b, loc, bits, carried);
    return arith::BitcastOp::create(b, loc, element, carried);
  }
};
} // namespace

AsmElement AsmElement::get(Type element) {
  auto integer = [&](unsigned width) -> Type {
    return IntegerType::get(element.getContext(), width);
  };
  switch (element.getIntOrFloatBitWidth()) {
  case 8: // PTX has no registers of 8 bits.
    return {element, integer(16), "h", "b16", "u8"};
  case 16:
    return {element, integer(16), "h", "b16", "b16"};
  case 32:
    return {element, integer(32), "r", "b32", "b32"};
  case 64:
    return {element, integer(64), "l", "b64", "b64"};
  default:
    return {element, Type(), "", "", ""};
  }
}

static FailureOr<AsmElement> getAsmElement(Operation *op, Type element) {
  AsmElement carrier = AsmElement::get(element);
  if (!carrier.type)
    return op->emitOpError()
           << "expected elements of 8, 16, 32 or 64 bits, but got " << element;
  return carrier;
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
    uint64_t padding = bitsOf(op.getPaddingOrZero());
    bool areRunsAligned = op.getAligned() && access.takesWords();
    if (areRunsAligned || access.takesRowOfWords()) {
      SmallVector<Value> registers;
      for (Value word : access.createWordReads(areRunsAligned, padding))
        registers.push_back(LLVM::BitcastOp::create(
            rewriter, loc, layout->registerType(), word));
      rewriter.replaceOpWithMultiple(op, {registers});
      return success();
    }
    std::string clear =
        llvm::formatv("mov.{0} $0, {1};\n", carrier->move, padding);
    std::string load = ("ld.global." + carrier->access + " $0, [{0}];").str();
    SmallVector<Value> elements;
    for (int64_t i = 0; i < layout->elements; ++i) {
      // The result is written before the other operands are read.
      LLVM::InlineAsmOp value =
          access.create(i, carrier->type, clear, load.c_str(), {},
                        ("=&" + carrier->constraint).str());
      elements.push_back(carrier->unwrap(rewriter, loc, value.getResult(0)));
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

/// Addresses of elements of a memref in global memory.
class PlaceInMemory {
public:
  PlaceInMemory(OpBuilder &b, Location loc, Value memref)
      : b(b), loc(loc),
        metadata(memref::ExtractStridedMetadataOp::create(b, loc, memref)),
        element(cast<MemRefType>(memref.getType()).getElementType()) {
    Value address =
        memref::ExtractAlignedPointerAsIndexOp::create(b, loc, memref);
    auto type = LLVM::LLVMPointerType::get(
        b.getContext(), static_cast<unsigned>(NVVM::NVVMMemorySpace::Global));
    base = LLVM::IntToPtrOp::create(b, loc, type, toI64(address));
    base = advance(metadata.getOffset());
  }

  Value get(ValueRange indices) {
    Value place;
    for (auto [index, stride] : llvm::zip(indices, metadata.getStrides())) {
      Value own = arith::MulIOp::create(b, loc, index, stride);
      place = place ? arith::AddIOp::create(b, loc, place, own) : own;
    }
    return advance(place);
  }

private:
  OpBuilder &b;
  Location loc;
  memref::ExtractStridedMetadataOp metadata;
  Type element;
  Value base;

  Value toI64(Value index) {
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
  }
  Value advance(Value elements) {
    return LLVM::GEPOp::create(b, loc, base.getType(), element, base,
                               toI64(elements));
  }
};

struct ScatterLowering : OpConversionPattern<ScatterOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(ScatterOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::optional<TileRegisters> layout =
        TileRegisters::get(op.getTile().getType());
    if (!layout)
      return rewriter.notifyMatchFailure(op, "not a tile with a layout");
    Location loc = op.getLoc();
    SmallVector<Value> elements =
        unpack(rewriter, loc, *layout, adaptor.getTile());
    // Places are computed under no branch, which leaves it a store alone:
    // a predicate.
    PlaceInMemory places(rewriter, loc, op.getDest());
    for (auto [i, element] : llvm::enumerate(elements)) {
      SmallVector<Value> indices;
      for (ValueRange tile : adaptor.getIndices())
        indices.push_back(arith::IndexCastOp::create(
            rewriter, loc, rewriter.getIndexType(), tile[i]));
      Value place = places.get(indices);
      auto branch = scf::IfOp::create(rewriter, loc, adaptor.getMask()[i],
                                      /*withElseRegion=*/false);
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(branch.thenBlock());
      LLVM::StoreOp::create(rewriter, loc, element, place);
    }
    rewriter.eraseOp(op);
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
    if (op.getAligned() && access.takesWords()) {
      SmallVector<Value> words;
      for (Value registers : adaptor.getTile())
        words.push_back(LLVM::BitcastOp::create(
            rewriter, loc, rewriter.getI32Type(), registers));
      access.createWordStores(words);
      rewriter.eraseOp(op);
      return success();
    }
    SmallVector<Value> elements =
        unpack(rewriter, loc, *layout, adaptor.getTile());
    std::string store = ("st.global." + carrier->access + " [{0}], $0;").str();
    for (auto [i, element] : llvm::enumerate(elements)) {
      Value value = carrier->wrap(rewriter, loc, element);
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
  patterns.add<GatherLowering, ReadLowering, ScatterLowering, StoreLowering>(
      converter, patterns.getContext());
}
