//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementFunction.h"

#include "sattn/Dialect/SAttn/IR/SAttnYieldOp.h"
#include "sattn/Differentiation/Differentiation.h"

using namespace mlir;
using namespace sattn;
using namespace sattn::flex_attention;

ElementFunction::ElementFunction(ScoreOpInterface op, Region &region,
                                 bool isScore)
    : op(op), region(region) {
  if (region.empty())
    return;
  unsigned next = 0;
  if (isScore)
    score = region.getArgument(next++);
  batch = region.getArgument(next++);
  head = region.getArgument(next++);
  query = region.getArgument(next++);
  key = region.getArgument(next++);
  for (Value capture : op.getCaptures())
    outside.map(region.getArgument(next++), capture);
  analyze();
}

/// Whether the index is this argument itself.
static bool isArgument(Value index, BlockArgument argument) {
  auto cast = index.getDefiningOp<arith::IndexCastOp>();
  return cast && cast.getIn() == argument;
}

/// Whether the result of an op of floats jumps: what it is of has to be right
/// to the last bit.
static bool isStep(Operation &op) {
  return isa<arith::CmpFOp, arith::FPToSIOp, arith::FPToUIOp, arith::RemFOp,
             math::FloorOp, math::CeilOp, math::TruncOp, math::RoundOp,
             math::RoundEvenOp>(op);
}

void ElementFunction::analyze() {
  if (score)
    dependence[score] = OnScore;
  dependence[query] = OnQuery;
  if (op.isPacked())
    dependence[head] = OnQuery;
  dependence[key] = OnKey;
  for (Operation &inner : region.front()) {
    unsigned all = 0;
    for (Value operand : inner.getOperands())
      all |= dependence.lookup(operand);
    for (Value result : inner.getResults())
      dependence[result] = all;
    auto read = dyn_cast<tensor::ExtractOp>(inner);
    if (!read || all == 0)
      continue;
    if (op.isPacked() && all == OnQuery) {
      reads.push_back({read, /*byQuery=*/true, /*byKey=*/false, Value()});
      continue;
    }
    // The last indices are the query, the key, or the query and the key; the
    // others are the same for all of the tile. Queries of packed heads are no
    // rows of a tile.
    ValueRange indices = read.getIndices();
    bool byKey = isArgument(indices.back(), key);
    unsigned last = indices.size() - (byKey ? 1 : 0);
    bool byQuery =
        !op.isPacked() && last > 0 && isArgument(indices[last - 1], query);
    last -= byQuery ? 1 : 0;
    if ((byKey || byQuery) &&
        llvm::all_of(indices.take_front(last),
                     [&](Value index) { return dependence[index] == 0; }))
      reads.push_back({read, byQuery, byKey, Value()});
  }
  for (Operation &inner : llvm::reverse(region.front()))
    if (exact.contains(&inner) || isStep(inner))
      for (Value operand : inner.getOperands())
        if (Operation *source = operand.getDefiningOp())
          exact.insert(source);
}

arith::FastMathFlags flex_attention::getScoreFlags(ScoreOpInterface op) {
  if (op.getQ().getType().getElementTypeBitWidth() >= 32)
    return arith::FastMathFlags::none;
  return arith::FastMathFlags::reassoc | arith::FastMathFlags::contract |
         arith::FastMathFlags::arcp;
}

void ElementFunction::clone(OpBuilder &b, Operation &inner, IRMapping &values) {
  Operation *copy = b.clone(inner, values);
  // Positions are not negative, so that their distance does not wrap. Of scores
  // it becomes a float, of which this says nothing.
  auto distance = dyn_cast<arith::SubIOp>(copy);
  auto isPosition = [&](Value value) { return value == query || value == key; };
  if (distance && !score && llvm::all_of(inner.getOperands(), isPosition))
    distance.setOverflowFlags(distance.getOverflowFlags() |
                              arith::IntegerOverflowFlags::nsw);
  if (!exact.contains(&inner))
    allowFastMath(*copy);
}

void ElementFunction::allowFastMath(Operation &inner) {
  auto fast = dyn_cast<arith::ArithFastMathInterface>(inner);
  if (!fast || !fast.getFastMathFlagsAttr() || isStep(inner))
    return;
  arith::FastMathFlags flags = getScoreFlags(op);
  // LLVM's estimate of a reciprocal root is NaN at 0.
  if (auto quotient = dyn_cast<arith::DivFOp>(inner))
    if (quotient.getRhs().getDefiningOp<math::SqrtOp>())
      flags = flags & ~arith::FastMathFlags::arcp;
  flags = flags | fast.getFastMathFlagsAttr().getValue();
  inner.setAttr(fast.getFastMathAttrName(),
                arith::FastMathFlagsAttr::get(op.getContext(), flags));
}

Value ElementFunction::captureOf(tensor::ExtractOp read) {
  return outside.lookup(read.getTensor());
}

Value ElementFunction::clamp(ImplicitLocOpBuilder &b, Value index, Value tensor,
                             int64_t dim) {
  Value atMost =
      arith::MinSIOp::create(b, index, lastIndex.lookup({tensor, dim}));
  return arith::MaxSIOp::create(b, atMost, firstIndex);
}

Value ElementFunction::extractClamped(ImplicitLocOpBuilder &b,
                                      tensor::ExtractOp read,
                                      IRMapping &values) {
  Value tensor = captureOf(read);
  SmallVector<Value> indices;
  for (auto [dim, index] : llvm::enumerate(read.getIndices()))
    indices.push_back(clamp(b, values.lookup(index), tensor, dim));
  return tensor::ExtractOp::create(b, tensor, indices);
}

void ElementFunction::readAt(TileBuilder &b, Read &read) {
  Value tensor = captureOf(read.op);
  SmallVector<OpFoldResult> lead, first;
  SmallVector<int64_t> shape;
  int64_t rank = read.op.getIndices().size();
  int64_t leadRank = rank - read.byQuery - read.byKey;
  for (int64_t dim = 0; dim < leadRank; ++dim)
    lead.push_back(
        clamp(b, outside.lookup(read.op.getIndices()[dim]), tensor, dim));
  auto add = [&](OpFoldResult begin, int64_t size) {
    // A tensor may be shorter than the queries or keys.
    Value extent = b.asValue(
        tensor::getMixedSize(b, b.getLoc(), tensor, leadRank + first.size()));
    first.push_back(
        arith::MinSIOp::create(b, b.asValue(begin), extent).getResult());
    shape.push_back(size);
  };
  if (read.byQuery)
    add(b.getQueryStart(), b.queries);
  if (read.byKey)
    add(b.getKeyStart(), b.keys);
  read.tile = b.readTile(tensor, lead, first, shape);
}

void ElementFunction::readRows(TileBuilder &b, Read &read, Value queryOfRow,
                               Value headOfRow) {
  SmallVector<Value> inputs;
  for (Value rows : {queryOfRow, headOfRow})
    if (rows)
      inputs.push_back(rows);
  SmallVector<AffineMap> maps(inputs.size(), b.vector);
  auto body = [&](ImplicitLocOpBuilder &inner, ValueRange elements) -> Value {
    IRMapping values(outside);
    if (queryOfRow)
      values.map(query, elements.front());
    if (headOfRow)
      values.map(head, elements[inputs.size() - 1]);
    for (Operation &step : region.front()) {
      if (step.getNumResults() != 1 || dependence[step.getResult(0)] != OnQuery)
        continue;
      if (auto other = dyn_cast<tensor::ExtractOp>(step))
        values.map(other.getResult(), extractClamped(inner, other, values));
      else
        clone(inner, step, values);
      if (&step == read.op)
        break;
    }
    return values.lookup(read.op.getResult());
  };
  read.tile = b.generic(inputs, maps, b.empty({b.queries}, read.op.getType()),
                        b.vector, body);
}

void ElementFunction::hoist(TileBuilder &b, Value queryOfRow, Value headOfRow) {
  if (isEmpty())
    return;
  firstIndex = b.index(0);
  for (Value capture : op.getCaptures())
    if (auto type = dyn_cast<RankedTensorType>(capture.getType()))
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        lastIndex[{capture, dim}] =
            b.asValue(affine::makeComposedFoldedAffineApply(
                b, b.getLoc(), b.getAffineDimExpr(0) - 1,
                {tensor::getMixedSize(b, b.getLoc(), capture, dim)}));
  if (!batch.use_empty())
    outside.map(batch, b.asI32(b.getBatch()));
  if (!head.use_empty() && !op.isPacked())
    outside.map(head, b.asI32(b.getHead()));
  for (Operation &inner : region.front().without_terminator()) {
    if (inner.getNumResults() != 1 || dependence[inner.getResult(0)] != 0)
      continue;
    if (auto read = dyn_cast<tensor::ExtractOp>(inner))
      outside.map(read.getResult(), extractClamped(b, read, outside));
    else
      clone(b, inner, outside);
  }
  for (Read &read : reads) {
    if (isWalked(read))
      continue;
    if (op.isPacked())
      readRows(b, read, queryOfRow, headOfRow);
    else
      readAt(b, read);
  }
}

void ElementFunction::readBlock(TileBuilder &b) {
  for (Read &read : reads)
    if (isWalked(read))
      readAt(b, read);
}

void ElementFunction::addInputs(TileBuilder &b, SmallVectorImpl<Value> &inputs,
                                SmallVectorImpl<AffineMap> &maps) {
  AffineMap byBoth = AffineMap::get(
      2, 0, {b.getAffineDimExpr(b.queryDim), b.getAffineDimExpr(b.keyDim)},
      b.getContext());
  for (Read &read : reads) {
    inputs.push_back(read.tile);
    maps.push_back(!read.byKey ? b.byQuery : !read.byQuery ? b.byKey : byBoth);
  }
}

IRMapping ElementFunction::evaluate(ImplicitLocOpBuilder &b, const Place &place,
                                    ValueRange inputs) {
  IRMapping values(outside);
  if (score)
    values.map(score, place.score);
  if (place.head)
    values.map(head, place.head);
  // Reads that became tiles have no index.
  auto isNeeded = [&](BlockArgument argument) {
    return llvm::any_of(argument.getUsers(), [&](Operation *user) {
      return !isa<arith::IndexCastOp>(user) ||
             llvm::any_of(user->getUsers(), [&](Operation *reader) {
               return llvm::none_of(
                   reads, [&](const Read &read) { return read.op == reader; });
             });
    });
  };
  if (isNeeded(query))
    values.map(query, place.query());
  if (isNeeded(key))
    values.map(key, place.key());
  for (auto [read, element] : llvm::zip_equal(reads, inputs))
    values.map(read.op.getResult(), element);
  for (Operation &inner : region.front().without_terminator()) {
    if (llvm::all_of(inner.getResults(),
                     [&](Value result) { return values.contains(result); }))
      continue;
    if (auto read = dyn_cast<tensor::ExtractOp>(inner)) {
      values.map(read.getResult(), extractClamped(b, read, values));
      continue;
    }
    if (llvm::any_of(inner.getOperands(),
                     [&](Value operand) { return !values.contains(operand); }))
      continue; // An index of what became a tile.
    clone(b, inner, values);
  }
  return values;
}

Value ElementFunction::compute(ImplicitLocOpBuilder &b, const Place &place,
                               ValueRange inputs) {
  return evaluate(b, place, inputs)
      .lookup(cast<YieldOp>(region.front().getTerminator()).getValue());
}

Value ElementFunction::differentiate(ImplicitLocOpBuilder &b,
                                     const Place &place, ValueRange inputs,
                                     Value cotangent,
                                     std::optional<int64_t> capture) {
  IRMapping values = evaluate(b, place, inputs);
  Value wanted =
      capture ? region.getArgument(key.getArgNumber() + 1 + *capture) : score;
  Block *body = b.getInsertionBlock();
  Operation *last = body->empty() ? nullptr : &body->back();
  FailureOr<SmallVector<Value>> cotangents =
      buildCotangents(b, region.front(), {wanted}, cotangent, values);
  if (failed(cotangents))
    return {};
  // Nothing is compared with a cotangent.
  for (Operation &made : llvm::make_range(
           last ? std::next(last->getIterator()) : body->begin(), body->end()))
    allowFastMath(made);
  return cotangents->front();
}
