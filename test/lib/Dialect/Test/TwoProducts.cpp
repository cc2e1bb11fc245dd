//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The op sattn_test.two_products: one loop over block rows, and the program of
// one block row.

#include "Test.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace sattn;
using namespace sattn::test;

#include "TestDialect.cpp.inc"

#define GET_OP_CLASSES
#include "TestOps.cpp.inc"

void SAttnTestDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "TestOps.cpp.inc"
      >();
}

MutableOperandRange TwoProductsOp::getDpsInitsMutable() {
  return MutableOperandRange(getOperation(), /*start=*/5, /*length=*/2);
}

void TwoProductsOp::constrainExtents(ExtentConstraints &constraints) {
  auto extent = [&](Value tensor, int64_t dimension) {
    return constraints.getExtent(tensor, dimension);
  };
  int64_t blockRows = getValues().getType().getShape()[1],
          blockColumns = getValues().getType().getShape()[2];
  AffineExpr m = extent(getO(), 0);
  constraints.requireEqual(m, (extent(getCrow(), 0) - 1) * blockRows); // (C4)
  constraints.requireEqual(extent(getM(), 0), m);
  constraints.requireEqual(extent(getO(), 1), extent(getD(), 1));
  constraints.requireEqual(extent(getD(), 0), extent(getB(), 1));
  constraints.requireEqual(extent(getB(), 0) % blockColumns,
                           constraints.getConstant(0));
  constraints.requireEqual(extent(getCol(), 0), extent(getValues(), 0));
}

//===----------------------------------------------------------------------===//
// Verifier
//===----------------------------------------------------------------------===//

LogicalResult TwoProductsOp::verify() {
  static constexpr StringLiteral names[] = {"crow", "col", "values", "b",
                                            "d",    "o",   "m"};
  static constexpr int64_t ranks[] = {1, 1, 3, 2, 2, 2, 1};
  SmallVector<RankedTensorType> types;
  for (auto [name, rank, value] : llvm::zip(names, ranks, getOperands())) {
    types.push_back(cast<RankedTensorType>(value.getType()));
    if (types.back().getRank() != rank) // (C1)
      return emitOpError() << "expected '" << name << "' of rank " << rank
                           << ", but got " << types.back();
  }
  auto expectElement = [&](int operand, bool holds,
                           const Twine &what) -> LogicalResult {
    return holds ? success()
                 : emitOpError() << "expected element type " << what << " of '"
                                 << names[operand] << "', but got "
                                 << types[operand].getElementType();
  };
  auto element = [&](int i) { return types[i].getElementType(); };
  Type index = element(0), value = element(2);
  // (C2)
  if (failed(expectElement(
          0, index.isSignlessInteger(32) || index.isSignlessInteger(64),
          "i32 or i64")) ||
      failed(expectElement(1, element(1) == index, "that of 'crow'")) ||
      failed(expectElement(2, value.isF16() || value.isBF16(), "f16 or bf16")))
    return failure();
  for (int i : {3, 4})
    if (failed(expectElement(i, element(i) == value, "that of 'values'")))
      return failure();
  if (failed(expectElement(
          5, element(5).isF16() || element(5).isBF16() || element(5).isF32(),
          "f16, bf16 or f32")) ||
      failed(expectElement(6, element(6).isF32(), "f32")))
    return failure();

  int64_t blockRows = types[2].getDimSize(1),
          blockColumns = types[2].getDimSize(2);
  int64_t width = types[3].getDimSize(1), columns = types[4].getDimSize(1);
  for (auto [name, size] : {std::pair("BM", blockRows),
                            {"BK", blockColumns},
                            {"W", width},
                            {"N", columns}}) // (C3)
    if (ShapedType::isDynamic(size) || size <= 0 || size % 8 != 0)
      return emitOpError() << "expected " << name
                           << " to be a static, positive multiple of 8";

  // (C4)
  auto expectSize = [&](int operand, int64_t dim,
                        int64_t size) -> LogicalResult {
    int64_t actual = types[operand].getDimSize(dim);
    if (ShapedType::isDynamic(size) || ShapedType::isDynamic(actual) ||
        actual == size)
      return success();
    return emitOpError() << "expected dimension " << dim << " of '"
                         << names[operand] << "' to be " << size << ", but got "
                         << actual;
  };
  int64_t entries = types[0].getDimSize(0), rows = ShapedType::kDynamic;
  if (!ShapedType::isDynamic(entries)) {
    if (entries < 1)
      return emitOpError("expected 'crow' of at least one entry, but got none");
    rows = (entries - 1) * blockRows;
  }
  int64_t depth = types[3].getDimSize(0);
  if (!ShapedType::isDynamic(depth) && depth % blockColumns != 0)
    return emitOpError() << "expected dimension 0 of 'b' to be a multiple of "
                         << blockColumns << ", but got " << depth;
  if (failed(expectSize(2, 0, types[1].getDimSize(0))) ||
      failed(expectSize(4, 0, width)) || failed(expectSize(5, 0, rows)) ||
      failed(expectSize(5, 1, columns)) || failed(expectSize(6, 0, rows)) ||
      failed(expectSize(6, 0, types[5].getDimSize(0))))
    return failure();

  // (C5)
  for (auto [result, init] : llvm::zip(getResults(), getDpsInits()))
    if (result.getType() != init.getType())
      return emitOpError() << "expected a result of type " << init.getType()
                           << ", but got " << result.getType();
  return success();
}

//===----------------------------------------------------------------------===//
// TilingInterface: a loop over block rows
//===----------------------------------------------------------------------===//

SmallVector<utils::IteratorType> TwoProductsOp::getLoopIteratorTypes() {
  return {utils::IteratorType::parallel};
}

SmallVector<Range> TwoProductsOp::getIterationDomain(OpBuilder &b) {
  OpFoldResult entries = tensor::getMixedSize(b, getLoc(), getCrow(), 0);
  OpFoldResult rows = affine::makeComposedFoldedAffineApply(
      b, getLoc(), b.getAffineDimExpr(0) - 1, {entries});
  return {{b.getIndexAttr(0), rows, b.getIndexAttr(1)}};
}

LogicalResult TwoProductsOp::getResultTilePosition(
    OpBuilder &b, unsigned resultNumber, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  int64_t blockRows = getValues().getType().getDimSize(1);
  resultOffsets = {affine::makeComposedFoldedAffineApply(
      b, getLoc(), b.getAffineDimExpr(0) * blockRows, {offsets[0]})};
  resultSizes = {b.getIndexAttr(blockRows)};
  if (resultNumber == 0) {
    resultOffsets.push_back(b.getIndexAttr(0));
    resultSizes.push_back(b.getIndexAttr(getO().getType().getDimSize(1)));
  }
  return success();
}

FailureOr<TilingResult>
TwoProductsOp::getTiledImplementation(OpBuilder &b,
                                      ArrayRef<OpFoldResult> offsets,
                                      ArrayRef<OpFoldResult> sizes) {
  SmallVector<Operation *> slices;
  auto slice = [&](Value source, ArrayRef<OpFoldResult> sliceOffsets,
                   ArrayRef<OpFoldResult> sliceSizes) -> Value {
    SmallVector<OpFoldResult> strides(sliceSizes.size(), b.getIndexAttr(1));
    slices.push_back(tensor::ExtractSliceOp::create(
        b, getLoc(), source, sliceOffsets, sliceSizes, strides));
    return slices.back()->getResult(0);
  };
  SmallVector<Value> operands(getOperands());
  operands[0] = slice(getCrow(), {offsets[0]}, {b.getIndexAttr(2)});
  for (unsigned i : {0, 1}) {
    SmallVector<OpFoldResult> resultOffsets, resultSizes;
    (void)getResultTilePosition(b, i, offsets, sizes, resultOffsets,
                                resultSizes);
    operands[5 + i] = slice(operands[5 + i], resultOffsets, resultSizes);
  }
  Operation *tiled =
      mlir::clone(b, getOperation(),
                  {operands[5].getType(), operands[6].getType()}, operands);
  return TilingResult{{tiled}, SmallVector<Value>(tiled->getResults()), slices};
}

//===----------------------------------------------------------------------===//
// TileProgramOpInterface: the program of one block row
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<OpFoldResult>> TwoProductsOp::getTileSizes(OpBuilder &b) {
  return SmallVector<OpFoldResult>{b.getIndexAttr(1)};
}

FailureOr<SmallVector<Value>>
TwoProductsOp::lowerToTileProgram(OpBuilder &builder) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  ArrayRef<int64_t> block = getValues().getType().getShape().drop_front();
  int64_t width = getB().getType().getDimSize(1);
  Type element = getValues().getType().getElementType(), f32 = b.getF32Type();
  AffineExpr i = b.getAffineDimExpr(0), j = b.getAffineDimExpr(1);
  auto identity = AffineMap::get(2, 0, {i, j}, b.getContext());
  auto rows = AffineMap::get(2, 0, {i}, b.getContext());
  auto parallel = utils::IteratorType::parallel;

  auto index = [&](Value tensor, Value position) -> Value {
    return arith::IndexCastOp::create(
        b, b.getIndexType(), tensor::ExtractOp::create(b, tensor, position));
  };
  auto tile = [&](Value source, ArrayRef<OpFoldResult> offsets) -> Value {
    auto type = cast<RankedTensorType>(source.getType());
    SmallVector<OpFoldResult> sizes(offsets.size(), b.getIndexAttr(1));
    SmallVector<OpFoldResult> strides(offsets.size(), b.getIndexAttr(1));
    sizes.end()[-2] = b.getIndexAttr(block[offsets.size() == 3 ? 0 : 1]);
    sizes.end()[-1] = b.getIndexAttr(type.getShape().back());
    auto result = RankedTensorType::get(
        {*getConstantIntValue(sizes.end()[-2]), type.getShape().back()},
        type.getElementType());
    return tensor::ExtractSliceOp::create(b, result, source, offsets, sizes,
                                          strides);
  };
  auto zeros = [&](int64_t columns) -> Value {
    Value zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0.0));
    Value empty = tensor::EmptyOp::create(b, {block[0], columns}, f32);
    return linalg::FillOp::create(b, zero, empty).getResult(0);
  };
  auto product = [&](Value left, Value right, Value sum) -> Value {
    return linalg::MatmulOp::create(b, ValueRange{left, right}, sum)
        .getResult(0);
  };
  auto convert = [](OpBuilder &b, Location loc, Value value, Type type) {
    if (value.getType() == type)
      return value;
    return type.isF32()
               ? arith::ExtFOp::create(b, loc, type, value).getResult()
               : arith::TruncFOp::create(b, loc, type, value).getResult();
  };

  OpFoldResult zero = b.getIndexAttr(0);
  Value c0 = arith::ConstantIndexOp::create(b, 0);
  Value c1 = arith::ConstantIndexOp::create(b, 1);
  int64_t columns = getD().getType().getDimSize(1);
  auto loop = scf::ForOp::create(b, index(getCrow(), c0), index(getCrow(), c1),
                                 c1, ValueRange{zeros(columns), getM()});
  loop->setAttr(kBlockLoopAttrName, b.getUnitAttr());
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value p = loop.getInductionVar();
    OpFoldResult k = affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), i * block[1], {OpFoldResult(index(getCol(), p))});
    Value wide = product(tile(getValues(), {p, zero, zero}),
                         tile(getB(), {k, zero}), zeros(width));
    Value rounded =
        linalg::GenericOp::create(
            b, RankedTensorType::get({block[0], width}, element), wide,
            Value(tensor::EmptyOp::create(b, {block[0], width}, element)),
            {identity, identity}, {parallel, parallel},
            [&](OpBuilder &b, Location loc, ValueRange args) {
              linalg::YieldOp::create(b, loc,
                                      convert(b, loc, args[0], element));
            })
            .getResult(0);
    Value sum = product(rounded, getD(), loop.getRegionIterArg(0));
    Value maximum =
        linalg::GenericOp::create(
            b, getM().getType(), rounded, loop.getRegionIterArg(1),
            {identity, rows}, {parallel, utils::IteratorType::reduction},
            [&](OpBuilder &b, Location loc, ValueRange args) {
              Value value = convert(b, loc, args[0], f32);
              linalg::YieldOp::create(
                  b, loc,
                  arith::MaximumFOp::create(b, loc, value, args[1])
                      .getResult());
            })
            .getResult(0);
    scf::YieldOp::create(b, ValueRange{sum, maximum});
  }
  Value out = linalg::GenericOp::create(
                  b, getO().getType(), loop.getResult(0), getO(),
                  {identity, identity}, {parallel, parallel},
                  [&](OpBuilder &b, Location loc, ValueRange args) {
                    Value old = convert(b, loc, args[1], f32);
                    Value sum = arith::AddFOp::create(b, loc, old, args[0]);
                    linalg::YieldOp::create(
                        b, loc, convert(b, loc, sum, args[1].getType()));
                  })
                  .getResult(0);
  return SmallVector<Value>{out, loop.getResult(1)};
}
