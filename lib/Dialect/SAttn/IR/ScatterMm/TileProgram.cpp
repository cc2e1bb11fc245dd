//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The sequential program of one tile of sattn.scatter_mm: a loop over an
// entry's pairs, whose product is added to the tile of `out`. The formats
// differ only in where an entry's list begins and what a pair is.

#include "../TileParts.h"
#include "Places.h"

#include "sattn/Support/TileLoopAttributes.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace sattn;

namespace {
class TileProgram {
public:
  TileProgram(OpBuilder &builder, ScatterMmOp op)
      : b(op.getLoc(), builder), op(op), origin(op.getOrigin()),
        rows(op.getMetaAttr().getTile()[0]),
        columns(op.getMetaAttr().getTile()[1]),
        depth(op.getMetaAttr().getTile()[2]),
        element(op.getOut().getType().getElementType()),
        sumType(getScalarType(op.getBlocks().getType())) {}

  Value build() {
    findPairs();
    return writeBack(add(multiply()));
  }

private:
  ImplicitLocOpBuilder b;
  ScatterMmOp op;
  SmallVector<Value> origin;
  int64_t rows, columns, depth;
  Type element, sumType;
  /// The numbers of the entry's pairs.
  Value begin, end;
  /// In the format without p: the position in q of pair 0.
  Value first;

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value asValue(OpFoldResult number) {
    return getValueOrCreateConstantIndexOp(b, b.getLoc(), number);
  }
  OpFoldResult apply(AffineExpr expr, ArrayRef<OpFoldResult> operands) {
    return affine::makeComposedFoldedAffineApply(b, b.getLoc(), expr, operands);
  }
  Value readIndex(Value list, OpFoldResult position) {
    Value entry = readEntry(b, b.getLoc(), list, asValue(position));
    return arith::IndexCastOp::create(b, b.getIndexType(), entry);
  }

  void findPairs() {
    Value entry = origin[op.getBatchRank()];
    OpFoldResult list = entry;
    SmallVector<OpFoldResult> place;
    if (!op.getP()) {
      place = locateEntry(b, op, entry);
      list = place[0];
    }
    AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
    begin = readIndex(op.getOffsets(), list);
    end = readIndex(op.getOffsets(), apply(d0 + 1, {list}));
    if (op.getP())
      return;
    Value across = asValue(tensor::getMixedSize(
        b, b.getLoc(), op.getOthers(), op.getOthers().getType().getRank() - 3));
    // Not affine: products of values.
    Value before = arith::MulIOp::create(
        b, asValue(apply(d0 - 1, {OpFoldResult(across)})), begin);
    Value count =
        asValue(apply(d1 - d0, {OpFoldResult(begin), OpFoldResult(end)}));
    first = arith::AddIOp::create(
        b, before, arith::MulIOp::create(b, asValue(place[1]), count));
  }

  /// The matrix of `others` of a pair.
  SmallVector<OpFoldResult> locateOther(Value pair) {
    Value position =
        op.getP() ? pair : arith::AddIOp::create(b, pair, first).getResult();
    if (!op.getR())
      return {readIndex(op.getQ(), position)};
    SmallVector<OpFoldResult> place(origin.begin(),
                                    origin.begin() + op.getBatchRank());
    place.append(locate(b, b.getLoc(),
                        readEntry(b, b.getLoc(), op.getQ(), position),
                        op.getOthers(), op.getBlockColumns()));
    return place;
  }

  /// A tile's offset in a dimension of a matrix.
  OpFoldResult offsetOf(unsigned loop, int64_t size, int64_t matrix) {
    return !ShapedType::isDynamic(matrix) && size >= matrix
               ? OpFoldResult(b.getIndexAttr(0))
               : OpFoldResult(origin[op.getBatchRank() + loop]);
  }

  /// A tile of a matrix. What it divides needs no zeros beyond the end.
  Value readPart(TypedValue<RankedTensorType> source,
                 ArrayRef<OpFoldResult> lead, ArrayRef<OpFoldResult> first,
                 ArrayRef<int64_t> shape) {
    int64_t rank = source.getType().getRank();
    SmallVector<OpFoldResult> offsets(lead), ones(rank, b.getIndexAttr(1)),
        sizes(lead.size(), b.getIndexAttr(1)), rest;
    SmallVector<int64_t> sliced;
    for (auto [i, size] : llvm::enumerate(shape)) {
      int64_t extent = source.getType().getDimSize(rank - 2 + i);
      bool divides = !ShapedType::isDynamic(extent) && extent % size == 0;
      OpFoldResult zero = b.getIndexAttr(0);
      offsets.push_back(divides ? first[i] : zero);
      sizes.push_back(
          divides ? OpFoldResult(b.getIndexAttr(size))
                  : tensor::getMixedSize(b, b.getLoc(), source, rank - 2 + i));
      sliced.push_back(divides ? size : extent);
      rest.push_back(divides ? zero : first[i]);
    }
    auto type =
        RankedTensorType::get(sliced, source.getType().getElementType());
    Value slice =
        tensor::ExtractSliceOp::create(b, type, source, offsets, sizes, ones);
    return readTile(b, b.getLoc(), slice, {}, rest, shape);
  }

  /// The sum of the products. A step of the loop covers `depth` of a
  /// block's columns.
  Value multiply() {
    int64_t stepsPerPair = llvm::divideCeil(op.getBlockColumns(), depth);
    AffineExpr d0 = b.getAffineDimExpr(0);
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(sumType));
    Value zeros =
        linalg::FillOp::create(b, zero, emptyTile(sumType)).getResult(0);
    auto loop = scf::ForOp::create(
        b, asValue(apply(d0 * stepsPerPair, {begin})),
        asValue(apply(d0 * stepsPerPair, {end})), index(1), ValueRange{zeros});
    loop->setAttr(kBlockLoopAttrName, b.getUnitAttr());
    if (op.getPrecision() == "tf32")
      loop->setAttr(kTF32AttrName, b.getUnitAttr());
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    OpFoldResult step = loop.getInductionVar();
    Value pair = asValue(apply(d0.floorDiv(stepsPerPair), {step}));
    OpFoldResult k = apply((d0 % stepsPerPair) * depth, {step});
    Value block = op.getP() ? readIndex(op.getP(), pair) : pair;
    OpFoldResult row = offsetOf(1, rows, op.getBlockRows());
    OpFoldResult column =
        offsetOf(2, columns, op.getOthers().getType().getShape().back());
    Value left = readPart(op.getBlocks(), {block}, {row, k}, {rows, depth});
    Value right = readPart(op.getOthers(), locateOther(pair), {k, column},
                           {depth, columns});
    Value sum = linalg::MatmulOp::create(b, ValueRange{left, right},
                                         loop.getRegionIterArgs())
                    .getResult(0);
    scf::YieldOp::create(b, sum);
    return loop.getResult(0);
  }

  Value emptyTile(Type type) {
    return tensor::EmptyOp::create(b, {rows, columns}, type);
  }

  /// Rows and columns of the tile that are in the matrix.
  SmallVector<OpFoldResult> getInside() {
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(b, b.getLoc(), op.getOut());
    return {sizes[sizes.size() - 2], sizes.back()};
  }
  bool isWhole() {
    return op.getOut().getType().getShape().take_back(2) ==
           ArrayRef({rows, columns});
  }

  Value readOut() {
    SmallVector<OpFoldResult> lead(op.getOut().getType().getRank() - 2,
                                   b.getIndexAttr(0));
    OpFoldResult nothing = b.getIndexAttr(0);
    return readTile(b, b.getLoc(), op.getOut(), lead, {nothing, nothing},
                    {rows, columns});
  }

  /// Rounded once. Without pairs every bit stays as it is.
  Value add(Value product) {
    Value hasPairs =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, begin, end);
    SmallVector<AffineMap> maps(3, b.getMultiDimIdentityMap(2));
    SmallVector<utils::IteratorType> iterators(2,
                                               utils::IteratorType::parallel);
    Value target = emptyTile(element);
    return linalg::GenericOp::create(
               b, target.getType(), ValueRange{product, readOut()}, target,
               maps, iterators,
               [&](OpBuilder &nested, Location loc, ValueRange args) {
                 ImplicitLocOpBuilder inner(loc, nested);
                 Value old = args[1];
                 if (element != sumType)
                   old = arith::ExtFOp::create(inner, sumType, old);
                 Value sum = arith::AddFOp::create(inner, old, args[0]);
                 sum = arith::SelectOp::create(inner, hasPairs, sum, old);
                 if (element != sumType)
                   sum = arith::TruncFOp::create(inner, element, sum);
                 linalg::YieldOp::create(inner, sum);
               })
        .getResult(0);
  }

  Value writeBack(Value tile) {
    int64_t rank = op.getOut().getType().getRank();
    SmallVector<OpFoldResult> zeros(rank, b.getIndexAttr(0)),
        ones(rank, b.getIndexAttr(1)), sizes(rank - 2, b.getIndexAttr(1));
    sizes.append(getInside());
    if (!isWhole())
      tile = tensor::ExtractSliceOp::create(
          b, tile, ArrayRef(zeros).take_front(2), ArrayRef(sizes).take_back(2),
          ArrayRef(ones).take_front(2));
    return tensor::InsertSliceOp::create(b, tile, op.getOut(), zeros, sizes,
                                         ones);
  }
};
} // namespace

FailureOr<SmallVector<Value>> ScatterMmOp::lowerToTileProgram(OpBuilder &b) {
  if (!isTile())
    return emitOpError() << "expected a tile of one matrix, but got "
                         << getOut().getType();
  return SmallVector<Value>{TileProgram(b, *this).build()};
}
