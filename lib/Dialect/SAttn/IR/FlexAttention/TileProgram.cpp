//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The program of one tile of sattn.flex_attention: the keys block by block,
// with the maximum and the sum of the weights as they are so far.

#include "BandRows.h"
#include "ElementFunction.h"
#include "KeyBlocks.h"
#include "SeenKeys.h"
#include "TileBuilder.h"

#include "../AttentionTile.h"

using namespace mlir;
using namespace sattn;
using namespace sattn::flex_attention;

static constexpr float kLog2E = 1.44269504f;

namespace {
class TileProgram {
public:
  TileProgram(TileBuilder &b, FlexAttentionOp op)
      : b(b), op(op), scoreMod(op, op.getScoreMod(), /*isScore=*/true),
        maskMod(op, op.getMaskMod(), /*isScore=*/false),
        depth(chooseAttentionDepth(op.getHeadDim(), op.getValueDim(),
                                   op.getMetaAttr().getTile()[1],
                                   op.getQ().getType().getElementType())),
        columns(op.getMetaAttr().getTile()[1]),
        tile(b, op.getScale(), op.getQ().getType().getElementType(), columns,
             // The largest score is that of the largest product only if the
             // scale is positive.
             !scoreMod.isEmpty() || AttentionTile::needsScaling(op.getScale()),
             scoreMod.mayBeHuge()) {}

  SmallVector<Value> build();

private:
  using Inner = ImplicitLocOpBuilder;

  void locateRows();
  void addRows(SmallVectorImpl<Value> &inputs,
               SmallVectorImpl<AffineMap> &maps);
  Value call(Inner &inner, ElementFunction &function, Value score,
             ValueRange elements, function_ref<Value()> query,
             function_ref<Value()> key);
  void iterate(scf::ForOp loop);
  OpFoldResult countRows(Value iteration);
  Value modify(Value s);
  Value mask(Value s, Value iteration);
  Value applyMask(Value s, Value iteration);
  Value applyFunction(Value s, Value isFull);
  Value applyBounds(Value s, MaskAttr band, Value isFull);
  Value isCut(MaskAttr band);
  TileBuilder &b;
  FlexAttentionOp op;
  ElementFunction scoreMod, maskMod;
  int64_t depth, columns;
  AttentionTile tile;
  std::optional<KeyBlocks> range;
  /// Of i32, where heads are packed and it matters: which query of which head
  /// each row is.
  Value queryOfRow, headOfRow;
  Value q;
  /// The end of the keys that mask_mod lets the tile see, if it is known.
  Value seenEnd;
  /// Of the iteration's block.
  OpFoldResult firstKey;
};
} // namespace

SmallVector<Value> TileProgram::build() {
  q = b.readTile(op.getQ(), b.leadOf(op.getQ(), b.getHead()),
                 {b.getFirstRow(), b.getIndexAttr(0)}, {b.queries, depth});
  tile.readScale();
  if (op.isPacked())
    locateRows();
  scoreMod.hoist(b, queryOfRow, headOfRow);
  maskMod.hoist(b, queryOfRow, headOfRow);
  SmallVector<Value> carried = tile.start();
  range.emplace(b, tile.isPositive);
  if (range->appliesMask)
    seenEnd = findSeenEnd(b);
  scf::ForOp loop = tile.createLoop(carried, range->end, op.getPrecision());
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    iterate(loop);
  }
  int64_t lead = op.getLeadRank();
  SmallVector<Value> results = {
      b.insert(tile.computeOut(loop), op.getOut(), lead)};
  if (op.getLse())
    results.push_back(b.insert(tile.computeLse(loop), op.getLse(), lead));
  if (op.getMaxScores())
    results.push_back(
        b.insert(tile.computeMaxScores(loop), op.getMaxScores(), lead));
  return results;
}

/// Computed before the loop, where divisions cost nothing.
void TileProgram::locateRows() {
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

/// Appends the rows' places to inputs, of which there is one.
void TileProgram::addRows(SmallVectorImpl<Value> &inputs,
                          SmallVectorImpl<AffineMap> &maps) {
  for (Value rows : {queryOfRow, headOfRow})
    if (rows) {
      inputs.push_back(rows);
      maps.push_back(b.row);
    }
}

/// The function's value in an op on these elements: the score, those of
/// `addRows`, those of the function, the result's.
Value TileProgram::call(Inner &inner, ElementFunction &function, Value score,
                        ValueRange elements, function_ref<Value()> query,
                        function_ref<Value()> key) {
  unsigned next = queryOfRow ? 2 : 1;
  Value head = headOfRow ? elements[next++] : Value();
  return function.compute(inner, {score, head, query, key},
                          elements.drop_front(next).drop_back());
}

void TileProgram::iterate(scf::ForOp loop) {
  Value iteration = loop.getInductionVar();
  firstKey = range->getFirstKey(iteration);
  OpFoldResult head = b.getHead(), none = b.getIndexAttr(0);
  if (op.getGroup() != 1)
    head = affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), b.getAffineDimExpr(0).floorDiv(op.getGroup()), {head});
  Value k = b.readTile(op.getK(), b.leadOf(op.getK(), head),
                       {firstKey, b.getIndexAttr(0)}, {b.keys, depth});
  Value v = b.readTile(op.getV(), b.leadOf(op.getV(), head),
                       {firstKey, b.getFirstColumn()}, {b.keys, columns},
                       countRows(iteration));
  bool maySeeNothing = range->isMasked || tile.isModified || op.hasLists();
  tile.update(mask(modify(tile.multiply(q, k)), iteration), v, loop,
              maySeeNothing);
}

/// Rows of V that the block of keys has before the end of those that are seen:
/// what comes after may be anything, and is not multiplied. Nothing where that
/// is the tensor's end, as far as is known.
OpFoldResult TileProgram::countRows(Value iteration) {
  if (!op.getKeyLengths() && !seenEnd)
    return {};
  Value end = b.asValue(b.getLength());
  if (seenEnd) {
    Value here = seenEnd;
    if (Value isPartial = range->isPartial(iteration))
      here = arith::SelectOp::create(b, isPartial, seenEnd, end);
    end = arith::MinSIOp::create(b, here, end);
  }
  // Of 32 bits, which a loop keeps in one register.
  auto constant = [&](int32_t value) -> Value {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
  };
  Value rows = arith::SubIOp::create(b, b.asI32(end), b.asI32(firstKey));
  rows = arith::MinSIOp::create(b, rows, constant(b.keys));
  rows = arith::MaxSIOp::create(b, rows, constant(0));
  // Iterations without a mask have whole blocks.
  if (!range->isAllMasked) {
    Value isMasked = arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                           iteration, range->bound);
    rows = arith::SelectOp::create(b, isMasked, rows, constant(b.keys));
  }
  return arith::IndexCastOp::create(b, b.getIndexType(), rows).getResult();
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

/// Scores, scaled, where `score_mod` takes them scaled: to the base 2, unless
/// they may be too large.
Value TileProgram::modify(Value s) {
  if (!tile.isModified)
    return s;
  if (scoreMod.isEmpty())
    return tile.applyScale(s);
  SmallVector<Value> inputs = {s};
  SmallVector<AffineMap> maps = {b.tile};
  addRows(inputs, maps);
  scoreMod.readBlock(b, firstKey);
  scoreMod.addInputs(b, inputs, maps);
  Value query0 = b.asI32(b.getFirstRow()), key0 = b.asI32(firstKey);
  Value log2E = tile.isHuge ? Value() : b.constant(kLog2E);
  arith::FastMathFlags flags = getScoreFlags(op);
  return b.generic(
      inputs, maps, tile.scores, b.tile,
      [&](Inner &inner, ValueRange args) -> Value {
        Value scaled =
            arith::MulFOp::create(inner, args[0], op.getScale(), flags);
        Value score = call(
            inner, scoreMod, scaled, args,
            [&] { return queryOfRow ? args[1] : b.position(inner, 0, query0); },
            [&] { return b.position(inner, 1, key0); });
        if (!log2E)
          return score;
        return arith::MulFOp::create(inner, score, log2E, flags);
      });
}

/// -inf for keys that a query does not see, in iterations with a mask.
Value TileProgram::mask(Value s, Value iteration) {
  if (!range->isMasked)
    return s;
  if (range->isAllMasked)
    return applyMask(s, iteration);
  Value condition = arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                          iteration, range->bound);
  auto branch = scf::IfOp::create(b, s.getType(), condition,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, s);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, applyMask(s, iteration));
  return branch.getResult(0);
}

Value TileProgram::applyMask(Value s, Value iteration) {
  s = tile.applySign(s);
  Value isFull = range->isFull(iteration);
  bool calls = range->appliesMask && !maskMod.isEmpty();
  if (calls)
    s = applyFunction(s, isFull);
  MaskAttr band =
      range->appliesMask ? op.getMask().value_or(MaskAttr()) : MaskAttr();
  if (!band && !range->hasTail())
    return s;
  // Where the iterations with a mask are not those that the bounds cut, most of
  // them need no comparisons.
  if (queryOfRow || (!calls && !op.hasLists()))
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

/// What `mask_mod` says, in blocks that are not full.
Value TileProgram::applyFunction(Value s, Value isFull) {
  SmallVector<Value> inputs = {s};
  SmallVector<AffineMap> maps = {b.tile};
  addRows(inputs, maps);
  maskMod.readBlock(b, firstKey);
  maskMod.addInputs(b, inputs, maps);
  Value query0 = b.asI32(b.getFirstRow()), key0 = b.asI32(firstKey);
  auto nsw = arith::IntegerOverflowFlags::nsw;
  auto body = [&](Inner &inner, ValueRange args) -> Value {
    Value seen = call(
        inner, maskMod, Value(), args,
        [&] {
          return queryOfRow ? args[1] : b.position(inner, 0, query0, nsw);
        },
        [&] { return b.position(inner, 1, key0, nsw); });
    if (isFull)
      seen = arith::OrIOp::create(inner, seen, isFull);
    return arith::SelectOp::create(inner, seen, args[0], b.lowest);
  };
  return b.generic(inputs, maps, tile.scores, b.tile, body);
}

/// What the structured mask and the number of keys say.
Value TileProgram::applyBounds(Value s, MaskAttr band, Value isFull) {
  SmallVector<Value> inputs = {s};
  SmallVector<AffineMap> maps = {b.tile};
  Value key0 = b.asI32(firstKey);
  Value length = range->hasTail() ? b.asI32(b.getLength()) : Value();
  std::optional<BandRows> rows;
  if (band) {
    Value query = queryOfRow ? Value() : b.asI32(b.getFirstRow());
    if (!isConstantIntValue(range->shift, 0)) {
      Value shift = b.asI32(range->shift);
      query =
          query ? arith::AddIOp::create(b, query, shift).getResult() : shift;
    }
    rows.emplace(b, band,
                 BandRows::Place{queryOfRow, query, key0, length, isFull});
    llvm::append_range(inputs, rows->getVectors());
    maps.append(rows->getVectors().size(), b.row);
  }
  auto body = [&](Inner &inner, ValueRange args) -> Value {
    Value seen = rows
                     ? rows->contains(inner, args.drop_front().drop_back(),
                                      b.position(inner, 1))
                     : arith::CmpIOp::create(inner, arith::CmpIPredicate::slt,
                                             b.position(inner, 1, key0), length)
                           .getResult();
    return arith::SelectOp::create(inner, seen, args[0], b.lowest);
  };
  return b.generic(inputs, maps, tile.scores, b.tile, body);
}

/// Whether a row of the tile may not see all of the block, for its bounds.
Value TileProgram::isCut(MaskAttr band) {
  AffineExpr key = b.getAffineDimExpr(0),
             query = b.getAffineDimExpr(1) + b.getAffineDimExpr(2);
  AffineExpr end = key + b.keys;
  auto exceeds = [&](AffineExpr x, OpFoldResult y) -> Value {
    Value first = b.asValue(affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), AffineMap::get(3, 0, x),
        {firstKey, b.getFirstRow(), range->shift}));
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
  if (range->hasTail())
    add(exceeds(end, b.getLength()));
  return cut;
}

FailureOr<SmallVector<Value>>
FlexAttentionOp::lowerToTileProgram(OpBuilder &builder) {
  if (getOrigin().empty())
    return emitOpError("expected one tile, but got a whole problem");
  TileBuilder b(builder, *this);
  return TileProgram(b, *this).build();
}
