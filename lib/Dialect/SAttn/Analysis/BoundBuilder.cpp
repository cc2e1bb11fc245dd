//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoundBuilder.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace sattn::mask;

Value BoundBuilder::number(int64_t value) {
  return arith::ConstantOp::create(*this, getI64IntegerAttr(value));
}

Value BoundBuilder::boolean(bool value) {
  return arith::ConstantOp::create(*this, getBoolAttr(value));
}

Value BoundBuilder::widen(Value value) {
  Type type = value.getType(), i64 = getI64Type();
  if (type == i64)
    return value;
  if (type.isIndex())
    return createOrFold<arith::IndexCastOp>(i64, value);
  return createOrFold<arith::ExtSIOp>(i64, value);
}

Value BoundBuilder::add(Value x, Value y) {
  return createOrFold<arith::AddIOp>(x, y);
}

Value BoundBuilder::sub(Value x, Value y) {
  return createOrFold<arith::SubIOp>(x, y);
}

Value BoundBuilder::mul(Value x, Value y) {
  return createOrFold<arith::MulIOp>(x, y);
}

Value BoundBuilder::times(Value x, int64_t factor) {
  if (factor == 1)
    return x;
  if (factor == -1)
    return sub(number(0), x);
  return mul(x, number(factor));
}

Value BoundBuilder::min(Value x, Value y) {
  return createOrFold<arith::MinSIOp>(x, y);
}

Value BoundBuilder::max(Value x, Value y) {
  return createOrFold<arith::MaxSIOp>(x, y);
}

/// Divides and rounds down, without arith.floordivsi, which kernels do not
/// have.
Value BoundBuilder::floorDiv(Value x, Value divisor) {
  APInt known;
  if (matchPattern(divisor, m_ConstantInt(&known))) {
    if (known.isOne())
      return x;
    if (known.isPowerOf2())
      return createOrFold<arith::ShRSIOp>(x, number(known.logBase2()));
  }
  Value quotient = createOrFold<arith::DivSIOp>(x, divisor);
  Value rest = sub(x, mul(quotient, divisor));
  return select(less(rest, number(0)), sub(quotient, number(1)), quotient);
}

Value BoundBuilder::mod(Value x, Value modulus) {
  APInt known;
  if (matchPattern(modulus, m_ConstantInt(&known)) && known.isPowerOf2())
    return createOrFold<arith::AndIOp>(x, number(known.getSExtValue() - 1));
  Value rest = createOrFold<arith::RemSIOp>(x, modulus);
  return select(less(rest, number(0)), add(rest, modulus), rest);
}

Value BoundBuilder::compare(arith::CmpIPredicate predicate, Value x, Value y) {
  return createOrFold<arith::CmpIOp>(predicate, x, y);
}

Value BoundBuilder::atMost(Value x, Value y) {
  return compare(arith::CmpIPredicate::sle, x, y);
}

Value BoundBuilder::less(Value x, Value y) {
  return compare(arith::CmpIPredicate::slt, x, y);
}

Value BoundBuilder::equal(Value x, Value y) {
  return compare(arith::CmpIPredicate::eq, x, y);
}

Value BoundBuilder::both(Value x, Value y) {
  return createOrFold<arith::AndIOp>(x, y);
}

Value BoundBuilder::either(Value x, Value y) {
  return createOrFold<arith::OrIOp>(x, y);
}

Value BoundBuilder::invert(Value x) {
  return createOrFold<arith::XOrIOp>(x, boolean(true));
}

Value BoundBuilder::select(Value condition, Value x, Value y) {
  return createOrFold<arith::SelectOp>(condition, x, y);
}
