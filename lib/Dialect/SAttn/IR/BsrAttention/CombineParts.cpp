//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Definition, loops and tile program of sattn.combine_parts. The constraint
// numbers are those of the op's description.

#include "BlockCuts.h"
#include "Parts.h"

#include "../AttentionTile.h"
#include "../BlockRowSearch.h"
#include "../ResultTiling.h"
#include "../TileParts.h"

#include "sattn/Dialect/SAttn/IR/SAttn.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace sattn;

//===----------------------------------------------------------------------===//
// Definition
//===----------------------------------------------------------------------===//

MutableOperandRange CombinePartsOp::getDpsInitsMutable() {
  return getOutMutable();
}

LogicalResult CombinePartsOp::verify() {
  NamedOperand crow{"crow", getCrow(), 1}, partial{"partial", getPartial(), 2},
      lse{"lse", getLse(), 1}, out{"out", getOut(), 2};
  int64_t batches = getBatchRank();
  if (batches < 0) // (C1)
    return emitOpError() << "expected 'out' of rank at least 2, but got "
                         << getOut().getType();
  if (failed(verifyBatchRanks(*this, {crow}, batches))) // (C1)
    return failure();
  if (failed(verifyPartTypes(*this, partial, lse, batches))) // (C1), (C2)
    return failure();
  Type index = crow.elementType();
  if (!index.isSignlessInteger(32) && !index.isSignlessInteger(64)) // (C2)
    return emitOpError() << "expected element type i32 or i64 of 'crow', but "
                            "got "
                         << index;
  if (!isSmallFloat(out.elementType())) // (C2)
    return emitOpError() << "expected element type f16, bf16 or f32 of 'out', "
                            "but got "
                         << out.elementType();
  if (ShapedType::isDynamic(getWidth()) || getWidth() < 1) // (C3)
    return emitOpError() << "expected E to be static and positive, but got "
                         << getOut().getType();
  int64_t height = getBlockRows();
  if (height < 1 || height % 8 != 0) // (C3)
    return emitOpError() << "expected 'block_rows' to be a positive multiple "
                            "of 8, but got "
                         << height;
  if (failed(verifyPartExtents(*this, partial, lse, height, getWidth())))
    return failure(); // (C4)
  if (!isTile()) {    // (C4)
    ArrayRef<int64_t> batch = getOut().getType().getShape().drop_back(2);
    if (failed(verifyBatch(*this, crow, batch)) ||
        failed(verifyPartBatches(*this, partial, lse, batch)))
      return failure();
    if (int64_t offsets = crow.size(0); !ShapedType::isDynamic(offsets))
      if (failed(verifySize(*this, out, 0, "M", (offsets - 1) * height)))
        return failure();
  }
  if (isTile() && // (C6)
      static_cast<int64_t>(getOrigin().size()) != batches + 3)
    return emitOpError() << "expected " << batches + 3
                         << " numbers in 'origin', but got "
                         << getOrigin().size();
  if (getResult().getType() != getOut().getType()) // (C5)
    return emitOpError() << "expected the result to have the type of 'out', "
                         << getOut().getType() << ", but got "
                         << getResult().getType();
  return success();
}

void CombinePartsOp::constrainExtents(ExtentConstraints &constraints) {
  auto extent = [&](Value tensor, int64_t dimension) {
    return constraints.getExtent(tensor, dimension);
  };
  constraints.requireAtLeast(extent(getCrow(), -1), constraints.getConstant(1));
  constraints.requireEqual(extent(getOut(), -2), // (C4)
                           (extent(getCrow(), -1) - 1) * getBlockRows());
  constrainParts(constraints, getPartial(), getLse(), getOut(), getBlockRows());
  for (int64_t dim = 1; dim < getCrow().getType().getRank(); ++dim)
    constraints.requireEqual(extent(getCrow(), -1 - dim),
                             extent(getOut(), -2 - dim),
                             constraints.getConstant(1));
}

//===----------------------------------------------------------------------===//
// Loops over batches and over the rows of the cuts
//===----------------------------------------------------------------------===//

SmallVector<utils::IteratorType> CombinePartsOp::getLoopIteratorTypes() {
  return SmallVector<utils::IteratorType>(getBatchRank() + 1,
                                          utils::IteratorType::parallel);
}

SmallVector<Range> CombinePartsOp::getIterationDomain(OpBuilder &builder) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  int64_t batches = getBatchRank();
  SmallVector<Range> ranges;
  for (int64_t dim = 0; dim < batches; ++dim)
    ranges.push_back(
        {zero, tensor::getMixedSize(b, getLoc(), getOut(), dim), one});
  auto asValue = [&](OpFoldResult number) {
    return getValueOrCreateConstantIndexOp(b, getLoc(), number);
  };
  Value half = asValue(affine::makeComposedFoldedAffineApply(
      b, getLoc(), b.getAffineDimExpr(0).floorDiv(2),
      {tensor::getMixedSize(b, getLoc(), getLse(), batches)}));
  // Without a block row none has parts.
  Value none = arith::ConstantIndexOp::create(b, 0);
  Value isEmpty = arith::CmpIOp::create(
      b, arith::CmpIPredicate::eq,
      asValue(tensor::getMixedSize(b, getLoc(), getOut(), batches)), none);
  Value rows = arith::SelectOp::create(b, isEmpty, none, half);
  ranges.push_back({zero, rows, one});
  return ranges;
}

namespace {
/// The block row that a tile belongs to: its row of the result, which is past
/// the end if no part of a row ends at the tile's cut as the first one; the
/// parts' number, and where those behind cuts begin.
struct Row {
  Value out, count, behind;
};
} // namespace

static Row findRow(OpBuilder &builder, CombinePartsOp op,
                   ArrayRef<OpFoldResult> offsets) {
  ImplicitLocOpBuilder b(op.getLoc(), builder);
  AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
  int64_t batches = op.getBatchRank(), height = op.getBlockRows();
  auto asValue = [&](OpFoldResult number) {
    return getValueOrCreateConstantIndexOp(b, b.getLoc(), number);
  };
  auto apply = [&](AffineExpr expr, ArrayRef<OpFoldResult> operands) {
    return asValue(
        affine::makeComposedFoldedAffineApply(b, b.getLoc(), expr, operands));
  };
  auto readEntry = [&](Value place) -> Value {
    SmallVector<OpFoldResult> places = placeInBatches(
        b, b.getLoc(), op.getCrow(), 1, offsets.take_front(batches));
    places.push_back(place);
    return tensor::ExtractOp::create(
        b, op.getCrow(),
        getValueOrCreateConstantIndexOp(b, b.getLoc(), places));
  };
  auto readOffset = [&](Value place) -> Value {
    return arith::IndexCastOp::create(b, b.getIndexType(), readEntry(place));
  };
  auto sizeOf = [&](Value tensor, int64_t dim) {
    return tensor::getMixedSize(b, b.getLoc(), getDestination(tensor), dim);
  };
  BlockCuts cuts(b, op.getBlocks(), asValue(sizeOf(op.getLse(), batches)),
                 height);
  OpFoldResult tileRow = offsets[batches];
  Value cut = apply(d0.floorDiv(height), {tileRow});
  Value next = apply(d0 + 1, {OpFoldResult(cut)});
  Value place = arith::MulIOp::create(b, next, cuts.length);
  OpFoldResult rows = affine::makeComposedFoldedAffineApply(
      b, b.getLoc(), d0 - 1,
      {tensor::getMixedSize(b, b.getLoc(), op.getCrow(),
                            op.getCrow().getType().getRank() - 1)});
  Value offset = arith::IndexCastOp::create(
      b, op.getCrow().getType().getElementType(), place);
  Value row = findBlockRows(b, rows, offset, readEntry).front();
  Value begin = readOffset(row);
  Value end = readOffset(apply(d0 + 1, {OpFoldResult(row)}));
  Value size = arith::SubIOp::create(b, end, begin);
  Value isLong =
      arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, size, cuts.longest);
  Value isFirst =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                            arith::DivUIOp::create(b, begin, cuts.length), cut);
  Value hasParts = arith::AndIOp::create(b, isLong, isFirst);
  Value parts = arith::SubIOp::create(
      b, arith::CeilDivSIOp::create(b, end, cuts.length), cut);
  // No more than there is room for, whatever the offsets are.
  Value most = apply(d0 - d1 + 1, {OpFoldResult(cuts.count), cut});
  Row result;
  result.count = arith::SelectOp::create(b, hasParts,
                                         arith::MinSIOp::create(b, parts, most),
                                         arith::ConstantIndexOp::create(b, 0));
  result.out = arith::SelectOp::create(
      b, hasParts,
      apply(d0 * height + d1 % height, {OpFoldResult(row), tileRow}),
      asValue(sizeOf(op.getOut(), batches)));
  result.behind = apply(d0 + d1 * height, {tileRow, OpFoldResult(cuts.count)});
  return result;
}

LogicalResult CombinePartsOp::getResultTilePosition(
    OpBuilder &b, unsigned, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  int64_t batches = getBatchRank();
  resultOffsets = llvm::to_vector(offsets);
  resultOffsets.back() = findRow(b, *this, offsets).out;
  resultSizes.assign(batches, b.getIndexAttr(1));
  resultSizes.push_back(clipRows(b, getDestination(getOut()), batches,
                                 resultOffsets.back(), getTileRows()));
  resultOffsets.push_back(b.getIndexAttr(0));
  resultSizes.push_back(b.getIndexAttr(getWidth()));
  return success();
}

/// Only `out` is cut: `origin` says where the tile is among the rest.
FailureOr<TilingResult>
CombinePartsOp::getTiledImplementation(OpBuilder &b,
                                       ArrayRef<OpFoldResult> offsets,
                                       ArrayRef<OpFoldResult> sizes) {
  Row row = findRow(b, *this, offsets);
  SmallVector<Value> origin =
      getValueOrCreateConstantIndexOp(b, getLoc(), offsets);
  origin.append({row.behind, row.count});
  FailureOr<TilingResult> result = cutResults(b, *this, offsets, sizes);
  if (failed(result))
    return failure();
  cast<CombinePartsOp>(result->tiledOps.front())
      .getOriginMutable()
      .assign(origin);
  return result;
}

FailureOr<SmallVector<OpFoldResult>>
CombinePartsOp::getTileSizes(OpBuilder &b) {
  SmallVector<OpFoldResult> sizes(getBatchRank(), b.getIndexAttr(1));
  sizes.push_back(b.getIndexAttr(getTileRows()));
  return sizes;
}

/// Rows of the cuts where no row's first part ends write nothing.
bool CombinePartsOp::coversResults() { return false; }

//===----------------------------------------------------------------------===//
// One tile
//===----------------------------------------------------------------------===//

/// A sum over parts of what each row has, with weights that are relative to the
/// greatest so far.
FailureOr<SmallVector<Value>>
CombinePartsOp::lowerToTileProgram(OpBuilder &builder) {
  if (!isTile())
    return emitOpError("expected one tile, but got a whole problem");
  using Inner = ImplicitLocOpBuilder;
  int64_t rows = getTileRows(), columns = llvm::alignTo(getWidth(), 8);
  AttentionBuilder b(builder, getLoc(), rows, columns);
  int64_t batches = getBatchRank();
  SmallVector<OpFoldResult> batch =
      llvm::to_vector_of<OpFoldResult>(getOrigin().take_front(batches));
  Value first = getOrigin()[batches], behind = getOrigin()[batches + 1],
        count = getOrigin()[batches + 2];
  Value vectors = b.empty({rows}, b.wide);
  Value zeros = b.fill(b.zero, b.empty({rows, columns}, b.wide));
  auto loop = scf::ForOp::create(
      b, b.index(0), count, b.index(1),
      ValueRange{zeros, b.fill(b.lowest, vectors), b.fill(b.zero, vectors)});
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value part = loop.getInductionVar();
    AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
    Value later = b.asValue(affine::makeComposedFoldedAffineApply(
        b, getLoc(), d0 + (d1 - 1) * getBlockRows(),
        {OpFoldResult(behind), OpFoldResult(part)}));
    Value isFirst =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, part, b.index(0));
    Value row = arith::SelectOp::create(b, isFirst, first, later);
    // Rows of parts are all there.
    auto slice = [&](Value source, ArrayRef<int64_t> shape) -> Value {
      auto type = cast<RankedTensorType>(source.getType());
      SmallVector<OpFoldResult> offsets(batch),
          sizes(batches, b.getIndexAttr(1)),
          ones(type.getRank(), b.getIndexAttr(1));
      offsets.push_back(row);
      offsets.resize(type.getRank(), b.getIndexAttr(0));
      for (int64_t size : shape)
        sizes.push_back(b.getIndexAttr(size));
      return tensor::ExtractSliceOp::create(
          b, RankedTensorType::get(shape, type.getElementType()), source,
          offsets, sizes, ones);
    };
    Value values = slice(getPartial(), {rows, getWidth()});
    if (columns != getWidth())
      values = b.readTile(values, {}, {b.getIndexAttr(0), b.getIndexAttr(0)},
                          {rows, columns});
    Value lse = slice(getLse(), {rows});
    Value sums = loop.getRegionIterArg(0), greatest = loop.getRegionIterArg(1),
          total = loop.getRegionIterArg(2);
    auto greater = [](Inner &inner, ValueRange args) -> Value {
      return arith::MaximumFOp::create(inner, args[0], args[1]);
    };
    Value fresh = b.generic({lse, greatest}, {b.vector, b.vector}, vectors,
                            b.vector, greater);
    // -inf minus -inf is no number.
    auto power = [&](Inner &inner, ValueRange args) -> Value {
      Value isLowest = arith::CmpFOp::create(inner, arith::CmpFPredicate::OEQ,
                                             args[1], b.lowest);
      Value finite = arith::SelectOp::create(inner, isLowest, b.zero, args[1]);
      return math::Exp2Op::create(inner,
                                  arith::SubFOp::create(inner, args[0], finite),
                                  arith::FastMathFlags::afn);
    };
    Value weight =
        b.generic({lse, fresh}, {b.vector, b.vector}, vectors, b.vector, power);
    Value rescale = b.generic({greatest, fresh}, {b.vector, b.vector}, vectors,
                              b.vector, power);
    total = b.generic({rescale, weight}, {b.vector, b.vector}, total, b.vector,
                      [](Inner &inner, ValueRange args) -> Value {
                        return math::FmaOp::create(inner, args[2], args[0],
                                                   args[1]);
                      });
    sums = b.generic(rescale, b.row, sums, b.tile,
                     [](Inner &inner, ValueRange args) -> Value {
                       return arith::MulFOp::create(inner, args[1], args[0]);
                     });
    sums = b.generic({values, weight}, {b.tile, b.row}, sums, b.tile,
                     [](Inner &inner, ValueRange args) -> Value {
                       return math::FmaOp::create(inner, args[0], args[1],
                                                  args[2]);
                     });
    greatest = b.generic(lse, b.vector, greatest, b.vector, greater);
    scf::YieldOp::create(b, ValueRange{sums, greatest, total});
  }
  Value result = b.divide(loop.getResult(0), loop.getResult(2),
                          getOut().getType().getElementType());
  return SmallVector<Value>{b.insert(result, getOut(), batches)};
}
