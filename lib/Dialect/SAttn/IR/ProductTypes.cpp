//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductTypes.h"

#include "sattn/Dialect/SAttn/IR/SAttnDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace sattn;

static constexpr StringRef kFloats[] = {"f16", "bf16", "f32", "f64"};
static constexpr StringRef kFactors[] = {"f16", "bf16",     "f32",   "f64",
                                         "i8",  "f8E4M3FN", "f8E5M2"};
static constexpr StringRef kF64[] = {"f64"};
static constexpr StringRef kNarrowFloats[] = {"f8E4M3FN", "f8E5M2"};
static constexpr StringRef kResults[] = {"f16", "bf16", "f32"};
static constexpr StringRef kResultsOfIntegers[] = {"i32", "bf16", "f32"};
static constexpr StringRef kResultsOfNarrowFloats[] = {"bf16", "f32"};

ArrayRef<StringRef> sattn::getFloatNames() { return kFloats; }

ArrayRef<StringRef> sattn::getFactorNames() { return kFactors; }

/// Whether a type has 8 bits: its range is too small for anything but factors.
static bool isNarrow(Type factor) {
  return factor.isIntOrFloat() && factor.getIntOrFloatBitWidth() == 8;
}

ArrayRef<StringRef> sattn::getResultNames(Type factor) {
  if (factor.isInteger())
    return kResultsOfIntegers;
  if (factor.isF64())
    return kF64;
  return isNarrow(factor) ? ArrayRef(kResultsOfNarrowFloats) : kResults;
}

ArrayRef<StringRef> sattn::getOtherFactorNames(Type factor) {
  if (isNarrow(factor) && !factor.isInteger())
    return kNarrowFloats;
  for (const StringRef &name : kFactors)
    if (isNamed(factor, name))
      return name;
  return {};
}

bool sattn::isNamed(Type type, ArrayRef<StringRef> names) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return llvm::is_contained(names, name);
}

std::string sattn::listNames(ArrayRef<StringRef> names) {
  if (names.size() == 1)
    return names.front().str();
  return llvm::join(names.drop_back(), ", ") + " or " + names.back().str();
}

Type sattn::getAddedType(Type factor, Type out) {
  return isNarrow(factor) ? out : factor;
}

bool sattn::isScale(Type factor) { return !isNarrow(factor); }

Type sattn::getScalarType(Type tensor) {
  Builder b(tensor.getContext());
  return getElementTypeOrSelf(tensor).isF64() ? Type(b.getF64Type())
                                              : b.getF32Type();
}

Type sattn::getSumType(Type factor) {
  return factor.isInteger() ? Builder(factor.getContext()).getI32Type()
                            : getScalarType(factor);
}

Type sattn::getEpilogueType(Type out, bool isScaled, bool isAdded) {
  Builder b(out.getContext());
  if (!out.isInteger())
    return getScalarType(out);
  if (isScaled)
    return b.getF64Type();
  // Where 33 bits are saturated.
  return isAdded ? Type(b.getI64Type()) : out;
}

static Value createConstant(OpBuilder &b, Location loc, Type type,
                            double value) {
  return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
}

/// Rounds a number to an integer type by way of f64.
static Value roundToInteger(OpBuilder &b, Location loc, Value number,
                            Type type) {
  Type f64 = b.getF64Type();
  number = convertNumber(b, loc, number, f64);
  unsigned bits = type.getIntOrFloatBitWidth();
  number = arith::MaxNumFOp::create(
      b, loc, number,
      createConstant(b, loc, f64,
                     APInt::getSignedMinValue(bits).getSExtValue()));
  number = arith::MinNumFOp::create(
      b, loc, number,
      createConstant(b, loc, f64,
                     APInt::getSignedMaxValue(bits).getSExtValue()));
  // The sum's unit in the last place is 1. No CPU needs a library for this.
  Value shift = createConstant(b, loc, f64, 0x1.8p52);
  number = arith::SubFOp::create(
      b, loc, arith::AddFOp::create(b, loc, number, shift), shift);
  return arith::FPToSIOp::create(b, loc, type, number);
}

static Value saturate(OpBuilder &b, Location loc, Value number, Type type) {
  unsigned bits = type.getIntOrFloatBitWidth();
  auto bound = [&](const APInt &value) -> Value {
    return arith::ConstantOp::create(
        b, loc, b.getIntegerAttr(number.getType(), value.getSExtValue()));
  };
  number = arith::MaxSIOp::create(b, loc, number,
                                  bound(APInt::getSignedMinValue(bits)));
  number = arith::MinSIOp::create(b, loc, number,
                                  bound(APInt::getSignedMaxValue(bits)));
  return arith::TruncIOp::create(b, loc, type, number);
}

Value sattn::convertNumber(OpBuilder &b, Location loc, Value number,
                           Type type) {
  Type from = number.getType();
  if (from == type)
    return number;
  bool widens = from.getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth();
  if (from.isInteger() && type.isInteger())
    return widens ? arith::ExtSIOp::create(b, loc, type, number).getResult()
                  : saturate(b, loc, number, type);
  if (from.isInteger())
    return arith::SIToFPOp::create(b, loc, type, number);
  if (type.isInteger())
    return roundToInteger(b, loc, number, type);
  return widens ? arith::ExtFOp::create(b, loc, type, number).getResult()
                : arith::TruncFOp::create(b, loc, type, number).getResult();
}

Value sattn::multiply(OpBuilder &b, Location loc, Value x, Value y) {
  if (x.getType().isInteger())
    return arith::MulIOp::create(b, loc, x, y);
  return arith::MulFOp::create(b, loc, x, y);
}

Value sattn::add(OpBuilder &b, Location loc, Value x, Value y) {
  if (x.getType().isInteger())
    return arith::AddIOp::create(b, loc, x, y);
  return arith::AddFOp::create(b, loc, x, y);
}

bool sattn::needsKMajor(Type factor) { return isNarrow(factor); }

Value sattn::createTransposed(OpBuilder &b, Location loc, Value matrices) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, matrices);
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::seq<int64_t>(sizes.size()));
  std::swap(sizes.end()[-1], sizes.end()[-2]);
  std::swap(order.end()[-1], order.end()[-2]);
  Value empty =
      tensor::EmptyOp::create(b, loc, sizes, getElementTypeOrSelf(matrices));
  return linalg::TransposeOp::create(b, loc, matrices, empty, order)
      ->getResult(0);
}
