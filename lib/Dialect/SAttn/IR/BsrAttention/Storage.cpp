//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The mask that sattn.bsr_attention reads, always as two tensors.

#include "sattn/Dialect/SAttn/IR/BsrAttention/BsrAttentionOp.h"

using namespace mlir;
using namespace sattn;

SmallVector<SparseOperand> BsrAttentionOp::getSparseOperands() {
  return {{getCrow(),
           getCol(),
           /*values=*/{},
           getBlockRows(),
           getBlockColumns(),
           {getQ(), -2},
           {getK(), -2}}};
}

void BsrAttentionOp::setStorage(unsigned, Value, Value, Value) {
  llvm_unreachable("no operand is in an encoding (C14)");
}
