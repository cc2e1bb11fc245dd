//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Dialect/WGTile/Transforms/Kernels/Passes.h"
#include "sattn/Dialect/WGTile/Utils/Launches.h"
#include "sattn/Support/MemRefTypes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILEREQUIREUNITSTRIDES
#include "sattn/Dialect/WGTile/Transforms/Kernels/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;

/// Whether an argument is accessed by tiles or vectors of registers.
static bool isAccessedByRegisters(BlockArgument argument) {
  return llvm::any_of(argument.getUsers(), [](Operation *user) {
    return isa<ReadOp, StoreOp>(user);
  });
}

static void requireUnitStrides(gpu::GPUFuncOp kernel, LaunchOp launch) {
  OpBuilder b(launch);
  SmallVector<Value> arguments(launch.getArgs());
  Block &entry = kernel.getBody().front();
  for (BlockArgument argument : entry.getArguments()) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type || !isAccessedByRegisters(argument))
      continue;
    MemRefType unit = sattn::withUnitStride(type);
    if (!unit)
      continue;
    Value &value = arguments[argument.getArgNumber()];
    value = memref::CastOp::create(b, launch.getLoc(), unit, value);
    argument.setType(unit);
  }
  kernel.setFunctionType(
      b.getFunctionType(entry.getArgumentTypes(), TypeRange()));
  launch.getArgsMutable().assign(arguments);
}

namespace {
struct RequireUnitStridesPass
    : public wgtile::impl::WGTileRequireUnitStridesBase<
          RequireUnitStridesPass> {
  void runOnOperation() override {
    for (auto [launch, kernel] : getLaunches(getOperation()))
      // The other version takes any strides.
      if (kernel->hasAttr(kTMAAttrName))
        requireUnitStrides(kernel, launch);
  }
};
} // namespace
