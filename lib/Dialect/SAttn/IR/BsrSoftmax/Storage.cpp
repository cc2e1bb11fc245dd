//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The sparse matrix that sattn.bsr_softmax reads, always as three tensors.

#include "sattn/Dialect/SAttn/IR/BsrSoftmax/BsrSoftmaxOp.h"

using namespace mlir;
using namespace sattn;

/// Nothing else has as many columns, and nothing but `crow` tells the rows.
SmallVector<SparseOperand> BsrSoftmaxOp::getSparseOperands() {
  return {{getCrow(), getCol(), getValues(), getBlockRows(), getBlockColumns(),
           /*rows=*/{},
           /*columns=*/{}}};
}

void BsrSoftmaxOp::setStorage(unsigned, Value crow, Value col, Value values) {
  getCrowMutable().assign(crow);
  getColMutable().assign(col);
  getValuesMutable().assign(values);
}
