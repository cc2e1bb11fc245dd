//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The op sattn_test.attention: its definition, and loops over tiles of queries
// and over heads.

#include "Test.h"

using namespace mlir;
using namespace sattn;
using namespace sattn::test;

MutableOperandRange AttentionOp::getDpsInitsMutable() { return getOMutable(); }

void AttentionOp::constrainExtents(ExtentConstraints &constraints) {
  auto requireEqual = [&](Value a, int64_t dimA, Value b, int64_t dimB) {
    constraints.requireEqual(constraints.getExtent(a, dimA),
                             constraints.getExtent(b, dimB));
  };
  for (Value operand : {getK(), getV(), getO()}) // (C4)
    requireEqual(operand, 0, getQ(), 0);
  requireEqual(getO(), 1, getQ(), 1);
  requireEqual(getV(), 1, getK(), 1);
  requireEqual(getK(), 2, getQ(), 2);
  requireEqual(getO(), 2, getV(), 2);
}

//===----------------------------------------------------------------------===//
// Verifier
//===----------------------------------------------------------------------===//

LogicalResult AttentionOp::verify() {
  std::pair<StringRef, RankedTensorType> operands[] = {{"q", getQ().getType()},
                                                       {"k", getK().getType()},
                                                       {"v", getV().getType()},
                                                       {"o", getO().getType()}};
  Type element = getQ().getType().getElementType();
  for (auto [name, type] : operands) {
    if (type.getRank() != 3) // (C1)
      return emitOpError() << "expected '" << name << "' of rank 3, but got "
                           << type;
    if (type.getElementType() != element) // (C2)
      return emitOpError() << "expected '" << name
                           << "' to have the element type " << element
                           << ", but got " << type.getElementType();
  }
  if (!element.isF16() && !element.isBF16() && !element.isF32()) // (C2)
    return emitOpError() << "expected element type f16, bf16 or f32, but got "
                         << element;
  std::pair<StringRef, int64_t> sizes[] = {
      {"D", getQ().getType().getDimSize(2)},
      {"E", getV().getType().getDimSize(2)},
      {"block_q", getBlockQ()},
      {"block_kv", getBlockKv()}};
  for (auto [name, size] : sizes) // (C3)
    if (ShapedType::isDynamic(size) || size <= 0 || size % 8 != 0)
      return emitOpError() << "expected " << name
                           << " to be a static, positive multiple of 8";

  // (C4)
  auto expectEqual = [&](int a, int b, int64_t dimension) -> LogicalResult {
    int64_t sizeA = operands[a].second.getDimSize(dimension),
            sizeB = operands[b].second.getDimSize(dimension);
    if (succeeded(verifyCompatibleShape({sizeA}, {sizeB})))
      return success();
    return emitOpError() << "expected dimension " << dimension << " of '"
                         << operands[a].first << "' to be " << sizeB
                         << ", but got " << sizeA;
  };
  if (failed(expectEqual(1, 0, 0)) || failed(expectEqual(2, 0, 0)) ||
      failed(expectEqual(3, 0, 0)) || failed(expectEqual(3, 0, 1)) ||
      failed(expectEqual(2, 1, 1)) || failed(expectEqual(1, 0, 2)) ||
      failed(expectEqual(3, 2, 2)))
    return failure();
  if (getResult().getType() != getO().getType()) // (C5)
    return emitOpError() << "expected a result of type " << getO().getType()
                         << ", but got " << getResult().getType();
  return success();
}

//===----------------------------------------------------------------------===//
// TilingInterface: loops over queries and heads
//===----------------------------------------------------------------------===//

SmallVector<utils::IteratorType> AttentionOp::getLoopIteratorTypes() {
  return {utils::IteratorType::parallel, utils::IteratorType::parallel};
}

SmallVector<Range> AttentionOp::getIterationDomain(OpBuilder &b) {
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  return {{zero, tensor::getMixedSize(b, getLoc(), getO(), 1), one},
          {zero, tensor::getMixedSize(b, getLoc(), getO(), 0), one}};
}

LogicalResult AttentionOp::getResultTilePosition(
    OpBuilder &b, unsigned, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  resultOffsets = {offsets[1], offsets[0], b.getIndexAttr(0)};
  resultSizes = {sizes[1], sizes[0],
                 b.getIndexAttr(getO().getType().getDimSize(2))};
  return success();
}

FailureOr<TilingResult>
AttentionOp::getTiledImplementation(OpBuilder &b,
                                    ArrayRef<OpFoldResult> offsets,
                                    ArrayRef<OpFoldResult> sizes) {
  Location loc = getLoc();
  SmallVector<Operation *> slices;
  // Each operand is clipped by its own length, which a faulty program may give
  // it apart from the others.
  auto slice = [&](Value source, OpFoldResult row, OpFoldResult rows) -> Value {
    auto type = cast<RankedTensorType>(source.getType());
    SmallVector<OpFoldResult> begin = {offsets[1], row, b.getIndexAttr(0)};
    SmallVector<OpFoldResult> shape = {sizes[1], rows,
                                       b.getIndexAttr(type.getDimSize(2))};
    SmallVector<OpFoldResult> ones(3, b.getIndexAttr(1));
    slices.push_back(
        tensor::ExtractSliceOp::create(b, loc, source, begin, shape, ones));
    return slices.back()->getResult(0);
  };
  auto clipped = [&](Value source) -> Value {
    AffineExpr d0 = b.getAffineDimExpr(0), s0 = b.getAffineSymbolExpr(0);
    AffineMap map = AffineMap::get(
        1, 1, {b.getAffineConstantExpr(getBlockQ()), s0 - d0}, b.getContext());
    return slice(source, offsets[0],
                 affine::makeComposedFoldedAffineMin(
                     b, loc, map,
                     {offsets[0], tensor::getMixedSize(b, loc, source, 1)}));
  };
  auto whole = [&](Value source) -> Value {
    return slice(source, b.getIndexAttr(0),
                 tensor::getMixedSize(b, loc, source, 1));
  };
  OpFoldResult first = affine::makeComposedFoldedAffineApply(
      b, loc, b.getAffineDimExpr(0) + b.getAffineDimExpr(1),
      {OpFoldResult(getFirst()), offsets[0]});
  Value out = slice(getO(), offsets[0], sizes[0]);
  Operation *tiled =
      mlir::clone(b, getOperation(), {out.getType()},
                  {getScale(), getValueOrCreateConstantIndexOp(b, loc, first),
                   clipped(getQ()), whole(getK()), whole(getV()), out});
  return TilingResult{{tiled}, SmallVector<Value>(tiled->getResults()), slices};
}

FailureOr<SmallVector<OpFoldResult>> AttentionOp::getTileSizes(OpBuilder &b) {
  return SmallVector<OpFoldResult>{b.getIndexAttr(getBlockQ()),
                                   b.getIndexAttr(1)};
}
