//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The requirements of sattn.bsr_attention on extents and on a program's
// arguments. The constraint numbers are those of the op's description.

#include "Parts.h"

#include "../ProductTypes.h"

#include "sattn/Dialect/SAttn/IR/BsrAttention/BsrAttentionOp.h"

using namespace mlir;
using namespace sattn;

void BsrAttentionOp::constrainExtents(ExtentConstraints &constraints) {
  auto extent = [&](Value tensor, int64_t dimension) {
    return constraints.getExtent(tensor, dimension);
  };
  constraints.requireAtLeast(extent(getCrow(), -1), constraints.getConstant(1));
  constraints.requireEqual(extent(getQ(), -2), // (C6)
                           (extent(getCrow(), -1) - 1) * getBlockRows());
  constraints.requireEqual(extent(getK(), -2) % getBlockColumns(),
                           constraints.getConstant(0));
  constraints.requireEqual(extent(getV(), -2), extent(getK(), -2)); // (C7)
  constraints.requireEqual(extent(getOut(), -2), extent(getQ(), -2));
  if (hasLse()) { // (C18)
    constraints.requireEqual(extent(getLse(), -1), extent(getQ(), -2));
    for (int64_t i = 0; i < getBatchRank(); ++i)
      constraints.requireEqual(extent(getLse(), i), extent(getOut(), i));
  }
  if (hasParts()) // (C17)
    constrainParts(constraints, getPartial(), getLse(), getOut(),
                   getBlockRows());
  std::pair<Value, int64_t> operands[] = {
      {getCrow(), 1}, {getCol(), 1}, {getQ(), 2}, {getK(), 2}, {getV(), 2}};
  for (auto [operand, baseRank] : operands) { // (C8)
    int64_t rank = cast<RankedTensorType>(operand.getType()).getRank();
    for (int64_t i = 1; i <= rank - baseRank; ++i)
      constraints.requireEqual(extent(operand, -baseRank - i),
                               extent(getOut(), -2 - i),
                               constraints.getConstant(1));
  }
}

LogicalResult BsrAttentionOp::describeContract(Contract &contract,
                                               Value destination) {
  if (destination || hasParts())
    return failure();
  static constexpr StringRef longs[] = {"i64"};
  if (failed(contract.addScalar("scale", getScale())) ||
      failed(contract.addTensor("crow", getCrow(), 1, kIndexTypes)) ||
      failed(contract.addTensor("col", getCol(), 1, kIndexTypes)) ||
      failed(contract.addTensor("q", getQ(), 2, getFloatNames())) ||
      failed(contract.addTensor("k", getK(), 2, {}, "q")) ||
      failed(contract.addTensor("v", getV(), 2, {}, "q")))
    return failure();
  if (getRandom() &&
      (failed(contract.addScalar("probability", getProbability())) ||
       failed(contract.addTensor("random", getRandom(), 1, longs))))
    return failure();
  // For the reference.
  contract.addNumber("block_rows", getBlockRows());
  contract.addNumber("block_columns", getBlockColumns());
  if (failed(contract.addTensor("out", getOut(), 2, {}, "q")))
    return failure();
  contract.setWritten();
  static constexpr StringRef wide[] = {"f32", "f64"};
  if (hasLse()) {
    bool isF64 = getScale().getType().isF64();
    if (failed(contract.addTensor("lse", getLse(), 1,
                                  ArrayRef(wide).slice(isF64, 1))))
      return failure();
    contract.setWritten();
  }
  contract.setBatches("out");

  SparseOperand mask = getSparseOperands().front();
  std::string rows = std::to_string(mask.blockRows),
              columns = std::to_string(mask.blockColumns);
  auto extent = [&](Value tensor, int64_t dimension) {
    return contract.getExtent(tensor, dimension);
  };
  DictionaryAttr m = extent(getQ(), -2), n = extent(getK(), -2);
  contract.requireMultiple(m, "M", mask.blockRows,
                           "the block's " + rows + " rows"); // (C6)
  contract.requireEqual(extent(getCrow(), -1), "offsets",
                        contract.compute(m, mask.blockRows, 1),
                        "M / " + rows + " + 1");
  contract.requireMultiple(n, "N", mask.blockColumns,
                           "the block's " + columns + " columns");
  contract.requireEqual(extent(getV(), -2), "N", n);   // (C7)
  contract.requireEqual(extent(getOut(), -2), "M", m); // (C7)
  SmallVector<Value> read = {getCrow(), getCol(), getQ(), getK(), getV()};
  if (getRandom())
    read.push_back(getRandom());
  contract.requireApart(getOut(), read, Value());
  if (hasLse()) { // (C18)
    for (int64_t i = 0; i < getBatchRank(); ++i)
      contract.requireEqual(extent(getLse(), i), "batches",
                            extent(getOut(), i));
    contract.requireEqual(extent(getLse(), -1), "M", m);
    read.push_back(getOut());
    contract.requireApart(getLse(), read, Value());
  }
  contract.requireIndices(mask, n);
  return success();
}
