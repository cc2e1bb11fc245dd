//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The program of one tile of sattn.block_counts, some blocks of keys of a block
// of queries. What the mask's function is over all of them is computed first;
// its elements are counted only if that is neither nothing nor everything.

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
    mask::Verdict verdict = interpret();
    Value none = number(0),
          all = number(op.getBlockQueries() * op.getBlockKeys());
    Value isMixed = arith::AndIOp::create(
        b, verdict.any, arith::XOrIOp::create(b, verdict.all, boolean(true)));
    Value sums = count(isMixed);
    Value others = arith::SelectOp::create(b, verdict.all, all, none);
    AffineMap vector = AffineMap::get(1, 0, b.getAffineDimExpr(0));
    Value result = generic(
        {sums}, {vector}, empty({kTileBlocks}), vector,
        [&](ImplicitLocOpBuilder &inner, ValueRange args) -> Value {
          return arith::SelectOp::create(inner, isMixed, args[0], others);
        });
    return insert(result);
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

  Value read(OpBuilder &inner, Value capture, ValueRange indices) {
    return readCapture(inner, b.getLoc(), capture, indices,
                       lastIndices.lookup(capture));
  }
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value number(int64_t value) {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
  }
  Value boolean(bool value) {
    return arith::ConstantOp::create(b, b.getBoolAttr(value));
  }
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
  Value empty(ArrayRef<int64_t> shape) {
    return tensor::EmptyOp::create(b, shape, i32);
  }
  Value zeros(ArrayRef<int64_t> shape) {
    return linalg::FillOp::create(b, number(0), empty(shape)).getResult(0);
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

  mask::Verdict interpret() {
    // Blocks of the last tile that are not there are not asked for.
    int64_t keys = op.getBlockKeys();
    OpFoldResult blocks =
        tensor::getMixedSize(b, b.getLoc(), op.getOut(), /*dim=*/3);
    AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
    mask::BlockOperands operands;
    operands.batch = widen(OpFoldResult(op.getOrigin()[0]));
    operands.head = widen(OpFoldResult(op.getOrigin()[1]));
    operands.query = {
        widen(firstQuery),
        widen(apply(d0 + (op.getBlockQueries() - 1), {firstQuery}))};
    operands.key = {widen(firstKey),
                    widen(apply(d0 + d1 * keys - 1, {firstKey, blocks}))};
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
      return findRange(op.getCaptures()[capture], lead,
                       axis == mask::Axis::Query ? operands.query
                                                 : operands.key);
    };
    return mask::MaskBlocks(b, b.getLoc(), op.getMaskMod(), operands)
        .getVerdict();
  }

  /// The least and the greatest of the elements that positions read, as the
  /// last index after `lead`, of a captured tensor of integers.
  mask::Interval findRange(Value capture, ValueRange lead,
                           const mask::Interval &positions) {
    auto asIndex = [&](Value position) {
      return arith::IndexCastOp::create(b, b.getIndexType(), position);
    };
    auto read = [&](Value position) -> Value {
      SmallVector<Value> indices(lead);
      indices.push_back(position);
      Value element = this->read(b, capture, indices);
      if (element.getType().isInteger(64))
        return element;
      return arith::ExtSIOp::create(b, b.getI64Type(), element);
    };
    Value first = asIndex(positions.lower), last = asIndex(positions.upper);
    Value element = read(first);
    Value end = arith::AddIOp::create(b, last, index(1));
    auto loop = scf::ForOp::create(b, arith::AddIOp::create(b, first, index(1)),
                                   end, index(1), ValueRange{element, element});
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value next = read(loop.getInductionVar());
    Value least = arith::MinSIOp::create(b, loop.getRegionIterArg(0), next);
    Value greatest = arith::MaxSIOp::create(b, loop.getRegionIterArg(1), next);
    scf::YieldOp::create(b, ValueRange{least, greatest});
    return {loop.getResult(0), loop.getResult(1)};
  }

  /// Visible elements of each block, if `condition` is true, else 0. Each
  /// iteration takes one key of each block, and some of its queries.
  Value count(Value condition) {
    int64_t groups = llvm::divideCeil(op.getBlockQueries(), kLanes);
    Value end = arith::SelectOp::create(
        b, condition, index(groups * op.getBlockKeys()), index(0));
    auto loop = scf::ForOp::create(b, index(0), end, index(1),
                                   zeros({kTileBlocks, kLanes}));
    loop->setAttr(kBlockLoopAttrName, b.getUnitAttr());
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      Value counts = loop.getRegionIterArg(0);
      scf::YieldOp::create(b, countElements(loop.getInductionVar(), counts));
    }
    AffineExpr i = b.getAffineDimExpr(0), j = b.getAffineDimExpr(1);
    AffineMap tile = AffineMap::get(2, 0, {i, j}, b.getContext());
    AffineMap row = AffineMap::get(2, 0, {i}, b.getContext());
    return generic(loop.getResults(), {tile}, zeros({kTileBlocks}), row,
                   [](ImplicitLocOpBuilder &inner, ValueRange args) -> Value {
                     return arith::AddIOp::create(inner, args[0], args[1]);
                   });
  }

  Value countElements(Value iteration, Value counts) {
    AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
    int64_t keys = op.getBlockKeys(), queries = op.getBlockQueries();
    // Within a block of queries, and in all.
    OpFoldResult within = apply(d0.floorDiv(keys) * kLanes, {iteration});
    Value firstLane = narrow(within);
    Value query0 = narrow(apply(d0 + d1, {firstQuery, within}));
    Value key0 =
        narrow(apply(d0 + d1 % keys, {firstKey, OpFoldResult(iteration)}));
    Value width = number(keys), height = number(queries), one = number(1);
    AffineMap tile = AffineMap::get(2, 0, {d0, d1}, b.getContext());
    return generic(
        {}, {}, counts, tile,
        [&](ImplicitLocOpBuilder &inner, ValueRange args) -> Value {
          auto position = [&](int64_t dim) -> Value {
            return arith::IndexCastOp::create(
                inner, i32, linalg::IndexOp::create(inner, dim));
          };
          Value lane = position(1);
          Value key = arith::AddIOp::create(
              inner, arith::MulIOp::create(inner, position(0), width), key0);
          Value query = arith::AddIOp::create(inner, lane, query0);
          Value isVisible = evaluate(inner, query, key);
          if (queries % kLanes != 0) {
            Value place = arith::AddIOp::create(inner, lane, firstLane);
            Value isInside = arith::CmpIOp::create(
                inner, arith::CmpIPredicate::slt, place, height);
            isVisible = arith::AndIOp::create(inner, isVisible, isInside);
          }
          // Not a sum of what the function gives: where that is the same along
          // a dimension, linalg::vectorize takes such a sum for a reduction.
          Value more = arith::AddIOp::create(inner, args[0], one);
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

  /// The blocks that `out` has.
  Value insert(Value counts) {
    OpFoldResult one = b.getIndexAttr(1), zero = b.getIndexAttr(0);
    OpFoldResult blocks =
        tensor::getMixedSize(b, b.getLoc(), op.getOut(), /*dim=*/3);
    Value inside = tensor::ExtractSliceOp::create(
        b, counts, ArrayRef{zero}, ArrayRef{blocks}, ArrayRef{one});
    SmallVector<OpFoldResult> zeros(4, zero), ones(4, one),
        sizes{one, one, one, blocks};
    return tensor::InsertSliceOp::create(b, inside, op.getOut(), zeros, sizes,
                                         ones);
  }
};
} // namespace

FailureOr<SmallVector<Value>>
BlockCountsOp::lowerToTileProgram(OpBuilder &builder) {
  if (getOrigin().empty())
    return emitOpError("expected one tile, but got a whole problem");
  return SmallVector<Value>{TileProgram(builder, *this).build()};
}
