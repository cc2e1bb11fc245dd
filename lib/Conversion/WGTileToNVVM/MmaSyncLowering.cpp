//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Products by mma.sync: every warp loads the fragments of its own rows and
// columns by ldmatrix and multiplies them.

#include "TileRegisters.h"
#include "WarpPlace.h"

#include "sattn/Support/SourceOp.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace wgtile;
using namespace sattn::layout;

/// Chunks along K of one MMA: 16 elements of 16 bits, 8 of tf32, 32 of 8 bits.
/// Unless of tf32 the last MMA takes one chunk if their number is odd.
static constexpr int64_t kStepChunks = 2;
/// Elements of which K is a multiple; whole chunks of 8-bit ones.
static constexpr int64_t kDepthMultiple = 8, kDepthMultipleOf8Bits = 16;

namespace {
/// Chunks [first, first + count) along K.
struct Step {
  int64_t first, count;
};

/// Registers of one step: of A for every 16 rows of the warp, of B for every
/// eight columns.
struct StepFragments {
  SmallVector<SmallVector<Value>> a, b;
};

class MmaSyncEmitter {
public:
  MmaSyncEmitter(OpBuilder &builder, MmaOp op, AccumulatorFragment fragment,
                 ValueRange aValues, Value bOffset)
      : b(builder), op(op), loc(op.getLoc()), fragment(fragment),
        aValues(aValues), bTile(op.getB().getType().getTile()),
        bAddress(b, loc, bTile, bOffset), isTF32(bTile.elementBytes == 4),
        warp(b, loc, fragment), lane(warp.lane), columnWarp(warp.columnWarp) {
    // The address of a lane of ldmatrix: a row of two matrices, one below the
    // other, and one of two such pairs.
    matrixRow = arith::AndIOp::create(b, loc, lane, constant(15));
    matrixPair = arith::ShRUIOp::create(b, loc, lane, constant(4));
  }

  SmallVector<Value> run(ValueRange accumulator) {
    SmallVector<Value> acc(accumulator);
    int64_t chunks = op.getBRows() * bTile.elementBytes / kChunkBytes;
    for (int64_t chunk = 0; chunk < chunks; chunk += kStepChunks) {
      Step step = {chunk, std::min(kStepChunks, chunks - chunk)};
      StepFragments fragments = load(step);
      for (int64_t j = 0; j < fragment.warpEights(); ++j)
        for (int64_t m = 0; m < fragment.rowTiles; ++m)
          multiply(fragments.a[m], fragments.b[j], acc,
                   fragment.fragmentRegister(m, j), step);
    }
    return acc;
  }

private:
  OpBuilder &b;
  MmaOp op;
  Location loc;
  AccumulatorFragment fragment;
  ValueRange aValues;
  SharedTile bTile;
  ChunkAddress bAddress;
  bool isTF32;
  WarpPlace warp;
  Value lane, columnWarp, matrixRow, matrixPair;
  /// Registers of 8-bit floats, and which half: their f16s.
  DenseMap<std::pair<Value, unsigned>, Value> widened;

  Value constant(int64_t value) { return createI32(b, loc, value); }

  StepFragments load(Step step) {
    StepFragments result;
    for (int64_t m = 0; m < fragment.rowTiles; ++m)
      result.a.push_back(loadA(m, step));
    bool isTransposed = op.getTransposeB();
    if (isTF32 && !isTransposed) {
      for (int64_t j = 0; j < fragment.warpEights(); ++j)
        result.b.push_back(loadTF32(j, step));
      return result;
    }
    for (int64_t j = 0; j < fragment.warpEights();) {
      int64_t count = countEights(j, step);
      SmallVector<Value> registers = isTransposed
                                         ? loadTransposedB(j, count, step)
                                         : loadB(j, count, step);
      if (isTF32)
        for (Value &value : registers)
          value = roundToTF32(value);
      for (int64_t i = 0; i < count; ++i)
        result.b.emplace_back(
            ArrayRef(registers).slice(step.count * i, step.count));
      j += count;
    }
    return result;
  }

  /// The number of n8 fragments from the j-th on that one ldmatrix takes: each
  /// of its four matrices has one chunk of K. At most as many as a box holds,
  /// within which addresses are short.
  int64_t countEights(int64_t j, Step step) {
    int64_t count = 4 / step.count;
    // Rows of a transposed tile are in one box.
    int64_t inBox = op.getTransposeB()
                        ? count
                        : bTile.swizzle / kChunkBytes / fragment.columnWarps;
    while (count > 1 && (count > inBox || j + count > fragment.warpEights()))
      count /= 2;
    return count;
  }

  /// A's fragment of 16 rows and a step: matrices in the order upper left,
  /// lower left, upper right, lower right.
  SmallVector<Value> loadA(int64_t m, Step step) {
    SmallVector<Value> registers;
    auto type = dyn_cast<SharedType>(op.getA().getType());
    if (!type) {
      // An accumulator.
      AccumulatorFragment source =
          getFragment(cast<RankedTensorType>(op.getA().getType()));
      if (isTF32) {
        // One n8 fragment, whose even columns become the first four.
        int64_t first = source.fragmentRegister(m, step.first / kStepChunks);
        for (int64_t i : {0, 2, 1, 3})
          registers.push_back(roundToTF32(toBits(aValues[first + i])));
        return registers;
      }
      // It is packed; each fragment of A is two of its n8 fragments.
      for (int64_t half = 0; half < 2; ++half)
        for (int64_t r = 0; r < 2; ++r)
          registers.push_back(toBits(
              aValues[source.fragmentRegister(m, step.first + half) / 2 + r]));
      return registers;
    }
    if (op.getTransposeA())
      return loadTransposedA(m, step, type.getTile());
    Value address =
        warp.leftChunk(type.getTile(), aValues.front(), kWarpRows * m,
                       matrixRow, step.first, matrixPair, /*bound=*/2);
    registers = loadMatrices(address, 2 * step.count, NVVM::MMALayout::row);
    if (isTF32)
      for (Value &value : registers)
        value = roundToTF32(value);
    return registers;
  }

  /// Loads A if the tile's columns are A's rows, of 16-bit elements: matrices
  /// that lie beside each other are one below the other.
  SmallVector<Value> loadTransposedA(int64_t m, Step step,
                                     const SharedTile &tile) {
    Value row = arith::AddIOp::create(
        b, loc, arith::AndIOp::create(b, loc, lane, constant(7)),
        arith::MulIOp::create(b, loc, matrixPair, constant(8)));
    int64_t chunks = tile.cols / 8;
    Value chunk = arith::AddIOp::create(
        b, loc, arith::ShRUIOp::create(b, loc, matrixRow, constant(3)),
        arith::MulIOp::create(b, loc, warp.rowWarp,
                              constant(2 * fragment.rowTiles)));
    chunk = arith::AddIOp::create(b, loc, chunk, constant(2 * m));
    // Rows beyond the tile give rows of the result that are not stored.
    if (fragment.rows() > tile.cols)
      chunk = arith::MinUIOp::create(b, loc, chunk, constant(chunks - 1));
    Value address = ChunkAddress(b, loc, tile, aValues.front())
                        .get(8 * step.first, row, 0, chunk, chunks);
    return loadMatrices(address, 2 * step.count, NVVM::MMALayout::col);
  }

  /// B's fragments of a step and `count` times 8 columns, transposed.
  SmallVector<Value> loadB(int64_t j, int64_t count, Step step) {
    // The address of a lane: a row of the step, and one of the n8 fragments.
    Value row = matrixRow, pair = matrixPair;
    if (step.count == 1) {
      row = arith::AndIOp::create(b, loc, lane, constant(7));
      pair = arith::ShRUIOp::create(b, loc, lane, constant(3));
    }
    Value eight = columnWarp;
    if (count > 1)
      eight = arith::AddIOp::create(
          b, loc, eight,
          arith::MulIOp::create(b, loc, pair, constant(fragment.columnWarps)));
    int64_t bound = count * fragment.columnWarps;
    Value address = bAddress.get(8 * step.first, row, fragment.columnWarps * j,
                                 eight, bound);
    return loadMatrices(address, step.count * count, NVVM::MMALayout::col);
  }

  /// Loads B if the tile's rows are B's columns: its matrices already have the
  /// fragments' layout, with 32-bit elements too.
  SmallVector<Value> loadTransposedB(int64_t j, int64_t count, Step step) {
    // The address of a lane: a chunk of the step, and a row of the n8
    // fragments.
    bool isPair = step.count == 2;
    Value chunk =
        isPair ? arith::AndIOp::create(
                     b, loc, arith::ShRUIOp::create(b, loc, lane, constant(3)),
                     constant(1))
                     .getResult()
               : constant(0);
    Value eight = columnWarp;
    if (count > 1)
      eight = arith::AddIOp::create(
          b, loc, eight,
          arith::MulIOp::create(
              b, loc,
              arith::ShRUIOp::create(b, loc, lane, constant(isPair ? 4 : 3)),
              constant(fragment.columnWarps)));
    Value row = arith::AddIOp::create(
        b, loc, arith::AndIOp::create(b, loc, lane, constant(7)),
        arith::MulIOp::create(b, loc, eight, constant(8)));
    Value address = bAddress.get(8 * fragment.columnWarps * j, row, step.first,
                                 chunk, kStepChunks);
    return loadMatrices(address, step.count * count, NVVM::MMALayout::row);
  }

  /// B's fragment of 8 rows and eight columns of 32-bit elements, which
  /// ldmatrix cannot transpose: lane l has column l / 4 of rows l % 4 and l % 4
  /// + 4. If A is an accumulator, the even rows are the first four, as its
  /// columns are.
  SmallVector<Value> loadTF32(int64_t j, Step step) {
    Value column = arith::ShRUIOp::create(b, loc, lane, constant(2));
    Value chunk = arith::AddIOp::create(
        b, loc, arith::MulIOp::create(b, loc, columnWarp, constant(2)),
        arith::ShRUIOp::create(b, loc, column, constant(2)));
    Value word = arith::MulIOp::create(
        b, loc, arith::AndIOp::create(b, loc, column, constant(3)),
        constant(4));
    bool isInterleaved = !isa<SharedType>(op.getA().getType());
    Value first = arith::AndIOp::create(b, loc, lane, constant(3));
    if (isInterleaved)
      first = arith::MulIOp::create(b, loc, first, constant(2));
    SmallVector<Value> registers;
    for (int64_t i = 0; i < 2; ++i) {
      Value row = arith::AddIOp::create(b, loc, first,
                                        constant(isInterleaved ? i : 4 * i));
      Value address =
          bAddress.get(4 * step.first, row, 2 * fragment.columnWarps * j, chunk,
                       2 * fragment.columnWarps);
      address = LLVM::GEPOp::create(b, loc, address.getType(), b.getI8Type(),
                                    address, ArrayRef<LLVM::GEPArg>{word});
      registers.push_back(
          roundToTF32(LLVM::LoadOp::create(b, loc, b.getI32Type(), address)));
    }
    return registers;
  }

  SmallVector<Value> loadMatrices(Value address, int64_t count,
                                  NVVM::MMALayout layout) {
    MLIRContext *context = b.getContext();
    SmallVector<Type> types(count, b.getI32Type());
    Type result = count == 1 ? types.front()
                             : LLVM::LLVMStructType::getLiteral(context, types);
    auto shape = NVVM::LdStMatrixShapeAttr::get(context, 8, 8);
    Value matrices =
        NVVM::LdMatrixOp::create(b, loc, result, address, count, layout, shape,
                                 NVVM::LdStMatrixEltType::B16);
    if (count == 1)
      return {matrices};
    SmallVector<Value> registers;
    for (int64_t i = 0; i < count; ++i)
      registers.push_back(LLVM::ExtractValueOp::create(b, loc, matrices, i));
    return registers;
  }

  /// Rounds to tf32, since the hardware would truncate.
  Value roundToTF32(Value bits) {
    Value value = LLVM::BitcastOp::create(b, loc, b.getF32Type(), bits);
    return NVVM::ConvertFloatToTF32Op::create(b, loc, b.getI32Type(), value,
                                              NVVM::FPRoundingMode::RNA,
                                              NVVM::SaturationMode::NONE,
                                              /*relu=*/false);
  }

  Value toBits(Value pair) {
    return LLVM::BitcastOp::create(b, loc, b.getI32Type(), pair);
  }

  /// acc[first, first + 4) += a * b.
  void multiply(ArrayRef<Value> aRegisters, ArrayRef<Value> bRegisters,
                SmallVector<Value> &acc, int64_t first, Step step) {
    Type element = op.getB().getType().getElementType();
    if (bTile.elementBytes == 1 && !element.isInteger())
      return multiplyFloat8(aRegisters, bRegisters, acc, first, step);
    NVVM::MMATypes type = isTF32                ? NVVM::MMATypes::tf32
                          : element.isInteger() ? NVVM::MMATypes::s8
                          : element.isF16()     ? NVVM::MMATypes::f16
                                                : NVVM::MMATypes::bf16;
    createMma(aRegisters, bRegisters, acc, first, type,
              step.count * kChunkBytes / bTile.elementBytes);
  }

  void createMma(ArrayRef<Value> aRegisters, ArrayRef<Value> bRegisters,
                 SmallVector<Value> &acc, int64_t first, NVVM::MMATypes type,
                 int64_t depth) {
    // f16's intrinsic takes pairs, the others whole registers.
    auto operands = [&](ArrayRef<Value> registers) {
      SmallVector<Value> result(registers);
      if (type == NVVM::MMATypes::f16)
        for (Value &value : result)
          value = LLVM::BitcastOp::create(
              b, loc, VectorType::get({2}, b.getF16Type()), value);
      return result;
    };
    bool isInteger = type == NVVM::MMATypes::s8;
    SmallVector<Type> types(4, acc[first].getType());
    Value product = NVVM::MmaOp::create(
        b, loc, LLVM::LLVMStructType::getLiteral(b.getContext(), types),
        operands(aRegisters), operands(bRegisters),
        ArrayRef(acc).slice(first, 4), ArrayRef<int64_t>{16, 8, depth},
        std::nullopt,
        isInteger ? std::optional(NVVM::MMAIntOverflow::wrapped) : std::nullopt,
        std::array{type, type},
        std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
    for (int64_t i = 0; i < 4; ++i)
      acc[first + i] = LLVM::ExtractValueOp::create(b, loc, product, i);
  }

  /// Multiplies 8-bit floats by MMAs of f16, which holds them exactly and which
  /// all chips have: one for each chunk. A register's first two elements are
  /// the MMA's lower half of K, its last two the upper one, of A and of B.
  void multiplyFloat8(ArrayRef<Value> aRegisters, ArrayRef<Value> bRegisters,
                      SmallVector<Value> &acc, int64_t first, Step step) {
    Type aElement = cast<SharedType>(op.getA().getType()).getElementType();
    Type bElement = op.getB().getType().getElementType();
    for (int64_t chunk = 0; chunk < step.count; ++chunk) {
      SmallVector<Value> aHalves, bHalves;
      for (bool isUpper : {false, true}) {
        for (int64_t r : {0, 1})
          aHalves.push_back(
              widenToF16(aRegisters[2 * chunk + r], aElement, isUpper));
        bHalves.push_back(widenToF16(bRegisters[chunk], bElement, isUpper));
      }
      createMma(aHalves, bHalves, acc, first, NVVM::MMATypes::f16, kChunkBytes);
    }
  }

  /// Two of the four 8-bit floats of a register as f16s.
  Value widenToF16(Value bytes, Type element, bool isUpper) {
    Value &result = widened[{bytes, isUpper}];
    if (result)
      return result;
    Value low = isUpper ? shiftRight(bytes, 16) : bytes;
    // Each becomes the high byte of 16 bits.
    Value pair = arith::OrIOp::create(
        b, loc, arith::ShLIOp::create(b, loc, mask(low, 0xFF), constant(8)),
        arith::ShLIOp::create(b, loc, mask(low, 0xFF00), constant(16)));
    // Which is what e5m2 is of f16.
    if (isa<Float8E5M2Type>(element))
      return result = pair;
    // e4m3 has one bit of the exponent less, and a bias less by 8; all bits of
    // its only NaN are set.
    Value magnitude = mask(pair, 0x7F007F00);
    auto pairType = VectorType::get({2}, b.getF16Type());
    Value scale = arith::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(pairType, Attribute(b.getF16FloatAttr(256))));
    Value value = arith::MulFOp::create(
        b, loc,
        LLVM::BitcastOp::create(b, loc, pairType, shiftRight(magnitude, 1)),
        scale);
    Value isNaN =
        mask(arith::AddIOp::create(b, loc, magnitude, constant(0x01000100)),
             0x80008000);
    Value nan =
        arith::MulIOp::create(b, loc, shiftRight(isNaN, 15), constant(0x7E00));
    Value bits = LLVM::BitcastOp::create(b, loc, b.getI32Type(), value);
    bits = arith::OrIOp::create(b, loc, bits, nan);
    return result = arith::OrIOp::create(b, loc, bits, mask(pair, 0x80008000));
  }
  Value mask(Value bits, uint32_t kept) {
    return arith::AndIOp::create(b, loc, bits,
                                 constant(static_cast<int32_t>(kept)));
  }
  Value shiftRight(Value bits, int64_t count) {
    return arith::ShRUIOp::create(b, loc, bits, constant(count));
  }
};

struct MmaSyncLowering : OpConversionPattern<MmaOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MmaOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getMmaSync() || op.getIeee())
      return rewriter.notifyMatchFailure(op, "not by mma.sync");
    FailureOr<AccumulatorFragment> fragment = getProductFragment(op);
    if (failed(fragment))
      return failure();
    bool aShared = isa<SharedType>(op.getA().getType());
    int64_t multiple = op.getB().getType().getElementBytes() == 1
                           ? kDepthMultipleOf8Bits
                           : kDepthMultiple;
    if (op.getBRows() % multiple != 0)
      return op.emitOpError()
             << "expected a depth that is a multiple of " << multiple
             << ", but got " << op.getB().getType();
    if (!aShared && op.getBRows() % 16 != 0)
      return sattn::emitSourceError(op.getLoc())
             << "expected K of the tile to be a multiple of 16, since a left "
                "factor is computed in registers, but got "
             << op.getBRows();
    if (!aShared && fragment->columnWarps != 1)
      return op.emitOpError()
             << "expected a left tile whose rows each belong to one warp, but "
                "got "
             << op.getA().getType();
    if (!aShared && op.getTransposeB() &&
        op.getB().getType().getElementType().isF32())
      return op.emitOpError("expected a left tile of f32 in shared memory, or "
                            "a right tile that is not transposed");
    if (op.getRows())
      clearRows(rewriter, op, adaptor.getB().front(),
                adaptor.getRows().front());
    MmaSyncEmitter emitter(rewriter, op, *fragment, adaptor.getA(),
                           adaptor.getB().front());
    rewriter.replaceOpWithMultiple(op, {emitter.run(adaptor.getAcc())});
    return success();
  }
};
} // namespace

void wgtile::populateMmaSyncPatterns(const TileTypeConverter &converter,
                                     RewritePatternSet &patterns) {
  patterns.add<MmaSyncLowering>(converter, patterns.getContext());
}
