//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScoreTile.h"

#include "BandRows.h"

using namespace mlir;
using namespace sattn;
using namespace sattn::flex_attention;

ScoreTile::ScoreTile(TileBuilder &b)
    : scoreMod(b.op, b.op.getScoreMod(), /*isScore=*/true),
      maskMod(b.op, b.op.getMaskMod(), /*isScore=*/false), b(b), op(b.op),
      scores(b.empty(b.scoreShape, b.wide)) {}

void ScoreTile::hoist() {
  if (op.isPacked())
    locateRows();
  scoreMod.hoist(b, queryOfRow, headOfRow);
  maskMod.hoist(b, queryOfRow, headOfRow);
}

/// Computes the rows' places before the loop, where divisions cost nothing.
void ScoreTile::locateRows() {
  Type i32 = b.getI32Type();
  Value first = b.asI32(b.getFirstRow()), count = b.asI32(b.getQueryCount());
  auto make = [&](auto body) {
    return b.generic({}, {}, b.empty({b.queries}, i32), b.vector,
                     [&](Inner &inner, ValueRange) -> Value {
                       return body(inner, b.position(inner, 0, first));
                     });
  };
  if (op.getMask() || scoreMod.needsQuery() || maskMod.needsQuery())
    queryOfRow = make([&](Inner &inner, Value row) {
      return arith::RemSIOp::create(inner, row, count);
    });
  if (!scoreMod.needsHead() && !maskMod.needsHead())
    return;
  Value firstHead = b.asI32(affine::makeComposedFoldedAffineApply(
      b, b.getLoc(),
      b.getAffineDimExpr(0) * static_cast<int64_t>(op.getPackedHeads()),
      {b.getHead()}));
  headOfRow = make([&](Inner &inner, Value row) {
    return arith::AddIOp::create(inner, firstHead,
                                 arith::DivSIOp::create(inner, row, count));
  });
}

/// Appends the rows' places to inputs.
void ScoreTile::addRows(SmallVectorImpl<Value> &inputs,
                        SmallVectorImpl<AffineMap> &maps) {
  for (Value rows : {queryOfRow, headOfRow})
    if (rows) {
      inputs.push_back(rows);
      maps.push_back(b.row);
    }
}

Value ScoreTile::forEach(
    ElementFunction &function, ValueRange tiles,
    arith::IntegerOverflowFlags flags,
    function_ref<Value(Inner &, ElementFunction::Place, ValueRange, ValueRange)>
        compute) {
  SmallVector<Value> inputs(tiles);
  SmallVector<AffineMap> maps(tiles.size(), b.tile);
  addRows(inputs, maps);
  function.readBlock(b);
  function.addInputs(b, inputs, maps);
  Value query0 = b.asI32(b.getQueryStart()), key0 = b.asI32(b.getKeyStart());
  return b.generic(
      inputs, maps, scores, b.tile,
      [&](Inner &inner, ValueRange args) -> Value {
        unsigned next = tiles.size();
        Value row = queryOfRow ? args[next++] : Value();
        Value head = headOfRow ? args[next++] : Value();
        auto query = [&]() -> Value {
          return row ? row : b.position(inner, b.queryDim, query0, flags);
        };
        auto key = [&] { return b.position(inner, b.keyDim, key0, flags); };
        return compute(inner, {Value(), head, query, key},
                       args.take_front(tiles.size()),
                       args.drop_front(next).drop_back());
      });
}

Value ScoreTile::modify(Value products,
                        function_ref<Value(Inner &, Value)> finish) {
  arith::FastMathFlags flags = getScoreFlags(op);
  return forEach(scoreMod, products, arith::IntegerOverflowFlags::none,
                 [&](Inner &inner, ElementFunction::Place place,
                     ValueRange elements, ValueRange reads) -> Value {
                   place.score = arith::MulFOp::create(inner, elements[0],
                                                       op.getScale(), flags);
                   return finish(inner, scoreMod.compute(inner, place, reads));
                 });
}

FailureOr<Value> ScoreTile::differentiate(Value products, Value cotangents,
                                          std::optional<int64_t> capture) {
  arith::FastMathFlags flags = getScoreFlags(op);
  bool hasDerivative = true;
  Value result = forEach(
      scoreMod, {products, cotangents}, arith::IntegerOverflowFlags::none,
      [&](Inner &inner, ElementFunction::Place place, ValueRange elements,
          ValueRange reads) -> Value {
        place.score =
            arith::MulFOp::create(inner, elements[0], op.getScale(), flags);
        Value cotangent =
            scoreMod.differentiate(inner, place, reads, elements[1], capture);
        hasDerivative &= bool(cotangent);
        // A capture's are clipped: as a tile of their own, not as the products
        // that they come from.
        if (!cotangent || (!capture && cotangent == elements[1]))
          return elements[1];
        // Nothing comes of a key without weight, whatever the derivative is.
        Value isNothing = arith::CmpFOp::create(
            inner, arith::CmpFPredicate::OEQ, elements[1], b.zero);
        return arith::SelectOp::create(inner, isNothing, b.zero, cotangent);
      });
  if (!hasDerivative)
    return failure();
  return result;
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

Value ScoreTile::mask(Value s, Value iteration,
                      function_ref<Value(Value)> prepare) {
  if (!range->isMasked)
    return s;
  auto apply = [&] { return applyMask(prepare ? prepare(s) : s, iteration); };
  if (range->isAllMasked)
    return apply();
  Value condition = arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                          iteration, range->bound);
  auto branch = scf::IfOp::create(b, s.getType(), condition,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, s);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, apply());
  return branch.getResult(0);
}

Value ScoreTile::applyMask(Value s, Value iteration) {
  Value isFull = range->isFull(iteration);
  bool calls = range->appliesMask && !maskMod.isEmpty();
  if (calls)
    s = applyFunction(s, isFull);
  MaskAttr band =
      range->appliesMask ? op.getMask().value_or(MaskAttr()) : MaskAttr();
  if (!band && !range->hasTail() && !hasEnd())
    return s;
  // Where the iterations with a mask are not those that the bounds cut, most of
  // them need no comparisons.
  bool mayBeWhole =
      calls || op.hasLists() || (op.isByKeys() && range->isAllMasked);
  if (queryOfRow || !mayBeWhole)
    return applyBounds(s, band, isFull);
  auto branch = scf::IfOp::create(b, s.getType(), isCut(band),
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, s);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, applyBounds(s, band, isFull));
  return branch.getResult(0);
}

/// Applies `mask_mod`, in blocks that are not full.
Value ScoreTile::applyFunction(Value s, Value isFull) {
  return forEach(maskMod, s, arith::IntegerOverflowFlags::nsw,
                 [&](Inner &inner, const ElementFunction::Place &place,
                     ValueRange elements, ValueRange reads) -> Value {
                   Value visible = maskMod.compute(inner, place, reads);
                   if (isFull)
                     visible = arith::OrIOp::create(inner, visible, isFull);
                   return arith::SelectOp::create(inner, visible, elements[0],
                                                  b.lowest);
                 });
}

/// Applies the structured mask and the number of keys.
Value ScoreTile::applyBounds(Value s, MaskAttr band, Value isFull) {
  SmallVector<Value> inputs = {s};
  SmallVector<AffineMap> maps = {b.tile};
  Value column0 = b.asI32(b.getBlockStart());
  Value length = range->hasTail() ? b.asI32(range->getLength()) : Value();
  std::optional<BandRows> rows;
  if (band || hasEnd()) {
    Value row = queryOfRow ? Value() : b.asI32(b.getFirstRow());
    if (!isConstantIntValue(range->shift, 0)) {
      Value shift = b.asI32(range->shift);
      if (op.isByKeys())
        row = arith::SubIOp::create(b, row, shift);
      else
        row = row ? arith::AddIOp::create(b, row, shift).getResult() : shift;
    }
    Value end;
    if (hasEnd())
      end = arith::SubIOp::create(b, b.asI32(b.getLength()),
                                  b.asI32(b.getFirstRow()));
    rows.emplace(
        b, band,
        BandRows::Place{queryOfRow, row, column0, length, isFull, end});
    llvm::append_range(inputs, rows->getVectors());
    maps.append(rows->getVectors().size(), b.row);
  }
  auto body = [&](Inner &inner, ValueRange args) -> Value {
    Value visible =
        rows ? rows->contains(inner, args.drop_front().drop_back(),
                              b.position(inner, 1))
             : arith::CmpIOp::create(inner, arith::CmpIPredicate::slt,
                                     b.position(inner, 1, column0), length)
                   .getResult();
    return arith::SelectOp::create(inner, visible, args[0], b.lowest);
  };
  return b.generic(inputs, maps, scores, b.tile, body);
}

/// Whether a query of the tile may not see all keys of it, for their bounds.
Value ScoreTile::isCut(MaskAttr band) {
  AffineExpr key = b.getAffineDimExpr(0),
             query = b.getAffineDimExpr(1) + b.getAffineDimExpr(2);
  AffineExpr end = key + b.keys;
  auto exceeds = [&](AffineExpr x, OpFoldResult y) -> Value {
    Value first = b.asValue(affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), AffineMap::get(3, 0, x),
        {b.getKeyStart(), b.getQueryStart(), range->shift}));
    return arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, first,
                                 b.asValue(y));
  };
  Value cut;
  auto add = [&](Value condition) {
    cut = cut ? arith::OrIOp::create(b, cut, condition).getResult() : condition;
  };
  if (std::optional<int64_t> right = band ? band.getRight() : std::nullopt)
    add(exceeds(end - 1 - query - *right, b.getIndexAttr(0)));
  if (std::optional<int64_t> left = band ? band.getLeft() : std::nullopt)
    add(exceeds(query + (b.queries - 1 - *left) - key, b.getIndexAttr(0)));
  if (int64_t prefix = band ? band.getPrefix().value_or(0) : 0; prefix && cut)
    cut =
        arith::AndIOp::create(b, cut, exceeds(end - prefix, b.getIndexAttr(0)));
  if (range->hasTail() && !op.isByKeys())
    add(exceeds(end, b.getLength()));
  if (range->hasTail() && op.isByKeys())
    add(exceeds(b.getAffineDimExpr(1) + b.queries, range->getLength()));
  if (hasEnd())
    add(exceeds(end, b.getLength()));
  return cut;
}
