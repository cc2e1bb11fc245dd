//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The program of one tile of sattn_test.attention: the keys block by block,
// with the maximum and the sum of the weights as they are so far.

#include "Test.h"
#include "sattn/Support/TileLoopAttributes.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace sattn;
using namespace sattn::test;

namespace {
class TileProgram {
public:
  TileProgram(ImplicitLocOpBuilder &b, AttentionOp op)
      : b(b), op(op), queries(op.getBlockQ()), keys(op.getBlockKv()),
        depth(op.getQ().getType().getDimSize(2)),
        columns(op.getV().getType().getDimSize(2)),
        element(op.getQ().getType().getElementType()), f32(b.getF32Type()) {
    AffineExpr i = b.getAffineDimExpr(0), j = b.getAffineDimExpr(1);
    tile = AffineMap::get(2, 0, {i, j}, b.getContext());
    row = AffineMap::get(2, 0, {i}, b.getContext());
    vector = AffineMap::get(1, 0, {i}, b.getContext());
  }

  Value build() {
    zero = constant(0.0f);
    lowest = constant(-std::numeric_limits<float>::infinity());
    scale = arith::MulFOp::create(b, op.getScale(), constant(1.44269504f));
    Value q = readTile(op.getQ(), b.getIndexAttr(0), queries, depth);
    scores = empty({queries, keys}, f32);
    vectors = empty({queries}, f32);
    Value accumulator = fill(zero, empty({queries, columns}, f32));
    Value maximum = fill(lowest, vectors), total = fill(zero, vectors);
    findRange();
    auto loop = scf::ForOp::create(b, index(0), end, index(1),
                                   ValueRange{accumulator, maximum, total});
    loop->setAttr(kBlockLoopAttrName, b.getUnitAttr());
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      iterate(q, loop);
    }
    return store(loop);
  }

private:
  using Body = function_ref<Value(ImplicitLocOpBuilder &, ValueRange)>;

  Value constant(float value) {
    return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
  }
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value empty(ArrayRef<int64_t> shape, Type type) {
    return tensor::EmptyOp::create(b, shape, type);
  }
  Value fill(Value value, Value target) {
    return linalg::FillOp::create(b, value, target).getResult(0);
  }

  /// An op on elements; `outMap` has fewer dimensions than the loops where rows
  /// are reduced.
  Value generic(ArrayRef<Value> inputs, ArrayRef<AffineMap> inputMaps,
                Value target, AffineMap outMap, Body body) {
    SmallVector<AffineMap> maps(inputMaps);
    maps.push_back(outMap);
    SmallVector<utils::IteratorType> iterators(outMap.getNumDims(),
                                               utils::IteratorType::parallel);
    for (unsigned dim = outMap.getNumResults(); dim < outMap.getNumDims();
         ++dim)
      iterators[dim] = utils::IteratorType::reduction;
    return linalg::GenericOp::create(
               b, target.getType(), inputs, target, maps, iterators,
               [&](OpBuilder &nested, Location loc, ValueRange args) {
                 ImplicitLocOpBuilder inner(loc, nested);
                 linalg::YieldOp::create(inner, body(inner, args));
               })
        .getResult(0);
  }

  /// Rows of a head from `first` on, zeros beyond its end.
  Value readTile(Value source, OpFoldResult first, int64_t rows,
                 int64_t width) {
    OpFoldResult zeroIndex = b.getIndexAttr(0), one = b.getIndexAttr(1);
    AffineExpr d0 = b.getAffineDimExpr(0), s0 = b.getAffineSymbolExpr(0);
    OpFoldResult inside = affine::makeComposedFoldedAffineMin(
        b, b.getLoc(),
        AffineMap::get(1, 1, {b.getAffineConstantExpr(rows), s0 - d0},
                       b.getContext()),
        {first, tensor::getMixedSize(b, b.getLoc(), source, 1)});
    int64_t staticInside =
        getConstantIntValue(inside).value_or(ShapedType::kDynamic);
    Value slice = tensor::ExtractSliceOp::create(
        b, RankedTensorType::get({staticInside, width}, element), source,
        ArrayRef<OpFoldResult>{zeroIndex, first, zeroIndex},
        ArrayRef<OpFoldResult>{one, inside, b.getIndexAttr(width)},
        ArrayRef<OpFoldResult>{one, one, one});
    OpFoldResult high = affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), rows - d0, {inside});
    Value padding = arith::ConstantOp::create(b, b.getZeroAttr(element));
    return tensor::PadOp::create(
        b, RankedTensorType::get({rows, width}, element), slice,
        ArrayRef<OpFoldResult>{zeroIndex, zeroIndex},
        ArrayRef<OpFoldResult>{high, zeroIndex}, padding);
  }

  /// Blocks 0 to `end` are read, from the last to the first; the first `bound`
  /// iterations have a mask, where `isMasked`.
  void findRange() {
    OpFoldResult length = tensor::getMixedSize(b, b.getLoc(), op.getK(), 1);
    std::optional<int64_t> known = getConstantIntValue(length);
    isMasked = op.getCausal() || !known || *known % keys != 0;
    AffineExpr first = b.getAffineDimExpr(0), size = b.getAffineDimExpr(1);
    auto least = [&](ArrayRef<AffineExpr> exprs) {
      return getValueOrCreateConstantIndexOp(
          b, b.getLoc(),
          affine::makeComposedFoldedAffineMin(
              b, b.getLoc(), AffineMap::get(2, 0, exprs, b.getContext()),
              {OpFoldResult(op.getFirst()), length}));
    };
    SmallVector<AffineExpr> stop = {size.ceilDiv(keys)},
                            whole = {size.floorDiv(keys)};
    if (op.getCausal()) {
      stop.push_back((first + queries).ceilDiv(keys));
      whole.push_back(first.floorDiv(keys));
    }
    end = least(stop);
    if (isMasked)
      bound = arith::SubIOp::create(b, end, least(whole));
  }

  void iterate(Value q, scf::ForOp loop) {
    AffineExpr t = b.getAffineDimExpr(0), last = b.getAffineDimExpr(1);
    OpFoldResult first = affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), (last - 1 - t) * keys,
        {OpFoldResult(loop.getInductionVar()), OpFoldResult(end)});
    Value k = readTile(op.getK(), first, keys, depth);
    Value v = readTile(op.getV(), first, keys, columns);
    AffineExpr m = b.getAffineDimExpr(0), n = b.getAffineDimExpr(1),
               d = b.getAffineDimExpr(2);
    auto map = [&](AffineExpr i, AffineExpr j) {
      return AffineMapAttr::get(AffineMap::get(3, 0, {i, j}, b.getContext()));
    };
    auto product =
        linalg::MatmulOp::create(b, ValueRange{q, k}, fill(zero, scores));
    product.setIndexingMapsAttr(
        b.getArrayAttr({map(m, d), map(n, d), map(m, n)}));
    Value s = product.getResult(0);
    if (isMasked)
      s = mask(s, first, loop.getInductionVar());
    update(s, v, loop);
  }

  /// -inf for keys that a query does not see, in iterations with a mask.
  Value mask(Value s, OpFoldResult firstKey, Value iteration) {
    Value condition =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, iteration, bound);
    auto branch = scf::IfOp::create(b, s.getType(), condition,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, s);
    b.setInsertionPointToStart(branch.thenBlock());
    auto asInt = [](ImplicitLocOpBuilder &builder, Value value) -> Value {
      return arith::IndexCastOp::create(builder, builder.getI32Type(), value);
    };
    auto value = [&](OpFoldResult result) {
      return asInt(b, getValueOrCreateConstantIndexOp(b, b.getLoc(), result));
    };
    Value query0 = value(op.getFirst()), key0 = value(firstKey),
          length = value(tensor::getMixedSize(b, b.getLoc(), op.getK(), 1));
    auto body = [&](ImplicitLocOpBuilder &inner, ValueRange args) -> Value {
      auto position = [&](int64_t dim, Value start) -> Value {
        Value here = asInt(inner, linalg::IndexOp::create(inner, dim));
        return arith::AddIOp::create(inner, here, start);
      };
      Value query = position(0, query0), key = position(1, key0);
      Value sees =
          arith::CmpIOp::create(inner, arith::CmpIPredicate::slt, key, length);
      if (op.getCausal()) {
        Value isPast =
            arith::CmpIOp::create(inner, arith::CmpIPredicate::sge, query, key);
        sees = arith::AndIOp::create(inner, isPast, sees);
      }
      return arith::SelectOp::create(inner, sees, args[0], lowest);
    };
    Value masked = generic(s, tile, scores, tile, body);
    scf::YieldOp::create(b, masked);
    return branch.getResult(0);
  }

  /// Sums and, last, the maximum, each in its place.
  void update(Value s, Value v, scf::ForOp loop) {
    Value accumulator = loop.getRegionIterArg(0),
          maximum = loop.getRegionIterArg(1), total = loop.getRegionIterArg(2);
    auto greater = [](ImplicitLocOpBuilder &inner, ValueRange args) -> Value {
      return arith::MaximumFOp::create(inner, args[0], args[1]);
    };
    auto times = [](ImplicitLocOpBuilder &inner, ValueRange args) -> Value {
      return arith::MulFOp::create(inner, args.back(), args[0]);
    };
    // exp2(scale * x - y)
    auto power = [&](ImplicitLocOpBuilder &inner, ValueRange args) -> Value {
      Value minus = arith::NegFOp::create(inner, args[1]);
      Value exponent = math::FmaOp::create(inner, args[0], scale, minus);
      return math::Exp2Op::create(inner, exponent, arith::FastMathFlags::afn);
    };
    Value ofBlock = generic(s, tile, fill(lowest, vectors), row, greater);
    Value fresh =
        generic({ofBlock, maximum}, {vector, vector}, vectors, vector, greater);
    // 0 where it is -inf, since -inf minus -inf is no number.
    Value shift =
        generic(fresh, vector, vectors, vector,
                [&](ImplicitLocOpBuilder &inner, ValueRange args) -> Value {
                  Value isLowest = arith::CmpFOp::create(
                      inner, arith::CmpFPredicate::OEQ, args[0], lowest);
                  Value finite =
                      arith::SelectOp::create(inner, isLowest, zero, args[0]);
                  return arith::MulFOp::create(inner, finite, scale);
                });
    Value rescale =
        generic({maximum, shift}, {vector, vector}, vectors, vector, power);
    Value p = generic({s, shift}, {tile, row}, scores, tile, power);
    total = generic(rescale, vector, total, vector, times);
    total = generic(p, tile, total, row,
                    [](ImplicitLocOpBuilder &inner, ValueRange args) -> Value {
                      return arith::AddFOp::create(inner, args[0], args[1]);
                    });
    accumulator = generic(rescale, row, accumulator, tile, times);
    Value weights = round(p, {queries, keys});
    accumulator =
        linalg::MatmulOp::create(b, ValueRange{weights, v}, accumulator)
            .getResult(0);
    maximum = generic(ofBlock, vector, maximum, vector, greater);
    scf::YieldOp::create(b, ValueRange{accumulator, maximum, total});
  }

  /// A tile of f32 in the operands' element type.
  Value round(Value wide, ArrayRef<int64_t> shape) {
    if (element.isF32())
      return wide;
    return generic(wide, tile, empty(shape, element), tile,
                   [&](ImplicitLocOpBuilder &inner, ValueRange args) -> Value {
                     return arith::TruncFOp::create(inner, element, args[0]);
                   });
  }

  /// The tile's rows over their sums, clipped to the rows of the result.
  Value store(scf::ForOp loop) {
    Value one = constant(1.0f);
    Value inverse = generic(
        loop.getResult(2), vector, vectors, vector,
        [&](ImplicitLocOpBuilder &inner, ValueRange args) -> Value {
          Value isZero = arith::CmpFOp::create(inner, arith::CmpFPredicate::OEQ,
                                               args[0], zero);
          Value sum = arith::SelectOp::create(inner, isZero, one, args[0]);
          return arith::DivFOp::create(inner, one, sum,
                                       arith::FastMathFlags::afn);
        });
    Value out =
        generic({loop.getResult(0), inverse}, {tile, row},
                empty({queries, columns}, element), tile,
                [&](ImplicitLocOpBuilder &inner, ValueRange args) -> Value {
                  Value wide = arith::MulFOp::create(inner, args[0], args[1]);
                  return element.isF32()
                             ? wide
                             : arith::TruncFOp::create(inner, element, wide);
                });
    OpFoldResult rows = tensor::getMixedSize(b, b.getLoc(), op.getO(), 1);
    SmallVector<OpFoldResult> zeros(3, b.getIndexAttr(0)),
        ones(3, b.getIndexAttr(1)),
        sizes = {b.getIndexAttr(1), rows, b.getIndexAttr(columns)};
    Value clip = tensor::ExtractSliceOp::create(
        b, out, ArrayRef(zeros).drop_front(), ArrayRef(sizes).drop_front(),
        ArrayRef(ones).drop_front());
    return tensor::InsertSliceOp::create(b, clip, op.getO(), zeros, sizes,
                                         ones);
  }

  ImplicitLocOpBuilder &b;
  AttentionOp op;
  int64_t queries, keys, depth, columns;
  Type element, f32;
  AffineMap tile, row, vector;
  /// Constants of f32, and the scale to the base 2.
  Value zero, lowest, scale;
  /// Tensors that tiles and vectors are written to.
  Value scores, vectors;
  Value end, bound;
  bool isMasked = false;
};
} // namespace

FailureOr<SmallVector<Value>>
AttentionOp::lowerToTileProgram(OpBuilder &builder) {
  if (getO().getType().getDimSize(0) != 1)
    return emitOpError() << "expected a tile of one head, but got "
                         << getO().getType();
  ImplicitLocOpBuilder b(getLoc(), builder);
  return SmallVector<Value>{TileProgram(b, *this).build()};
}
