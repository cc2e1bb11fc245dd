//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RegionDerivative.h"

#include "sattn/Differentiation/Differentiation.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace sattn;
using namespace sattn::run;
using runtime::Error;
using runtime::ErrorOr;

ErrorOr<RegionDerivative> RegionDerivative::create(
    Block &block, BlockArgument wanted,
    const llvm::DenseMap<Value, runtime::Argument> &outside) {
  Operation *end = block.getTerminator();
  auto type = cast<FloatType>(end->getOperand(0).getType());
  Location loc = end->getLoc();
  auto derived = std::make_shared<Block>();
  Value cotangent = derived->addArgument(getCotangentType(type), loc);
  IRMapping values;
  llvm::DenseMap<Value, runtime::Argument> given = outside;
  for (BlockArgument argument : block.getArguments()) {
    Value own = derived->addArgument(argument.getType(), argument.getLoc());
    values.map(argument, own);
    if (auto found = outside.find(argument); found != outside.end())
      given[own] = found->second;
  }
  OpBuilder b(end->getContext());
  b.setInsertionPointToEnd(derived.get());
  FailureOr<SmallVector<Value>> cotangents =
      buildCotangents(b, block, {wanted}, cotangent, values);
  if (failed(cotangents))
    return Error("expected a function that has a derivative");
  func::ReturnOp::create(b, loc, *cotangents);
  ErrorOr<RegionFunction> function = RegionFunction::create(*derived, given);
  if (!function)
    return function.takeError();
  return RegionDerivative(std::move(derived), std::move(*function));
}

double RegionDerivative::operator()(double cotangent,
                                    ArrayRef<Scalar> arguments) const {
  SmallVector<Scalar, 6> given(1);
  given[0].real = cotangent;
  given.append(arguments.begin(), arguments.end());
  return function(given).real;
}
