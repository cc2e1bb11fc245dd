//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The requirements of sattn.sampled_addmm on extents and on a program's
// arguments. The constraint numbers are those of the op's description.

#include "../ProductTypes.h"
#include "../TileParts.h"

#include "sattn/Dialect/SAttn/IR/SampledAddmm/SampledAddmmOp.h"

using namespace mlir;
using namespace sattn;

void SampledAddmmOp::constrainExtents(ExtentConstraints &constraints) {
  if (isEncoded())
    return;
  auto extent = [&](Value tensor, int64_t dimension) {
    return constraints.getExtent(tensor, dimension);
  };
  constraints.requireEqual(extent(getMat1(), getRowDim()), // (C6)
                           (extent(getCrow(), -1) - 1) * getBlockRows());
  constraints.requireEqual(extent(getMat2(), getColumnDim()) % // (C7)
                               getBlockColumns(),
                           constraints.getConstant(0));
  constraints.requireEqual(extent(getMat2(), getReducedDim()), // (C8)
                           extent(getMat1(), getDepthDim()));
  AffineExpr nnz = extent(getOut(), -3);
  constraints.requireEqual(extent(getCol(), -1), nnz); // (C9)
  if (getInput())
    for (int64_t dim : {-3, -2, -1})
      constraints.requireEqual(extent(getInput(), dim), extent(getOut(), dim));
  std::pair<Value, int64_t> operands[] = {{getCrow(), 1},
                                          {getCol(), 1},
                                          {getMat1(), 2},
                                          {getMat2(), 2},
                                          {getInput(), 3}};
  for (auto [operand, baseRank] : operands) { // (C10)
    if (!operand)
      continue;
    int64_t rank = cast<RankedTensorType>(operand.getType()).getRank();
    for (int64_t i = 1; i <= rank - baseRank; ++i)
      constraints.requireEqual(extent(operand, -baseRank - i),
                               extent(getOut(), -3 - i),
                               constraints.getConstant(1));
  }
}

LogicalResult SampledAddmmOp::describeContract(Contract &contract,
                                               Value destination) {
  if (isEncoded())
    return failure();
  Value input = getInput(), out = getOut();
  if (destination) {
    contract.setFused();
    out = destination;
    if (!input && !Scale(getBeta()).isZero && out != getOut()) {
      if (getElementTypeOrSelf(getOut()) !=
          getAddedType(getElementTypeOrSelf(getMat1()),
                       getElementTypeOrSelf(getOut())))
        return failure();
      input = getOut();
    }
  }
  Type factor = getElementTypeOrSelf(getMat1());
  ArrayRef<StringRef> others = getOtherFactorNames(factor);
  if (others.size() == 1)
    others = {};
  if (failed(contract.addScalar("alpha", getAlpha())) ||
      failed(contract.addScalar("beta", getBeta())) ||
      failed(contract.addTensor("crow", getCrow(), 1, kIndexTypes)) ||
      failed(contract.addTensor("col", getCol(), 1, kIndexTypes)) ||
      failed(contract.addTensor("mat1", getMat1(), 2, getFactorNames())) ||
      failed(contract.addTensor("mat2", getMat2(), 2, others,
                                others.empty() ? "mat1" : "")) ||
      (input && failed(contract.addTensor("input", input, 3, {},
                                          isScale(factor) ? "mat1" : "out"))))
    return failure();
  // For the reference, which may have to make `out`.
  contract.addNumber("block_rows", getBlockRows());
  contract.addNumber("block_columns", getBlockColumns());
  if (failed(contract.addTensor("out", out, 3, getResultNames(factor))))
    return failure();
  contract.setWritten();
  contract.setBatches("out");

  SparseOperand pattern = getSparseOperands().front();
  pattern.values = out;
  std::string rows = std::to_string(pattern.blockRows),
              columns = std::to_string(pattern.blockColumns);
  auto extent = [&](Value tensor, int64_t dimension) {
    return contract.getExtent(tensor, dimension);
  };
  DictionaryAttr m = extent(getMat1(), getRowDim()),
                 k = extent(getMat1(), getDepthDim()),
                 n = extent(getMat2(), getColumnDim());
  contract.requireMultiple(m, "M", pattern.blockRows,
                           "the block's " + rows + " rows"); // (C6)
  contract.requireEqual(extent(getCrow(), -1), "offsets",
                        contract.compute(m, pattern.blockRows, 1),
                        "M / " + rows + " + 1");
  contract.requireMultiple(n, "N", pattern.blockColumns,
                           "the block's " + columns + " columns");   // (C7)
  contract.requireEqual(extent(getMat2(), getReducedDim()), "K", k); // (C8)
  contract.requireBlocks(pattern);                                   // (C9)
  if (input) {
    SparseOperand added = pattern;
    added.values = input;
    contract.requireBlocks(added);
  }
  contract.requireApart(out, {getCrow(), getCol(), getMat1(), getMat2()},
                        input);
  contract.requireIndices(pattern, n);
  return success();
}
