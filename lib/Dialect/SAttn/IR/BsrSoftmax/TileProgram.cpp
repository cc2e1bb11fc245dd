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
// that row's part in another block, and their maxima and sums are combined
// after the loop.
//
// The first steps of a row that is a tile by itself, its head, are read before
// anything of them is computed and stay in registers. Steps that a row does not
// have are branches that are not taken. Loops go over what is longer, several
// steps in an iteration, the first of them before the head is read: their
// registers are the head's.

#include "sattn/Dialect/SAttn/IR/SAttn.h"
#include "sattn/Support/TileLoopAttributes.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace sattn;

static constexpr float kLog2E = 1.44269504f;
/// Matrices that an iteration of a loop after the head reads, of whole steps.
static constexpr int64_t kMatricesAtOnce = 2;

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
        number(AffineMap::get(1, 0, b.getContext())) {}

  Value build() {
    zero = constant(0.0);
    lowest = constant(-std::numeric_limits<double>::infinity());
    log2E = constant(kLog2E);
    vectors = tensor::EmptyOp::create(b, ArrayRef<int64_t>(height), wideType);
    matrices = compute(b.getAffineDimExpr(0).ceilDiv(blocksPerMatrix) *
                           matricesPerBlock(),
                       blocks);
    SmallVector<Value> sums =
        sumRows({fill(lowest, vectors), fill(zero, vectors)});
    readHead();
    if (blocksPerMatrix != 1)
      sums = combineBlocks(sums[0], sums[1]);
    Value shift = computeShift(sums[0]), inverse = invert(sums[1]);
    Value out = writeHead(op.getOut(), shift, inverse);
    return writeRows(out, shift, inverse);
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
  /// Of the tile's rows.
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
  /// Matrices of an iteration.
  int64_t countAtOnce() const {
    return headSteps > 1 ? std::max(kMatricesAtOnce, matricesPerStep)
                         : matricesPerStep;
  }
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
  /// is read together, or parts of them.
  Matrix locate(OpFoldResult iteration, int64_t place) {
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
      matrix.rows = affine::makeComposedFoldedAffineMax(
          b, b.getLoc(), none,
          {clip(height, (d0 - d1) * perBlock, {blocks, block})});
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

  /// Of each row, or of the one row that there is.
  Value mapRows(Value rows, function_ref<Value(Inner &, Value)> body) {
    if (!isa<RankedTensorType>(rows.getType()))
      return body(b, rows);
    return generic(
        rows, vector, vectors, vector,
        [&](Inner &inner, ValueRange args) { return body(inner, args[0]); });
  }
  Value computeShift(Value maximum) {
    return mapRows(maximum, [&](Inner &inner, Value value) {
      return toShift(inner, value);
    });
  }
  Value invert(Value total) {
    return mapRows(total, [&](Inner &inner, Value value) {
      return toInverse(inner, value);
    });
  }

  /// A vector's elements, reduced to a number.
  Value reduce(ArrayRef<Value> inputs, Value initial, Body body) {
    Value place = tensor::EmptyOp::create(b, ArrayRef<int64_t>(), wideType);
    SmallVector<AffineMap> maps(inputs.size(), vector);
    return tensor::ExtractOp::create(
        b, generic(inputs, maps, fill(initial, place), number, body),
        ValueRange());
  }

  /// The maximum and the sum of the one row of which each block has a part,
  /// from those that the loop found. The sum of what is in registers is that of
  /// powers of the common maximum.
  SmallVector<Value> combineBlocks(Value maxima, Value totals) {
    SmallVector<Value> largest = {maxima};
    if (!head.empty())
      largest.push_back(findLargest(head, fill(lowest, vectors)));
    Value maximum =
        reduce(largest, lowest, [](Inner &inner, ValueRange args) -> Value {
          Value result = args.front();
          for (Value arg : args.drop_front())
            result = arith::MaxNumFOp::create(inner, result, arg);
          return result;
        });
    Value shift = toShift(b, maximum);
    totals = generic(maxima, vector, totals, vector,
                     [&](Inner &inner, ValueRange args) -> Value {
                       return arith::MulFOp::create(
                           inner, args[1], power(inner, args[0], shift));
                     });
    for (const Step &step : head)
      totals = whereIs(step, totals, [&](Value old) {
        return addPowers(step.inputs, shift, old);
      });
    Value total =
        reduce(totals, zero, [](Inner &inner, ValueRange args) -> Value {
          return arith::AddFOp::create(inner, args[0], args[1]);
        });
    return {maximum, total};
  }

  /// What `update` makes of a value if the row has any of a step.
  Value whereIs(const Step &step, Value old,
                function_ref<Value(Value)> update) {
    auto branch = scf::IfOp::create(b, old.getType(), step.exists,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, update(old));
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, old);
    return branch.getResult(0);
  }

  /// So many matrices, from one on.
  Step locateAll(OpFoldResult first, int64_t count) {
    Step step;
    for (int64_t place = 0; place < count; ++place)
      step.matrices.push_back(locate(first, place));
    return step;
  }
  void read(Step &step) {
    for (const Matrix &matrix : step.matrices)
      step.inputs.push_back(readMatrix(matrix));
  }

  /// All of it before anything else.
  void readHead() {
    for (int64_t i = 0; i < headSteps; ++i) {
      int64_t first = i * matricesPerStep;
      head.push_back(locateAll(b.getIndexAttr(first), matricesPerStep));
      head.back().exists = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt,
                                                 matrices, index(first));
    }
    for (Step &step : head)
      read(step);
  }

  /// The largest of each row. What a row does not have is -inf. The maximum of
  /// narrow elements is narrow, so that two of them are found at a time.
  Value findLargest(ArrayRef<Step> steps, Value target) {
    SmallVector<Value> inputs;
    for (const Step &step : steps)
      inputs.append(step.inputs);
    SmallVector<AffineMap> maps(inputs.size(), tile);
    return generic(inputs, maps, target, row,
                   [&](Inner &inner, ValueRange args) -> Value {
                     Value largest = args.front();
                     for (Value arg : args.drop_front().drop_back())
                       largest = arith::MaxNumFOp::create(inner, largest, arg);
                     return arith::MaxNumFOp::create(
                         inner, widen(inner, largest), args.back());
                   });
  }

  Value writeHead(Value out, Value shift, Value inverse) {
    for (const Step &step : head)
      out = whereIs(step, out, [&](Value old) {
        return write(step, old, shift, inverse);
      });
    return out;
  }

  /// The sum of each row's powers added to `target`. `shift` is that of each
  /// row, or of the one row.
  Value addPowers(ArrayRef<Value> matrices, Value shift, Value target) {
    SmallVector<Value> inputs(matrices);
    SmallVector<AffineMap> maps(matrices.size(), tile);
    bool isOfEach = isa<RankedTensorType>(shift.getType());
    if (isOfEach) {
      inputs.push_back(shift);
      maps.push_back(row);
    }
    return generic(
        inputs, maps, target, row, [&](Inner &inner, ValueRange args) -> Value {
          Value common = isOfEach ? args.drop_back().back() : shift;
          Value sum;
          for (Value arg : args.take_front(matrices.size())) {
            Value next = power(inner, widen(inner, arg), common);
            sum = sum ? arith::AddFOp::create(inner, sum, next).getResult()
                      : next;
          }
          return arith::AddFOp::create(inner, sum, args.back());
        });
  }

  /// A loop over what comes after the head; `build` gets what an iteration
  /// reads and what it carries.
  SmallVector<Value>
  loopOver(ValueRange carried,
           function_ref<SmallVector<Value>(const Step &, ValueRange)> build) {
    auto loop = scf::ForOp::create(b, index(headSteps * matricesPerStep),
                                   matrices, index(countAtOnce()), carried);
    loop->setAttr(kBlockLoopAttrName, b.getUnitAttr());
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Step step = locateAll(loop.getInductionVar(), countAtOnce());
    read(step);
    scf::YieldOp::create(b, build(step, loop.getRegionIterArgs()));
    return llvm::to_vector_of<Value>(loop.getResults());
  }

  /// The maximum of each row and the sum of its powers.
  SmallVector<Value> sumRows(ArrayRef<Value> sums) {
    return loopOver(sums, [&](const Step &step, ValueRange carried) {
      Value maximum = carried[0], total = carried[1];
      Value ofStep = findLargest(step, fill(lowest, vectors));
      Value shift = computeShift(generic({ofStep, maximum}, {vector, vector},
                                         vectors, vector, greater));
      total = generic({maximum, shift}, {vector, vector}, total, vector,
                      [&](Inner &inner, ValueRange args) -> Value {
                        return arith::MulFOp::create(
                            inner, args[2], power(inner, args[0], args[1]));
                      });
      total = addPowers(step.inputs, shift, total);
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
