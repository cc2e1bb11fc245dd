//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Upstream's encoding of block-sparse matrices, as far as sattn takes it:
//
//   #sparse_tensor.encoding<{map = (b, i, j) -> (b : batch,
//     i floordiv BM : dense, j floordiv BK : compressed,
//     i mod BM : dense, j mod BK : dense), posWidth = 32, crdWidth = 32}>
//
// with any number of batch levels in front, `batch` (every batch has arrays of
// its own) or `dense` (the batches follow each other in one set of arrays).

#ifndef SATTN_DIALECT_SATTN_IR_BSRENCODING_H
#define SATTN_DIALECT_SATTN_IR_BSRENCODING_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Support/LLVM.h"

namespace sattn {

/// The tensors that store an encoded matrix of (*, M, K). nnz is dynamic.
struct BsrStorage {
  int64_t blockRows = 0, blockColumns = 0;
  /// Whether the batches are levels of type dense: one list of offsets for all
  /// of them.
  bool isStacked = false;
  /// Offsets of the block rows: (*, M / BM + 1); stacked: (* x M / BM + 1).
  mlir::RankedTensorType crow;
  /// (*, nnz) and (*, nnz, BM, BK), without batches where stacked.
  mlir::RankedTensorType col, values;
};

/// Whether the type is a tensor with an encoding of `sparse_tensor`.
bool isSparseEncoded(mlir::Type type);

/// How a tensor in the encoding above is stored. Fails for any other type, and
/// says in `reason`, where given, what was expected and what found.
mlir::FailureOr<BsrStorage> getBsrStorage(mlir::RankedTensorType type,
                                          std::string *reason = nullptr);

} // namespace sattn

#endif // SATTN_DIALECT_SATTN_IR_BSRENCODING_H
