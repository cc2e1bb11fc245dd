//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What sattn.bsr_softmax requires of its operands, at run time too.

#include "../ProductTypes.h"

#include "sattn/Dialect/SAttn/IR/BsrSoftmax/BsrSoftmaxOp.h"

using namespace mlir;
using namespace sattn;

void BsrSoftmaxOp::constrainExtents(ExtentConstraints &constraints) {
  auto requireEqual = [&](Value tensor, int64_t dimension, Value other,
                          int64_t otherDimension, AffineExpr orElse = {}) {
    constraints.requireEqual(constraints.getExtent(tensor, dimension),
                             constraints.getExtent(other, otherDimension),
                             orElse);
  };
  for (int64_t dim = 0; dim <= getBatchRank(); ++dim) // (C5)
    requireEqual(getOut(), dim, getValues(), dim);
  requireEqual(getCol(), -1, getValues(), -3); // (C6)
  for (Value list : {getCrow(), getCol()})     // (C7)
    for (int64_t i = 1; i < cast<RankedTensorType>(list.getType()).getRank();
         ++i)
      requireEqual(list, -1 - i, getValues(), -3 - i,
                   constraints.getConstant(1));
  constraints.requireAtLeast(constraints.getExtent(getCrow(), -1),
                             constraints.getConstant(1));
}

LogicalResult BsrSoftmaxOp::describeContract(Contract &contract,
                                             Value destination) {
  if (destination)
    return failure();
  if (failed(contract.addTensor("crow", getCrow(), 1, kIndexTypes)) ||
      failed(contract.addTensor("col", getCol(), 1, kIndexTypes)) ||
      failed(contract.addTensor("values", getValues(), 3, getFloatNames())) ||
      failed(contract.addTensor("out", getOut(), 3, {}, "values")))
    return failure();
  contract.setWritten();
  contract.setBatches("out");
  auto extent = [&](Value tensor, int64_t dimension) {
    return contract.getExtent(tensor, dimension);
  };
  SparseOperand matrix = getSparseOperands().front();
  contract.requireAtLeast(extent(getCrow(), -1), "offset", 1);
  contract.requireBlocks(matrix);                    // (C6)
  for (int64_t dim = 0; dim < getBatchRank(); ++dim) // (C5)
    contract.requireEqual(extent(getValues(), dim), "batches",
                          extent(getOut(), dim));
  contract.requireEqual(extent(getOut(), -3), "stored blocks",
                        extent(getValues(), -3));
  contract.requireEqual(extent(getOut(), -2), "block rows",
                        extent(getValues(), -2));
  contract.requireEqual(extent(getOut(), -1), "block columns",
                        extent(getValues(), -1));
  contract.requireApart(getOut(), {getValues(), getCrow(), getCol()}, Value());
  contract.requireIndices(matrix, /*columns=*/{});
  return success();
}
