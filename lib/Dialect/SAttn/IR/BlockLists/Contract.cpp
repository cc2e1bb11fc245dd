//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The requirements of sattn.block_lists on extents and on a program's
// arguments. The constraint numbers are those of the op's description.

#include "sattn/Dialect/SAttn/IR/BlockLists/BlockListsOp.h"

using namespace mlir;
using namespace sattn;

void BlockListsOp::constrainExtents(ExtentConstraints &constraints) {
  auto requireEqual = [&](Value tensor, int64_t dimension, int64_t ofCounts) {
    constraints.requireEqual(constraints.getExtent(tensor, dimension),
                             constraints.getExtent(getCounts(), ofCounts));
  };
  requireEqual(getHeights(), 0, 2); // (C2)
  requireEqual(getWidths(), 0, 3);
  for (Value out : getOuts())
    for (int64_t dim = 0,
                 rank = cast<RankedTensorType>(out.getType()).getRank();
         dim < rank; ++dim)
      requireEqual(out, dim, dim);
}

LogicalResult BlockListsOp::describeContract(Contract &contract,
                                             Value destination) {
  static constexpr StringRef kIntegers[] = {"i32"};
  static constexpr StringRef kNames[] = {"numbers", "columns", "full_numbers",
                                         "full_columns"};
  if (destination ||
      failed(contract.addTensor("counts", getCounts(), 4, kIntegers)) ||
      failed(contract.addTensor("heights", getHeights(), 1, kIntegers)) ||
      failed(contract.addTensor("widths", getWidths(), 1, kIntegers)))
    return failure();
  SmallVector<Value> others = {getCounts(), getHeights(), getWidths()};
  for (auto [out, name] : llvm::zip(getOuts(), kNames)) {
    int64_t rank = cast<RankedTensorType>(out.getType()).getRank();
    if (failed(contract.addTensor(name, out, rank, kIntegers)))
      return failure();
    contract.setWritten();
  }
  contract.setChecksExtents();
  for (Value out : getOuts()) {
    contract.requireApart(out, others, Value());
    others.push_back(out);
  }
  return success();
}
