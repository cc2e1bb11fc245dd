//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The program of one tile of sattn.block_counts, many blocks of keys of a block
// of queries. What the mask's function is over all of them is computed first;
// where that is neither nothing nor everything, over some blocks at a time, and
// where it is not either, over each of these. Only elements of blocks that stay
// undecided are counted.

#include "TileSizes.h"

#include "sattn/Dialect/SAttn/Analysis/MaskBlocks.h"
#include "sattn/Dialect/SAttn/IR/MaskRegion.h"
#include "sattn/Dialect/SAttn/IR/SAttn.h"
#include "sattn/Support/TileLoopAttributes.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace sattn;
using namespace sattn::block_counts;

namespace {
class TileProgram {
public:
  TileProgram(OpBuilder &builder, BlockCountsOp op)
      : b(op.getLoc(), builder), op(op), i32(b.getI32Type()) {
    batch = narrow(op.getOrigin()[0]);
    head = narrow(op.getOrigin()[1]);
    firstQuery = apply(b.getAffineDimExpr(0) * op.getBlockQueries(),
                       {OpFoldResult(op.getOrigin()[2])});
    firstKey = apply(b.getAffineDimExpr(0) * op.getBlockKeys(),
                     {OpFoldResult(op.getOrigin()[3])});
    for (Value capture : op.getCaptures())
      if (isa<RankedTensorType>(capture.getType()))
        lastIndices[capture] = findLastIndices(b, b.getLoc(), capture);
  }

  Value build() {
    OpFoldResult blocks =
        tensor::getMixedSize(b, b.getLoc(), op.getOut(), /*dim=*/3);
    mask::Verdict ofAll = interpret(index(0), asValue(blocks));
    Value isMixed = isUndecided(ofAll);
    auto loop = scf::ForOp::create(b, index(0), asValue(blocks),
                                   index(kGroupBlocks), op.getOut());
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value first = loop.getInductionVar();
    OpFoldResult number = clipGroup(first, blocks);
    Type boolean = b.getI1Type();
    auto branch =
        scf::IfOp::create(b, TypeRange{boolean, boolean}, isMixed,
                          /*addThenBlock=*/true, /*addElseBlock=*/true);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      mask::Verdict verdict = interpret(first, asValue(number));
      scf::YieldOp::create(b, ValueRange{verdict.any, verdict.all});
      b.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(b, ValueRange{ofAll.any, ofAll.all});
    }
    mask::Verdict verdict{branch.getResult(0), branch.getResult(1)};
    Value counts = countGroup(first, asValue(number), verdict);
    scf::YieldOp::create(b, insert(counts, loop.getRegionIterArg(0),
                                   OpFoldResult(first), number));
    return loop.getResult(0);
  }

private:
  using Body = function_ref<Value(ImplicitLocOpBuilder &, ValueRange)>;

  ImplicitLocOpBuilder b;
  BlockCountsOp op;
  Type i32;
  /// Of i32.
  Value batch, head;
  OpFoldResult firstQuery, firstKey;
  /// Of captured tensors.
  DenseMap<Value, SmallVector<Value>> lastIndices;
  /// Of captured vectors at the queries.
  DenseMap<Value, mask::Interval> queryRanges;

  Value read(OpBuilder &inner, Value capture, ValueRange indices) {
    return readCapture(inner, b.getLoc(), capture, indices,
                       lastIndices.lookup(capture));
  }
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value number(int64_t value) { return integer(i32, value); }
  Value asValue(OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(b, b.getLoc(), value);
  }
  Value narrow(OpFoldResult value) {
    return arith::IndexCastOp::create(b, i32, asValue(value));
  }
  Value widen(OpFoldResult value) {
    return arith::IndexCastOp::create(b, b.getI64Type(), asValue(value));
  }
  OpFoldResult apply(AffineExpr expr, ArrayRef<OpFoldResult> operands) {
    return affine::makeComposedFoldedAffineApply(b, b.getLoc(), expr, operands);
  }
  Value integer(Type type, int64_t value) {
    return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
  }
  Value empty(ArrayRef<int64_t> shape, Type type) {
    return tensor::EmptyOp::create(b, shape, type);
  }
  Value fill(Value value, ArrayRef<int64_t> shape) {
    return linalg::FillOp::create(b, value, empty(shape, value.getType()))
        .getResult(0);
  }

  /// Dimensions of the loops that the result lacks are summed over.
  Value generic(ValueRange inputs, ArrayRef<AffineMap> inputMaps, Value target,
                AffineMap map, Body body) {
    SmallVector<AffineMap> maps(inputMaps);
    maps.push_back(map);
    SmallVector<utils::IteratorType> iterators(map.getNumDims(),
                                               utils::IteratorType::parallel);
    for (unsigned dim = map.getNumResults(); dim < map.getNumDims(); ++dim)
      iterators[dim] = utils::IteratorType::reduction;
    return linalg::GenericOp::create(
               b, target.getType(), inputs, target, maps, iterators,
               [&](OpBuilder &nested, Location loc, ValueRange args) {
                 ImplicitLocOpBuilder inner(loc, nested);
                 linalg::YieldOp::create(inner, body(inner, args));
               })
        .getResult(0);
  }

  /// What is known of blocks of keys, `number` of them, and the block of
  /// queries.
  mask::Verdict interpret(Value firstBlock, Value number) {
    AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
    int64_t keys = op.getBlockKeys();
    mask::BlockOperands operands;
    operands.batch = widen(OpFoldResult(op.getOrigin()[0]));
    operands.head = widen(OpFoldResult(op.getOrigin()[1]));
    operands.query = {
        widen(firstQuery),
        widen(apply(d0 + (op.getBlockQueries() - 1), {firstQuery}))};
    OpFoldResult start =
        apply(d0 + d1 * keys, {firstKey, OpFoldResult(firstBlock)});
    operands.key = {widen(start), widen(apply(d0 + d1 * keys - 1,
                                              {start, OpFoldResult(number)}))};
    operands.getNumber = [&](unsigned capture) -> Value {
      Value value = op.getCaptures()[capture];
      return value.getType().isIntOrFloat() ? value : Value();
    };
    operands.getElement = [&](unsigned capture, ValueRange indices) -> Value {
      return read(b, op.getCaptures()[capture], indices);
    };
    operands.getElements =
        [&](unsigned capture, ValueRange lead,
            mask::Axis axis) -> std::optional<mask::Interval> {
      Value tensor = op.getCaptures()[capture];
      if (axis == mask::Axis::Key)
        return findRange(tensor, lead, operands.key);
      if (!lead.empty())
        return findRange(tensor, lead, operands.query);
      // That of the queries is the same for all blocks, and the first is asked
      // of all.
      mask::Interval &range = queryRanges[tensor];
      if (!range.lower)
        range = findRange(tensor, lead, operands.query);
      return range;
    };
    return mask::MaskBlocks(b, b.getLoc(), op.getMaskMod(), operands)
        .getVerdict();
  }

  /// How many blocks a group has. Groups divide a tile, unless it is the last
  /// one: the end is that of the tensor that the tile is of, where stores end
  /// without being told.
  OpFoldResult clipGroup(Value first, OpFoldResult blocks) {
    AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1),
               d2 = b.getAffineDimExpr(2);
    OpFoldResult begin = b.getIndexAttr(0);
    if (auto slice = op.getOut().getDefiningOp<tensor::ExtractSliceOp>()) {
      blocks = tensor::getMixedSize(b, b.getLoc(), slice.getSource(), 3);
      begin = slice.getMixedOffsets()[3];
    }
    AffineMap clip = AffineMap::get(
        3, 0, {b.getAffineConstantExpr(kGroupBlocks), d0 - d1 - d2},
        b.getContext());
    return affine::makeComposedFoldedAffineMin(
        b, b.getLoc(), clip, {blocks, begin, OpFoldResult(first)});
  }

  /// Neither empty nor full.
  Value isUndecided(const mask::Verdict &verdict) {
    Value isFull = arith::ConstantOp::create(b, b.getBoolAttr(true));
    isFull = arith::XOrIOp::create(b, verdict.all, isFull);
    return arith::AndIOp::create(b, verdict.any, isFull);
  }

  /// Visible elements of a block that is not mixed.
  Value countWhole(const mask::Verdict &verdict) {
    Value none = number(0),
          all = number(op.getBlockQueries() * op.getBlockKeys());
    return arith::SelectOp::create(b, verdict.all, all, none);
  }

  /// The number that a tile's elements combine to.
  template <typename Combine> Value reduce(Value tile, int64_t neutral) {
    Type type = getElementTypeOrSelf(tile);
    Value init = fill(integer(type, neutral), {});
    Value result =
        generic(tile, {b.getMultiDimIdentityMap(2)}, init,
                AffineMap::get(2, 0, b.getContext()),
                [](ImplicitLocOpBuilder &inner, ValueRange args) -> Value {
                  return Combine::create(inner, args[0], args[1]);
                });
    return tensor::ExtractOp::create(b, result, ValueRange());
  }

  /// The least and the greatest of the elements that positions read, as the
  /// last index after `lead`, of a captured tensor of integers.
  mask::Interval findRange(Value capture, ValueRange lead,
                           const mask::Interval &positions) {
    auto asIndex = [&](Value position) -> Value {
      return arith::IndexCastOp::create(b, b.getIndexType(), position);
    };
    auto clamp = [&](Value position, Value last) -> Value {
      position = arith::MinSIOp::create(b, position, last);
      return arith::MaxSIOp::create(b, position, index(0));
    };
    ArrayRef<Value> ends = lastIndices.find(capture)->second;
    SmallVector<Value> indices;
    for (auto [place, end] : llvm::zip(lead, ends))
      indices.push_back(clamp(place, end));
    Value first = asIndex(positions.lower), last = asIndex(positions.upper);
    Value lastRead = narrow(clamp(last, ends.back()));
    Type type = getElementTypeOrSelf(capture);
    if (type.getIntOrFloatBitWidth() < 32)
      type = i32;
    unsigned bits = type.getIntOrFloatBitWidth();
    int64_t lowest = APInt::getSignedMinValue(bits).getSExtValue(),
            highest = APInt::getSignedMaxValue(bits).getSExtValue();
    Value end = arith::AddIOp::create(b, last, index(1));
    auto loop = scf::ForOp::create(
        b, first, end, index(kRows * kLanes),
        ValueRange{fill(integer(type, highest), {kRows, kLanes}),
                   fill(integer(type, lowest), {kRows, kLanes})});
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      Value begin = narrow(loop.getInductionVar()), width = number(kLanes);
      AffineMap map = b.getMultiDimIdentityMap(2);
      Value elements = generic(
          {}, {}, empty({kRows, kLanes}, type), map,
          [&](ImplicitLocOpBuilder &inner, ValueRange) -> Value {
            auto place = [&](int64_t dim) -> Value {
              return arith::IndexCastOp::create(
                  inner, i32, linalg::IndexOp::create(inner, dim));
            };
            Value position = arith::MulIOp::create(inner, place(0), width);
            position = arith::AddIOp::create(inner, position, place(1));
            position = arith::AddIOp::create(inner, position, begin);
            // What comes after the last one is read again.
            position = arith::MinUIOp::create(inner, position, lastRead);
            SmallVector<Value> own(indices);
            own.push_back(arith::IndexCastOp::create(
                inner, inner.getIndexType(), position));
            Value element = tensor::ExtractOp::create(inner, capture, own);
            if (element.getType() != type)
              element = arith::ExtSIOp::create(inner, type, element);
            return element;
          });
      Value least =
          generic(elements, {map}, loop.getRegionIterArg(0), map,
                  [](ImplicitLocOpBuilder &inner, ValueRange args) -> Value {
                    return arith::MinSIOp::create(inner, args[0], args[1]);
                  });
      Value greatest =
          generic(elements, {map}, loop.getRegionIterArg(1), map,
                  [](ImplicitLocOpBuilder &inner, ValueRange args) -> Value {
                    return arith::MaxSIOp::create(inner, args[0], args[1]);
                  });
      scf::YieldOp::create(b, ValueRange{least, greatest});
    }
    auto asWide = [&](Value value) -> Value {
      if (type.isInteger(64))
        return value;
      return arith::ExtSIOp::create(b, b.getI64Type(), value);
    };
    return {asWide(reduce<arith::MinSIOp>(loop.getResult(0), highest)),
            asWide(reduce<arith::MaxSIOp>(loop.getResult(1), lowest))};
  }

  /// Visible elements of each block of a group, about whose first blocks,
  /// `blocks` of them, this is known.
  Value countGroup(Value first, Value blocks, const mask::Verdict &ofGroup) {
    Value isMixed = isUndecided(ofGroup);
    Value end = arith::SelectOp::create(b, isMixed, blocks, index(0));
    auto loop = scf::ForOp::create(b, index(0), end, index(1),
                                   fill(number(0), {kGroupBlocks}));
    AffineMap vector = b.getMultiDimIdentityMap(1);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      Value within = loop.getInductionVar();
      Value block = arith::AddIOp::create(b, first, within);
      mask::Verdict verdict = interpret(block, index(1));
      Value isMixedBlock = isUndecided(verdict);
      Value found = arith::SelectOp::create(
          b, isMixedBlock, count(block, isMixedBlock), countWhole(verdict));
      Value place = narrow(within);
      Value counts = generic(
          {}, {}, loop.getRegionIterArg(0), vector,
          [&](ImplicitLocOpBuilder &inner, ValueRange args) -> Value {
            Value own = arith::IndexCastOp::create(
                inner, i32, linalg::IndexOp::create(inner, 0));
            Value isBlock = arith::CmpIOp::create(
                inner, arith::CmpIPredicate::eq, own, place);
            return arith::SelectOp::create(inner, isBlock, found, args[0]);
          });
      scf::YieldOp::create(b, counts);
    }
    Value others = countWhole(ofGroup);
    return generic(
        loop.getResult(0), {vector}, empty({kGroupBlocks}, i32), vector,
        [&](ImplicitLocOpBuilder &inner, ValueRange args) -> Value {
          return arith::SelectOp::create(inner, isMixed, args[0], others);
        });
  }

  /// Visible elements of a block, if `condition` is true, else 0. Each
  /// iteration takes some of its keys and queries.
  Value count(Value block, Value condition) {
    int64_t rowGroups = llvm::divideCeil(op.getBlockKeys(), kRows),
            laneGroups = llvm::divideCeil(op.getBlockQueries(), kLanes);
    Value end = arith::SelectOp::create(
        b, condition, index(rowGroups * laneGroups), index(0));
    auto loop = scf::ForOp::create(b, index(0), end, index(1),
                                   fill(number(0), {kRows, kLanes}));
    loop->setAttr(kBlockLoopAttrName, b.getUnitAttr());
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      scf::YieldOp::create(b, countElements(block, rowGroups,
                                            loop.getInductionVar(),
                                            loop.getRegionIterArg(0)));
    }
    return reduce<arith::AddIOp>(loop.getResult(0), 0);
  }

  /// A row has a key, and a column a query.
  Value countElements(Value block, int64_t rowGroups, Value iteration,
                      Value counts) {
    AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
    int64_t keys = op.getBlockKeys(), queries = op.getBlockQueries();
    // Within the block, and in all.
    OpFoldResult row = apply(d0 % rowGroups * kRows, {OpFoldResult(iteration)});
    OpFoldResult lane =
        apply(d0.floorDiv(rowGroups) * kLanes, {OpFoldResult(iteration)});
    Value firstRow = narrow(row), firstLane = narrow(lane);
    OpFoldResult start = apply(d0 + d1 * keys, {firstKey, OpFoldResult(block)});
    Value key0 = narrow(apply(d0 + d1, {start, row}));
    Value query0 = narrow(apply(d0 + d1, {firstQuery, lane}));
    Value width = number(keys), height = number(queries), one = number(1);
    return generic(
        {}, {}, counts, b.getMultiDimIdentityMap(2),
        [&](ImplicitLocOpBuilder &inner, ValueRange args) -> Value {
          auto position = [&](int64_t dim) -> Value {
            return arith::IndexCastOp::create(
                inner, i32, linalg::IndexOp::create(inner, dim));
          };
          auto add = [&](Value lhs, Value rhs) -> Value {
            return arith::AddIOp::create(inner, lhs, rhs);
          };
          auto restrict = [&](Value condition, Value place, Value end) {
            Value isInside = arith::CmpIOp::create(
                inner, arith::CmpIPredicate::slt, place, end);
            return arith::AndIOp::create(inner, condition, isInside)
                .getResult();
          };
          Value ownRow = position(0), ownLane = position(1);
          Value isVisible =
              evaluate(inner, add(ownLane, query0), add(ownRow, key0));
          if (keys % kRows != 0)
            isVisible = restrict(isVisible, add(ownRow, firstRow), width);
          if (queries % kLanes != 0)
            isVisible = restrict(isVisible, add(ownLane, firstLane), height);
          // Not a sum of what the function gives: where that is the same along
          // a dimension, linalg::vectorize takes such a sum for a reduction.
          Value more = add(args[0], one);
          return arith::SelectOp::create(inner, isVisible, more, args[0]);
        });
  }

  /// The mask's function of an element.
  Value evaluate(ImplicitLocOpBuilder &inner, Value query, Value key) {
    Block &body = op.getMaskMod().front();
    SmallVector<Value> arguments = {batch, head, query, key};
    llvm::append_range(arguments, op.getCaptures());
    IRMapping values;
    values.map(body.getArguments(), arguments);
    for (Operation &step : body.without_terminator()) {
      auto read = dyn_cast<tensor::ExtractOp>(step);
      if (!read) {
        inner.clone(step, values);
        continue;
      }
      SmallVector<Value> indices;
      for (Value place : read.getIndices())
        indices.push_back(values.lookup(place));
      values.map(read.getResult(),
                 this->read(inner, values.lookup(read.getTensor()), indices));
    }
    return values.lookup(cast<YieldOp>(body.getTerminator()).getValue());
  }

  /// A group's blocks, as many as `out` has of them.
  Value insert(Value counts, Value out, OpFoldResult first,
               OpFoldResult number) {
    OpFoldResult one = b.getIndexAttr(1), zero = b.getIndexAttr(0);
    Value inside = tensor::ExtractSliceOp::create(
        b, counts, ArrayRef{zero}, ArrayRef{number}, ArrayRef{one});
    SmallVector<OpFoldResult> offsets{zero, zero, zero, first}, ones(4, one),
        sizes{one, one, one, number};
    return tensor::InsertSliceOp::create(b, inside, out, offsets, sizes, ones);
  }
};
} // namespace

FailureOr<SmallVector<Value>>
BlockCountsOp::lowerToTileProgram(OpBuilder &builder) {
  if (getOrigin().empty())
    return emitOpError("expected one tile, but got a whole problem");
  return SmallVector<Value>{TileProgram(builder, *this).build()};
}
