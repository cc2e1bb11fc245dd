//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The operands of an op on the rows of a matrix in BSR storage. They decide all
// of the op but its formula: constraints, loops, contract, parameters, and the
// walk over a row.

#ifndef LIB_DIALECT_SATTN_IR_BSRSOFTMAX_STOREDROWS_H
#define LIB_DIALECT_SATTN_IR_BSRSOFTMAX_STOREDROWS_H

#include "../OperandChecks.h"

#include "sattn/Dialect/SAttn/IR/SAttnDialect.h"

namespace sattn {

class BsrSoftmaxOp;
class BsrSoftmaxBackwardOp;

/// The operands of a softmax or its gradient, which convert to it: `crow`,
/// `col`, the arrays of blocks that the op reads, and the one that it writes.
struct StoredRows {
  StoredRows(BsrSoftmaxOp op);
  StoredRows(BsrSoftmaxBackwardOp op);

  mlir::Operation *op;
  NamedOperand crow, col;
  /// The arrays that are read, one or more. The first one's type is that of
  /// all.
  llvm::SmallVector<NamedOperand, 2> inputs;
  NamedOperand out;
  MetaAttr meta;

  const NamedOperand &values() const { return inputs.front(); }
  mlir::RankedTensorType getType() const { return values().value.getType(); }
  mlir::Type getElementType() const { return values().elementType(); }
  /// Number of leading batch dimensions of the arrays.
  int64_t getBatchRank() const { return values().batchRank(); }
  /// Sizes of a block; in the op on a tile, the tile's rows of it.
  int64_t getBlockRows() const { return values().size(1); }
  int64_t getBlockColumns() const { return values().size(2); }
  /// Blocks of which a part is read as one matrix, for one row of them. `meta`
  /// must be there.
  int64_t getBlocksAtOnce() const;
  /// Steps of a row that are read once and stay in registers.
  int64_t getStepsInRegisters() const;
};

} // namespace sattn

#endif // LIB_DIALECT_SATTN_IR_BSRSOFTMAX_STOREDROWS_H
