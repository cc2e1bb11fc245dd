//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef SATTN_DIALECT_WGTILE_ANALYSIS_THREADDEPENDENCE_H
#define SATTN_DIALECT_WGTILE_ANALYSIS_THREADDEPENDENCE_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/DenseSet.h"

namespace wgtile {

/// The scalars of a kernel that may differ between threads that run the same
/// program, and the branches and loops that these decide. A value that is not
/// known to be the same for all of them depends on the thread.
class ThreadDependence {
public:
  explicit ThreadDependence(mlir::gpu::GPUFuncOp kernel);

  bool dependsOnThread(mlir::Value value) const {
    return values.contains(value);
  }
  /// The innermost branch or loop around an op that threads may leave
  /// differently; null if there is none.
  mlir::Operation *findDivergence(mlir::Operation *op) const;

private:
  void visit(mlir::Operation *op);
  void visitRegions(mlir::Operation *op);
  bool isDivergent(mlir::Operation *op) const;
  void add(mlir::ValueRange added);

  llvm::DenseSet<mlir::Value> values;
  /// Memory that the kernel writes: a value read from it depends on the order
  /// of threads.
  llvm::DenseSet<mlir::Value> written;
  bool changed = false;
};

/// Checks that all threads of a role, or of the kernel, reach each op that
/// synchronizes or that has a tile in common: those at which threads meet, or
/// exchange values, must not depend on the thread.
llvm::LogicalResult verifyMeetings(mlir::gpu::GPUFuncOp kernel);

} // namespace wgtile

#endif // SATTN_DIALECT_WGTILE_ANALYSIS_THREADDEPENDENCE_H
