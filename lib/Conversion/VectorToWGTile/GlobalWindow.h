//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LIB_CONVERSION_VECTORTOWGTILE_GLOBALWINDOW_H
#define SATTN_LIB_CONVERSION_VECTORTOWGTILE_GLOBALWINDOW_H

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"

namespace sattn {

/// Where a transfer of a vector touches global memory: a memref, one index for
/// each of its dimensions, and for each dimension of the vector that comes from
/// memory whether it is known to be in bounds. What is not is clipped by the
/// memref's end. The memref is a view of another where its dimensions are in
/// another order, or it ends earlier.
struct GlobalWindow {
  mlir::Value memref;
  mlir::SmallVector<mlir::Value> indices;
  mlir::SmallVector<bool> inBounds;
  /// Whether the vector's rows are along the memref's last dimension, its
  /// columns along the one before.
  bool isTransposed = false;
  /// Where a view of rows that go to shared memory ends earlier than the
  /// memref, which is then the whole one; or null.
  mlir::Value rowsEnd;
};

/// Where what is transferred goes to, or comes from.
enum class WindowUse {
  Registers,
  Shared,
  /// A window read to shared memory, where rows may be cleared: a view may end
  /// early.
  SharedRows
};

/// Resolves the chain of views that `transfer` goes through; emits an error
/// where a view is strided, or, unless `use` permits it, ends neither with the
/// memref under it nor with the vector. Broadcast dimensions of the vector
/// are left out of `inBounds`; the others are the innermost of the memref, in
/// order, or transposed where it goes to registers; the memref is taken as
/// transposed otherwise.
mlir::FailureOr<GlobalWindow>
resolveWindow(mlir::OpBuilder &b, mlir::VectorTransferOpInterface transfer,
              WindowUse use);

} // namespace sattn

#endif // SATTN_LIB_CONVERSION_VECTORTOWGTILE_GLOBALWINDOW_H
