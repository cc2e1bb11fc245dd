//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/Utils/HostValues.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace wgtile;

Value HostValues::getArgument(BlockArgument argument) {
  if (argument.getOwner() != &kernel.getBody().front())
    return {};
  Value value = launch.getArgs()[argument.getArgNumber()];
  while (auto cast = value.getDefiningOp<memref::CastOp>())
    value = cast.getSource();
  Operation *op = value.getDefiningOp();
  return op && op->getParentOp() != launch->getParentOfType<func::FuncOp>()
             ? Value()
             : value;
}

bool HostValues::canCompute(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return static_cast<bool>(getArgument(argument));
  Operation *op = value.getDefiningOp();
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return canCompute(operand); });
}

Value HostValues::compute(OpBuilder &b, Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return getArgument(argument);
  Operation *op = value.getDefiningOp();
  SmallVector<Value> operands;
  IRMapping mapping;
  for (Value operand : op->getOperands()) {
    operands.push_back(compute(b, operand));
    mapping.map(operand, operands.back());
  }
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    if (std::optional<SmallVector<Value, 8>> expanded = affine::expandAffineMap(
            b, op->getLoc(), apply.getAffineMap(), operands))
      return expanded->front();
  return b.clone(*op, mapping)->getResult(0);
}
