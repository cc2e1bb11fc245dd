//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionTile.h"

#include "TileParts.h"

#include "sattn/Support/TileLoopAttributes.h"
#include "sattn/Tuning/Attention.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace sattn;

static constexpr float kLog2E = 1.44269504f, kLn2 = 0.693147181f;
/// The least scale, whose product with a score is as good as 0.
static constexpr float kLeastScale = 0x1p-100f;

int64_t sattn::chooseAttentionDepth(int64_t headDim, int64_t valueDim,
                                    int64_t columns, Type element) {
  using tuning::attention::kColumnUnit;
  using tuning::attention::kPaddedColumns;
  bool isPadded = columns > static_cast<int64_t>(llvm::alignTo(valueDim, 8));
  bool isWide =
      headDim > kPaddedColumns && element.getIntOrFloatBitWidth() == 16;
  int64_t depth = llvm::alignTo(headDim, isWide ? kColumnUnit : 8);
  return isPadded ? std::max(depth, kPaddedColumns) : depth;
}

//===----------------------------------------------------------------------===//
// Ops on elements
//===----------------------------------------------------------------------===//

AttentionBuilder::AttentionBuilder(OpBuilder &b, Location loc, int64_t queries,
                                   int64_t keys, Type wide)
    : TileOpBuilder(loc, b), queries(queries), keys(keys),
      wide(wide ? wide : getF32Type()) {
  AffineExpr i = getAffineDimExpr(0), j = getAffineDimExpr(1);
  tile = AffineMap::get(2, 0, {i, j}, getContext());
  row = AffineMap::get(2, 0, {i}, getContext());
  column = AffineMap::get(2, 0, {j}, getContext());
  vector = AffineMap::get(1, 0, {i}, getContext());
  zero = constant(0.0);
  lowest = constant(-std::numeric_limits<double>::infinity());
}

Value AttentionBuilder::constant(double value) {
  return arith::ConstantOp::create(*this, getFloatAttr(wide, value));
}

Value AttentionBuilder::readTile(Value source, ArrayRef<OpFoldResult> lead,
                                 ArrayRef<OpFoldResult> first,
                                 ArrayRef<int64_t> shape, OpFoldResult rows) {
  return sattn::readTile(*this, getLoc(), source, lead, first, shape, rows);
}

Value AttentionBuilder::insert(Value tile, Value out, int64_t lead) {
  auto type = cast<RankedTensorType>(out.getType());
  SmallVector<OpFoldResult> sizes(lead, getIndexAttr(1));
  for (int64_t dim = lead; dim < type.getRank(); ++dim)
    sizes.push_back(tensor::getMixedSize(*this, getLoc(), out, dim));
  SmallVector<OpFoldResult> zeros(type.getRank(), getIndexAttr(0)),
      ones(type.getRank(), getIndexAttr(1));
  Value clip = tensor::ExtractSliceOp::create(
      *this, tile, ArrayRef(zeros).drop_front(lead),
      ArrayRef(sizes).drop_front(lead), ArrayRef(ones).drop_front(lead));
  return tensor::InsertSliceOp::create(*this, clip, out, zeros, sizes, ones);
}

Value AttentionBuilder::divide(Value dividend, Value sums, Type element,
                               Value times) {
  Value one = constant(1.0);
  Value inverse = generic(
      sums, vector, empty({queries}, wide), vector,
      [&](ImplicitLocOpBuilder &inner, ValueRange args) -> Value {
        Value isZero = arith::CmpFOp::create(inner, arith::CmpFPredicate::OEQ,
                                             args[0], zero);
        Value sum = arith::SelectOp::create(inner, isZero, one, args[0]);
        return arith::DivFOp::create(inner, times ? times : one, sum,
                                     arith::FastMathFlags::afn);
      });
  return generic(
      {dividend, inverse}, {tile, row},
      empty(cast<RankedTensorType>(dividend.getType()).getShape(), element),
      tile, [&](ImplicitLocOpBuilder &inner, ValueRange args) -> Value {
        Value product = arith::MulFOp::create(inner, args[0], args[1]);
        return element == wide
                   ? product
                   : arith::TruncFOp::create(inner, element, product);
      });
}

Value AttentionBuilder::position(ImplicitLocOpBuilder &inner, int64_t dim,
                                 Value start,
                                 arith::IntegerOverflowFlags flags) {
  Value here = arith::IndexCastOp::create(inner, inner.getI32Type(),
                                          linalg::IndexOp::create(inner, dim));
  return start ? arith::AddIOp::create(inner, here, start, flags).getResult()
               : here;
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

bool AttentionTile::needsScaling(Value scale) {
  FloatAttr constant;
  return matchPattern(scale, m_Constant(&constant)) &&
         !(constant.getValueAsDouble() > 0);
}

AttentionTile::AttentionTile(AttentionBuilder &b, Value scale, Type element,
                             int64_t columns, bool isModified, bool isHuge)
    : isModified(isModified), isHuge(isHuge), b(b), scale(scale),
      element(element), isNatural(b.wide.isF64()), columns(columns),
      mayBeNegative(!isModified && !matchPattern(scale, m_Constant())) {}

/// Reads the scale. Products are scaled after their maximum is found, which
/// requires a positive scale. With any other scale each iteration takes the
/// path of those with a mask, where products take the scale's sign.
void AttentionTile::readScale() {
  Value positive = scale;
  if (mayBeNegative) {
    // 0 times the -inf of a mask would be no number.
    Value least = b.constant(kLeastScale);
    isPositive = arith::CmpFOp::create(b, arith::CmpFPredicate::OGE, scale,
                                       b.constant(0.0));
    sign = arith::SelectOp::create(b, isPositive, b.constant(1.0),
                                   b.constant(-1.0));
    positive =
        arith::MaximumFOp::create(b, math::AbsFOp::create(b, scale), least);
  }
  factor = positive;
  if (!isNatural)
    factor = arith::MulFOp::create(b, positive, b.constant(kLog2E));
}

SmallVector<Value> AttentionTile::start() {
  scores = b.empty({b.queries, b.keys}, b.wide);
  vectors = b.empty({b.queries}, b.wide);
  Value accumulator = b.fill(b.zero, b.empty({b.queries, columns}, b.wide));
  Value maximum = b.fill(b.lowest, vectors), total = b.fill(b.zero, vectors);
  return {accumulator, maximum, total};
}

scf::ForOp AttentionTile::createLoop(ArrayRef<Value> carried, Value end,
                                     StringRef precision) {
  auto loop = scf::ForOp::create(b, b.index(0), end, b.index(1), carried);
  loop->setAttr(kBlockLoopAttrName, b.getUnitAttr());
  if (precision == "tf32")
    loop->setAttr(kTF32AttrName, b.getUnitAttr());
  return loop;
}

Value AttentionTile::multiply(Value q, Value k) {
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

Value AttentionTile::applyScale(Value s) {
  return b.generic(s, b.tile, scores, b.tile,
                   [&](Inner &inner, ValueRange args) -> Value {
                     return arith::MulFOp::create(inner, args[0], factor);
                   });
}

/// Scores with the scale's sign. A branch, which all threads take alike, costs
/// the usual scale nothing.
Value AttentionTile::applySign(Value s) {
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

//===----------------------------------------------------------------------===//
// Weights and sums
//===----------------------------------------------------------------------===//

/// The shift that is subtracted in the exponent: the maximum, or 0 where that
/// is -inf, since -inf minus -inf is a NaN.
Value AttentionTile::computeShift(Value maximum, bool maySeeNothing) {
  return b.generic(maximum, b.vector, vectors, b.vector,
                   [&](Inner &inner, ValueRange args) -> Value {
                     Value finite = args[0];
                     if (maySeeNothing) {
                       Value isLowest = arith::CmpFOp::create(
                           inner, arith::CmpFPredicate::OEQ, args[0], b.lowest);
                       finite = arith::SelectOp::create(inner, isLowest, b.zero,
                                                        args[0]);
                     }
                     if (isModified || isNatural)
                       return finite;
                     return arith::MulFOp::create(inner, finite, factor);
                   });
}

/// Updates the accumulators and sums, and last the maximum, each in place.
void AttentionTile::update(Value s, Value v, scf::ForOp loop,
                           bool maySeeNothing,
                           function_ref<Value(Value)> change) {
  Value accumulator = loop.getRegionIterArg(0),
        maximum = loop.getRegionIterArg(1), total = loop.getRegionIterArg(2);
  auto greater = [](Inner &inner, ValueRange args) -> Value {
    return arith::MaximumFOp::create(inner, args[0], args[1]);
  };
  auto times = [](Inner &inner, ValueRange args) -> Value {
    return arith::MulFOp::create(inner, args.back(), args[0]);
  };
  // exp2(factor * x - y), exp2(log2(e) * (x - y)), or exp(factor * (x - y))
  Value log2E = isHuge ? b.constant(kLog2E) : Value();
  auto power = [&](Inner &inner, ValueRange args) -> Value {
    if (isNatural) {
      Value distance = arith::SubFOp::create(inner, args[0], args[1]);
      if (!isModified)
        distance = arith::MulFOp::create(inner, distance, factor);
      return math::ExpOp::create(inner, distance);
    }
    if (isHuge) {
      Value distance = arith::SubFOp::create(inner, args[0], args[1]);
      return math::Exp2Op::create(inner,
                                  arith::MulFOp::create(inner, distance, log2E),
                                  arith::FastMathFlags::afn);
    }
    Value minus = arith::NegFOp::create(inner, args[1]);
    Value exponent =
        isModified
            ? arith::AddFOp::create(inner, args[0], minus).getResult()
            : math::FmaOp::create(inner, args[0], factor, minus).getResult();
    return math::Exp2Op::create(inner, exponent, arith::FastMathFlags::afn);
  };
  Value ofBlock =
      b.generic(s, b.tile, b.fill(b.lowest, vectors), b.row, greater);
  Value fresh = b.generic({ofBlock, maximum}, {b.vector, b.vector}, vectors,
                          b.vector, greater);
  Value shift = computeShift(fresh, maySeeNothing);
  Value rescale = b.generic({maximum, shift}, {b.vector, b.vector}, vectors,
                            b.vector, power);
  Value p = b.generic({s, shift}, {b.tile, b.row}, scores, b.tile, power);
  total = b.generic(rescale, b.vector, total, b.vector, times);
  total = b.generic(p, b.tile, total, b.row,
                    [](Inner &inner, ValueRange args) -> Value {
                      return arith::AddFOp::create(inner, args[0], args[1]);
                    });
  accumulator = b.generic(rescale, b.row, accumulator, b.tile, times);
  Value weights = round(change ? change(p) : p, {b.queries, b.keys});
  accumulator = linalg::MatmulOp::create(b, ValueRange{weights, v}, accumulator)
                    .getResult(0);
  maximum = b.generic(ofBlock, b.vector, maximum, b.vector, greater);
  scf::YieldOp::create(b, ValueRange{accumulator, maximum, total});
}

Value AttentionTile::round(Value wide, ArrayRef<int64_t> shape) {
  if (element == b.wide)
    return wide;
  return b.generic(wide, b.tile, b.empty(shape, element), b.tile,
                   [&](Inner &inner, ValueRange args) -> Value {
                     return arith::TruncFOp::create(inner, element, args[0]);
                   });
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

Value AttentionTile::computeOut(scf::ForOp loop, Value times, Type result) {
  return b.divide(loop.getResult(0), loop.getResult(2),
                  result ? result : element, times);
}

Value AttentionTile::computeLse(scf::ForOp loop, bool toBase2) {
  if (isNatural)
    return computeNaturalLse(loop);
  Value ln2 = b.constant(kLn2);
  return b.generic(
      {loop.getResult(1), loop.getResult(2)}, {b.vector, b.vector}, vectors,
      b.vector, [&](Inner &inner, ValueRange args) -> Value {
        Value log =
            math::Log2Op::create(inner, args[1], arith::FastMathFlags::afn);
        if (isHuge) {
          assert(!toBase2 && "of scores to the base e");
          return math::FmaOp::create(inner, log, ln2, args[0]);
        }
        Value sum =
            isModified
                ? arith::AddFOp::create(inner, args[0], log).getResult()
                : math::FmaOp::create(inner, args[0], factor, log).getResult();
        return toBase2 ? sum
                       : arith::MulFOp::create(inner, sum, ln2).getResult();
      });
}

Value AttentionTile::computeNaturalLse(scf::ForOp loop) {
  return b.generic({loop.getResult(1), loop.getResult(2)}, {b.vector, b.vector},
                   vectors, b.vector,
                   [&](Inner &inner, ValueRange args) -> Value {
                     Value largest = args[0];
                     if (!isModified)
                       largest = arith::MulFOp::create(inner, largest, factor);
                     return arith::AddFOp::create(
                         inner, largest, math::LogOp::create(inner, args[1]));
                   });
}

Value AttentionTile::computeMaxScores(scf::ForOp loop) {
  if (isHuge || (isNatural && isModified))
    return loop.getResult(1);
  Value toScore = factor;
  if (!isNatural) {
    toScore = b.constant(kLn2);
    if (!isModified)
      toScore = arith::MulFOp::create(b, factor, toScore);
  }
  return b.generic(loop.getResult(1), b.vector, vectors, b.vector,
                   [&](Inner &inner, ValueRange args) -> Value {
                     return arith::MulFOp::create(inner, args[0], toScore);
                   });
}
