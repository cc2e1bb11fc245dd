//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parts.h"

#include "BlockCuts.h"

#include "../BlockRowSearch.h"
#include "../ResultTiling.h"
#include "../TileParts.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace sattn;

Value sattn::readOffset(OpBuilder &b, Location loc, Value crow,
                        ArrayRef<OpFoldResult> batch, OpFoldResult place) {
  SmallVector<OpFoldResult> places = placeInBatches(b, loc, crow, 1, batch);
  places.push_back(place);
  return tensor::ExtractOp::create(
      b, loc, crow, getValueOrCreateConstantIndexOp(b, loc, places));
}

OpFoldResult sattn::countTileRows(OpBuilder &builder, BsrAttentionOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), builder);
  int64_t batches = op.getBatchRank();
  AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
  Value rows = getValueOrCreateConstantIndexOp(
      b, b.getLoc(), tensor::getMixedSize(b, b.getLoc(), op.getOut(), batches));
  OpFoldResult slots =
      tensor::getMixedSize(b, b.getLoc(), op.getLse(), batches);
  Value all = getValueOrCreateConstantIndexOp(
      b, b.getLoc(),
      affine::makeComposedFoldedAffineApply(b, b.getLoc(), d0 + d1.floorDiv(2),
                                            {OpFoldResult(rows), slots}));
  // Without a block row no part has one.
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value isEmpty =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, rows, zero);
  return arith::SelectOp::create(b, isEmpty, zero, all).getResult();
}

namespace {
class PartFinder {
public:
  PartFinder(OpBuilder &builder, BsrAttentionOp op,
             ArrayRef<OpFoldResult> batch)
      : b(op.getLoc(), builder), op(op), batch(batch),
        offsetType(op.getCrow().getType().getElementType()) {}

  Part find(OpFoldResult tileRow);

private:
  ImplicitLocOpBuilder b;
  BsrAttentionOp op;
  ArrayRef<OpFoldResult> batch;
  Type offsetType;

  Value asValue(OpFoldResult number) {
    return getValueOrCreateConstantIndexOp(b, b.getLoc(), number);
  }
  Value apply(AffineExpr expr, ArrayRef<OpFoldResult> operands) {
    return asValue(
        affine::makeComposedFoldedAffineApply(b, b.getLoc(), expr, operands));
  }
  Value sizeOf(Value tensor, int64_t dim) {
    tensor = getDestination(tensor);
    int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
    return asValue(tensor::getMixedSize(b, b.getLoc(), tensor, rank + dim));
  }
  Value select(Value condition, Value first, Value second) {
    return arith::SelectOp::create(b, condition, first, second);
  }
  Value readEntry(Value place) {
    return readOffset(b, b.getLoc(), op.getCrow(), batch, place);
  }
  /// A constant of the type of offsets.
  Value number(int64_t value) {
    return arith::ConstantOp::create(b, b.getIntegerAttr(offsetType, value));
  }
  /// Converts an index to the one type of offsets, numbers of rows and of cuts,
  /// which is mostly half as wide as an index.
  Value asNumber(Value index) {
    return arith::IndexCastOp::create(b, offsetType, index);
  }
  Value asIndex(Value number) {
    return arith::IndexCastOp::create(b, b.getIndexType(), number);
  }
  Value add(Value first, Value second) {
    return arith::AddIOp::create(b, first, second);
  }
  Value sub(Value first, Value second) {
    return arith::SubIOp::create(b, first, second);
  }
  Value mul(Value first, Value second) {
    return arith::MulIOp::create(b, first, second);
  }
  /// The tile's first row of `number` blocks of rows.
  Value rowOf(Value number, OpFoldResult tileRow) {
    AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
    int64_t height = op.getBlockRows();
    return apply(d0 * height + d1 % height,
                 {OpFoldResult(asIndex(number)), tileRow});
  }
};
} // namespace

Part PartFinder::find(OpFoldResult tileRow) {
  AffineExpr d0 = b.getAffineDimExpr(0);
  int64_t height = op.getBlockRows();
  BlockCuts cuts(b, sizeOf(op.getCol(), -1), sizeOf(op.getLse(), -1), height);
  Value length = asNumber(cuts.length), one = number(1);
  Value rows = apply(d0 - 1, {OpFoldResult(sizeOf(op.getCrow(), -1))});
  Value tileNumber = asNumber(apply(d0.floorDiv(height), {tileRow}));
  Value rowCount = asNumber(rows);
  Value isBehindCut =
      arith::CmpIOp::create(b, arith::CmpIPredicate::sge, tileNumber, rowCount);

  // Behind a cut: its number, its place among the blocks, and whose it is.
  Value cut = sub(tileNumber, rowCount);
  Value place = mul(add(cut, one), length);
  Value found = findBlockRows(
                    b, OpFoldResult(rows), place,
                    [&](Value row) { return readEntry(row); },
                    /*digitBits=*/2, isBehindCut)
                    .front();

  Value row = select(isBehindCut, asNumber(found), tileNumber);
  Value begin = readEntry(asIndex(row));
  Value end = readEntry(apply(d0 + 1, {OpFoldResult(asIndex(row))}));
  Value size = sub(end, begin);
  Value isLong = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, size,
                                       asNumber(cuts.longest));
  // A cut at the row's beginning is not a cut of this row.
  Value begins =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, begin, place);
  Value isNoPart = arith::AndIOp::create(b, isBehindCut, begins);
  Value isPart = select(
      isNoPart, arith::ConstantOp::create(b, b.getBoolAttr(false)), isLong);
  // A long row's part up to its first cut has that cut's number.
  Value former = arith::DivUIOp::create(b, begin, length);
  Value firstCut = mul(add(former, one), length);
  Value stop = select(isBehindCut, add(place, length), firstCut);
  // Near the greatest offset, only an unsigned number holds a row's end.
  stop = arith::MinUIOp::create(b, stop, end);

  Part part;
  Value first = select(isBehindCut, place, begin);
  Value whole = select(isBehindCut, first, end);
  part.begin = asIndex(first);
  part.size = asIndex(sub(select(isPart, stop, whole), first));
  part.query = rowOf(row, tileRow);
  Value isElsewhere = arith::OrIOp::create(b, isPart, isBehindCut);
  part.outRow = select(isElsewhere, sizeOf(op.getOut(), -2), part.query);
  Value slot = select(isBehindCut, add(asNumber(cuts.count), cut), former);
  part.partialRow =
      select(isPart, rowOf(slot, tileRow), sizeOf(op.getLse(), -1));
  return part;
}

Part sattn::findPart(OpBuilder &b, BsrAttentionOp op, OpFoldResult row,
                     ArrayRef<OpFoldResult> batch) {
  return PartFinder(b, op, batch).find(row);
}

OpFoldResult sattn::clipRows(OpBuilder &b, Value result, int64_t dim,
                             OpFoldResult row, int64_t height) {
  AffineExpr d0 = b.getAffineDimExpr(0), s0 = b.getAffineSymbolExpr(0);
  Location loc = result.getLoc();
  return affine::makeComposedFoldedAffineMin(
      b, loc,
      AffineMap::get(1, 1, {b.getAffineConstantExpr(height), s0 - d0},
                     b.getContext()),
      {row, tensor::getMixedSize(b, loc, result, dim)});
}

LogicalResult sattn::verifyPartTypes(Operation *op, const NamedOperand &partial,
                                     const NamedOperand &lse, int64_t batches) {
  for (const NamedOperand &operand : {partial, lse}) {
    if (!operand.elementType().isF32())
      return op->emitOpError()
             << "expected element type f32 of '" << operand.name
             << "', but got " << operand.elementType();
    if (operand.batchRank() != batches)
      return op->emitOpError() << "expected '" << operand.name << "' of rank "
                               << batches + operand.baseRank << ", but got "
                               << operand.value.getType();
  }
  return success();
}

LogicalResult sattn::verifyPartExtents(Operation *op,
                                       const NamedOperand &partial,
                                       const NamedOperand &lse,
                                       int64_t blockRows, int64_t columns) {
  int64_t rows = lse.size(0), multiple = 2 * blockRows;
  if (!ShapedType::isDynamic(rows) && rows % multiple != 0)
    return op->emitOpError() << "expected rows of 'lse' to be a multiple of "
                             << multiple << ", but got " << rows;
  if (failed(verifySize(op, partial, 0, "rows", rows)))
    return failure();
  return verifySize(op, partial, 1, "E", columns);
}

LogicalResult sattn::verifyPartBatches(Operation *op,
                                       ArrayRef<NamedOperand> operands,
                                       ArrayRef<int64_t> batch) {
  for (const NamedOperand &operand : operands)
    for (auto [dim, size] : llvm::enumerate(batch))
      if (!mayMatch(operand.value.getType().getDimSize(dim), size))
        return op->emitOpError()
               << "expected the batch dimensions of 'out' of '" << operand.name
               << "', but got " << operand.value.getType();
  return success();
}

void sattn::constrainParts(ExtentConstraints &constraints, Value partial,
                           Value lse, Value out, int64_t blockRows) {
  AffineExpr rows = constraints.getExtent(lse, -1);
  constraints.requireEqual(rows % (2 * blockRows), constraints.getConstant(0));
  constraints.requireEqual(constraints.getExtent(partial, -2), rows);
  int64_t batches = cast<RankedTensorType>(out.getType()).getRank() - 2;
  for (int64_t dim = 0; dim < batches; ++dim)
    for (Value tensor : {partial, lse})
      constraints.requireEqual(constraints.getExtent(tensor, dim),
                               constraints.getExtent(out, dim));
}
