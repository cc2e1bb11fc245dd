//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TOOLS_SPARSERUN_REGIONFUNCTION_H
#define SATTN_TOOLS_SPARSERUN_REGIONFUNCTION_H

#include "sattn/Runtime/Error.h"
#include "sattn/Runtime/Tensor.h"

#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace sattn::run {

/// A value of a scalar type: a float in double precision, or an integer, of
/// which i1 is 0 or 1 and others are sign-extended.
union Scalar {
  double real;
  int64_t integer;
};

/// A block of scalar ops of arith and math, and of reads of tensors, as a
/// function for a reference: floats are computed in double precision, whatever
/// their type, and rounded where the block does.
class RegionFunction {
public:
  /// `outside` has the values of tensors and scalars that the block reads from
  /// outside and of arguments that are tensors. An error says which op has no
  /// reference.
  static runtime::ErrorOr<RegionFunction>
  create(mlir::Block &block,
         const llvm::DenseMap<mlir::Value, runtime::Argument> &outside);

  /// The terminator's first operand, for the block's first arguments.
  Scalar operator()(llvm::ArrayRef<Scalar> arguments) const;

private:
  explicit RegionFunction(mlir::Block &block) : block(&block) {}
  bool evaluate(mlir::Operation *op) const;

  mlir::Block *block;
  llvm::DenseMap<mlir::Value, runtime::TensorView> tensors;
  /// The values of constants and scalars from outside, and during a call of all
  /// values.
  mutable llvm::DenseMap<mlir::Value, Scalar> values;
};

} // namespace sattn::run

#endif // SATTN_TOOLS_SPARSERUN_REGIONFUNCTION_H
