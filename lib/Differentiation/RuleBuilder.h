//===- RuleBuilder.h - What the rule of an op is written with ---*- C++ -*-===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LIB_DIFFERENTIATION_RULEBUILDER_H
#define LIB_DIFFERENTIATION_RULEBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace sattn {

struct Cotangent {
  mlir::Value value;
  /// Whether it may be 0 because another value was picked, by `arith.select` or
  /// a maximum. A product of such a 0 and a derivative is 0, whatever the
  /// derivative: an infinity or NaN of what is not picked does not show.
  bool mayBeUnpicked = false;
};

using Cotangents = llvm::DenseMap<mlir::Value, Cotangent>;

/// Builds what an op contributes to the cotangents of its operands.
///
/// All values are of one type, that of the cotangent of the op's result. New
/// ops may be reassociated, contracted and approximated where the op may.
class RuleBuilder : public mlir::ImplicitLocOpBuilder {
public:
  /// Creates the builder of an op's rule. `active` are the values whose
  /// cotangents are wanted, or lead to those.
  RuleBuilder(mlir::OpBuilder &b, mlir::Operation &op,
              const mlir::IRMapping &values,
              const llvm::DenseSet<mlir::Value> &active,
              Cotangents &cotangents);

  /// The cotangent of the op's result.
  mlir::Value getCotangent() const { return own.value; }
  /// An operand of the op, or the result, at the insertion point.
  mlir::Value getOperand(unsigned number) { return get(op.getOperand(number)); }
  mlir::Value getResult() { return get(op.getResult(0)); }
  /// A value of the block; floats are widened to the cotangent's type.
  mlir::Value get(mlir::Value value);
  mlir::Value constant(double value);

  mlir::Value neg(mlir::Value x);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  mlir::Value div(mlir::Value x, mlir::Value y);
  mlir::Value compare(mlir::arith::CmpFPredicate predicate, mlir::Value x,
                      mlir::Value y);
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y);
  template <typename MathOp, typename... Values>
  mlir::Value compute(Values... operands) {
    return MathOp::create(*this, operands..., flags);
  }
  /// Keeps divisions as written from here on.
  void keepDivisions() { flags = flags & ~mlir::arith::FastMathFlags::arcp; }

  /// Adds to the cotangent of an operand: a value; the own cotangent times a
  /// derivative; the own cotangent divided by a number.
  void contribute(unsigned operand, mlir::Value value) {
    contributeTo(op.getOperand(operand), value, own.mayBeUnpicked);
  }
  void contributeProduct(unsigned operand, mlir::Value derivative) {
    contributeProductTo(op.getOperand(operand), derivative);
  }
  void contributeQuotient(unsigned operand, mlir::Value divisor);
  /// Adds the own cotangent times a derivative to the cotangent of an operand
  /// of an earlier op.
  void contributeProductTo(mlir::Value of, mlir::Value derivative);
  /// Adds `value`, by default the own cotangent, where the op picks the
  /// operand: where the condition is true, or is false.
  void contributeIf(unsigned operand, mlir::Value condition,
                    mlir::Value value = {});
  void contributeUnless(unsigned operand, mlir::Value condition);
  /// Whether the cotangent of an operand is wanted, or leads to one that is.
  bool isActive(unsigned operand) const {
    return active.contains(op.getOperand(operand));
  }

private:
  void contributeTo(mlir::Value of, mlir::Value value, bool mayBeUnpicked);
  /// The product, or 0 where the own cotangent is the 0 of an operand that was
  /// not picked.
  mlir::Value keepZero(mlir::Value product);

  mlir::Operation &op;
  const mlir::IRMapping &values;
  const llvm::DenseSet<mlir::Value> &active;
  Cotangents &cotangents;
  Cotangent own;
  mlir::FloatType type;
  mlir::arith::FastMathFlags flags;
};

} // namespace sattn

#endif // LIB_DIFFERENTIATION_RULEBUILDER_H
