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
#include "../ResultTiling.h"
#include "../TileParts.h"

#include "sattn/Dialect/SAttn/IR/BsrAttention/CombinePartsOp.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace sattn;

#define GET_OP_CLASSES
#include "sattn/Dialect/SAttn/IR/BsrAttention/CombinePartsOp.cpp.inc"

//===----------------------------------------------------------------------===//
// Definition
//===----------------------------------------------------------------------===//

MutableOperandRange CombinePartsOp::getDpsInitsMutable() {
  return getOutMutable();
}

/// Columns of a tile at most: what a thread has of several parts is in
/// registers.
static constexpr int64_t kTileColumns = 64;

int64_t CombinePartsOp::getTileColumns() {
  return std::min<int64_t>(llvm::alignTo(getWidth(), 8), kTileColumns);
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
  int64_t columns = isTile() ? getWidth() : out.size(1);
  for (int64_t width : {getWidth(), columns}) // (C3)
    if (ShapedType::isDynamic(width) || width < 1)
      return emitOpError() << "expected E to be static and positive, but got "
                           << getPartial().getType() << " and "
                           << getOut().getType();
  int64_t height = getBlockRows();
  if (height < 1 || height % 8 != 0) // (C3)
    return emitOpError() << "expected 'block_rows' to be a positive multiple "
                            "of 8, but got "
                         << height;
  if (failed(verifyPartExtents(*this, partial, lse, height, columns)))
    return failure(); // (C4)
  if (!isTile()) {    // (C4)
    ArrayRef<int64_t> batch = getOut().getType().getShape().drop_back(2);
    if (failed(verifyBatch(*this, crow, batch)) ||
        failed(verifyPartBatches(*this, {partial, lse}, batch)))
      return failure();
    if (int64_t offsets = crow.size(0); !ShapedType::isDynamic(offsets))
      if (failed(verifySize(*this, out, 0, "M", (offsets - 1) * height)))
        return failure();
  }
  if (isTile() && // (C6)
      static_cast<int64_t>(getOrigin().size()) != batches + 4)
    return emitOpError() << "expected " << batches + 4
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
// Loops over batches, over rows and over columns of the result
//===----------------------------------------------------------------------===//

SmallVector<utils::IteratorType> CombinePartsOp::getLoopIteratorTypes() {
  return SmallVector<utils::IteratorType>(getOut().getType().getRank(),
                                          utils::IteratorType::parallel);
}

SmallVector<Range> CombinePartsOp::getIterationDomain(OpBuilder &b) {
  SmallVector<Range> ranges;
  for (OpFoldResult size : tensor::getMixedSizes(b, getLoc(), getOut()))
    ranges.push_back({b.getIndexAttr(0), size, b.getIndexAttr(1)});
  return ranges;
}

namespace {
/// The stored blocks of a tile's block row.
struct BlockRow {
  Value begin, end;
};
} // namespace

static BlockCuts findCuts(ImplicitLocOpBuilder &b, CombinePartsOp op) {
  Value rows = getValueOrCreateConstantIndexOp(
      b, b.getLoc(),
      tensor::getMixedSize(b, b.getLoc(), op.getLse(), op.getBatchRank()));
  return BlockCuts(b, op.getBlocks(), rows, op.getBlockRows());
}

static Value hasParts(ImplicitLocOpBuilder &b, CombinePartsOp op,
                      BlockRow row) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::sgt,
                               arith::SubIOp::create(b, row.end, row.begin),
                               findCuts(b, op).longest);
}

static BlockRow readBlockRow(ImplicitLocOpBuilder &b, CombinePartsOp op,
                             ArrayRef<OpFoldResult> offsets) {
  int64_t batches = op.getBatchRank();
  AffineExpr number = b.getAffineDimExpr(0).floorDiv(op.getBlockRows());
  auto read = [&](AffineExpr expr) -> Value {
    OpFoldResult place = affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), expr, {offsets[batches]});
    Value entry = readOffset(b, b.getLoc(), op.getCrow(),
                             offsets.take_front(batches), place);
    return arith::IndexCastOp::create(b, b.getIndexType(), entry);
  };
  Value begin = read(number), end = read(number + 1);
  return {begin, end};
}

/// The position of a tile's result; a tile of a block row without parts has no
/// rows.
LogicalResult CombinePartsOp::getResultTilePosition(
    OpBuilder &builder, unsigned, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  int64_t rows = getBatchRank();
  Value out = getDestination(getOut());
  resultOffsets = llvm::to_vector(offsets);
  resultSizes = llvm::to_vector(sizes);
  if (getWidth() <= getTileColumns()) // The loops' bounds do not tell it.
    resultSizes.back() = b.getIndexAttr(getWidth());
  resultOffsets[rows] =
      arith::SelectOp::create(
          b, hasParts(b, *this, readBlockRow(b, *this, offsets)),
          getValueOrCreateConstantIndexOp(b, getLoc(), offsets[rows]),
          getValueOrCreateConstantIndexOp(
              b, getLoc(), tensor::getMixedSize(b, getLoc(), out, rows)))
          .getResult();
  resultSizes[rows] =
      clipRows(b, out, rows, resultOffsets[rows], getTileRows());
  return success();
}

/// Tiles the op by slicing `out` alone: `origin` says where the tile is among
/// the rest.
FailureOr<TilingResult>
CombinePartsOp::getTiledImplementation(OpBuilder &builder,
                                       ArrayRef<OpFoldResult> offsets,
                                       ArrayRef<OpFoldResult> sizes) {
  ImplicitLocOpBuilder b(getLoc(), builder);
  BlockRow row = readBlockRow(b, *this, offsets);
  SmallVector<Value> origin =
      getValueOrCreateConstantIndexOp(b, getLoc(), offsets.drop_back());
  origin.append({row.begin, row.end,
                 getValueOrCreateConstantIndexOp(b, getLoc(), offsets.back())});
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
  sizes.push_back(b.getIndexAttr(getTileColumns()));
  return sizes;
}

/// Whether tiles cover the results: block rows without parts keep what they
/// have.
bool CombinePartsOp::coversResults() { return false; }

//===----------------------------------------------------------------------===//
// One tile
//===----------------------------------------------------------------------===//

namespace {
/// A sum over parts of what each row has, with weights that are relative to the
/// greatest so far. Several parts are read together, so that they are in flight
/// together.
class CombineProgram {
public:
  CombineProgram(OpBuilder &builder, CombinePartsOp op)
      : b(builder, op.getLoc(), op.getTileRows(), op.getTileColumns()), op(op),
        batches(op.getBatchRank()), batch(llvm::to_vector_of<OpFoldResult>(
                                        op.getOrigin().take_front(batches))),
        tileRow(op.getOrigin()[batches]), begin(op.getOrigin()[batches + 1]),
        end(op.getOrigin()[batches + 2]), column(op.getOrigin().back()) {}

  Value build();

private:
  using Inner = ImplicitLocOpBuilder;
  static constexpr int64_t kPartsAtOnce = 2;

  AttentionBuilder b;
  CombinePartsOp op;
  int64_t batches;
  SmallVector<OpFoldResult> batch;
  /// The tile's first row; the stored blocks of its block row; the tile's first
  /// column.
  Value tileRow, begin, end, column;
  /// The tile's first row in `partial` of the part up to the first cut, and of
  /// the one behind that; the number of parts.
  Value first, behind, count;

  int64_t getRows() { return b.queries; }
  int64_t getColumns() { return b.keys; }
  Value apply(AffineExpr expr, ArrayRef<OpFoldResult> operands) {
    return b.asValue(
        affine::makeComposedFoldedAffineApply(b, b.getLoc(), expr, operands));
  }

  void findParts();
  Value combine();
  Value findRow(Value part);
  Value slice(Value source, Value row, ArrayRef<OpFoldResult> columns,
              ArrayRef<int64_t> shape);
  Value readValues(Value row);
  Value readLse(Value row, Value exists);
  Value maximum(ArrayRef<Value> inputs, Value init);
  Value weigh(Value lse, Value greatest);
};
} // namespace

/// Builds the program. Most tiles have nothing to do, and branch around all of
/// it.
Value CombineProgram::build() {
  auto branch =
      scf::IfOp::create(b, op.getOut().getType(), hasParts(b, op, {begin, end}),
                        /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, op.getOut());
  b.setInsertionPointToStart(branch.thenBlock());
  findParts();
  scf::YieldOp::create(b, b.insert(combine(), op.getOut(), batches));
  return branch.getResult(0);
}

void CombineProgram::findParts() {
  AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1),
             d2 = b.getAffineDimExpr(2);
  int64_t height = op.getBlockRows();
  BlockCuts cuts = findCuts(b, op);
  // Within the memory for parts, whatever the offsets are.
  Value cut = arith::MinUIOp::create(
      b, arith::DivUIOp::create(b, begin, cuts.length), cuts.count);
  Value last =
      arith::MinSIOp::create(b, arith::CeilDivSIOp::create(b, end, cuts.length),
                             apply(d0 + 1, {OpFoldResult(cuts.count)}));
  Value hasRoom =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, cut, cuts.count);
  count = arith::SelectOp::create(
      b, hasRoom, arith::SubIOp::create(b, last, cut), b.index(0));
  first = apply(d0 * height + d1 % height,
                {OpFoldResult(cut), OpFoldResult(tileRow)});
  behind = apply(
      (d0 + d1) * height + d2 % height,
      {OpFoldResult(cuts.count), OpFoldResult(cut), OpFoldResult(tileRow)});
}

/// The tile's first row in `partial` of a part.
Value CombineProgram::findRow(Value part) {
  Value later = apply(b.getAffineDimExpr(0) +
                          (b.getAffineDimExpr(1) - 1) * op.getBlockRows(),
                      {OpFoldResult(behind), OpFoldResult(part)});
  Value isFirst =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, part, b.index(0));
  return arith::SelectOp::create(b, isFirst, first, later);
}

/// The slice of a part's rows, all of which exist.
Value CombineProgram::slice(Value source, Value row,
                            ArrayRef<OpFoldResult> columns,
                            ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(source.getType());
  SmallVector<OpFoldResult> offsets(batch), sizes(batches, b.getIndexAttr(1)),
      ones(type.getRank(), b.getIndexAttr(1));
  offsets.push_back(row);
  llvm::append_range(offsets, columns);
  for (int64_t size : shape)
    sizes.push_back(b.getIndexAttr(size));
  return tensor::ExtractSliceOp::create(
      b, RankedTensorType::get(shape, type.getElementType()), source, offsets,
      sizes, ones);
}

Value CombineProgram::readValues(Value row) {
  int64_t width = op.getWidth();
  if (width % getColumns() == 0)
    return slice(op.getPartial(), row, OpFoldResult(column),
                 {getRows(), getColumns()});
  Value rows = slice(op.getPartial(), row, OpFoldResult(b.getIndexAttr(0)),
                     {getRows(), width});
  return b.readTile(rows, {}, {b.getIndexAttr(0), column},
                    {getRows(), getColumns()});
}

/// The LSE of a part, -inf if the part does not exist.
Value CombineProgram::readLse(Value row, Value exists) {
  Value lse = slice(op.getLse(), row, {}, {getRows()});
  return b.generic(lse, b.vector, b.empty({getRows()}, b.wide), b.vector,
                   [&](Inner &inner, ValueRange args) -> Value {
                     return arith::SelectOp::create(inner, exists, args[0],
                                                    b.lowest);
                   });
}

/// The greater one of two inputs, or of one and what `init` has.
Value CombineProgram::maximum(ArrayRef<Value> inputs, Value init) {
  assert((inputs.size() == 1 || inputs.size() == 2) && "expected two values");
  SmallVector<AffineMap> maps(inputs.size(), b.vector);
  return b.generic(inputs, maps, init, b.vector,
                   [](Inner &inner, ValueRange args) -> Value {
                     return arith::MaximumFOp::create(inner, args[0], args[1]);
                   });
}

/// The weight 2^(lse - greatest), 0 where both are -inf: -inf minus -inf is a
/// NaN.
Value CombineProgram::weigh(Value lse, Value greatest) {
  return b.generic(
      {lse, greatest}, {b.vector, b.vector}, b.empty({getRows()}, b.wide),
      b.vector, [&](Inner &inner, ValueRange args) -> Value {
        Value isLowest = arith::CmpFOp::create(inner, arith::CmpFPredicate::OEQ,
                                               args[1], b.lowest);
        Value finite =
            arith::SelectOp::create(inner, isLowest, b.zero, args[1]);
        return math::Exp2Op::create(
            inner, arith::SubFOp::create(inner, args[0], finite),
            arith::FastMathFlags::afn);
      });
}

Value CombineProgram::combine() {
  Value vectors = b.empty({getRows()}, b.wide);
  Value zeros = b.fill(b.zero, b.empty({getRows(), getColumns()}, b.wide));
  auto loop = scf::ForOp::create(
      b, b.index(0), count, b.index(kPartsAtOnce),
      ValueRange{zeros, b.fill(b.lowest, vectors), b.fill(b.zero, vectors)});
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value accumulator = loop.getRegionIterArg(0),
          greatest = loop.getRegionIterArg(1), total = loop.getRegionIterArg(2);
    Value last = arith::SubIOp::create(b, count, b.index(1));
    SmallVector<Value> values, powers;
    for (int64_t i = 0; i < kPartsAtOnce; ++i) {
      Value part = arith::AddIOp::create(b, loop.getInductionVar(), b.index(i));
      Value exists =
          arith::CmpIOp::create(b, arith::CmpIPredicate::sle, part, last);
      Value row = findRow(arith::MinSIOp::create(b, part, last));
      values.push_back(readValues(row));
      powers.push_back(readLse(row, exists));
    }
    Value ofParts = powers.front();
    for (Value lse : ArrayRef(powers).drop_front())
      ofParts = maximum({ofParts, lse}, vectors);
    Value fresh = maximum({ofParts, greatest}, vectors);
    // All that is read is an input of one op, so that no sum waits for a read.
    SmallVector<Value> inputs(values), weights = {weigh(greatest, fresh)};
    for (Value lse : powers)
      weights.push_back(weigh(lse, fresh));
    llvm::append_range(inputs, weights);
    total =
        b.generic(weights, SmallVector<AffineMap>(weights.size(), b.vector),
                  total, b.vector, [](Inner &inner, ValueRange args) -> Value {
                    Value sum =
                        arith::MulFOp::create(inner, args.back(), args.front());
                    for (Value weight : args.drop_front().drop_back())
                      sum = arith::AddFOp::create(inner, sum, weight);
                    return sum;
                  });
    SmallVector<AffineMap> maps(values.size(), b.tile);
    maps.append(weights.size(), b.row);
    accumulator = b.generic(
        inputs, maps, accumulator, b.tile,
        [](Inner &inner, ValueRange args) -> Value {
          ValueRange values = args.take_front(kPartsAtOnce),
                     weights = args.drop_front(kPartsAtOnce).drop_back();
          Value sum =
              arith::MulFOp::create(inner, args.back(), weights.front());
          for (auto [value, weight] :
               llvm::zip_equal(values, weights.drop_front()))
            sum = math::FmaOp::create(inner, value, weight, sum);
          return sum;
        });
    // In its place: the greatest so far was read above.
    greatest = maximum(ofParts, greatest);
    scf::YieldOp::create(b, ValueRange{accumulator, greatest, total});
  }
  return b.divide(loop.getResult(0), loop.getResult(2),
                  op.getOut().getType().getElementType());
}

FailureOr<SmallVector<Value>> CombinePartsOp::lowerToTileProgram(OpBuilder &b) {
  if (!isTile())
    return emitOpError("expected one tile, but got a whole problem");
  return SmallVector<Value>{CombineProgram(b, *this).build()};
}
