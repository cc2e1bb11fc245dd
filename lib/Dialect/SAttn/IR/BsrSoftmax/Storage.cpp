//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The matrix that sattn.bsr_softmax and sattn.bsr_softmax_backward read, always
// as three tensors.

#include "StoredRows.h"

#include "sattn/Dialect/SAttn/IR/BsrSoftmax/BsrSoftmaxBackwardOp.h"
#include "sattn/Dialect/SAttn/IR/BsrSoftmax/BsrSoftmaxOp.h"

using namespace mlir;
using namespace sattn;

/// The sparse matrix of the op's arrays; no operand has as many columns, and
/// only `crow` tells the rows.
static SmallVector<SparseOperand> getMatrix(const StoredRows &rows) {
  return {{rows.crow.value, rows.col.value, rows.values().value,
           rows.getBlockRows(), rows.getBlockColumns(),
           /*rows=*/{},
           /*columns=*/{}}};
}

SmallVector<SparseOperand> BsrSoftmaxOp::getSparseOperands() {
  return getMatrix(*this);
}

void BsrSoftmaxOp::setStorage(unsigned, Value crow, Value col, Value values) {
  getCrowMutable().assign(crow);
  getColMutable().assign(col);
  getValuesMutable().assign(values);
}

SmallVector<SparseOperand> BsrSoftmaxBackwardOp::getSparseOperands() {
  return getMatrix(*this);
}

void BsrSoftmaxBackwardOp::setStorage(unsigned, Value crow, Value col,
                                      Value output) {
  getCrowMutable().assign(crow);
  getColMutable().assign(col);
  getOutputMutable().assign(output);
}
