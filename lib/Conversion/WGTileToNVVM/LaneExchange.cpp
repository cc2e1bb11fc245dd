//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneExchange.h"

#include "TileRegisters.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace wgtile;

Value wgtile::createShuffle(OpBuilder &b, Location loc, Value value,
                            int64_t distance) {
  Type type = value.getType();
  auto exchange = [&](Value word) -> Value {
    return NVVM::ShflOp::create(b, loc, word.getType(), createI32(b, loc, -1),
                                word, createI32(b, loc, distance),
                                createI32(b, loc, 31), NVVM::ShflKind::bfly,
                                UnitAttr());
  };
  if (type.getIntOrFloatBitWidth() == 32)
    return exchange(value);
  // 64 bits go in two halves.
  auto halves = VectorType::get(2, b.getI32Type());
  Value words = LLVM::BitcastOp::create(b, loc, halves, value);
  for (int64_t half : {0, 1}) {
    Value place = createI32(b, loc, half);
    Value word = LLVM::ExtractElementOp::create(b, loc, words, place);
    words = LLVM::InsertElementOp::create(b, loc, words, exchange(word), place);
  }
  return LLVM::BitcastOp::create(b, loc, type, words);
}

Value wgtile::combineLanes(OpBuilder &b, Location loc,
                           arith::AtomicRMWKind kind, Value value,
                           int64_t lanes, int64_t every) {
  for (int64_t distance = every; distance < lanes; distance *= 2)
    value = arith::getReductionOp(kind, b, loc, value,
                                  createShuffle(b, loc, value, distance));
  return value;
}

Value wgtile::combineAll(OpBuilder &b, Location loc, arith::AtomicRMWKind kind,
                         SmallVector<Value> values) {
  // Neighbors first: a chain would wait for each of its steps.
  while (values.size() > 1) {
    SmallVector<Value> half;
    for (size_t i = 0; i + 1 < values.size(); i += 2)
      half.push_back(
          arith::getReductionOp(kind, b, loc, values[i], values[i + 1]));
    if (values.size() % 2)
      half.push_back(values.back());
    values = std::move(half);
  }
  return values.front();
}

Value wgtile::combinePair(OpBuilder &b, Location loc, arith::AtomicRMWKind kind,
                          Value pair) {
  SmallVector<Value> elements;
  for (int64_t i : {0, 1}) {
    Value element = vector::ExtractOp::create(b, loc, pair, i);
    elements.push_back(arith::ExtFOp::create(b, loc, b.getF32Type(), element));
  }
  return combineAll(b, loc, kind, std::move(elements));
}
