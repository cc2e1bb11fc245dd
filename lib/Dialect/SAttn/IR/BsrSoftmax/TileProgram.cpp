//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The program of one tile of sattn.bsr_softmax: a loop over the stored blocks
// of some rows finds their maxima and sums, another one reads the blocks again
// and writes the result. They go by parts of a block's columns, several of
// which an iteration reads before it computes; those that are left over have
// loops of their own, one in an iteration.

#include "sattn/Dialect/SAttn/IR/SAttn.h"
#include "sattn/Support/TileLoopAttributes.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace sattn;

static constexpr float kLog2E = 1.44269504f;

namespace {
class TileProgram {
public:
  TileProgram(ImplicitLocOpBuilder &b, BsrSoftmaxOp op)
      : b(b), op(op), rows(tensor::getMixedSize(b, b.getLoc(), op.getValues(),
                                                op.getBatchRank() + 1)),
        width(op.getBlockColumns()), height(op.getMetaAttr().getTile()[0]),
        columns(op.getMetaAttr().getTile()[1]),
        partsPerStep(op.getMetaAttr().getTile()[2] / columns),
        element(op.getValues().getType().getElementType()),
        wideType(getScalarType(element)), tile(b.getMultiDimIdentityMap(2)),
        row(AffineMap::get(2, 0, b.getAffineDimExpr(0), b.getContext())),
        vector(b.getMultiDimIdentityMap(1)) {}

  Value build() {
    zero = constant(0.0);
    lowest = constant(-std::numeric_limits<double>::infinity());
    log2E = constant(kLog2E);
    vectors = tensor::EmptyOp::create(b, ArrayRef<int64_t>(height), wideType);
    OpFoldResult blocks =
        tensor::getMixedSize(b, b.getLoc(), op.getValues(), op.getBatchRank());
    AffineExpr d0 = b.getAffineDimExpr(0);
    Value first = index(0), parts = compute(d0 * partsPerBlock(), blocks);
    Value whole = partsPerStep == 1
                      ? parts
                      : compute(d0.floorDiv(partsPerStep) * partsPerStep,
                                OpFoldResult(parts));
    SmallVector<Value> sums = {fill(lowest, vectors), fill(zero, vectors)};
    sums = sumRows(first, whole, partsPerStep, sums);
    if (partsPerStep != 1)
      sums = sumRows(whole, parts, 1, sums);
    Value shift = computeShift(sums[0]), inverse = invert(sums[1]);
    Value out = op.getOut();
    out = writeRows(first, whole, partsPerStep, out, shift, inverse);
    if (partsPerStep != 1)
      out = writeRows(whole, parts, 1, out, shift, inverse);
    return out;
  }

private:
  using Inner = ImplicitLocOpBuilder;
  using Body = function_ref<Value(Inner &, ValueRange)>;

  /// Some columns of a stored block.
  struct Part {
    SmallVector<OpFoldResult> offsets, sizes;
    /// How many, at most those of the tile.
    OpFoldResult width;
  };

  ImplicitLocOpBuilder &b;
  BsrSoftmaxOp op;
  /// Of a tile in the block: its rows, which are fewer in the last tile where
  /// tiles do not divide the block, and all columns; with padding, its rows and
  /// the columns of a part.
  OpFoldResult rows;
  int64_t width, height, columns, partsPerStep;
  Type element, wideType;
  AffineMap tile, row, vector;
  Value zero, lowest, log2E;
  /// A tensor that vectors of rows are written to.
  Value vectors;

  Value constant(double value) {
    return arith::ConstantOp::create(b, b.getFloatAttr(wideType, value));
  }
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value fill(Value value, Value target) {
    return linalg::FillOp::create(b, value, target).getResult(0);
  }
  Value compute(AffineExpr expr, OpFoldResult operand) {
    return getValueOrCreateConstantIndexOp(
        b, b.getLoc(),
        affine::makeComposedFoldedAffineApply(b, b.getLoc(), expr, {operand}));
  }
  int64_t partsPerBlock() const { return llvm::divideCeil(width, columns); }
  bool hasTail() const { return width % columns != 0; }
  bool isPadded() const {
    return hasTail() || !isConstantIntValue(rows, height);
  }

  /// An op on elements; `outMap` has fewer results than the loops where rows
  /// are reduced.
  Value generic(ArrayRef<Value> inputs, ArrayRef<AffineMap> inputMaps,
                Value target, AffineMap outMap, Body body) {
    SmallVector<AffineMap> maps(inputMaps);
    maps.push_back(outMap);
    SmallVector<utils::IteratorType> iterators(outMap.getNumDims(),
                                               utils::IteratorType::parallel);
    for (unsigned dim = outMap.getNumResults(); dim < outMap.getNumDims();
         ++dim)
      iterators[dim] = utils::IteratorType::reduction;
    return linalg::GenericOp::create(
               b, target.getType(), inputs, target, maps, iterators,
               [&](OpBuilder &nested, Location loc, ValueRange args) {
                 Inner inner(loc, nested);
                 linalg::YieldOp::create(inner, body(inner, args));
               })
        .getResult(0);
  }

  /// Parts are counted through all blocks.
  Part locate(Value iteration, int64_t number) {
    Location loc = b.getLoc();
    AffineExpr d0 = b.getAffineDimExpr(0), turn = d0 + number;
    OpFoldResult one = b.getIndexAttr(1), first = b.getIndexAttr(0);
    OpFoldResult block = affine::makeComposedFoldedAffineApply(
        b, loc, turn.floorDiv(partsPerBlock()), {OpFoldResult(iteration)});
    OpFoldResult column = affine::makeComposedFoldedAffineApply(
        b, loc, (turn % partsPerBlock()) * columns, {OpFoldResult(iteration)});
    Part part;
    part.width = b.getIndexAttr(columns);
    if (hasTail())
      part.width = affine::makeComposedFoldedAffineMin(
          b, loc,
          AffineMap::get(1, 0, {b.getAffineConstantExpr(columns), width - d0},
                         b.getContext()),
          {column});
    part.offsets.assign(op.getBatchRank(), first);
    part.offsets.append({block, first, column});
    part.sizes.assign(op.getBatchRank() + 1, one);
    part.sizes.append({rows, part.width});
    return part;
  }

  SmallVector<Part> locateAll(Value iteration, int64_t count) {
    SmallVector<Part> parts;
    for (int64_t number = 0; number < count; ++number)
      parts.push_back(locate(iteration, number));
    return parts;
  }

  /// The part, of one of the tensors, as a matrix.
  Value slice(Value source, const Part &part) {
    SmallVector<OpFoldResult> ones(part.sizes.size(), b.getIndexAttr(1));
    SmallVector<int64_t> shape;
    for (OpFoldResult size : ArrayRef(part.sizes).take_back(2))
      shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
    auto type = RankedTensorType::get(shape, element);
    return tensor::ExtractSliceOp::create(b, type, source, part.offsets,
                                          part.sizes, ones);
  }

  Value readTile(const Part &part) {
    Value inside = slice(op.getValues(), part);
    if (!isPadded())
      return inside;
    OpFoldResult nothing = b.getIndexAttr(0);
    auto complement = [&](int64_t whole, OpFoldResult size) {
      return affine::makeComposedFoldedAffineApply(
          b, b.getLoc(), whole - b.getAffineDimExpr(0), {size});
    };
    OpFoldResult below = complement(height, rows),
                 right = complement(columns, part.width);
    Value padding = arith::ConstantOp::create(b, b.getZeroAttr(element));
    return tensor::PadOp::create(
        b, RankedTensorType::get({height, columns}, element), inside,
        ArrayRef<OpFoldResult>{nothing, nothing},
        ArrayRef<OpFoldResult>{below, right}, padding);
  }

  /// How many columns a part has, for `widen`; null if all.
  Value countColumns(const Part &part) {
    if (!hasTail())
      return Value();
    return arith::IndexCastOp::create(
        b, b.getI32Type(),
        getValueOrCreateConstantIndexOp(b, b.getLoc(), part.width));
  }

  /// An element in the type of the arithmetic; -inf beyond the block's columns.
  Value widen(Inner &inner, Value narrow, Value count) {
    Value wide = narrow;
    if (element != wideType)
      wide = arith::ExtFOp::create(inner, wideType, narrow);
    if (!count)
      return wide;
    Value column = arith::IndexCastOp::create(
        inner, inner.getI32Type(), linalg::IndexOp::create(inner, 1));
    Value isInside =
        arith::CmpIOp::create(inner, arith::CmpIPredicate::slt, column, count);
    return arith::SelectOp::create(inner, isInside, wide, lowest);
  }

  /// exp(x - shift). The difference comes first: it is exact where it matters,
  /// at the maximum, however large both are. In f64 the rounding of log2(e)
  /// would show.
  Value power(Inner &inner, Value x, Value shift) {
    Value distance = arith::SubFOp::create(inner, x, shift);
    if (wideType.isF64())
      return math::ExpOp::create(inner, distance);
    Value exponent = arith::MulFOp::create(inner, distance, log2E);
    return math::Exp2Op::create(inner, exponent, arith::FastMathFlags::afn);
  }

  /// What is subtracted; 0 where the maximum is -inf, since -inf minus -inf is
  /// no number.
  Value computeShift(Value maximum) {
    return generic(maximum, vector, vectors, vector,
                   [&](Inner &inner, ValueRange args) -> Value {
                     Value isLowest = arith::CmpFOp::create(
                         inner, arith::CmpFPredicate::OEQ, args[0], lowest);
                     return arith::SelectOp::create(inner, isLowest, zero,
                                                    args[0]);
                   });
  }

  /// A loop that carries the maximum of each row and the sum of its powers.
  SmallVector<Value> sumRows(Value begin, Value end, int64_t count,
                             ArrayRef<Value> sums) {
    auto loop = scf::ForOp::create(b, begin, end, index(count), sums);
    loop->setAttr(kBlockLoopAttrName, b.getUnitAttr());
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value maximum = loop.getRegionIterArg(0), total = loop.getRegionIterArg(1);
    auto greater = [](Inner &inner, ValueRange args) -> Value {
      return arith::MaxNumFOp::create(inner, args[0], args[1]);
    };
    SmallVector<Value> tiles, counts;
    for (const Part &part : locateAll(loop.getInductionVar(), count)) {
      tiles.push_back(readTile(part));
      counts.push_back(countColumns(part));
    }
    SmallVector<AffineMap> maps(count, tile);
    Value ofStep = generic(
        tiles, maps, fill(lowest, vectors), row,
        [&](Inner &inner, ValueRange args) -> Value {
          Value largest;
          for (auto [i, columns] : llvm::enumerate(counts)) {
            Value wide = widen(inner, args[i], columns);
            largest =
                largest
                    ? arith::MaxNumFOp::create(inner, largest, wide).getResult()
                    : wide;
          }
          return arith::MaxNumFOp::create(inner, largest, args.back());
        });
    Value shift = computeShift(
        generic({ofStep, maximum}, {vector, vector}, vectors, vector, greater));
    total = generic({maximum, shift}, {vector, vector}, total, vector,
                    [&](Inner &inner, ValueRange args) -> Value {
                      return arith::MulFOp::create(
                          inner, args[2], power(inner, args[0], args[1]));
                    });
    tiles.push_back(shift);
    maps.push_back(row);
    total = generic(
        tiles, maps, total, row, [&](Inner &inner, ValueRange args) -> Value {
          Value powers;
          for (auto [i, columns] : llvm::enumerate(counts)) {
            Value p = power(inner, widen(inner, args[i], columns), args[count]);
            powers = powers
                         ? arith::AddFOp::create(inner, powers, p).getResult()
                         : p;
          }
          return arith::AddFOp::create(inner, powers, args.back());
        });
    // In place, when nothing reads the old one any more.
    maximum = generic(ofStep, vector, maximum, vector, greater);
    scf::YieldOp::create(b, ValueRange{maximum, total});
    return llvm::to_vector_of<Value>(loop.getResults());
  }

  /// Of a row without anything but -inf, the sum is 0 and its powers are.
  Value invert(Value total) {
    Value one = constant(1.0);
    return generic(total, vector, vectors, vector,
                   [&](Inner &inner, ValueRange args) -> Value {
                     Value isZero = arith::CmpFOp::create(
                         inner, arith::CmpFPredicate::OEQ, args[0], zero);
                     Value sum =
                         arith::SelectOp::create(inner, isZero, one, args[0]);
                     return arith::DivFOp::create(inner, one, sum,
                                                  arith::FastMathFlags::afn);
                   });
  }

  /// A loop that carries `out`.
  Value writeRows(Value begin, Value end, int64_t count, Value out, Value shift,
                  Value inverse) {
    auto loop =
        scf::ForOp::create(b, begin, end, index(count), ValueRange{out});
    loop->setAttr(kBlockLoopAttrName, b.getUnitAttr());
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    out = loop.getRegionIterArg(0);
    SmallVector<Part> parts = locateAll(loop.getInductionVar(), count);
    SmallVector<Value> results;
    for (const Part &part : parts) {
      // What is read must not wait for stores: one result alone is computed in
      // its place.
      Value target = isPadded() || count != 1
                         ? tensor::EmptyOp::create(
                               b, ArrayRef<int64_t>{height, columns}, element)
                               .getResult()
                         : slice(out, part);
      results.push_back(
          computeQuotient(readTile(part), shift, inverse, target));
    }
    for (auto [part, result] : llvm::zip_equal(parts, results))
      out = insert(result, part, out);
    scf::YieldOp::create(b, out);
    return loop.getResult(0);
  }

  Value computeQuotient(Value x, Value shift, Value inverse, Value target) {
    return generic({x, shift, inverse}, {tile, row, row}, target, tile,
                   [&](Inner &inner, ValueRange args) -> Value {
                     Value wide = widen(inner, args[0], /*count=*/Value());
                     Value p = power(inner, wide, args[1]);
                     Value quotient = arith::MulFOp::create(inner, p, args[2]);
                     if (element == wideType)
                       return quotient;
                     return arith::TruncFOp::create(inner, element, quotient);
                   });
  }

  /// Without the padding.
  Value insert(Value result, const Part &part, Value out) {
    SmallVector<OpFoldResult> ones(part.sizes.size(), b.getIndexAttr(1));
    if (isPadded())
      result = tensor::ExtractSliceOp::create(
          b, result,
          ArrayRef<OpFoldResult>{b.getIndexAttr(0), b.getIndexAttr(0)},
          ArrayRef(part.sizes).take_back(2), ArrayRef(ones).take_back(2));
    return tensor::InsertSliceOp::create(b, result, out, part.offsets,
                                         part.sizes, ones);
  }
};
} // namespace

FailureOr<SmallVector<Value>>
BsrSoftmaxOp::lowerToTileProgram(OpBuilder &builder) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  return SmallVector<Value>{TileProgram(b, *this).build()};
}
