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
#include "TileBuilder.h"

#include "sattn/Support/TileLoopAttributes.h"
#include "sattn/Tuning/FlexAttention.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace sattn;
using namespace sattn::flex_attention;

static constexpr float kLog2E = 1.44269504f, kLn2 = 0.693147181f;
/// Times a score, as good as 0.
static constexpr float kLeastScale = 0x1p-100f;

/// Columns of a tile of Q or K, padded as those of V are.
static int64_t chooseDepth(FlexAttentionOp op) {
  using tuning::flex_attention::kColumnUnit;
  using tuning::flex_attention::kPaddedColumns;
  bool isPadded =
      op.getMetaAttr().getTile()[1] > llvm::alignTo(op.getValueDim(), 8);
  bool isWide = op.getHeadDim() > kPaddedColumns &&
                op.getQ().getType().getElementTypeBitWidth() == 16;
  int64_t depth = llvm::alignTo(op.getHeadDim(), isWide ? kColumnUnit : 8);
  return isPadded ? std::max(depth, kPaddedColumns) : depth;
}

namespace {
class TileProgram {
public:
  TileProgram(TileBuilder &b, FlexAttentionOp op)
      : b(b), op(op), scoreMod(op, op.getScoreMod(), /*isScore=*/true),
        maskMod(op, op.getMaskMod(), /*isScore=*/false), depth(chooseDepth(op)),
        columns(op.getMetaAttr().getTile()[1]),
        element(op.getQ().getType().getElementType()), f32(b.getF32Type()) {
    // The largest score is that of the largest product only if the scale is
    // positive.
    FloatAttr scale;
    bool isConstant = matchPattern(op.getScale(), m_Constant(&scale));
    isModified =
        !scoreMod.isEmpty() || (isConstant && !(scale.getValueAsDouble() > 0));
    mayBeNegative = !isModified && !isConstant;
  }

  SmallVector<Value> build();

private:
  using Inner = ImplicitLocOpBuilder;

  void readScale();
  void locateRows();
  void addRows(SmallVectorImpl<Value> &inputs,
               SmallVectorImpl<AffineMap> &maps);
  Value call(Inner &inner, ElementFunction &function, Value score,
             ValueRange elements, function_ref<Value()> query,
             function_ref<Value()> key);
  void iterate(scf::ForOp loop);
  Value multiply(Value k);
  Value modify(Value s);
  Value mask(Value s, Value iteration);
  Value applySign(Value s);
  Value applyMask(Value s, Value iteration);
  Value sees(Inner &inner, Value query, Value key);
  void update(Value s, Value v, scf::ForOp loop);
  Value computeShift(Value maximum);
  Value round(Value wide, ArrayRef<int64_t> shape);
  Value computeOut(scf::ForOp loop);
  Value computeLse(scf::ForOp loop);
  Value computeMaxScores(scf::ForOp loop);
  Value insert(Value tile, Value out);
  /// The position along a dimension, in i32: in the tile, or, with its `start`,
  /// in the tensor.
  static Value position(Inner &inner, int64_t dim, Value start = {});

  TileBuilder &b;
  FlexAttentionOp op;
  ElementFunction scoreMod, maskMod;
  int64_t depth, columns;
  Type element, f32;
  bool isModified, mayBeNegative;
  std::optional<KeyBlocks> range;
  /// Of i32, where heads are packed and it matters: which query of which head
  /// each row is.
  Value queryOfRow, headOfRow;
  /// Of f32: the scale to the base 2, without its sign; the sign, where it is
  /// known at run time only; then, of i1, whether it is plus.
  Value scaleLog2, sign, isPositive;
  Value q;
  /// Tensors that tiles and vectors are written to.
  Value scores, vectors;
  /// Of the iteration's block.
  OpFoldResult firstKey;
};
} // namespace

SmallVector<Value> TileProgram::build() {
  q = b.readTile(op.getQ(), b.leadOf(op.getQ(), b.getHead()),
                 {b.getFirstRow(), b.getIndexAttr(0)}, {b.queries, depth});
  readScale();
  if (op.isPacked())
    locateRows();
  scoreMod.hoist(b, queryOfRow, headOfRow);
  maskMod.hoist(b, queryOfRow, headOfRow);
  scores = b.empty({b.queries, b.keys}, f32);
  vectors = b.empty({b.queries}, f32);
  Value sums = b.fill(b.zero, b.empty({b.queries, columns}, f32));
  Value maximum = b.fill(b.lowest, vectors), total = b.fill(b.zero, vectors);
  range.emplace(b, isPositive);
  auto loop = scf::ForOp::create(b, b.index(0), range->end, b.index(1),
                                 ValueRange{sums, maximum, total});
  loop->setAttr(kBlockLoopAttrName, b.getUnitAttr());
  if (op.getPrecision() == "tf32")
    loop->setAttr(kTF32AttrName, b.getUnitAttr());
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    iterate(loop);
  }
  SmallVector<Value> results = {insert(computeOut(loop), op.getOut())};
  if (op.getLse())
    results.push_back(insert(computeLse(loop), op.getLse()));
  if (op.getMaxScores())
    results.push_back(insert(computeMaxScores(loop), op.getMaxScores()));
  return results;
}

/// Products are scaled after their maximum is found, which wants a positive
/// scale. With another one each iteration takes the way of those with a mask,
/// where products take the scale's sign.
void TileProgram::readScale() {
  Value scale = op.getScale();
  if (mayBeNegative) {
    // 0 times the -inf of a mask would be no number.
    Value least = b.constant(kLeastScale);
    isPositive = arith::CmpFOp::create(b, arith::CmpFPredicate::OGE, scale,
                                       b.constant(0.0f));
    sign = arith::SelectOp::create(b, isPositive, b.constant(1.0f),
                                   b.constant(-1.0f));
    scale = arith::MaximumFOp::create(b, math::AbsFOp::create(b, scale), least);
  }
  scaleLog2 = arith::MulFOp::create(b, scale, b.constant(kLog2E));
}

/// Computed before the loop, where divisions cost nothing.
void TileProgram::locateRows() {
  Type i32 = b.getI32Type();
  Value first = b.asI32(b.getFirstRow()), count = b.asI32(b.getQueryCount());
  auto make = [&](auto body) {
    return b.generic({}, {}, b.empty({b.queries}, i32), b.vector,
                     [&](Inner &inner, ValueRange) -> Value {
                       return body(inner, position(inner, 0, first));
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
                       {firstKey, b.getFirstColumn()}, {b.keys, columns});
  update(mask(modify(multiply(k)), iteration), v, loop);
}

Value TileProgram::multiply(Value k) {
  AffineExpr m = b.getAffineDimExpr(0), n = b.getAffineDimExpr(1),
             d = b.getAffineDimExpr(2);
  auto map = [&](AffineExpr i, AffineExpr j) {
    return AffineMapAttr::get(AffineMap::get(3, 0, {i, j}, b.getContext()));
  };
  auto product =
      linalg::MatmulOp::create(b, ValueRange{q, k}, b.fill(b.zero, scores));
  product.setIndexingMapsAttr(
      b.getArrayAttr({map(m, d), map(n, d), map(m, n)}));
  return product.getResult(0);
}

Value TileProgram::position(Inner &inner, int64_t dim, Value start) {
  Value here = arith::IndexCastOp::create(inner, inner.getI32Type(),
                                          linalg::IndexOp::create(inner, dim));
  return start ? arith::AddIOp::create(inner, here, start).getResult() : here;
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

/// Scores to the base 2, scaled, where `score_mod` takes them scaled.
Value TileProgram::modify(Value s) {
  if (!isModified)
    return s;
  SmallVector<Value> inputs = {s};
  SmallVector<AffineMap> maps = {b.tile};
  if (!scoreMod.isEmpty())
    addRows(inputs, maps);
  scoreMod.readBlock(b, firstKey);
  scoreMod.addInputs(b, inputs, maps);
  Value query0 = b.asI32(b.getFirstRow()), key0 = b.asI32(firstKey);
  Value log2E = b.constant(kLog2E);
  arith::FastMathFlags flags = getScoreFlags(op);
  return b.generic(
      inputs, maps, scores, b.tile,
      [&](Inner &inner, ValueRange args) -> Value {
        if (scoreMod.isEmpty())
          return arith::MulFOp::create(inner, args[0], scaleLog2);
        Value scaled =
            arith::MulFOp::create(inner, args[0], op.getScale(), flags);
        Value score = call(
            inner, scoreMod, scaled, args,
            [&] { return queryOfRow ? args[1] : position(inner, 0, query0); },
            [&] { return position(inner, 1, key0); });
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

/// Scores with the scale's sign. A branch, which all threads take alike, costs
/// the usual scale nothing.
Value TileProgram::applySign(Value s) {
  if (!sign)
    return s;
  auto branch = scf::IfOp::create(b, s.getType(), isPositive,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, s);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(
      b, b.generic(s, b.tile, scores, b.tile,
                   [&](Inner &inner, ValueRange args) -> Value {
                     return arith::MulFOp::create(inner, args[0], sign);
                   }));
  return branch.getResult(0);
}

Value TileProgram::applyMask(Value s, Value iteration) {
  s = applySign(s);
  MaskAttr band =
      range->appliesMask ? op.getMask().value_or(MaskAttr()) : MaskAttr();
  bool calls = range->appliesMask && !maskMod.isEmpty();
  if (!band && !calls && !range->hasTail())
    return s;
  SmallVector<Value> inputs = {s};
  SmallVector<AffineMap> maps = {b.tile};
  if (calls) {
    addRows(inputs, maps);
    maskMod.readBlock(b, firstKey);
    maskMod.addInputs(b, inputs, maps);
  }
  Value query0 = b.asI32(b.getFirstRow()), key0 = b.asI32(firstKey);
  Value length = range->hasTail() ? b.asI32(b.getLength()) : Value();
  Value isFull = range->isFull(iteration);
  std::optional<BandRows> rows;
  if (band) {
    Value query = queryOfRow ? Value() : query0;
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
    size_t count = rows ? rows->getVectors().size() : 0;
    ValueRange bounds = args.drop_back().take_back(count);
    Value key;
    auto getKey = [&] {
      if (!key)
        key = position(inner, 1, key0);
      return key;
    };
    Value seen;
    auto restrict = [&](Value condition) {
      seen = seen ? arith::AndIOp::create(inner, seen, condition).getResult()
                  : condition;
    };
    if (calls) {
      seen = call(
          inner, maskMod, Value(), args.drop_back(count),
          [&] { return queryOfRow ? args[1] : position(inner, 0, query0); },
          getKey);
      if (isFull)
        seen = arith::OrIOp::create(inner, seen, isFull);
    }
    if (rows)
      restrict(rows->contains(inner, bounds, position(inner, 1)));
    else if (length)
      restrict(arith::CmpIOp::create(inner, arith::CmpIPredicate::slt, getKey(),
                                     length));
    return arith::SelectOp::create(inner, seen, args[0], b.lowest);
  };
  return b.generic(inputs, maps, scores, b.tile, body);
}

//===----------------------------------------------------------------------===//
// Weights and sums
//===----------------------------------------------------------------------===//

/// What is subtracted in the exponent; 0 where the maximum is -inf, since -inf
/// minus -inf is no number.
Value TileProgram::computeShift(Value maximum) {
  bool maySeeNothing = range->isMasked || isModified || op.hasLists();
  return b.generic(maximum, b.vector, vectors, b.vector,
                   [&](Inner &inner, ValueRange args) -> Value {
                     Value finite = args[0];
                     if (maySeeNothing) {
                       Value isLowest = arith::CmpFOp::create(
                           inner, arith::CmpFPredicate::OEQ, args[0], b.lowest);
                       finite = arith::SelectOp::create(inner, isLowest, b.zero,
                                                        args[0]);
                     }
                     if (isModified)
                       return finite;
                     return arith::MulFOp::create(inner, finite, scaleLog2);
                   });
}

/// Sums and, last, the maximum, each in its place.
void TileProgram::update(Value s, Value v, scf::ForOp loop) {
  Value sums = loop.getRegionIterArg(0), maximum = loop.getRegionIterArg(1),
        total = loop.getRegionIterArg(2);
  auto greater = [](Inner &inner, ValueRange args) -> Value {
    return arith::MaximumFOp::create(inner, args[0], args[1]);
  };
  auto times = [](Inner &inner, ValueRange args) -> Value {
    return arith::MulFOp::create(inner, args.back(), args[0]);
  };
  // exp2(scale * x - y)
  auto power = [&](Inner &inner, ValueRange args) -> Value {
    Value minus = arith::NegFOp::create(inner, args[1]);
    Value exponent =
        isModified
            ? arith::AddFOp::create(inner, args[0], minus).getResult()
            : math::FmaOp::create(inner, args[0], scaleLog2, minus).getResult();
    return math::Exp2Op::create(inner, exponent, arith::FastMathFlags::afn);
  };
  Value ofBlock =
      b.generic(s, b.tile, b.fill(b.lowest, vectors), b.row, greater);
  Value fresh = b.generic({ofBlock, maximum}, {b.vector, b.vector}, vectors,
                          b.vector, greater);
  Value shift = computeShift(fresh);
  Value rescale = b.generic({maximum, shift}, {b.vector, b.vector}, vectors,
                            b.vector, power);
  Value p = b.generic({s, shift}, {b.tile, b.row}, scores, b.tile, power);
  total = b.generic(rescale, b.vector, total, b.vector, times);
  total = b.generic(p, b.tile, total, b.row,
                    [](Inner &inner, ValueRange args) -> Value {
                      return arith::AddFOp::create(inner, args[0], args[1]);
                    });
  sums = b.generic(rescale, b.row, sums, b.tile, times);
  Value weights = round(p, {b.queries, b.keys});
  sums = linalg::MatmulOp::create(b, ValueRange{weights, v}, sums).getResult(0);
  maximum = b.generic(ofBlock, b.vector, maximum, b.vector, greater);
  scf::YieldOp::create(b, ValueRange{sums, maximum, total});
}

/// A tile of f32 in the operands' element type.
Value TileProgram::round(Value wide, ArrayRef<int64_t> shape) {
  if (element.isF32())
    return wide;
  return b.generic(wide, b.tile, b.empty(shape, element), b.tile,
                   [&](Inner &inner, ValueRange args) -> Value {
                     return arith::TruncFOp::create(inner, element, args[0]);
                   });
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// The tile's rows over their sums.
Value TileProgram::computeOut(scf::ForOp loop) {
  Value one = b.constant(1.0f);
  Value inverse = b.generic(
      loop.getResult(2), b.vector, vectors, b.vector,
      [&](Inner &inner, ValueRange args) -> Value {
        Value isZero = arith::CmpFOp::create(inner, arith::CmpFPredicate::OEQ,
                                             args[0], b.zero);
        Value sum = arith::SelectOp::create(inner, isZero, one, args[0]);
        return arith::DivFOp::create(inner, one, sum,
                                     arith::FastMathFlags::afn);
      });
  return b.generic({loop.getResult(0), inverse}, {b.tile, b.row},
                   b.empty({b.queries, columns}, element), b.tile,
                   [&](Inner &inner, ValueRange args) -> Value {
                     Value wide =
                         arith::MulFOp::create(inner, args[0], args[1]);
                     return element.isF32()
                                ? wide
                                : arith::TruncFOp::create(inner, element, wide);
                   });
}

/// The logarithm of the sums of exponentials, to the base e.
Value TileProgram::computeLse(scf::ForOp loop) {
  Value ln2 = b.constant(kLn2);
  return b.generic(
      {loop.getResult(1), loop.getResult(2)}, {b.vector, b.vector}, vectors,
      b.vector, [&](Inner &inner, ValueRange args) -> Value {
        Value log =
            math::Log2Op::create(inner, args[1], arith::FastMathFlags::afn);
        Value sum = isModified
                        ? arith::AddFOp::create(inner, args[0], log).getResult()
                        : math::FmaOp::create(inner, args[0], scaleLog2, log)
                              .getResult();
        return arith::MulFOp::create(inner, sum, ln2);
      });
}

/// The maximum is one of scores to the base 2, or of products without the
/// scale.
Value TileProgram::computeMaxScores(scf::ForOp loop) {
  Value factor = b.constant(kLn2);
  if (!isModified)
    factor = arith::MulFOp::create(b, scaleLog2, factor);
  return b.generic(loop.getResult(1), b.vector, vectors, b.vector,
                   [&](Inner &inner, ValueRange args) -> Value {
                     return arith::MulFOp::create(inner, args[0], factor);
                   });
}

/// The tile clipped to the rows and columns of the result.
Value TileProgram::insert(Value tile, Value out) {
  int64_t lead = op.getLeadRank();
  auto type = cast<RankedTensorType>(out.getType());
  SmallVector<OpFoldResult> sizes(lead, b.getIndexAttr(1));
  for (int64_t dim = lead; dim < type.getRank(); ++dim)
    sizes.push_back(tensor::getMixedSize(b, b.getLoc(), out, dim));
  SmallVector<OpFoldResult> zeros(type.getRank(), b.getIndexAttr(0)),
      ones(type.getRank(), b.getIndexAttr(1));
  Value clip = tensor::ExtractSliceOp::create(
      b, tile, ArrayRef(zeros).drop_front(lead),
      ArrayRef(sizes).drop_front(lead), ArrayRef(ones).drop_front(lead));
  return tensor::InsertSliceOp::create(b, clip, out, zeros, sizes, ones);
}

FailureOr<SmallVector<Value>>
FlexAttentionOp::lowerToTileProgram(OpBuilder &builder) {
  if (getOrigin().empty())
    return emitOpError("expected one tile, but got a whole problem");
  TileBuilder b(builder, *this);
  return TileProgram(b, *this).build();
}
