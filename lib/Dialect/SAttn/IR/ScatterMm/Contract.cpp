//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The requirements of sattn.scatter_mm on extents and on a program's arguments.
// The constraint numbers are those of the op's description.

#include "../ProductTypes.h"

#include "sattn/Dialect/SAttn/IR/ScatterMm/ScatterMmOp.h"

using namespace mlir;
using namespace sattn;

void ScatterMmOp::constrainExtents(ExtentConstraints &constraints) {
  auto extent = [&](Value tensor, int64_t dimension) {
    return constraints.getExtent(tensor, dimension);
  };
  AffineExpr offsets = extent(getOffsets(), 0);
  constraints.requireEqual(extent(getOthers(), -2), // (C5)
                           constraints.getConstant(getBlockColumns()));
  constraints.requireEqual(extent(getOut(), -2),
                           constraints.getConstant(getBlockRows()));
  constraints.requireEqual(extent(getOthers(), -1), // (C6)
                           extent(getOut(), -1));
  for (int64_t dim = 0; dim < getBatchRank(); ++dim) // (C7)
    constraints.requireEqual(extent(getOthers(), dim), extent(getOut(), dim));
  if (getR())
    constraints.requireEqual(extent(getOthers(), -3), extent(getOut(), -3));
  if (getOverwrite() && getR()) // (C18)
    constraints.requireEqual(extent(getR(), 0),
                             extent(getOut(), -4) * extent(getOut(), -3));
  if (getP()) { // (C9)
    constraints.requireEqual(extent(getP(), 0), extent(getQ(), 0));
    constraints.requireEqual(
        offsets, (getR() ? extent(getR(), 0) : extent(getOut(), -3)) + 1);
    return;
  }
  constraints.requireEqual(offsets, extent(getOut(), -4) + 1);
  constraints.requireAtLeast(extent(getQ(), 0), // (C10)
                             extent(getOut(), -3) * extent(getBlocks(), 0));
}

LogicalResult ScatterMmOp::describeContract(Contract &contract,
                                            Value destination) {
  if (destination)
    return failure();
  ArrayRef<StringRef> results =
      getResultNames(getElementTypeOrSelf(getBlocks()));
  int64_t rank = 2 + getGridRank();
  if (failed(contract.addTensor("offsets", getOffsets(), 1, kIndexTypes)) ||
      failed(contract.addTensor("q", getQ(), 1, kIndexTypes)) ||
      failed(contract.addTensor("blocks", getBlocks(), 3, getFloatNames())) ||
      failed(contract.addTensor("others", getOthers(), rank, {}, "blocks")) ||
      (getP() && failed(contract.addTensor("p", getP(), 1, kIndexTypes))) ||
      (getR() && failed(contract.addTensor("r", getR(), 1, kIndexTypes))) ||
      failed(contract.addTensor("out", getOut(), rank, results)))
    return failure();
  contract.setWritten();
  contract.setBatches("out");
  auto extent = [&](Value tensor, int64_t dimension) {
    return contract.getExtent(tensor, dimension);
  };
  contract.requireEqual(extent(getOthers(), -2), "rows", // (C5)
                        extent(getBlocks(), -1));
  contract.requireEqual(extent(getOut(), -2), "rows", extent(getBlocks(), -2));
  contract.requireEqual(extent(getOthers(), -1), "columns", // (C6)
                        extent(getOut(), -1));
  for (int64_t dim = 0; dim < getBatchRank(); ++dim) // (C7)
    contract.requireEqual(extent(getOthers(), dim), "batches",
                          extent(getOut(), dim));
  if (getR())
    contract.requireEqual(extent(getOthers(), -3), "matrices in a row",
                          extent(getOut(), -3));
  DictionaryAttr offsets = extent(getOffsets(), 0);
  if (getP()) { // (C9)
    contract.requireEqual(extent(getP(), 0), "pairs", extent(getQ(), 0));
    DictionaryAttr entries = getR() ? extent(getR(), 0) : extent(getOut(), -3);
    contract.requireEqual(offsets, "offsets", contract.compute(entries, 1, 1),
                          "the entries + 1");
  } else {
    contract.requireEqual(offsets, "offsets",
                          contract.compute(extent(getOut(), -4), 1, 1),
                          "the rows of matrices + 1");
    contract.setChecksExtents(); // (C10)
  }
  if (getOverwrite() && getR()) // (C18)
    contract.setChecksExtents();
  if (getOverwrite())
    contract.addNumber("overwrite", 1);
  SmallVector<Value> read = {getOffsets(), getQ(), getBlocks(), getOthers()};
  for (Value list : {getP(), getR()})
    if (list)
      read.push_back(list);
  contract.requireApart(getOut(), read, /*orExactly=*/Value());

  DictionaryAttr blocks = extent(getBlocks(), 0);
  if (getP()) {
    contract.requireIndices(getOffsets(), getP(), "pairs", blocks, "blocks");
  } else {
    contract.requireWithin(getOffsets(), "offsets of blocks", blocks);
    contract.requireIndices(getOffsets(), getQ(), "pairs");
  }
  if (!getR()) {
    contract.requireIndices(getOffsets(), getQ(), "pairs",
                            extent(getOthers(), 0), "matrices of others");
    return success();
  }
  contract.requireInGrid(getQ(), getOthers());
  contract.requireInGrid(getR(), getOut(), /*areDistinct=*/true);
  return success();
}
