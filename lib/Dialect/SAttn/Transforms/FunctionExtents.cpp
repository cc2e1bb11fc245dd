//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionExtents.h"

#include "sattn/Dialect/SAttn/IR/SAttn.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace sattn;

std::optional<int64_t> sattn::findArgument(func::FuncOp function, Value value) {
  auto argument = dyn_cast_or_null<BlockArgument>(value);
  if (!argument || argument.getOwner() != &function.getBody().front())
    return std::nullopt;
  return argument.getArgNumber();
}

Attribute FunctionExtents::ofArgument(int64_t argument, int64_t dimension) {
  return b.getDictionaryAttr(
      {b.getNamedAttr("argument", b.getI64IntegerAttr(argument)),
       b.getNamedAttr("dimension", b.getI64IntegerAttr(dimension))});
}

Attribute FunctionExtents::describe(OpFoldResult extent) {
  if (std::optional<int64_t> constant = getConstantIntValue(extent))
    return b.getDictionaryAttr(
        {b.getNamedAttr("constant", b.getI64IntegerAttr(*constant))});
  auto dim = cast<Value>(extent).getDefiningOp<tensor::DimOp>();
  if (!dim || !dim.getConstantIndex())
    return {};
  return describe(dim.getSource(), *dim.getConstantIndex());
}

Attribute FunctionExtents::describe(Value tensor, int64_t dimension) {
  if (dimension < 0)
    dimension += cast<RankedTensorType>(tensor.getType()).getRank();
  while (true) {
    int64_t size =
        cast<RankedTensorType>(tensor.getType()).getDimSize(dimension);
    if (!ShapedType::isDynamic(size))
      return describe(OpFoldResult(b.getIndexAttr(size)));
    Operation *op = tensor.getDefiningOp();
    if (!op) {
      std::optional<int64_t> argument = findArgument(function, tensor);
      return argument ? ofArgument(*argument, dimension) : Attribute();
    }
    if (auto empty = dyn_cast<tensor::EmptyOp>(op))
      return describe(empty.getMixedSizes()[dimension]);
    if (auto transpose = dyn_cast<linalg::TransposeOp>(op)) {
      tensor = transpose.getInput();
      dimension = transpose.getPermutation()[dimension];
    } else if (auto cast = dyn_cast<tensor::CastOp>(op)) {
      tensor = cast.getSource();
    } else if (auto destination = dyn_cast<DestinationStyleOpInterface>(op)) {
      tensor =
          destination.getTiedOpOperand(mlir::cast<OpResult>(tensor))->get();
    } else {
      return {};
    }
  }
}

void FunctionExtents::requireSame(Attribute first, Attribute second) {
  // Of two constants nothing is left to be checked in a call.
  auto isConstant = [](Attribute extent) {
    return !cast<DictionaryAttr>(extent).get("argument");
  };
  if (!first || !second || first == second ||
      (isConstant(first) && isConstant(second)))
    return;
  SmallVector<Attribute> pairs;
  if (auto known = function->getAttrOfType<ArrayAttr>(kSameExtentsAttrName))
    llvm::append_range(pairs, known);
  Attribute pair = b.getArrayAttr({first, second});
  if (llvm::is_contained(pairs, pair))
    return;
  pairs.push_back(pair);
  function->setAttr(kSameExtentsAttrName, b.getArrayAttr(pairs));
}
