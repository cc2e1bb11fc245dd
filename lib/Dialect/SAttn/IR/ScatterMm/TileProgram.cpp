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
        entry(origin[op.getBatchRank()]), rows(op.getTileRows()),
        columns(op.getMetaAttr().getTile()[1]),
        depth(op.getMetaAttr().getTile()[2]), lists(op.getListsPerTile()),
        element(op.getOut().getType().getElementType()),
        sumType(getScalarType(op.getBlocks().getType())) {}

  Value build() {
    own = findPairs(entry);
    return writeBack(add(multiply()));
  }

private:
  ImplicitLocOpBuilder b;
  ScatterMmOp op;
  SmallVector<Value> origin;
  Value entry;
  int64_t rows, columns, depth, lists;
  Type element, sumType;
  /// The pairs of an entry: their numbers, and without p the position in q of
  /// pair 0.
  struct Pairs {
    Value begin, end, first;
  };
  Pairs own;
  /// An entry that shares the tile: where its list begins in q, and its length.
  struct Member {
    Value first, count;
  };
  SmallVector<Member> members;

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
    return asIndex(readEntry(b, b.getLoc(), list, asValue(position)));
  }
  Value asIndex(Value number) {
    return arith::IndexCastOp::create(b, b.getIndexType(), number);
  }

  /// The list of an entry.
  Pairs findPairs(Value entry) {
    SmallVector<OpFoldResult> place;
    if (op.getP())
      place = {clampEntry(b, op, entry)};
    else
      place = locateEntry(b, op, entry);
    OpFoldResult list = place[0];
    AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
    Pairs pairs;
    pairs.begin = readIndex(op.getOffsets(), list);
    pairs.end = readIndex(op.getOffsets(), apply(d0 + 1, {list}));
    if (op.getP())
      return pairs;
    Value across = asValue(tensor::getMixedSize(
        b, b.getLoc(), op.getOthers(), op.getOthers().getType().getRank() - 3));
    // Not affine: products of values.
    Value before = arith::MulIOp::create(
        b, asValue(apply(d0 - 1, {OpFoldResult(across)})), pairs.begin);
    Value count = asValue(
        apply(d1 - d0, {OpFoldResult(pairs.begin), OpFoldResult(pairs.end)}));
    pairs.first = arith::AddIOp::create(
        b, before, arith::MulIOp::create(b, asValue(place[1]), count));
    return pairs;
  }

  /// The position in q of a pair.
  Value locatePair(const Pairs &pairs, Value pair) {
    return op.getP() ? pair
                     : arith::AddIOp::create(b, pair, pairs.first).getResult();
  }

  /// The matrix of `others` that an entry of q says.
  SmallVector<OpFoldResult> locateOther(Value other) {
    if (!op.getR())
      return {
          arith::IndexCastOp::create(b, b.getIndexType(), other).getResult()};
    SmallVector<OpFoldResult> place(origin.begin(),
                                    origin.begin() + op.getBatchRank());
    place.append(
        locate(b, b.getLoc(), other, op.getOthers(), op.getBlockColumns()));
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
  /// block's columns. Where entries share a tile the loop goes over the steps
  /// of all, in some of which this one has no pair.
  Value multiply() {
    int64_t stepsPerPair = llvm::divideCeil(op.getBlockColumns(), depth);
    AffineExpr d0 = b.getAffineDimExpr(0);
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(sumType));
    Value zeros =
        linalg::FillOp::create(b, zero, emptyTile(sumType)).getResult(0);
    bool isMerged = static_cast<bool>(op.getSteps());
    Value first = isMerged ? index(0) : own.begin, last = own.end;
    if (isMerged) {
      findMembers();
      last = readIndex(op.getCounts(),
                       apply(d0.floorDiv(lists), {OpFoldResult(entry)}));
    }
    auto loop = scf::ForOp::create(
        b, asValue(apply(d0 * stepsPerPair, {first})),
        asValue(apply(d0 * stepsPerPair, {last})), index(1), ValueRange{zeros});
    loop->setAttr(kBlockLoopAttrName, b.getUnitAttr());
    if (op.getPrecision() == "tf32")
      loop->setAttr(kTF32AttrName, b.getUnitAttr());
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    OpFoldResult iteration = loop.getInductionVar();
    Value step = asValue(apply(d0.floorDiv(stepsPerPair), {iteration}));
    OpFoldResult k = apply((d0 % stepsPerPair) * depth, {iteration});
    Value sum = loop.getRegionIterArgs().front();
    if (!isMerged) {
      Value block = op.getP() ? readIndex(op.getP(), step) : step;
      Value left = readLeft(block, k);
      Value right = readRight(
          readEntry(b, b.getLoc(), op.getQ(), locatePair(own, step)), k);
      scf::YieldOp::create(b, addProduct(left, right, sum));
      return loop.getResult(0);
    }
    Value place = placeOf(step);
    Value right = readRight(readStep(place, index(0)), k);
    Value block = asIndex(
        readStep(place, asValue(apply(d0 % lists + 1, {OpFoldResult(entry)}))));
    Value isPresent =
        arith::CmpIOp::create(b, arith::CmpIPredicate::sge, block, index(0));
    auto branch = scf::IfOp::create(
        b, isPresent,
        [&](OpBuilder &nested, Location loc) {
          OpBuilder::InsertionGuard inner(b);
          b.restoreInsertionPoint(nested.saveInsertionPoint());
          scf::YieldOp::create(b, addProduct(readLeft(block, k), right, sum));
          nested.restoreInsertionPoint(b.saveInsertionPoint());
        },
        [&](OpBuilder &nested, Location loc) {
          scf::YieldOp::create(nested, loc, sum);
        });
    scf::YieldOp::create(b, branch.getResults());
    return loop.getResult(0);
  }

  /// The lists of all entries that share the tile.
  void findMembers() {
    AffineExpr d0 = b.getAffineDimExpr(0);
    AffineExpr first = d0.floorDiv(lists) * lists;
    Value count = asValue(countEntries(b, op));
    for (int64_t i = 0; i < lists; ++i) {
      Value number = asValue(apply(first + i, {OpFoldResult(entry)}));
      Value isThere =
          arith::CmpIOp::create(b, arith::CmpIPredicate::slt, number, count);
      Pairs pairs = findPairs(number);
      Value size = arith::SubIOp::create(b, pairs.end, pairs.begin);
      members.push_back({locatePair(pairs, pairs.begin),
                         arith::SelectOp::create(b, isThere, size, index(0))});
    }
  }

  /// Where a step of these lists is: at the place of that element of them, one
  /// after the other.
  Value placeOf(Value step) {
    Value place = arith::AddIOp::create(b, members.front().first, step), before;
    for (auto [list, next] :
         llvm::zip(members, ArrayRef(members).drop_front())) {
      before = before ? arith::AddIOp::create(b, before, list.count).getResult()
                      : list.count;
      Value isPassed =
          arith::CmpIOp::create(b, arith::CmpIPredicate::sge, step, before);
      Value inNext = arith::AddIOp::create(
          b, next.first, arith::SubIOp::create(b, step, before));
      place = arith::SelectOp::create(b, isPassed, inNext, place);
    }
    return place;
  }

  Value readStep(Value place, Value member) {
    return tensor::ExtractOp::create(b, op.getSteps(),
                                     ValueRange{place, member});
  }

  Value readLeft(Value block, OpFoldResult k) {
    OpFoldResult row = offsetOf(1, rows, op.getBlockRows());
    return readPart(op.getBlocks(), {block}, {row, k}, {rows, depth});
  }
  Value readRight(Value other, OpFoldResult k) {
    OpFoldResult column =
        offsetOf(2, columns, op.getOthers().getType().getShape().back());
    return readPart(op.getOthers(), locateOther(other), {k, column},
                    {depth, columns});
  }
  Value addProduct(Value left, Value right, Value sum) {
    return linalg::MatmulOp::create(b, ValueRange{left, right}, ValueRange{sum})
        .getResult(0);
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

  /// Adds the product to the result, rounded once. Without pairs every bit
  /// stays as it is.
  Value add(Value product) {
    Value hasPairs =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, own.begin, own.end);
    SmallVector<Value> inputs = {product};
    if (!op.getOverwrite())
      inputs.push_back(readOut());
    SmallVector<AffineMap> maps(inputs.size() + 1, b.getMultiDimIdentityMap(2));
    SmallVector<utils::IteratorType> iterators(2,
                                               utils::IteratorType::parallel);
    Value target = emptyTile(element);
    return linalg::GenericOp::create(
               b, target.getType(), inputs, target, maps, iterators,
               [&](OpBuilder &nested, Location loc, ValueRange args) {
                 ImplicitLocOpBuilder inner(loc, nested);
                 Value sum = args[0];
                 if (!op.getOverwrite()) {
                   Value old = args[1];
                   if (element != sumType)
                     old = arith::ExtFOp::create(inner, sumType, old);
                   sum = arith::AddFOp::create(inner, old, sum);
                   sum = arith::SelectOp::create(inner, hasPairs, sum, old);
                 }
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
