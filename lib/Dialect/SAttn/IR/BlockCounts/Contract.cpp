//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The requirements of sattn.block_counts on its operands, at run time too.

#include "sattn/Dialect/SAttn/IR/BlockCounts/BlockCountsOp.h"
#include "sattn/Dialect/SAttn/IR/MaskRegion.h"

using namespace mlir;
using namespace sattn;

void BlockCountsOp::constrainExtents(ExtentConstraints &constraints) {
  constrainCaptures(constraints, getCaptures());
  auto requireEqual = [&](Value tensor, int64_t dimension, int64_t ofOut) {
    constraints.requireEqual(constraints.getExtent(tensor, dimension),
                             constraints.getExtent(getOut(), ofOut));
  };
  if (Value transposed = getTransposed()) // (C1)
    for (auto [dim, ofOut] : llvm::enumerate(ArrayRef<int64_t>{0, 1, 3, 2}))
      requireEqual(transposed, dim, ofOut);
  for (auto [number, bound] : llvm::enumerate(getBounds())) // (C6)
    requireEqual(bound, 0, number % 4 < 2 ? 2 : 3);
}

LogicalResult BlockCountsOp::describeContract(Contract &contract,
                                              Value destination) {
  static constexpr StringRef integers[] = {"i32"}, wide[] = {"i32", "i64"};
  if (destination || failed(addCaptures(contract, getCaptures())))
    return failure();
  contract.addNumber("block_queries", getBlockQueries());
  contract.addNumber("block_keys", getBlockKeys());
  SmallVector<Value> others = findArguments(getCaptures());
  for (auto [number, bound] : llvm::enumerate(getBounds()))
    if (isa<BlockArgument>(bound)) {
      if (failed(contract.addTensor("bound_" + std::to_string(number), bound, 1,
                                    wide)))
        return failure();
      others.push_back(bound);
    }
  static constexpr StringRef kNames[] = {"out", "transposed"};
  for (auto [out, name] : llvm::zip(getOuts(), kNames)) {
    if (failed(contract.addTensor(name, out, 4, integers)))
      return failure();
    contract.setWritten();
  }
  requireElements(contract, getCaptures());
  if (getTransposed() || !getBounds().empty())
    contract.setChecksExtents();
  for (Value out : getOuts()) {
    contract.requireApart(out, others, Value());
    others.push_back(out);
  }
  return success();
}
