//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GradientTile.h"

#include "../TileParts.h"

#include "sattn/Support/TileLoopAttributes.h"
#include "sattn/Tuning/Attention.h"

using namespace mlir;
using namespace sattn;
using namespace sattn::flex_attention;

static constexpr double kLog2E = 1.44269504088896340736;

/// Columns of a tile for an operand with `count` columns.
static int64_t padColumns(ScoreOpInterface op, int64_t count) {
  using namespace tuning::attention;
  int64_t bits = op.getQ().getType().getElementTypeBitWidth();
  bool isPadded = op.getMetaAttr().getTile()[1] % kPaddedColumns == 0 &&
                  mayPadColumns(op.getHeadDim(), op.getValueDim(), bits / 8);
  bool isWide = count > kPaddedColumns && bits == 16;
  int64_t columns = llvm::alignTo(count, isWide ? kColumnUnit : 8);
  return isPadded ? std::max(columns, kPaddedColumns) : columns;
}

GradientTile::GradientTile(TileBuilder &b)
    : scores(b), depth(padColumns(b.op, b.op.getHeadDim())),
      columns(padColumns(b.op, b.op.getValueDim())), b(b), op(b.op),
      tensor(b.empty(b.scoreShape, b.wide)) {
  if (op.getRandom())
    dropout.emplace(b, op.getProbability(), op.getRandom());
}

/// Columns of the tile's accumulator for a gradient of `padded` columns.
int64_t GradientTile::countColumns(int64_t padded) {
  return op.splitsColumns() ? op.getMetaAttr().getTile()[1] : padded;
}

/// The first of them, of a gradient that may have fewer columns than another
/// one: parts after its end are empty.
OpFoldResult GradientTile::findFirstColumn(int64_t columns) {
  if (!op.splitsColumns())
    return b.getIndexAttr(0);
  OpFoldResult first = op.getOrigin().back();
  if (columns >= op.getTiledColumns())
    return first;
  return affine::makeComposedFoldedAffineMin(
      b, b.getLoc(),
      AffineMap::get(1, 0,
                     {b.getAffineDimExpr(0), b.getAffineConstantExpr(columns)},
                     b.getContext()),
      {first});
}

Value GradientTile::readQueries(Value source, OpFoldResult column,
                                int64_t count) {
  return b.readTile(source, b.leadOf(source, b.getHead()),
                    {b.getQueryStart(), column}, {b.queries, count});
}

Value GradientTile::readKeys(Value source, OpFoldResult column, int64_t count,
                             OpFoldResult rows) {
  return b.readTile(source, b.leadOf(source, b.getKeyHead()),
                    {b.getKeyStart(), column}, {b.keys, count}, rows);
}

GradientTile::Queries
GradientTile::readQueries(Value gradOut, const std::array<Value, 3> &numbers) {
  OpFoldResult none = b.getIndexAttr(0), first = b.getQueryStart();
  auto readRow = [&](Value source, double padding) {
    return source
               ? readTile(b, b.getLoc(), source, b.leadOf(source, b.getHead()),
                          {first}, {b.queries}, /*rows=*/{},
                          b.getFloatAttr(b.wide, padding))
               : Value();
  };
  // Rows beyond the last query have weights of 0 whatever a score_mod makes of
  // them: a weight of infinity times a row of zeros is NaN.
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return {readQueries(op.getQ(), none, depth),
          readQueries(gradOut, none, columns),
          {readRow(numbers[0], infinity), readRow(numbers[1], 0),
           readRow(numbers[2], 0)}};
}

GradientTile::Keys GradientTile::readKeys() {
  OpFoldResult none = b.getIndexAttr(0);
  return {readKeys(op.getK(), none, depth), readKeys(op.getV(), none, columns)};
}

Value GradientTile::readFactorK(OpFoldResult rows) {
  return readKeys(op.getK(), findFirstColumn(op.getHeadDim()),
                  countColumns(depth), rows);
}

Value GradientTile::readFactorQ() {
  return readQueries(op.getQ(), findFirstColumn(op.getHeadDim()),
                     countColumns(depth));
}

Value GradientTile::readFactorOfOutput(Value gradOut) {
  return readQueries(gradOut, findFirstColumn(op.getValueDim()),
                     countColumns(columns));
}

/// Products of rows of both, with a row for each of x.
Value GradientTile::multiply(Value x, Value y) {
  AffineExpr m = b.getAffineDimExpr(0), n = b.getAffineDimExpr(1),
             d = b.getAffineDimExpr(2);
  auto map = [&](AffineExpr i, AffineExpr j) {
    return AffineMapAttr::get(AffineMap::get(3, 0, {i, j}, b.getContext()));
  };
  auto product =
      linalg::MatmulOp::create(b, ValueRange{x, y}, b.fill(b.zero, tensor));
  product.setIndexingMapsAttr(
      b.getArrayAttr({map(m, d), map(n, d), map(m, n)}));
  return product.getResult(0);
}

Value GradientTile::accumulate(Value tile, Value other, Value sums) {
  return linalg::MatmulOp::create(b, ValueRange{tile, other}, sums)
      .getResult(0);
}

Value GradientTile::zeros(int64_t count) {
  return b.fill(b.zero, b.empty({b.rows, countColumns(count)}, b.wide));
}

scf::ForOp GradientTile::createLoop(ValueRange carried, Value end) {
  auto loop = scf::ForOp::create(b, b.index(0), end, b.index(1), carried);
  loop->setAttr(kBlockLoopAttrName, b.getUnitAttr());
  if (op.getPrecision() == "tf32")
    loop->setAttr(kTF32AttrName, b.getUnitAttr());
  return loop;
}

Value GradientTile::round(Value wide) {
  Type element = op.getQ().getType().getElementType();
  if (element == b.wide)
    return wide;
  return b.generic(wide, b.tile, b.empty(b.scoreShape, element), b.tile,
                   [&](Inner &inner, ValueRange args) -> Value {
                     return arith::TruncFOp::create(inner, element, args[0]);
                   });
}

/// Logarithms of weights to the base 2.
Value GradientTile::computeExponents(Value products, const Rows &rows) {
  Value log2E = b.constant(kLog2E), factor = log2E;
  bool isModified = !scores.scoreMod.isEmpty();
  if (isModified)
    products = scores.modify(
        products, [](Inner &, Value score) -> Value { return score; });
  else
    factor = arith::MulFOp::create(b, op.getScale(), log2E);
  SmallVector<Value> inputs = {products, rows.lse2};
  SmallVector<AffineMap> maps = {b.tile, b.byQuery};
  if (rows.maxScores) {
    inputs.push_back(rows.maxScores);
    maps.push_back(b.byQuery);
  }
  return b.generic(inputs, maps, tensor, b.tile,
                   [&](Inner &inner, ValueRange args) -> Value {
                     Value minus = arith::NegFOp::create(inner, args[1]);
                     Value score = args[0];
                     if (rows.maxScores) {
                       if (!isModified)
                         score =
                             arith::MulFOp::create(inner, score, op.getScale());
                       score = arith::SubFOp::create(inner, score, args[2]);
                       return math::FmaOp::create(inner, score, log2E, minus);
                     }
                     return math::FmaOp::create(inner, score, factor, minus);
                   });
}

GradientTile::Weights GradientTile::computeWeights(const Queries &queries,
                                                   const Keys &keys,
                                                   Value iteration) {
  bool isByKeys = op.isByKeys();
  Weights result;
  result.products =
      isByKeys ? multiply(keys.k, queries.q) : multiply(queries.q, keys.k);
  result.ofValues = isByKeys ? multiply(keys.v, queries.gradOut)
                             : multiply(queries.gradOut, keys.v);
  Value exponents =
      scores.mask(computeExponents(result.products, queries.rows), iteration);
  result.weights = b.generic(exponents, b.tile, tensor, b.tile,
                             [&](Inner &inner, ValueRange args) -> Value {
                               return math::Exp2Op::create(
                                   inner, args[0], arith::FastMathFlags::afn);
                             });
  if (dropout)
    result.weights = markDropped(result.weights);
  return result;
}

Value GradientTile::numberBatch() {
  Value number = b.asI32(b.getHead());
  if (op.getLeadRank() == 1)
    return number;
  Value heads = b.asI32(tensor::getMixedSize(b, b.getLoc(), op.getQ(), 1));
  return arith::AddIOp::create(
      b, arith::MulIOp::create(b, b.asI32(b.getBatch()), heads), number);
}

Value GradientTile::markDropped(Value weights) {
  Value query0 = b.asI32(b.getQueryStart()), key0 = b.asI32(b.getKeyStart());
  Value batch = numberBatch();
  return b.generic(
      weights, b.tile, tensor, b.tile,
      [&](Inner &inner, ValueRange args) -> Value {
        Value isKept =
            dropout->isKept(inner, b.position(inner, b.keyDim, key0),
                            b.position(inner, b.queryDim, query0), batch);
        Value minus = arith::NegFOp::create(inner, args[0]);
        return arith::SelectOp::create(inner, isKept, args[0], minus);
      });
}

Value GradientTile::makePositive(Value weights) {
  if (!dropout)
    return weights;
  return b.generic(weights, b.tile, tensor, b.tile,
                   [&](Inner &inner, ValueRange args) -> Value {
                     return math::AbsFOp::create(inner, args[0]);
                   });
}

Value GradientTile::drop(Value weights) {
  if (!dropout)
    return weights;
  return b.generic(weights, b.tile, tensor, b.tile,
                   [&](Inner &inner, ValueRange args) -> Value {
                     return arith::MaximumFOp::create(inner, args[0], b.zero);
                   });
}

Value GradientTile::computeCotangents(Value factors, const Weights &weights,
                                      const Rows &rows) {
  // Keys from an end on may be anything.
  bool hasEnd = op.getKeyLengths() ||
                (!op.getMaskMod().empty() && !op.getCaptures().empty());
  SmallVector<Value> inputs = {factors, weights.ofValues, rows.delta};
  SmallVector<AffineMap> maps = {b.tile, b.tile, b.byQuery};
  if (dropout) {
    inputs.push_back(weights.weights);
    maps.push_back(b.tile);
  }
  return b.generic(
      inputs, maps, tensor, b.tile,
      [&](Inner &inner, ValueRange args) -> Value {
        Value ofValues = args[1];
        if (dropout) {
          Value isKept = arith::CmpFOp::create(inner, arith::CmpFPredicate::OGE,
                                               args[3], b.zero);
          ofValues = arith::SelectOp::create(
              inner, isKept,
              arith::MulFOp::create(inner, ofValues, dropout->factor), b.zero);
        }
        Value distance = arith::SubFOp::create(inner, ofValues, args[2]);
        Value product = arith::MulFOp::create(inner, args[0], distance);
        if (!hasEnd)
          return product;
        Value isNothing = arith::CmpFOp::create(
            inner, arith::CmpFPredicate::OEQ, args[0], b.zero);
        return arith::SelectOp::create(inner, isNothing, b.zero, product);
      });
}

FailureOr<Value> GradientTile::computeCotangents(const Weights &weights,
                                                 const Rows &rows) {
  // The derivative is multiplied into the weights, which are there before the
  // products with values.
  Value factors = makePositive(weights.weights);
  if (!scores.scoreMod.isEmpty()) {
    FailureOr<Value> derivative =
        scores.differentiate(weights.products, factors);
    if (failed(derivative))
      return failure();
    factors = *derivative;
  }
  return round(computeCotangents(factors, weights, rows));
}

Value GradientTile::finish(Value sums, Value factor, Value out) {
  auto type = cast<RankedTensorType>(out.getType());
  Type element = type.getElementType();
  auto shape = cast<RankedTensorType>(sums.getType()).getShape();
  Value tile = sums;
  if (factor || element != b.wide)
    tile =
        b.generic(sums, b.tile, b.empty(shape, element), b.tile,
                  [&](Inner &inner, ValueRange args) -> Value {
                    Value value = args[0];
                    if (factor)
                      value = arith::MulFOp::create(inner, value, factor);
                    return element == b.wide
                               ? value
                               : arith::TruncFOp::create(inner, element, value)
                                     .getResult();
                  });
  return b.insert(tile, out, op.getLeadRank());
}
