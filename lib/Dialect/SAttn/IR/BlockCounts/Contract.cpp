//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What sattn.block_counts requires of its operands, at run time too.

#include "sattn/Dialect/SAttn/IR/MaskRegion.h"
#include "sattn/Dialect/SAttn/IR/SAttn.h"

using namespace mlir;
using namespace sattn;

void BlockCountsOp::constrainExtents(ExtentConstraints &constraints) {
  constrainCaptures(constraints, getCaptures());
}

LogicalResult BlockCountsOp::describeContract(Contract &contract,
                                              Value destination) {
  static constexpr StringRef integers[] = {"i32"};
  if (destination || failed(addCaptures(contract, getCaptures())))
    return failure();
  contract.addNumber("block_queries", getBlockQueries());
  contract.addNumber("block_keys", getBlockKeys());
  if (failed(contract.addTensor("out", getOut(), 4, integers)))
    return failure();
  contract.setWritten();
  requireElements(contract, getCaptures());
  contract.requireApart(getOut(), findArguments(getCaptures()), Value());
  return success();
}
