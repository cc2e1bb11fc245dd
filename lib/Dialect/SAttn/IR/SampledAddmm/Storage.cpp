//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The sparse operand of a sattn.sampled_addmm: the matrix whose stored blocks
// it writes.

#include "sattn/Dialect/SAttn/IR/SampledAddmm/SampledAddmmOp.h"

using namespace mlir;
using namespace sattn;

SmallVector<SparseOperand> SampledAddmmOp::getSparseOperands() {
  return {{getCrow(),
           getCol(),
           getOut(),
           getBlockRows(),
           getBlockColumns(),
           {getMat1(), getRowDim()},
           {getMat2(), getColumnDim()}}};
}

void SampledAddmmOp::setStorage(unsigned, Value crow, Value col, Value values) {
  getOutMutable().assign(values);
  getCrowMutable().assign(crow);
  getColMutable().assign(col);
  getResult().setType(cast<RankedTensorType>(values.getType()));
}
