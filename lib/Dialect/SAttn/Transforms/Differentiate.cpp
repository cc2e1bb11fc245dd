//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/SAttn/IR/SAttnDialect.h"
#include "sattn/Dialect/SAttn/Transforms/Passes.h"
#include "sattn/Differentiation/Differentiation.h"
#include "sattn/Support/DifferentiateAttr.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace sattn {
#define GEN_PASS_DEF_SATTNDIFFERENTIATE
#include "sattn/Dialect/SAttn/Transforms/Passes.h.inc"
} // namespace sattn

using namespace sattn;

/// The type of the one result of a function of one block, or null.
static FloatType findResultType(func::FuncOp function) {
  if (!function.getBody().hasOneBlock() || function.getNumResults() != 1)
    return FloatType();
  return dyn_cast<FloatType>(function.getResultTypes().front());
}

/// The floats that have cotangents: arguments, and elements that are read.
static FailureOr<SmallVector<Value>> findWanted(func::FuncOp function,
                                                ArrayRef<int64_t> numbers) {
  SmallVector<Value> wanted;
  for (int64_t number : numbers) {
    if (number < 0 || number >= function.getNumArguments())
      return function.emitOpError()
             << "expected numbers of its " << function.getNumArguments()
             << " arguments in '" << kDifferentiateAttrName << "', but got "
             << number;
    BlockArgument argument = function.getArgument(number);
    Type type = argument.getType();
    if (!isa<FloatType>(getElementTypeOrSelf(type)) ||
        !isa<FloatType, RankedTensorType>(type))
      return function.emitOpError()
             << "expected argument " << number << " of '"
             << kDifferentiateAttrName
             << "' to be a float or a tensor of floats, but got " << type;
    if (isa<FloatType>(type)) {
      wanted.push_back(argument);
      continue;
    }
    for (auto read : function.getOps<tensor::ExtractOp>())
      if (read.getTensor() == argument)
        wanted.push_back(read.getResult());
  }
  return wanted;
}

namespace {
struct DifferentiatePass
    : public sattn::impl::SAttnDifferentiateBase<DifferentiatePass> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto function :
         llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      auto numbers =
          function->getAttrOfType<DenseI64ArrayAttr>(kDifferentiateAttrName);
      if (!numbers)
        continue;
      if (failed(differentiate(function, numbers, symbols)))
        return signalPassFailure();
      function->removeAttr(kDifferentiateAttrName);
    }
  }

private:
  static LogicalResult differentiate(func::FuncOp function,
                                     ArrayRef<int64_t> numbers,
                                     SymbolTable &symbols) {
    FloatType result = findResultType(function);
    if (!result)
      return function.emitOpError()
             << "expected one block and one result, a float, for '"
             << kDifferentiateAttrName << "', but got "
             << function.getBody().getBlocks().size() << " blocks and results ("
             << function.getResultTypes() << ")";
    FailureOr<SmallVector<Value>> wanted = findWanted(function, numbers);
    if (failed(wanted))
      return failure();

    OpBuilder b(function.getContext());
    b.setInsertionPointAfter(function);
    SmallVector<Type> inputs(function.getArgumentTypes()), results;
    inputs.push_back(getCotangentType(result));
    for (Value value : *wanted)
      results.push_back(getCotangentType(cast<FloatType>(value.getType())));
    auto derivative = func::FuncOp::create(
        b, function.getLoc(), (function.getSymName() + "_vjp").str(),
        b.getFunctionType(inputs, results));
    derivative.setVisibility(function.getVisibility());
    symbols.insert(derivative); // Which makes its name unique.

    Block *entry = derivative.addEntryBlock();
    IRMapping values;
    values.map(function.getArguments(),
               ValueRange(entry->getArguments()).drop_back());
    b.setInsertionPointToEnd(entry);
    FailureOr<SmallVector<Value>> cotangents =
        buildCotangents(b, function.getBody().front(), *wanted,
                        entry->getArguments().back(), values);
    if (failed(cotangents))
      return failure();
    func::ReturnOp::create(b, function.getLoc(), *cotangents);
    return success();
  }
};
} // namespace
