//===- RuleBuilder.cpp - What the rule of an op is written with -----------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuleBuilder.h"

#include "sattn/Differentiation/Differentiation.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace sattn;

/// The flags of an op that its derivative may have, too. `nnan`, `ninf` and
/// `nsz` are promises about the op's own values.
static arith::FastMathFlags getFlags(Operation &op) {
  auto fast = dyn_cast<arith::ArithFastMathInterface>(op);
  if (!fast || !fast.getFastMathFlagsAttr())
    return arith::FastMathFlags::none;
  return fast.getFastMathFlagsAttr().getValue() &
         (arith::FastMathFlags::reassoc | arith::FastMathFlags::contract |
          arith::FastMathFlags::arcp | arith::FastMathFlags::afn);
}

/// Whether a value at the insertion point is neither infinite nor NaN for sure.
static bool isFinite(Value value) {
  APFloat number(0.0);
  return matchPattern(value, m_ConstantFloat(&number)) && number.isFinite();
}

RuleBuilder::RuleBuilder(OpBuilder &b, Operation &op, const IRMapping &values,
                         const DenseSet<Value> &active, Cotangents &cotangents)
    : ImplicitLocOpBuilder(op.getLoc(), b), op(op), values(values),
      active(active), cotangents(cotangents),
      own(cotangents.lookup(op.getResult(0))),
      type(cast<FloatType>(own.value.getType())), flags(getFlags(op)) {}

Value RuleBuilder::get(Value value) {
  Value there = values.lookupOrDefault(value);
  auto from = dyn_cast<FloatType>(there.getType());
  if (!from || from == type)
    return there;
  return arith::ExtFOp::create(*this, type, there);
}

Value RuleBuilder::constant(double value) {
  return arith::ConstantOp::create(*this, getFloatAttr(type, value));
}

Value RuleBuilder::neg(Value x) {
  return arith::NegFOp::create(*this, x, flags);
}

Value RuleBuilder::add(Value x, Value y) {
  return arith::AddFOp::create(*this, x, y, flags);
}

Value RuleBuilder::sub(Value x, Value y) {
  return arith::SubFOp::create(*this, x, y, flags);
}

Value RuleBuilder::mul(Value x, Value y) {
  return arith::MulFOp::create(*this, x, y, flags);
}

Value RuleBuilder::div(Value x, Value y) {
  return arith::DivFOp::create(*this, x, y, flags);
}

Value RuleBuilder::compare(arith::CmpFPredicate predicate, Value x, Value y) {
  return arith::CmpFOp::create(*this, predicate, x, y);
}

Value RuleBuilder::select(Value condition, Value x, Value y) {
  return arith::SelectOp::create(*this, condition, x, y);
}

Value RuleBuilder::keepZero(Value product) {
  if (!own.mayBeUnpicked)
    return product;
  Value zero = constant(0);
  return select(compare(arith::CmpFPredicate::OEQ, own.value, zero), zero,
                product);
}

void RuleBuilder::contributeQuotient(unsigned operand, Value divisor) {
  if (isActive(operand))
    contribute(operand, keepZero(div(own.value, divisor)));
}

void RuleBuilder::contributeProductTo(Value of, Value derivative) {
  if (!active.contains(of))
    return;
  Value product = mul(own.value, derivative);
  contributeTo(of, isFinite(derivative) ? product : keepZero(product),
               own.mayBeUnpicked);
}

void RuleBuilder::contributeIf(unsigned operand, Value condition, Value value) {
  if (isActive(operand))
    contributeTo(op.getOperand(operand),
                 select(condition, value ? value : own.value, constant(0)),
                 /*mayBeUnpicked=*/true);
}

void RuleBuilder::contributeUnless(unsigned operand, Value condition) {
  if (isActive(operand))
    contributeTo(op.getOperand(operand),
                 select(condition, constant(0), own.value),
                 /*mayBeUnpicked=*/true);
}

void RuleBuilder::contributeTo(Value of, Value value, bool mayBeUnpicked) {
  if (!active.contains(of))
    return;
  FloatType target = getCotangentType(cast<FloatType>(of.getType()));
  if (target.getWidth() > type.getWidth())
    value = arith::ExtFOp::create(*this, target, value);
  else if (target != type)
    value = arith::TruncFOp::create(*this, target, value);
  Cotangent &sum = cotangents[of];
  sum.value =
      sum.value ? arith::AddFOp::create(*this, sum.value, value, flags) : value;
  sum.mayBeUnpicked |= mayBeUnpicked;
}
