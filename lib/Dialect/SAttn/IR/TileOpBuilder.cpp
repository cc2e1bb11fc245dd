//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileOpBuilder.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace sattn;

Value TileOpBuilder::index(int64_t value) {
  return arith::ConstantIndexOp::create(*this, value);
}

Value TileOpBuilder::integer(Type type, int64_t value) {
  return arith::ConstantOp::create(*this, getIntegerAttr(type, value));
}

Value TileOpBuilder::asValue(OpFoldResult value) {
  return getValueOrCreateConstantIndexOp(*this, getLoc(), value);
}

Value TileOpBuilder::asI32(OpFoldResult value) {
  return arith::IndexCastOp::create(*this, getI32Type(), asValue(value));
}

Value TileOpBuilder::empty(ArrayRef<int64_t> shape, Type type) {
  return tensor::EmptyOp::create(*this, shape, type);
}

Value TileOpBuilder::fill(Value value, Value target) {
  return linalg::FillOp::create(*this, value, target).getResult(0);
}

Value TileOpBuilder::generic(ValueRange inputs, ArrayRef<AffineMap> inputMaps,
                             Value target, AffineMap map, Body body) {
  SmallVector<AffineMap> maps(inputMaps);
  maps.push_back(map);
  SmallVector<utils::IteratorType> iterators(map.getNumDims(),
                                             utils::IteratorType::parallel);
  for (unsigned dim = map.getNumResults(); dim < map.getNumDims(); ++dim)
    iterators[dim] = utils::IteratorType::reduction;
  return linalg::GenericOp::create(
             *this, target.getType(), inputs, target, maps, iterators,
             [&](OpBuilder &nested, Location loc, ValueRange args) {
               ImplicitLocOpBuilder inner(loc, nested);
               linalg::YieldOp::create(inner, body(inner, args));
             })
      .getResult(0);
}

Value TileOpBuilder::map(ValueRange inputs, Value target, Body body) {
  AffineMap map = getMultiDimIdentityMap(
      cast<RankedTensorType>(target.getType()).getRank());
  return generic(inputs, SmallVector<AffineMap>(inputs.size(), map), target,
                 map, body);
}

Value TileOpBuilder::map(ValueRange inputs, ArrayRef<int64_t> shape, Type type,
                         Body body) {
  return map(inputs, empty(shape, type), body);
}

Value TileOpBuilder::number(Value first, ArrayRef<int64_t> shape) {
  return map({}, shape, getI32Type(),
             [&](ImplicitLocOpBuilder &inner, ValueRange) -> Value {
               Value place;
               for (auto [dim, size] : llvm::enumerate(shape)) {
                 Value own = arith::IndexCastOp::create(
                     inner, getI32Type(), linalg::IndexOp::create(inner, dim));
                 if (place) {
                   Value width = arith::ConstantOp::create(
                       inner, getI32IntegerAttr(size));
                   place = arith::MulIOp::create(inner, place, width);
                   own = arith::AddIOp::create(inner, place, own);
                 }
                 place = own;
               }
               return arith::AddIOp::create(inner, place, first);
             });
}

Value TileOpBuilder::reduce(Value tile, int64_t neutral, Body combine) {
  auto type = cast<RankedTensorType>(tile.getType());
  int64_t rank = type.getRank();
  Value result = generic(
      tile, getMultiDimIdentityMap(rank),
      fill(integer(type.getElementType(), neutral), ArrayRef<int64_t>()),
      AffineMap::get(rank, 0, getContext()), combine);
  return tensor::ExtractOp::create(*this, result, ValueRange());
}

Value TileOpBuilder::asVector(Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  Type element = type.getElementType();
  SmallVector<bool> inBounds(type.getRank(), true);
  Value padding = arith::ConstantOp::create(*this, getZeroAttr(element));
  return vector::TransferReadOp::create(
      *this, VectorType::get(type.getShape(), element), tile,
      SmallVector<Value>(type.getRank(), index(0)), padding, inBounds);
}

Value TileOpBuilder::asTile(Value vector) {
  auto type = cast<VectorType>(vector.getType());
  SmallVector<bool> inBounds(type.getRank(), true);
  Value tile = empty(type.getShape(), type.getElementType());
  return vector::TransferWriteOp::create(
             *this, vector, tile, SmallVector<Value>(type.getRank(), index(0)),
             inBounds)
      .getResult();
}

Value TileOpBuilder::compare(arith::CmpIPredicate predicate, Value tile,
                             Value number) {
  Value elements = asVector(tile);
  Value numbers =
      vector::BroadcastOp::create(*this, elements.getType(), number);
  return arith::CmpIOp::create(*this, predicate, elements, numbers);
}

Value TileOpBuilder::scatter(Value tile, Value row, Value places, Value mask) {
  SmallVector<Value> zeros(cast<RankedTensorType>(row.getType()).getRank(),
                           index(0));
  return vector::ScatterOp::create(*this, row.getType(), row, zeros,
                                   asVector(places), mask, asVector(tile))
      .getResult();
}
