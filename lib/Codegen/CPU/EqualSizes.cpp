//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EqualSizes.h"

#include "sattn/Support/ContractAttr.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

/// The argument and the dimension of a contract's extent; none if the extent is
/// computed from them.
static std::optional<std::pair<int64_t, int64_t>> getExtent(Attribute extent) {
  auto described = dyn_cast_if_present<DictionaryAttr>(extent);
  if (!described || described.size() != 2)
    return std::nullopt;
  auto argument = described.getAs<IntegerAttr>("argument");
  auto dimension = described.getAs<IntegerAttr>("dimension");
  if (!argument || !dimension)
    return std::nullopt;
  return std::pair(argument.getInt(), dimension.getInt());
}

/// The argument and the dimension that a size is the extent of; nothing if it
/// is none.
static std::optional<std::pair<int64_t, int64_t>>
getExtent(tensor::DimOp op, func::FuncOp function) {
  auto argument = dyn_cast<BlockArgument>(op.getSource());
  std::optional<int64_t> dimension = op.getConstantIndex();
  if (!function || !argument || !dimension ||
      argument.getOwner() != &function.getBody().front())
    return std::nullopt;
  return std::pair(static_cast<int64_t>(argument.getArgNumber()), *dimension);
}

static bool areEqualByContract(tensor::DimOp first, tensor::DimOp second) {
  auto function = first->getParentOfType<func::FuncOp>();
  auto one = getExtent(first, function), other = getExtent(second, function);
  auto contracts =
      function ? function->getAttrOfType<ArrayAttr>(sattn::kContractsAttrName)
               : ArrayAttr();
  if (!one || !other || !contracts)
    return false;
  for (auto contract : contracts.getAsRange<DictionaryAttr>()) {
    auto checks = contract.getAs<ArrayAttr>("checks");
    if (!checks)
      continue;
    for (Attribute attr : checks) {
      auto check = dyn_cast<DictionaryAttr>(attr);
      auto kind = check ? check.getAs<StringAttr>("check") : StringAttr();
      if (!kind || kind.getValue() != "equal")
        continue;
      auto extent = getExtent(check.get("extent")),
           to = getExtent(check.get("to"));
      if ((extent == one && to == other) || (extent == other && to == one))
        return true;
    }
  }
  return false;
}

template <typename OpTy>
static bool areEqualFunctions(OpTy first, OpTy second) {
  return first && second && first.getMap() == second.getMap() &&
         llvm::all_of(
             llvm::zip_equal(first.getMapOperands(), second.getMapOperands()),
             [](std::tuple<Value, Value> operands) {
               return sattn::areEqualSizes(std::get<0>(operands),
                                           std::get<1>(operands));
             });
}

bool sattn::areEqualSizes(OpFoldResult first, OpFoldResult second) {
  if (isEqualConstantIntOrValue(first, second))
    return true;
  auto one = dyn_cast<Value>(first), other = dyn_cast<Value>(second);
  if (!one || !other)
    return false;
  auto dim = one.getDefiningOp<tensor::DimOp>(),
       otherDim = other.getDefiningOp<tensor::DimOp>();
  return (dim && otherDim && areEqualByContract(dim, otherDim)) ||
         areEqualFunctions(one.getDefiningOp<affine::AffineMinOp>(),
                           other.getDefiningOp<affine::AffineMinOp>()) ||
         areEqualFunctions(one.getDefiningOp<affine::AffineApplyOp>(),
                           other.getDefiningOp<affine::AffineApplyOp>());
}
