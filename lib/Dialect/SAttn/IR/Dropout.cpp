//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dropout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace sattn;

static constexpr uint32_t kMultipliers[] = {0xD2511F53, 0xCD9E8D57};
static constexpr uint32_t kKeySteps[] = {0x9E3779B9, 0xBB67AE85};
/// Bits of a word that are compared: as many as f32 has.
static constexpr int kBits = 24;

static Value createI32(ImplicitLocOpBuilder &b, uint32_t number) {
  return arith::ConstantOp::create(
      b, b.getI32IntegerAttr(static_cast<int32_t>(number)));
}

Dropout::Dropout(ImplicitLocOpBuilder &b, Value probability, Value random) {
  Type i32 = b.getI32Type(), wide = probability.getType();
  auto constant = [&](double value) -> Value {
    return arith::ConstantOp::create(b, b.getFloatAttr(wide, value));
  };
  Value one = constant(1), zero = constant(0);
  probability = arith::MaxNumFOp::create(b, probability, zero);
  probability = arith::MinNumFOp::create(b, probability, one);
  Value kept = arith::SubFOp::create(b, one, probability);
  Value isNone =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, kept, zero);
  Value divisor = arith::SelectOp::create(b, isNone, one, kept);
  factor = arith::SelectOp::create(b, isNone, zero,
                                   arith::DivFOp::create(b, one, divisor));
  // An integer is below the product if it is below the product rounded up.
  Value product = arith::MulFOp::create(b, probability, constant(1 << kBits));
  Value floor = arith::FPToSIOp::create(b, i32, product);
  Value isFraction =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OLT,
                            arith::SIToFPOp::create(b, wide, floor), product);
  threshold = arith::AddIOp::create(b, floor,
                                    arith::ExtUIOp::create(b, i32, isFraction));

  auto extract = [&](int64_t place) -> Value {
    Value index = arith::ConstantIndexOp::create(b, place);
    return tensor::ExtractOp::create(b, random, index);
  };
  Value seed = extract(0),
        half = arith::ConstantOp::create(b, b.getI64IntegerAttr(32));
  offset = arith::TruncIOp::create(b, i32, extract(1));
  Value words[] = {
      arith::TruncIOp::create(b, i32, seed),
      arith::TruncIOp::create(b, i32, arith::ShRUIOp::create(b, seed, half))};
  for (uint32_t round = 0; round < kRounds; ++round)
    for (int i : {0, 1})
      keys[round][i] = arith::AddIOp::create(
          b, words[i], createI32(b, round * kKeySteps[i]));
}

/// The lower and the upper half of a product.
static std::pair<Value, Value> multiply(ImplicitLocOpBuilder &b, Value word,
                                        uint32_t factor) {
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  Value wide = arith::ExtUIOp::create(b, i64, word);
  Value product = arith::MulIOp::create(
      b, wide, arith::ConstantOp::create(b, b.getI64IntegerAttr(factor)));
  Value half = arith::ConstantOp::create(b, b.getI64IntegerAttr(32));
  return {arith::TruncIOp::create(b, i32, product),
          arith::TruncIOp::create(b, i32,
                                  arith::ShRUIOp::create(b, product, half))};
}

Value Dropout::isKept(ImplicitLocOpBuilder &b, Value column, Value row,
                      Value batch) const {
  Value words[] = {column, row, batch, offset};
  for (const auto &key : keys) {
    auto [low0, high0] = multiply(b, words[0], kMultipliers[0]);
    auto [low1, high1] = multiply(b, words[2], kMultipliers[1]);
    auto mix = [&](Value high, Value word, Value keyWord) -> Value {
      return arith::XOrIOp::create(b, arith::XOrIOp::create(b, high, word),
                                   keyWord);
    };
    Value first = mix(high1, words[1], key[0]);
    words[2] = mix(high0, words[3], key[1]);
    words[0] = first;
    words[1] = low1;
    words[3] = low0;
  }
  Value number = arith::ShRUIOp::create(b, words[0], createI32(b, 32 - kBits));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::sge, number, threshold);
}

LogicalResult sattn::verifyRandom(Operation *op, RankedTensorType type) {
  if (type.getRank() == 1 && type.getElementType().isSignlessInteger(64) &&
      type.getDimSize(0) == 2)
    return success();
  return op->emitOpError()
         << "expected 'random' of two elements of i64, but got " << type;
}
