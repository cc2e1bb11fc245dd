//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Arithmetic on ends of ranges, in i64: constants where the operands are, else
// ops. A null value is no bound.

#ifndef LIB_DIALECT_SATTN_ANALYSIS_BOUNDBUILDER_H
#define LIB_DIALECT_SATTN_ANALYSIS_BOUNDBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace sattn::mask {

class BoundBuilder : public mlir::ImplicitLocOpBuilder {
public:
  using Value = mlir::Value;
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;

  Value number(int64_t value);
  Value boolean(bool value);
  /// Extends a signed value of any integer type or index.
  Value widen(Value value);

  Value add(Value x, Value y);
  Value sub(Value x, Value y);
  Value mul(Value x, Value y);
  Value times(Value x, int64_t factor);
  Value min(Value x, Value y);
  Value max(Value x, Value y);
  /// The quotient, rounded down; the divisor is positive.
  Value floorDiv(Value x, Value divisor);
  /// The remainder, from 0 to below the modulus, which is positive.
  Value mod(Value x, Value modulus);

  Value compare(mlir::arith::CmpIPredicate predicate, Value x, Value y);
  Value atMost(Value x, Value y);
  Value less(Value x, Value y);
  Value equal(Value x, Value y);
  Value both(Value x, Value y);
  Value either(Value x, Value y);
  Value invert(Value x);
  Value select(Value condition, Value x, Value y);

  /// The tighter one of two bounds, either of which may be null.
  Value tightenLower(Value x, Value y) {
    return x && y ? max(x, y) : x ? x : y;
  }
  Value tightenUpper(Value x, Value y) {
    return x && y ? min(x, y) : x ? x : y;
  }
  /// Sum and difference of two bounds; null if either is.
  Value addBounds(Value x, Value y) { return x && y ? add(x, y) : Value(); }
  Value subBounds(Value x, Value y) { return x && y ? sub(x, y) : Value(); }
};

} // namespace sattn::mask

#endif // LIB_DIALECT_SATTN_ANALYSIS_BOUNDBUILDER_H
