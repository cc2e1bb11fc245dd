//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_WGTILE_UTILS_TENSORMAPARGUMENTS_H
#define SATTN_DIALECT_WGTILE_UTILS_TENSORMAPARGUMENTS_H

#include "sattn/Dialect/WGTile/IR/WGTile.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace wgtile {

/// A tensor map's rank, the hardware's limit.
inline constexpr int64_t kMaxTensorMapRank = 5;
/// Largest extent of a tensor that a tensor map describes.
inline constexpr int64_t kMaxTensorMapExtent = (int64_t(1) << 32) - 1;

/// Width in bytes of the swizzle, and of the rows, of tiles that warpgroups
/// write and read by themselves.
inline constexpr int64_t kRowSwizzle = 128;

/// Whether a register tile has rows of that width, and a layout of whole
/// warpgroups.
bool hasSwizzledRows(mlir::RankedTensorType tile);

/// Adds tensor maps of a kernel's arguments to the kernel and to its launch.
class TensorMapArguments {
public:
  TensorMapArguments(mlir::gpu::GPUFuncOp kernel, LaunchOp launch);

  /// The argument of the kernel that `value` is, or null.
  mlir::BlockArgument getArgument(mlir::Value value);

  /// The kernel's argument that is the map of another one, made on first use.
  mlir::Value getMap(mlir::BlockArgument source, TensorMapType type,
                     mlir::Location loc);

  /// Drops arguments that the kernel no longer uses; updates the types.
  void finish();

private:
  mlir::gpu::GPUFuncOp kernel;
  LaunchOp launch;
  mlir::SmallVector<mlir::Value> arguments;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Type>, mlir::Value> maps;
};

} // namespace wgtile

#endif // SATTN_DIALECT_WGTILE_UTILS_TENSORMAPARGUMENTS_H
