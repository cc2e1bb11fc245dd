//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TOOLS_SPARSERUN_REGIONDERIVATIVE_H
#define SATTN_TOOLS_SPARSERUN_REGIONDERIVATIVE_H

#include "RegionFunction.h"

#include <memory>

namespace sattn::run {

/// The derivative of a block of scalar ops by one of its arguments, as a
/// function: sattn-differentiate's, computed in double precision.
class RegionDerivative {
public:
  /// `outside` is that of RegionFunction. An error where an op has no
  /// derivative, which is then a diagnostic, or no reference.
  static runtime::ErrorOr<RegionDerivative>
  create(mlir::Block &block, mlir::BlockArgument wanted,
         const llvm::DenseMap<mlir::Value, runtime::Argument> &outside);

  /// The cotangent of the wanted argument, for that of the block's result and
  /// the block's first arguments.
  double operator()(double cotangent, llvm::ArrayRef<Scalar> arguments) const;

private:
  RegionDerivative(std::shared_ptr<mlir::Block> block, RegionFunction function)
      : block(std::move(block)), function(std::move(function)) {}

  std::shared_ptr<mlir::Block> block;
  RegionFunction function;
};

} // namespace sattn::run

#endif // SATTN_TOOLS_SPARSERUN_REGIONDERIVATIVE_H
