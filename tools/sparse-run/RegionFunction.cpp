//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionFunction.h"

#include "sattn/Reference/ElementConversion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace sattn;
using namespace sattn::run;
using runtime::Error;
using runtime::ErrorOr;

using Function1 = double (*)(double);
using Function2 = double (*)(double, double);
using Integers2 = int64_t (*)(uint64_t, uint64_t);

static double roundEven(double x) { return std::nearbyint(x); }
static double maximum(double x, double y) {
  return std::isnan(x) || std::isnan(y) ? NAN : std::max(x, y);
}
static double minimum(double x, double y) {
  return std::isnan(x) || std::isnan(y) ? NAN : std::min(x, y);
}

static Function1 findFunction1(StringRef name) {
  static const llvm::StringMap<Function1> functions = {
      {"arith.negf", [](double x) { return -x; }},
      {"math.absf", [](double x) { return std::fabs(x); }},
      {"math.acos", [](double x) { return std::acos(x); }},
      {"math.acosh", [](double x) { return std::acosh(x); }},
      {"math.asin", [](double x) { return std::asin(x); }},
      {"math.asinh", [](double x) { return std::asinh(x); }},
      {"math.atan", [](double x) { return std::atan(x); }},
      {"math.atanh", [](double x) { return std::atanh(x); }},
      {"math.cbrt", [](double x) { return std::cbrt(x); }},
      {"math.ceil", [](double x) { return std::ceil(x); }},
      {"math.cos", [](double x) { return std::cos(x); }},
      {"math.cosh", [](double x) { return std::cosh(x); }},
      {"math.erf", [](double x) { return std::erf(x); }},
      {"math.erfc", [](double x) { return std::erfc(x); }},
      {"math.exp", [](double x) { return std::exp(x); }},
      {"math.exp2", [](double x) { return std::exp2(x); }},
      {"math.expm1", [](double x) { return std::expm1(x); }},
      {"math.floor", [](double x) { return std::floor(x); }},
      {"math.log", [](double x) { return std::log(x); }},
      {"math.log10", [](double x) { return std::log10(x); }},
      {"math.log1p", [](double x) { return std::log1p(x); }},
      {"math.log2", [](double x) { return std::log2(x); }},
      {"math.round", [](double x) { return std::round(x); }},
      {"math.roundeven", roundEven},
      {"math.rsqrt", [](double x) { return 1 / std::sqrt(x); }},
      {"math.sin", [](double x) { return std::sin(x); }},
      {"math.sinh", [](double x) { return std::sinh(x); }},
      {"math.sqrt", [](double x) { return std::sqrt(x); }},
      {"math.tan", [](double x) { return std::tan(x); }},
      {"math.tanh", [](double x) { return std::tanh(x); }},
      {"math.trunc", [](double x) { return std::trunc(x); }},
  };
  return functions.lookup(name);
}

static Function2 findFunction2(StringRef name) {
  static const llvm::StringMap<Function2> functions = {
      {"arith.addf", [](double x, double y) { return x + y; }},
      {"arith.divf", [](double x, double y) { return x / y; }},
      {"arith.maximumf", maximum},
      {"arith.maxnumf", [](double x, double y) { return std::fmax(x, y); }},
      {"arith.minimumf", minimum},
      {"arith.minnumf", [](double x, double y) { return std::fmin(x, y); }},
      {"arith.mulf", [](double x, double y) { return x * y; }},
      {"arith.remf", [](double x, double y) { return std::fmod(x, y); }},
      {"arith.subf", [](double x, double y) { return x - y; }},
      {"math.atan2", [](double x, double y) { return std::atan2(x, y); }},
      {"math.copysign", [](double x, double y) { return std::copysign(x, y); }},
      {"math.powf", [](double x, double y) { return std::pow(x, y); }},
  };
  return functions.lookup(name);
}

/// Functions of two sign-extended integers, as 64 bits that wrap; a division by
/// 0, and a shift by more bits than there are, is 0.
static Integers2 findIntegers2(StringRef name) {
  auto divide = [](uint64_t x, uint64_t y) -> int64_t {
    return y == 0 ? 0 : y == uint64_t(-1) ? -x : int64_t(x) / int64_t(y);
  };
  auto remainder = [](uint64_t x, uint64_t y) -> int64_t {
    return y == 0 || y == uint64_t(-1) ? 0 : int64_t(x) % int64_t(y);
  };
  auto floorDivide = [](uint64_t x, uint64_t y) -> int64_t {
    if (y == 0 || y == uint64_t(-1))
      return y == 0 ? 0 : -x;
    return llvm::divideFloorSigned(int64_t(x), int64_t(y));
  };
  static const llvm::StringMap<Integers2> functions = {
      {"arith.addi", [](uint64_t x, uint64_t y) { return int64_t(x + y); }},
      {"arith.andi", [](uint64_t x, uint64_t y) { return int64_t(x & y); }},
      {"arith.divsi", divide},
      {"arith.floordivsi", floorDivide},
      {"arith.maxsi",
       [](uint64_t x, uint64_t y) { return std::max<int64_t>(x, y); }},
      {"arith.minsi",
       [](uint64_t x, uint64_t y) { return std::min<int64_t>(x, y); }},
      {"arith.muli", [](uint64_t x, uint64_t y) { return int64_t(x * y); }},
      {"arith.ori", [](uint64_t x, uint64_t y) { return int64_t(x | y); }},
      {"arith.remsi", remainder},
      {"arith.shli",
       [](uint64_t x, uint64_t y) { return y < 64 ? int64_t(x << y) : 0; }},
      {"arith.shrsi",
       [](uint64_t x, uint64_t y) { return y < 64 ? int64_t(x) >> y : 0; }},
      {"arith.subi", [](uint64_t x, uint64_t y) { return int64_t(x - y); }},
      {"arith.xori", [](uint64_t x, uint64_t y) { return int64_t(x ^ y); }},
  };
  return functions.lookup(name);
}

static unsigned widthOf(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

/// The value of an integer type that has these low bits.
static int64_t wrap(uint64_t bits, Type type) {
  unsigned width = widthOf(type);
  if (width == 1)
    return bits & 1;
  return width == 64 ? bits : llvm::SignExtend64(bits, width);
}

static uint64_t withoutSign(int64_t value, Type type) {
  unsigned width = widthOf(type);
  return width == 64 ? value : value & ((uint64_t(1) << width) - 1);
}

static double roundTo(double value, Type type) {
  llvm::APFloat rounded(value);
  bool losesInfo;
  rounded.convert(cast<FloatType>(type).getFloatSemantics(),
                  llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  rounded.convert(llvm::APFloat::IEEEdouble(),
                  llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return rounded.convertToDouble();
}

ErrorOr<RegionFunction> RegionFunction::create(
    Block &block, const llvm::DenseMap<Value, runtime::Argument> &outside) {
  RegionFunction function(block);
  for (const auto &[value, argument] : outside) {
    if (const auto *tensor = std::get_if<runtime::TensorView>(&argument))
      function.tensors[value] = *tensor;
    else if (isa<FloatType>(value.getType()))
      function.values[value].real = std::get<double>(argument);
    else
      function.values[value].integer =
          static_cast<int64_t>(std::get<double>(argument));
  }
  // Constants of the block and around it.
  auto addConstant = [&](Value value) {
    llvm::APFloat real(0.0);
    llvm::APInt integer;
    if (matchPattern(value, m_ConstantFloat(&real))) {
      bool losesInfo;
      real.convert(llvm::APFloat::IEEEdouble(),
                   llvm::APFloat::rmNearestTiesToEven, &losesInfo);
      function.values[value].real = real.convertToDouble();
    } else if (matchPattern(value, m_ConstantInt(&integer))) {
      function.values[value].integer =
          wrap(integer.getSExtValue(), value.getType());
    }
  };
  for (Operation &op : block) {
    for (Value operand : op.getOperands())
      addConstant(operand);
    for (Value operand : op.getOperands())
      if (!function.values.count(operand) && !function.tensors.count(operand) &&
          operand.getParentBlock() != &block)
        return Error("expected a function of the arguments and of constants, "
                     "but got one that reads another value at '" +
                     op.getName().getStringRef().str() + "'");
  }
  // Each op once, with zeros: whether it is known does not depend on values.
  for (BlockArgument argument : block.getArguments())
    function.values.try_emplace(argument, Scalar{0});
  for (Operation &op : block.without_terminator())
    if (op.getNumResults() != 1 ||
        !op.getResult(0).getType().isIntOrIndexOrFloat() ||
        !function.evaluate(&op))
      return Error("expected functions of arith and math that the reference "
                   "computes, but got '" +
                   op.getName().getStringRef().str() + "'");
  return function;
}

bool RegionFunction::evaluate(Operation *op) const {
  if (op->hasTrait<OpTrait::ConstantLike>())
    return true;
  StringRef name = op->getName().getStringRef();
  Value result = op->getResult(0);
  Type type = result.getType();
  auto at = [&](unsigned number) {
    return values.lookup(op->getOperand(number));
  };
  Scalar value{};
  auto finish = [&] {
    values[result] = value;
    return true;
  };
  if (Function1 function = findFunction1(name)) {
    value.real = function(at(0).real);
    return finish();
  }
  if (Function2 function = findFunction2(name)) {
    value.real = function(at(0).real, at(1).real);
    return finish();
  }
  if (Integers2 function = findIntegers2(name)) {
    value.integer = wrap(function(at(0).integer, at(1).integer), type);
    return finish();
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    const runtime::TensorView &tensor = tensors.lookup(extract.getTensor());
    int64_t offset = 0;
    for (auto [dim, index] : llvm::enumerate(extract.getIndices())) {
      int64_t place = values.lookup(index).integer;
      // The op leaves indices out of bounds undefined; the first evaluation is
      // at 0.
      if (place < 0 || place >= tensor.shape[dim])
        return finish();
      offset += place * tensor.strides[dim];
    }
    if (isa<FloatType>(type))
      value.real = reference::loadElement(tensor, offset);
    else
      value.integer = wrap(
          static_cast<int64_t>(reference::loadElement(tensor, offset)), type);
    return finish();
  }
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    unsigned width = widthOf(compare.getLhs().getType());
    value.integer = arith::applyCmpPredicate(
        compare.getPredicate(),
        llvm::APInt(64, at(0).integer, true).sextOrTrunc(width),
        llvm::APInt(64, at(1).integer, true).sextOrTrunc(width));
    return finish();
  }
  if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
    value.integer = arith::applyCmpPredicate(compare.getPredicate(),
                                             llvm::APFloat(at(0).real),
                                             llvm::APFloat(at(1).real));
    return finish();
  }
  if (isa<arith::SelectOp>(op)) {
    value = at(0).integer ? at(1) : at(2);
    return finish();
  }
  if (isa<arith::ExtFOp>(op)) {
    value = at(0);
    return finish();
  }
  if (isa<arith::TruncFOp>(op)) {
    value.real = roundTo(at(0).real, type);
    return finish();
  }
  Type from = op->getNumOperands() ? op->getOperand(0).getType() : Type();
  if (isa<arith::ExtSIOp, arith::TruncIOp, arith::IndexCastOp>(op)) {
    int64_t source = at(0).integer;
    value.integer = wrap(widthOf(from) == 1 ? -source : source, type);
    return finish();
  }
  if (isa<arith::ExtUIOp, arith::IndexCastUIOp>(op)) {
    value.integer = wrap(withoutSign(at(0).integer, from), type);
    return finish();
  }
  if (isa<arith::SIToFPOp>(op)) {
    int64_t source = at(0).integer;
    value.real = roundTo(double(widthOf(from) == 1 ? -source : source), type);
    return finish();
  }
  if (isa<arith::UIToFPOp>(op)) {
    value.real = roundTo(double(withoutSign(at(0).integer, from)), type);
    return finish();
  }
  if (isa<arith::FPToSIOp>(op)) {
    double source = at(0).real;
    value.integer = std::abs(source) < 0x1p63 ? wrap(int64_t(source), type) : 0;
    return finish();
  }
  if (name == "math.fma") {
    value.real = std::fma(at(0).real, at(1).real, at(2).real);
    return finish();
  }
  if (name == "math.absi") {
    value.integer = wrap(std::abs(at(0).integer), type);
    return finish();
  }
  if (name == "math.fpowi") {
    value.real = std::pow(at(0).real, double(at(1).integer));
    return finish();
  }
  return false;
}

Scalar RegionFunction::operator()(ArrayRef<Scalar> arguments) const {
  for (auto [argument, value] : llvm::zip(block->getArguments(), arguments))
    values[argument] = value;
  for (Operation &op : block->without_terminator())
    evaluate(&op);
  return values.lookup(block->getTerminator()->getOperand(0));
}
