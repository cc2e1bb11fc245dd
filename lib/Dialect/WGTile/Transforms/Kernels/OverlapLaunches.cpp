//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Programmatic dependent launch (CUDA C++ Programming Guide): a kernel starts
// while the one before it in its stream ends.

#include "sattn/Dialect/WGTile/Transforms/Kernels/Passes.h"
#include "sattn/Dialect/WGTile/Utils/Launches.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace wgtile {
#define GEN_PASS_DEF_WGTILEOVERLAPLAUNCHES
#include "sattn/Dialect/WGTile/Transforms/Kernels/Passes.h.inc"
} // namespace wgtile

using namespace wgtile;

namespace {
struct OverlapLaunchesPass
    : public wgtile::impl::WGTileOverlapLaunchesBase<OverlapLaunchesPass> {
  void runOnOperation() override {
    for (auto [launch, kernel] : getLaunches(getOperation())) {
      if (!getSchedule(kernel).programmaticLaunch.value_or(false))
        continue;
      launch.setProgrammatic(true);
      OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
      // A kernel that allowed the next one to start before it has waited itself
      // could fill the device with waiting thread blocks.
      for (auto kind : {NVVM::GridDepActionKind::wait,
                        NVVM::GridDepActionKind::launch_dependents})
        NVVM::GriddepcontrolOp::create(b, kernel.getLoc(), kind);
    }
  }
};
} // namespace
