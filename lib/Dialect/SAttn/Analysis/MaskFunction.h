//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Interprets the ops of a mask_mod over a block.

#ifndef LIB_DIALECT_SATTN_ANALYSIS_MASKFUNCTION_H
#define LIB_DIALECT_SATTN_ANALYSIS_MASKFUNCTION_H

#include "MaskFormula.h"

#include "llvm/ADT/DenseMap.h"

namespace sattn::mask {

class MaskFunction {
public:
  MaskFunction(Formulas &formulas, mlir::Region &region);

  /// The value of the region.
  const Formula *getResult() const { return result; }

private:
  using Value = mlir::Value;

  void interpret(mlir::Operation &op);
  void compare(mlir::arith::CmpIOp op);
  void choose(mlir::arith::SelectOp op);
  void combine(mlir::Operation &op);
  void read(mlir::Operation &op, unsigned capture, mlir::ValueRange indices);
  void convert(mlir::Operation &op, bool isSigned);
  void convert(mlir::arith::FPToSIOp op);
  void compute(mlir::Operation &op);

  Number numberOf(Value value);
  const Formula *formulaOf(Value value);
  /// Sets the op's value, which overflows where it has more than its bits.
  void set(mlir::Operation &op, Number number);
  Number of(Linear value) { return {{{f.makeTruth(true), std::move(value)}}}; }

  /// The value in each pair of cases.
  Number
  combine(Number x, Number y,
          llvm::function_ref<Number(const Linear &, const Linear &)> compute);
  Number transform(const Number &x,
                   llvm::function_ref<Number(const Linear &)> compute);
  /// Makes a number with several cases one case, of a symbol.
  Linear collapse(const Number &number);
  const Formula *compare(mlir::arith::CmpIPredicate predicate, const Linear &x,
                         const Linear &y);
  const Formula *isZero(const Linear &form);

  Number floorDiv(const Linear &x, const Linear &divisor);
  Number mod(const Linear &x, const Linear &divisor);
  /// Computes a function of x of any sign by `compute`, which takes a number
  /// that is not negative.
  Number mirror(const Linear &x,
                llvm::function_ref<Number(const Linear &)> compute);
  Number multiply(const Linear &x, const Linear &y);
  Number bitwise(mlir::Operation &op, const Linear &x, const Linear &y);
  Number makeSymbol(const Linear &x, const Linear &y, Interval range,
                    int64_t least, int64_t most);
  /// A divisor that is known to be positive, or that a condition guards.
  std::optional<Value> getDivisor(const Linear &divisor);
  void requireNotNegative(const Linear &x);
  void requireBits(const Linear &x, mlir::Type type);

  Formulas &f;
  BoundBuilder &b;
  llvm::DenseMap<Value, Number> numbers;
  llvm::DenseMap<Value, const Formula *> conditions;
  llvm::DenseMap<Value, unsigned> captures;
  const Formula *result;
};

} // namespace sattn::mask

#endif // LIB_DIALECT_SATTN_ANALYSIS_MASKFUNCTION_H
