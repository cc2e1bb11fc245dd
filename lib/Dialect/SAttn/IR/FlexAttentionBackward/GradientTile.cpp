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

using namespace mlir;
using namespace sattn;
using namespace sattn::flex_attention;

static constexpr double kLog2E = 1.44269504088896340736;

std::pair<int64_t, int64_t> flex_attention::chooseColumns(ScoreOpInterface op) {
  int64_t columns = op.getMetaAttr().getTile()[1];
  return {chooseAttentionDepth(op.getHeadDim(), op.getValueDim(), columns,
                               op.getQ().getType().getElementType()),
          columns};
}

GradientTile::GradientTile(TileBuilder &b, int64_t depth, int64_t columns)
    : scores(b), depth(depth), columns(columns), b(b), op(b.op),
      tensor(b.empty(b.scoreShape, b.wide)) {}

GradientTile::Queries
GradientTile::readQueries(Value gradOut, const std::array<Value, 3> &numbers) {
  OpFoldResult none = b.getIndexAttr(0), first = b.getQueryStart();
  auto read = [&](Value source, int64_t size) {
    return b.readTile(source, b.leadOf(source, b.getHead()), {first, none},
                      {b.queries, size});
  };
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
  return {read(op.getQ(), depth),
          read(gradOut, columns),
          {readRow(numbers[0], infinity), readRow(numbers[1], 0),
           readRow(numbers[2], 0)}};
}

Value GradientTile::readK(OpFoldResult rows) {
  return b.readTile(op.getK(), b.leadOf(op.getK(), b.getKeyHead()),
                    {b.getKeyStart(), b.getIndexAttr(0)}, {b.keys, depth},
                    rows);
}

GradientTile::Keys GradientTile::readKeys() {
  Value v = b.readTile(op.getV(), b.leadOf(op.getV(), b.getKeyHead()),
                       {b.getKeyStart(), b.getIndexAttr(0)}, {b.keys, columns});
  return {readK({}), v};
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
  return b.fill(b.zero, b.empty({b.rows, count}, b.wide));
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
  return result;
}

Value GradientTile::computeCotangents(Value factors, const Weights &weights,
                                      const Rows &rows) {
  // Keys from an end on may be anything.
  bool hasEnd = op.getKeyLengths() ||
                (!op.getMaskMod().empty() && !op.getCaptures().empty());
  return b.generic(
      {factors, weights.ofValues, rows.delta}, {b.tile, b.tile, b.byQuery},
      tensor, b.tile, [&](Inner &inner, ValueRange args) -> Value {
        Value distance = arith::SubFOp::create(inner, args[1], args[2]);
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
  Value factors = weights.weights;
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
