//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RequireUnitStrides.h"
#include "ArgumentViews.h"

#include "sattn/Support/MemRefTypes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace wgtile;

/// Whether an argument is accessed by tiles or vectors of registers.
static bool isAccessedByRegisters(BlockArgument argument) {
  return llvm::any_of(getUsersThroughViews(argument), [](Operation *user) {
    return isa<ReadOp, StoreOp>(user);
  });
}

void wgtile::requireUnitStrides(gpu::GPUFuncOp kernel, LaunchOp launch) {
  requireUnitStrides(kernel, launch, isAccessedByRegisters);
}

void wgtile::requireUnitStrides(
    gpu::GPUFuncOp kernel, LaunchOp launch,
    llvm::function_ref<bool(BlockArgument)> isChosen) {
  OpBuilder b(launch);
  SmallVector<Value> arguments(launch.getArgs());
  Block &entry = kernel.getBody().front();
  for (BlockArgument argument : entry.getArguments()) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type || !isChosen(argument))
      continue;
    MemRefType unit = sattn::withUnitStride(type);
    if (!unit)
      continue;
    Value &value = arguments[argument.getArgNumber()];
    value = memref::CastOp::create(b, launch.getLoc(), unit, value);
    argument.setType(unit);
    updateViews(argument);
  }
  kernel.setFunctionType(
      b.getFunctionType(entry.getArgumentTypes(), TypeRange()));
  launch.getArgsMutable().assign(arguments);
}
