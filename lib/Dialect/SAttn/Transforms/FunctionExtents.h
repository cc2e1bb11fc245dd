//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LIB_DIALECT_SATTN_TRANSFORMS_FUNCTIONEXTENTS_H
#define SATTN_LIB_DIALECT_SATTN_TRANSFORMS_FUNCTIONEXTENTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace sattn {

/// The number of the function's argument that a value is, or nothing; null is
/// none.
std::optional<int64_t> findArgument(mlir::func::FuncOp function,
                                    mlir::Value value);

/// Extents of tensors in a function, as attributes: {constant = i64}, or
/// {argument = i64, dimension = i64}, what an argument of the function has.
class FunctionExtents {
public:
  explicit FunctionExtents(mlir::func::FuncOp function)
      : function(function), b(function.getContext()) {}

  /// Null where it is neither.
  mlir::Attribute describe(mlir::OpFoldResult extent);

  /// That of a dimension of a tensor, counted from the last where it is
  /// negative; through the ops that compute the tensor.
  mlir::Attribute describe(mlir::Value tensor, int64_t dimension);

  /// Of an argument of the function.
  mlir::Attribute ofArgument(int64_t argument, int64_t dimension);

  /// Adds to the function's `sattn.same_extents` that two are equal, where both
  /// are known.
  void requireSame(mlir::Attribute first, mlir::Attribute second);

private:
  mlir::func::FuncOp function;
  mlir::Builder b;
};

} // namespace sattn

#endif // SATTN_LIB_DIALECT_SATTN_TRANSFORMS_FUNCTIONEXTENTS_H
