//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_IR_STORAGEOPINTERFACE_H
#define SATTN_DIALECT_SATTN_IR_STORAGEOPINTERFACE_H

#include "mlir/IR/OpDefinition.h"

namespace sattn {

/// One dimension of a tensor.
struct TensorDimension {
  mlir::Value tensor;
  /// The number of the dimension; below 0 it counts from the end.
  int64_t dimension;
};

/// A sparse matrix that an op reads, or whose stored blocks it writes.
struct SparseOperand {
  /// Offsets of block rows, block columns and blocks; the first two are null
  /// where `values` is the matrix in an encoding. `values` is null where an op
  /// reads only which blocks are stored.
  mlir::Value crow, col, values;
  int64_t blockRows, blockColumns;
  /// Dimensions of tensors that have as many rows and columns as the matrix;
  /// null where no tensor has.
  TensorDimension rows, columns;
  /// Whether each block of `values` is transposed in memory.
  bool isTransposed = false;

  bool isEncoded() const { return !crow; }
};

} // namespace sattn

#include "sattn/Dialect/SAttn/IR/StorageOpInterface.h.inc"

#endif // SATTN_DIALECT_SATTN_IR_STORAGEOPINTERFACE_H
