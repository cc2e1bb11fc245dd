//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What sattn.block_lists requires of extents, and of a program's arguments. The
// constraint numbers are those of the op's description.

#include "sattn/Dialect/SAttn/IR/SAttn.h"

using namespace mlir;
using namespace sattn;

void BlockListsOp::constrainExtents(ExtentConstraints &constraints) {
  auto requireEqual = [&](Value tensor, int64_t dimension, int64_t ofCounts) {
    constraints.requireEqual(constraints.getExtent(tensor, dimension),
                             constraints.getExtent(getCounts(), ofCounts));
  };
  requireEqual(getHeights(), 0, 2); // (C3)
  requireEqual(getWidths(), 0, 3);
  requireEqual(getColumns(), 4, 3);
  for (Value out : {Value(getNumbers()), Value(getColumns())}) {
    constraints.requireEqual(constraints.getExtent(out, 0), // (C2)
                             constraints.getConstant(getNumKinds()));
    for (int64_t dim : {0, 1, 2}) // (C3)
      requireEqual(out, dim + 1, dim);
  }
}

LogicalResult BlockListsOp::describeContract(Contract &contract,
                                             Value destination) {
  static constexpr StringRef kIntegers[] = {"i32"};
  if (destination ||
      failed(contract.addTensor("counts", getCounts(), 4, kIntegers)) ||
      failed(contract.addTensor("heights", getHeights(), 1, kIntegers)) ||
      failed(contract.addTensor("widths", getWidths(), 1, kIntegers)) ||
      failed(contract.addTensor("numbers", getNumbers(), 4, kIntegers)))
    return failure();
  contract.setWritten();
  if (failed(contract.addTensor("columns", getColumns(), 5, kIntegers)))
    return failure();
  contract.setWritten();
  contract.addNumber("kinds", getNumKinds());
  contract.setChecksExtents();
  contract.requireApart(getNumbers(), {getCounts(), getHeights(), getWidths()},
                        Value());
  contract.requireApart(getColumns(),
                        {getCounts(), getHeights(), getWidths(), getNumbers()},
                        Value());
  return success();
}
