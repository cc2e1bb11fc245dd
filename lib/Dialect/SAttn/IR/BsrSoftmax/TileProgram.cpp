//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The program of one tile of sattn.bsr_softmax: a loop over the stored blocks
// of some rows finds their maxima and sums, another one reads the blocks again
// and writes the result. They go by matrices that are some columns of a block,
// or of several blocks for one row of these: then each row of the matrix is
// that row's part in another block, and its maximum and sum are numbers.
//
// The first steps of a row that is a tile by itself, its head, are read before
// anything of them is computed and stay in registers. Steps that a row does not
// have are branches that are not taken. Loops go over what is longer.

#include "sattn/Dialect/SAttn/IR/BsrSoftmax/BsrSoftmaxOp.h"
#include "sattn/Support/TileLoopAttributes.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace sattn;

static constexpr float kLog2E = 1.44269504f;

namespace {
class TileProgram {
public:
  TileProgram(ImplicitLocOpBuilder &b, BsrSoftmaxOp op)
      : b(b), op(op), blocks(tensor::getMixedSize(b, b.getLoc(), op.getValues(),
                                                  op.getBatchRank())),
        width(op.getBlockColumns()), columns(op.getMetaAttr().getTile()[1]),
        blocksPerMatrix(op.getBlocksAtOnce()),
        height(op.getMetaAttr().getTile()[0] * blocksPerMatrix),
        matricesPerStep(op.getMetaAttr().getTile()[2] /
                        (columns * blocksPerMatrix)),
        headSteps(op.getStepsInRegisters()),
        element(op.getValues().getType().getElementType()),
        wideType(getScalarType(element)), tile(b.getMultiDimIdentityMap(2)),
        row(AffineMap::get(2, 0, b.getAffineDimExpr(0), b.getContext())),
        vector(b.getMultiDimIdentityMap(1)),
        number(AffineMap::get(2, 0, b.getContext())) {}

  Value build() {
    zero = constant(0.0);
    lowest = constant(-std::numeric_limits<double>::infinity());
    log2E = constant(kLog2E);
    vectors = tensor::EmptyOp::create(b, ArrayRef<int64_t>(height), wideType);
    if (blocksPerMatrix != 1)
      return buildRow();
    SmallVector<Value> sums =
        sumRows({fill(lowest, vectors), fill(zero, vectors)});
    Value shift = computeShift(sums[0]), inverse = invert(sums[1]);
    return writeRows(op.getOut(), shift, inverse);
  }

private:
  using Inner = ImplicitLocOpBuilder;
  using Body = function_ref<Value(Inner &, ValueRange)>;

  /// What is read at once, a matrix of `sizes` without the dimensions of 1.
  struct Matrix {
    SmallVector<OpFoldResult> offsets, sizes;
    /// At most the `height` and `columns` of all.
    OpFoldResult rows, width;
  };

  /// What is read together.
  struct Step {
    SmallVector<Matrix> matrices;
    SmallVector<Value> inputs;
    /// Whether the row has any of it, where it may lack all.
    Value exists;
  };

  ImplicitLocOpBuilder &b;
  BsrSoftmaxOp op;
  /// Stored blocks of the tile's block row.
  OpFoldResult blocks;
  int64_t width, columns, blocksPerMatrix, height, matricesPerStep, headSteps;
  Type element, wideType;
  AffineMap tile, row, vector, number;
  Value zero, lowest, log2E;
  /// Of the tile's rows; null before the first loop, the head does without.
  Value matrices;
  SmallVector<Step> head;
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
    return asValue(
        affine::makeComposedFoldedAffineApply(b, b.getLoc(), expr, {operand}));
  }
  int64_t matricesPerBlock() const { return llvm::divideCeil(width, columns); }
  bool hasTail() const { return width % columns != 0; }
  bool isPadded(const Matrix &matrix) const {
    return !isConstantIntValue(matrix.rows, height) ||
           !isConstantIntValue(matrix.width, columns);
  }
  Value asValue(OpFoldResult number) {
    return getValueOrCreateConstantIndexOp(b, b.getLoc(), number);
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

  /// The least of `most` and `size` minus the operand.
  OpFoldResult clip(int64_t most, AffineExpr size,
                    ArrayRef<OpFoldResult> operands) {
    AffineMap map =
        AffineMap::get(operands.size(), 0,
                       {b.getAffineConstantExpr(most), size}, b.getContext());
    return affine::makeComposedFoldedAffineMin(b, b.getLoc(), map, operands);
  }

  /// Matrices are counted through the blocks. The row may lack the last of what
  /// is read together, or parts of them; all of one unless it `hasBlocks` of
  /// it.
  Matrix locate(OpFoldResult iteration, int64_t place, bool hasBlocks) {
    AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1),
               turn = d0 + place;
    auto apply = [&](AffineExpr expr) {
      return affine::makeComposedFoldedAffineApply(b, b.getLoc(), expr,
                                                   {iteration});
    };
    OpFoldResult one = b.getIndexAttr(1), first = b.getIndexAttr(0);
    OpFoldResult block =
        apply(turn.floorDiv(matricesPerBlock()) * blocksPerMatrix);
    OpFoldResult column = apply((turn % matricesPerBlock()) * columns);
    Matrix matrix;
    matrix.rows = b.getIndexAttr(height);
    if (blocksPerMatrix != 1 || matricesPerStep != 1) {
      AffineMap none = AffineMap::get(1, 0, {d0, b.getAffineConstantExpr(0)},
                                      b.getContext());
      int64_t perBlock = height / blocksPerMatrix;
      matrix.rows = clip(height, (d0 - d1) * perBlock, {blocks, block});
      if (!hasBlocks)
        matrix.rows = affine::makeComposedFoldedAffineMax(b, b.getLoc(), none,
                                                          {matrix.rows});
    }
    matrix.width = b.getIndexAttr(columns);
    if (hasTail())
      matrix.width = clip(columns, width - d0, {column});
    matrix.offsets.assign(op.getBatchRank(), first);
    matrix.offsets.append({block, first, column});
    matrix.sizes.assign(op.getBatchRank() + 3, one);
    matrix.sizes.end()[blocksPerMatrix == 1 ? -2 : -3] = matrix.rows;
    matrix.sizes.back() = matrix.width;
    return matrix;
  }

  /// The matrix, of one of the tensors.
  Value slice(Value source, const Matrix &matrix) {
    SmallVector<OpFoldResult> ones(matrix.sizes.size(), b.getIndexAttr(1));
    SmallVector<int64_t> shape;
    for (OpFoldResult size : {matrix.rows, matrix.width})
      shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
    auto type = RankedTensorType::get(shape, element);
    return tensor::ExtractSliceOp::create(b, type, source, matrix.offsets,
                                          matrix.sizes, ones);
  }

  /// What is beyond the blocks is -inf, the power of which is 0.
  Value readMatrix(const Matrix &matrix) {
    Value inside = slice(op.getValues(), matrix);
    if (!isPadded(matrix))
      return inside;
    OpFoldResult nothing = b.getIndexAttr(0);
    auto complement = [&](int64_t whole, OpFoldResult size) {
      return affine::makeComposedFoldedAffineApply(
          b, b.getLoc(), whole - b.getAffineDimExpr(0), {size});
    };
    OpFoldResult below = complement(height, matrix.rows),
                 right = complement(columns, matrix.width);
    Value padding = arith::ConstantOp::create(
        b, b.getFloatAttr(element, -std::numeric_limits<double>::infinity()));
    return tensor::PadOp::create(
        b, RankedTensorType::get({height, columns}, element), inside,
        ArrayRef<OpFoldResult>{nothing, nothing},
        ArrayRef<OpFoldResult>{below, right}, padding);
  }

  /// An element in the type of the arithmetic.
  Value widen(Inner &inner, Value narrow) {
    if (element == wideType)
      return narrow;
    return arith::ExtFOp::create(inner, wideType, narrow);
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

  static Value greater(Inner &inner, ValueRange args) {
    return arith::MaxNumFOp::create(inner, args[0], args[1]);
  }

  /// What is subtracted; 0 where the maximum is -inf, since -inf minus -inf is
  /// no number.
  Value toShift(Inner &inner, Value maximum) {
    Value isLowest = arith::CmpFOp::create(inner, arith::CmpFPredicate::OEQ,
                                           maximum, lowest);
    return arith::SelectOp::create(inner, isLowest, zero, maximum);
  }

  /// Of a row without anything but -inf, the sum is 0 and its powers are.
  Value toInverse(Inner &inner, Value total) {
    Value one = constant(1.0);
    Value isZero =
        arith::CmpFOp::create(inner, arith::CmpFPredicate::OEQ, total, zero);
    Value sum = arith::SelectOp::create(inner, isZero, one, total);
    return arith::DivFOp::create(inner, one, sum, arith::FastMathFlags::afn);
  }

  Value computeShift(Value maxima) {
    return generic(
        maxima, vector, vectors, vector,
        [&](Inner &inner, ValueRange args) { return toShift(inner, args[0]); });
  }
  Value invert(Value totals) {
    return generic(totals, vector, vectors, vector,
                   [&](Inner &inner, ValueRange args) {
                     return toInverse(inner, args[0]);
                   });
  }

  /// The one row of which each block has a part. Its maximum and sum are
  /// numbers: what is in registers counts after what the loop found.
  Value buildRow() {
    readHead();
    SmallVector<Value> sums = sumRow();
    if (!head.empty())
      sums = addSteps(head, sums[0], sums[1]);
    Value shift = toShift(b, sums[0]), inverse = toInverse(b, sums[1]);
    Value out = writeSteps(head, op.getOut(), shift, inverse);
    return writeRows(out, shift, inverse);
  }

  /// The elements of matrices, reduced to a number.
  Value reduce(ArrayRef<Value> inputs, Value initial, Body body) {
    Value place = tensor::EmptyOp::create(b, ArrayRef<int64_t>(), wideType);
    SmallVector<AffineMap> maps(inputs.size(), tile);
    return tensor::ExtractOp::create(
        b, generic(inputs, maps, fill(initial, place), number, body),
        ValueRange());
  }

  /// The largest element of matrices. The maximum of narrow ones is narrow, so
  /// that two of them are found at a time.
  Value findLargest(ArrayRef<Value> inputs) {
    return reduce(inputs, lowest, [&](Inner &inner, ValueRange args) -> Value {
      Value largest = args.front();
      for (Value arg : args.drop_front().drop_back())
        largest = arith::MaxNumFOp::create(inner, largest, arg);
      return arith::MaxNumFOp::create(inner, widen(inner, largest),
                                      args.back());
    });
  }

  /// The maximum and the sum with those of further steps.
  SmallVector<Value> addSteps(ArrayRef<Step> steps, Value maximum,
                              Value total) {
    SmallVector<Value> inputs;
    for (const Step &step : steps)
      inputs.append(step.inputs);
    Value larger = greater(b, {findLargest(inputs), maximum});
    total = rescale(total, maximum, larger);
    for (const Step &step : steps)
      total = whereIs(step, total, [&](Value old) {
        return addPowers(step.inputs, toShift(b, larger), old);
      });
    return {larger, total};
  }

  /// A sum of powers, as one of those of a larger maximum.
  Value rescale(Value total, Value old, Value maximum) {
    return arith::MulFOp::create(b, total, power(b, old, toShift(b, maximum)));
  }

  /// The maximum and the sum of what comes after the head.
  SmallVector<Value> sumRow() {
    return loopOver(ValueRange{lowest, zero},
                    [&](const Step &step, ValueRange carried) {
                      return addSteps(step, carried[0], carried[1]);
                    });
  }

  /// What `update` makes of a value if the row has any of a step.
  Value whereIs(const Step &step, Value old,
                function_ref<Value(Value)> update) {
    if (!step.exists)
      return update(old);
    auto branch = scf::IfOp::create(b, old.getType(), step.exists,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, update(old));
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, old);
    return branch.getResult(0);
  }

  /// A step's matrices, from one on, the first of which the row has if anything
  /// is read.
  Step locateAll(OpFoldResult first) {
    Step step;
    bool isOfBlocks = matricesPerBlock() % matricesPerStep == 0;
    for (int64_t place = 0; place < matricesPerStep; ++place)
      step.matrices.push_back(
          locate(first, place, /*hasBlocks=*/place == 0 || isOfBlocks));
    return step;
  }
  void read(Step &step) {
    for (const Matrix &matrix : step.matrices)
      step.inputs.push_back(step.exists ? readIf(step.exists, matrix)
                                        : readMatrix(matrix));
  }

  /// All of it before anything else, each step as soon as it is known where
  /// it is, if the row has any of it.
  void readHead() {
    for (int64_t i = 0; i < headSteps; ++i) {
      int64_t first = i * matricesPerStep;
      Step step = locateAll(b.getIndexAttr(first));
      step.exists = arith::CmpIOp::create(
          b, arith::CmpIPredicate::sgt, asValue(blocks),
          index(first / matricesPerBlock() * blocksPerMatrix));
      read(step);
      head.push_back(std::move(step));
    }
  }

  /// The matrix, or nothing but -inf.
  Value readIf(Value condition, const Matrix &matrix) {
    auto type = RankedTensorType::get({height, columns}, element);
    auto branch =
        scf::IfOp::create(b, type, condition, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, readMatrix(matrix));
    b.setInsertionPointToStart(branch.elseBlock());
    Value nothing = arith::ConstantOp::create(
        b, b.getFloatAttr(element, -std::numeric_limits<double>::infinity()));
    Value place =
        tensor::EmptyOp::create(b, ArrayRef<int64_t>{height, columns}, element);
    scf::YieldOp::create(b, fill(nothing, place));
    return branch.getResult(0);
  }

  Value writeSteps(ArrayRef<Step> steps, Value out, Value shift,
                   Value inverse) {
    for (const Step &step : steps)
      out = whereIs(step, out, [&](Value old) {
        return write(step, old, shift, inverse);
      });
    return out;
  }

  /// The sum of powers.
  Value sumPowers(Inner &inner, ValueRange elements, Value shift) {
    Value sum;
    for (Value element : elements) {
      Value next = power(inner, widen(inner, element), shift);
      sum = sum ? arith::AddFOp::create(inner, sum, next).getResult() : next;
    }
    return sum;
  }

  /// The sum of all elements' powers added to a number.
  Value addPowers(ArrayRef<Value> inputs, Value shift, Value total) {
    return reduce(inputs, total, [&](Inner &inner, ValueRange args) -> Value {
      return arith::AddFOp::create(
          inner, sumPowers(inner, args.drop_back(), shift), args.back());
    });
  }

  /// A loop over what comes after the head; `build` gets what an iteration
  /// reads and what it carries.
  SmallVector<Value>
  loopOver(ValueRange carried,
           function_ref<SmallVector<Value>(const Step &, ValueRange)> build) {
    if (!matrices)
      matrices = compute(b.getAffineDimExpr(0).ceilDiv(blocksPerMatrix) *
                             matricesPerBlock(),
                         blocks);
    auto loop = scf::ForOp::create(b, index(headSteps * matricesPerStep),
                                   matrices, index(matricesPerStep), carried);
    loop->setAttr(kBlockLoopAttrName, b.getUnitAttr());
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Step step = locateAll(loop.getInductionVar());
    read(step);
    scf::YieldOp::create(b, build(step, loop.getRegionIterArgs()));
    return llvm::to_vector_of<Value>(loop.getResults());
  }

  /// The maximum of each row and the sum of its powers, of a tile of rows.
  SmallVector<Value> sumRows(ArrayRef<Value> sums) {
    return loopOver(sums, [&](const Step &step, ValueRange carried) {
      Value maximum = carried[0], total = carried[1];
      SmallVector<Value> inputs(step.inputs);
      SmallVector<AffineMap> maps(inputs.size(), tile);
      Value ofStep = generic(inputs, maps, fill(lowest, vectors), row,
                             [&](Inner &inner, ValueRange args) -> Value {
                               Value largest = args.back();
                               for (Value arg : args.drop_back())
                                 largest = arith::MaxNumFOp::create(
                                     inner, widen(inner, arg), largest);
                               return largest;
                             });
      Value shift = computeShift(generic({ofStep, maximum}, {vector, vector},
                                         vectors, vector, greater));
      total = generic({maximum, shift}, {vector, vector}, total, vector,
                      [&](Inner &inner, ValueRange args) -> Value {
                        return arith::MulFOp::create(
                            inner, args[2], power(inner, args[0], args[1]));
                      });
      inputs.push_back(shift);
      maps.push_back(row);
      total = generic(inputs, maps, total, row,
                      [&](Inner &inner, ValueRange args) -> Value {
                        ValueRange elements = args.drop_back(2);
                        return arith::AddFOp::create(
                            inner,
                            sumPowers(inner, elements, args.drop_back().back()),
                            args.back());
                      });
      // In place, when nothing reads the old one any more.
      maximum = generic(ofStep, vector, maximum, vector, greater);
      return SmallVector<Value>{maximum, total};
    });
  }

  Value writeRows(Value out, Value shift, Value inverse) {
    return loopOver(out,
                    [&](const Step &step, ValueRange carried) {
                      return SmallVector<Value>{
                          write(step, carried.front(), shift, inverse)};
                    })
        .front();
  }

  Value write(const Step &step, Value out, Value shift, Value inverse) {
    SmallVector<Value> results;
    for (auto [matrix, input] : llvm::zip_equal(step.matrices, step.inputs)) {
      // What is read must not wait for stores: one result alone is computed in
      // its place.
      Value target = isPadded(matrix) || step.matrices.size() != 1
                         ? tensor::EmptyOp::create(
                               b, ArrayRef<int64_t>{height, columns}, element)
                               .getResult()
                         : slice(out, matrix);
      results.push_back(computeQuotient(input, shift, inverse, target));
    }
    for (auto [matrix, result] : llvm::zip_equal(step.matrices, results))
      out = insert(result, matrix, out);
    return out;
  }

  /// `shift` and `inverse` are those of each row, or of the one row.
  Value computeQuotient(Value x, Value shift, Value inverse, Value target) {
    SmallVector<Value> inputs = {x};
    SmallVector<AffineMap> maps = {tile};
    bool isOfEach = isa<RankedTensorType>(shift.getType());
    if (isOfEach) {
      inputs.append({shift, inverse});
      maps.append(2, row);
    }
    return generic(inputs, maps, target, tile,
                   [&](Inner &inner, ValueRange args) -> Value {
                     Value wide = widen(inner, args[0]);
                     Value p = power(inner, wide, isOfEach ? args[1] : shift);
                     Value quotient = arith::MulFOp::create(
                         inner, p, isOfEach ? args[2] : inverse);
                     if (element == wideType)
                       return quotient;
                     return arith::TruncFOp::create(inner, element, quotient);
                   });
  }

  /// Without the padding.
  Value insert(Value result, const Matrix &matrix, Value out) {
    SmallVector<OpFoldResult> ones(matrix.sizes.size(), b.getIndexAttr(1)),
        origin(2, b.getIndexAttr(0));
    if (isPadded(matrix))
      result = tensor::ExtractSliceOp::create(
          b, result, origin,
          SmallVector<OpFoldResult>{matrix.rows, matrix.width},
          ArrayRef(ones).take_back(2));
    return tensor::InsertSliceOp::create(b, result, out, matrix.offsets,
                                         matrix.sizes, ones);
  }
};
} // namespace

FailureOr<SmallVector<Value>>
BsrSoftmaxOp::lowerToTileProgram(OpBuilder &builder) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  return SmallVector<Value>{TileProgram(b, *this).build()};
}
