//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "sattn/Dialect/WGTile/Utils/Launches.h"

using namespace mlir;
using namespace wgtile;

SmallVector<std::pair<LaunchOp, gpu::GPUFuncOp>>
wgtile::getLaunches(Operation *root) {
  SymbolTableCollection symbols;
  SmallVector<std::pair<LaunchOp, gpu::GPUFuncOp>> launches;
  root->walk([&](LaunchOp launch) {
    if (auto kernel = symbols.lookupNearestSymbolFrom<gpu::GPUFuncOp>(
            launch, launch.getKernelAttr()))
      launches.emplace_back(launch, kernel);
  });
  return launches;
}
