//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The sparse operand of a sattn.bsr_addmm.

#include "sattn/Dialect/SAttn/IR/BsrAddmm/BsrAddmmOp.h"

using namespace mlir;
using namespace sattn;

SmallVector<SparseOperand> BsrAddmmOp::getSparseOperands() {
  return {{getCrow(),
           getCol(),
           getValues(),
           getBlockRows(),
           getBlockColumns(),
           {getOut(), getRowDim()},
           {getB(), getBRowDim()},
           getTransposeA()}};
}

void BsrAddmmOp::setStorage(unsigned, Value crow, Value col, Value values) {
  getValuesMutable().assign(values);
  getCrowMutable().assign(crow);
  getColMutable().assign(col);
}

int64_t BsrAddmmOp::getPlanGroups(unsigned) {
  MetaAttr meta = getMetaAttr();
  if (!meta || isEncoded() || getSteps() ||
      getCol().getType().getRank() != getCrow().getType().getRank())
    return 1;
  return std::max<int64_t>(meta.getTile()[0] / getBlockRows(), 1);
}

void BsrAddmmOp::setPlan(unsigned, Value rowBlockGroups, Value steps) {
  getRowBlockGroupsMutable().assign(rowBlockGroups);
  getStepsMutable().assign(steps);
}
