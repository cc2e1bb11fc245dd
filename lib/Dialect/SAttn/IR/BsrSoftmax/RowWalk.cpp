//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Places of the matrices of a row, reads of them, and the loops over them.

#include "RowWalk.h"

#include "sattn/Support/TileLoopAttributes.h"

using namespace mlir;
using namespace sattn;

RowWalk::RowWalk(OpBuilder &b, const StoredRows &rows, double padding)
    : TileOpBuilder(rows.op->getLoc(), b), element(rows.getElementType()),
      wideType(getScalarType(element)), tile(getMultiDimIdentityMap(2)),
      row(AffineMap::get(2, 0, getAffineDimExpr(0), getContext())),
      vector(getMultiDimIdentityMap(1)), rows(rows), padding(padding),
      blocks(tensor::getMixedSize(*this, getLoc(), rows.values().value,
                                  rows.getBatchRank())),
      width(rows.getBlockColumns()), columns(rows.meta.getTile()[1]),
      blocksPerMatrix(rows.getBlocksAtOnce()),
      height(rows.meta.getTile()[0] * blocksPerMatrix),
      matricesPerStep(rows.meta.getTile()[2] / (columns * blocksPerMatrix)),
      headSteps(rows.getStepsInRegisters()) {}

Value RowWalk::constant(double value) {
  return arith::ConstantOp::create(*this, getFloatAttr(wideType, value));
}

Value RowWalk::widen(Inner &inner, Value narrow) {
  if (element == wideType)
    return narrow;
  return arith::ExtFOp::create(inner, wideType, narrow);
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

Value RowWalk::compute(AffineExpr expr, OpFoldResult operand) {
  return asValue(
      affine::makeComposedFoldedAffineApply(*this, getLoc(), expr, {operand}));
}

bool RowWalk::isPadded(const Matrix &matrix) const {
  return !isConstantIntValue(matrix.rows, height) ||
         !isConstantIntValue(matrix.width, columns);
}

OpFoldResult RowWalk::clip(int64_t most, AffineExpr size,
                           ArrayRef<OpFoldResult> operands) {
  AffineMap map = AffineMap::get(
      operands.size(), 0, {getAffineConstantExpr(most), size}, getContext());
  return affine::makeComposedFoldedAffineMin(*this, getLoc(), map, operands);
}

/// Locates a matrix of an iteration; matrices are counted through the blocks.
/// The row may lack the last of those that are read together, or parts of them;
/// all of one unless it `hasBlocks` of it.
RowWalk::Matrix RowWalk::locate(OpFoldResult iteration, int64_t place,
                                bool hasBlocks) {
  AffineExpr d0 = getAffineDimExpr(0), d1 = getAffineDimExpr(1),
             number = d0 + place;
  auto apply = [&](AffineExpr expr) {
    return affine::makeComposedFoldedAffineApply(*this, getLoc(), expr,
                                                 {iteration});
  };
  OpFoldResult one = getIndexAttr(1), first = getIndexAttr(0);
  OpFoldResult block =
      apply(number.floorDiv(matricesPerBlock()) * blocksPerMatrix);
  OpFoldResult column = apply((number % matricesPerBlock()) * columns);
  Matrix matrix;
  matrix.rows = getIndexAttr(height);
  if (blocksPerMatrix != 1 || matricesPerStep != 1) {
    AffineMap none =
        AffineMap::get(1, 0, {d0, getAffineConstantExpr(0)}, getContext());
    int64_t perBlock = height / blocksPerMatrix;
    matrix.rows = clip(height, (d0 - d1) * perBlock, {blocks, block});
    if (!hasBlocks)
      matrix.rows = affine::makeComposedFoldedAffineMax(*this, getLoc(), none,
                                                        {matrix.rows});
  }
  matrix.width = getIndexAttr(columns);
  if (hasTail())
    matrix.width = clip(columns, width - d0, {column});
  matrix.offsets.assign(rows.getBatchRank(), first);
  matrix.offsets.append({block, first, column});
  matrix.sizes.assign(rows.getBatchRank() + 3, one);
  matrix.sizes.end()[blocksPerMatrix == 1 ? -2 : -3] = matrix.rows;
  matrix.sizes.back() = matrix.width;
  return matrix;
}

/// A step's matrices, from one on, the first of which the row has if anything
/// is read.
RowWalk::Step RowWalk::locateAll(OpFoldResult first) {
  Step step;
  bool isOfBlocks = matricesPerBlock() % matricesPerStep == 0;
  for (int64_t place = 0; place < matricesPerStep; ++place)
    step.matrices.push_back(
        locate(first, place, /*hasBlocks=*/place == 0 || isOfBlocks));
  return step;
}

/// The matrix, of one of the tensors.
Value RowWalk::slice(Value source, const Matrix &matrix) {
  SmallVector<OpFoldResult> ones(matrix.sizes.size(), getIndexAttr(1));
  SmallVector<int64_t> shape;
  for (OpFoldResult size : {matrix.rows, matrix.width})
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  auto type = RankedTensorType::get(shape, element);
  return tensor::ExtractSliceOp::create(*this, type, source, matrix.offsets,
                                        matrix.sizes, ones);
}

//===----------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------===//

Value RowWalk::readMatrix(Value source, const Matrix &matrix) {
  Value inside = slice(source, matrix);
  if (!isPadded(matrix))
    return inside;
  OpFoldResult nothing = getIndexAttr(0);
  auto complement = [&](int64_t whole, OpFoldResult size) {
    return affine::makeComposedFoldedAffineApply(
        *this, getLoc(), whole - getAffineDimExpr(0), {size});
  };
  OpFoldResult below = complement(height, matrix.rows),
               right = complement(columns, matrix.width);
  Value beyond =
      arith::ConstantOp::create(*this, getFloatAttr(element, padding));
  return tensor::PadOp::create(
      *this, RankedTensorType::get({height, columns}, element), inside,
      ArrayRef<OpFoldResult>{nothing, nothing},
      ArrayRef<OpFoldResult>{below, right}, beyond);
}

/// The matrix, or nothing but padding.
Value RowWalk::readIf(Value condition, Value source, const Matrix &matrix) {
  auto type = RankedTensorType::get({height, columns}, element);
  auto branch =
      scf::IfOp::create(*this, type, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(*this, readMatrix(source, matrix));
  setInsertionPointToStart(branch.elseBlock());
  Value nothing =
      arith::ConstantOp::create(*this, getFloatAttr(element, padding));
  scf::YieldOp::create(*this, fill(nothing, empty({height, columns}, element)));
  return branch.getResult(0);
}

void RowWalk::read(Step &step) {
  for (const Matrix &matrix : step.matrices)
    for (const NamedOperand &input : rows.inputs)
      step.inputs.push_back(step.exists
                                ? readIf(step.exists, input.value, matrix)
                                : readMatrix(input.value, matrix));
}

void RowWalk::readHead() {
  for (int64_t i = 0; i < headSteps; ++i) {
    int64_t first = i * matricesPerStep;
    Step step = locateAll(getIndexAttr(first));
    step.exists = arith::CmpIOp::create(
        *this, arith::CmpIPredicate::sgt, asValue(blocks),
        index(first / matricesPerBlock() * blocksPerMatrix));
    read(step);
    head.push_back(std::move(step));
  }
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

Value RowWalk::whereIs(const Step &step, Value old,
                       function_ref<Value(Value)> update) {
  if (!step.exists)
    return update(old);
  auto branch = scf::IfOp::create(*this, old.getType(), step.exists,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(*this, update(old));
  setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(*this, old);
  return branch.getResult(0);
}

SmallVector<Value> RowWalk::loopOver(
    ValueRange carried,
    function_ref<SmallVector<Value>(const Step &, ValueRange)> build) {
  if (!matrices)
    matrices = compute(getAffineDimExpr(0).ceilDiv(blocksPerMatrix) *
                           matricesPerBlock(),
                       blocks);
  auto loop = scf::ForOp::create(*this, index(headSteps * matricesPerStep),
                                 matrices, index(matricesPerStep), carried);
  loop->setAttr(kBlockLoopAttrName, getUnitAttr());
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToStart(loop.getBody());
  Step step = locateAll(loop.getInductionVar());
  read(step);
  scf::YieldOp::create(*this, build(step, loop.getRegionIterArgs()));
  return llvm::to_vector_of<Value>(loop.getResults());
}

Value RowWalk::reduce(ValueRange inputs, Value initial, Body body) {
  SmallVector<AffineMap> maps(inputs.size(), tile);
  if (isa<RankedTensorType>(initial.getType()))
    return generic(inputs, maps, initial, row, body);
  Value place = empty({}, wideType);
  AffineMap number = AffineMap::get(2, 0, getContext());
  return tensor::ExtractOp::create(
      *this, generic(inputs, maps, fill(initial, place), number, body),
      ValueRange());
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

Value RowWalk::writeAll(ValueRange ofRow, Body body) {
  Value out = rows.out.value;
  for (const Step &step : head)
    out = whereIs(step, out,
                  [&](Value old) { return write(step, old, ofRow, body); });
  return loopOver(out,
                  [&](const Step &step, ValueRange carried) {
                    return SmallVector<Value>{
                        write(step, carried.front(), ofRow, body)};
                  })
      .front();
}

Value RowWalk::write(const Step &step, Value out, ValueRange ofRow, Body body) {
  int64_t arrays = rows.inputs.size();
  SmallVector<Value> results;
  for (auto [place, matrix] : llvm::enumerate(step.matrices)) {
    // Reads must not wait for stores: one result alone is computed in its
    // place.
    Value target = isPadded(matrix) || step.matrices.size() != 1
                       ? empty({height, columns}, element)
                       : slice(out, matrix);
    results.push_back(
        computeElements(ArrayRef(step.inputs).slice(place * arrays, arrays),
                        ofRow, target, body));
  }
  for (auto [matrix, result] : llvm::zip_equal(step.matrices, results))
    out = insert(result, matrix, out);
  return out;
}

Value RowWalk::computeElements(ValueRange inputs, ValueRange ofRow,
                               Value target, Body body) {
  SmallVector<Value> operands(inputs);
  SmallVector<AffineMap> maps(inputs.size(), tile);
  if (!isOneRow()) {
    llvm::append_range(operands, ofRow);
    maps.append(ofRow.size(), row);
  }
  return generic(operands, maps, target, tile,
                 [&](Inner &inner, ValueRange args) -> Value {
                   SmallVector<Value> given;
                   for (Value narrow : args.take_front(inputs.size()))
                     given.push_back(widen(inner, narrow));
                   llvm::append_range(
                       given, isOneRow()
                                  ? ofRow
                                  : args.slice(inputs.size(), ofRow.size()));
                   Value result = body(inner, given);
                   if (element == wideType)
                     return result;
                   return arith::TruncFOp::create(inner, element, result);
                 });
}

/// Inserts a result, without the padding, into `out`.
Value RowWalk::insert(Value result, const Matrix &matrix, Value out) {
  SmallVector<OpFoldResult> ones(matrix.sizes.size(), getIndexAttr(1)),
      origin(2, getIndexAttr(0));
  if (isPadded(matrix))
    result = tensor::ExtractSliceOp::create(
        *this, result, origin,
        SmallVector<OpFoldResult>{matrix.rows, matrix.width},
        ArrayRef(ones).take_back(2));
  return tensor::InsertSliceOp::create(*this, result, out, matrix.offsets,
                                       matrix.sizes, ones);
}
