//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_WGTILE_UTILS_HOSTVALUES_H
#define SATTN_DIALECT_WGTILE_UTILS_HOSTVALUES_H

#include "sattn/Dialect/WGTile/IR/WGTile.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace wgtile {

/// Values of a kernel, computed on the host that launches it.
class HostValues {
public:
  HostValues(mlir::gpu::GPUFuncOp kernel, LaunchOp launch)
      : kernel(kernel), launch(launch) {}

  /// The value passed for an argument of the kernel; null for a value that is
  /// made at the launch.
  mlir::Value getArgument(mlir::BlockArgument argument);

  /// Whether a value needs integers and sizes only.
  bool canCompute(mlir::Value value);

  /// Computes such a value.
  mlir::Value compute(mlir::OpBuilder &b, mlir::Value value);

private:
  mlir::gpu::GPUFuncOp kernel;
  LaunchOp launch;
};

} // namespace wgtile

#endif // SATTN_DIALECT_WGTILE_UTILS_HOSTVALUES_H
