//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The requirements of sattn.bsr_addmm on extents and on a program's arguments.
// The constraint numbers are those of the op's description.

#include "../ProductTypes.h"

#include "sattn/Dialect/SAttn/IR/BsrAddmm/BsrAddmmOp.h"
#include "sattn/Dialect/SAttn/IR/SAttnPlanOp.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace sattn;

void BsrAddmmOp::constrainExtents(ExtentConstraints &constraints) {
  if (isEncoded())
    return;
  auto extent = [&](Value tensor, int64_t dimension) {
    return constraints.getExtent(tensor, dimension);
  };
  AffineExpr m = extent(getOut(), getRowDim()),
             n = extent(getOut(), getColumnDim());
  constraints.requireEqual(m, // (C7)
                           (extent(getCrow(), -1) - 1) * getBlockRows());
  constraints.requireEqual(extent(getB(), getBColumnDim()), n); // (C8)
  if (getInput()) {
    constraints.requireEqual(extent(getInput(), getRowDim()), m);
    constraints.requireEqual(extent(getInput(), getColumnDim()), n);
  }
  if (getLeft())
    constraints.requireEqual(extent(getLeft(), -1), m);
  if (getRight())
    constraints.requireEqual(extent(getRight(), -1), n);
  constraints.requireEqual(extent(getB(), getBRowDim()) % // (C9)
                               getBlockColumns(),
                           constraints.getConstant(0));
  constraints.requireEqual(extent(getCol(), -1), // (C10)
                           extent(getValues(), -3));
  std::pair<Value, int64_t> operands[] = {
      {getCrow(), 1},  {getCol(), 1},  {getValues(), 3}, {getB(), 2},
      {getInput(), 2}, {getLeft(), 1}, {getRight(), 1}};
  for (auto [operand, baseRank] : operands) { // (C11)
    if (!operand)
      continue;
    int64_t rank = cast<RankedTensorType>(operand.getType()).getRank();
    for (int64_t i = 1; i <= rank - baseRank; ++i)
      constraints.requireEqual(extent(operand, -baseRank - i),
                               extent(getOut(), -2 - i),
                               constraints.getConstant(1));
  }
  if (getOrder()) // (C19)
    for (int64_t i = 1; i <= getOrder().getType().getRank(); ++i)
      constraints.requireEqual(extent(getOrder(), -i), extent(getCol(), -i));
  if (getRowBlockGroups()) // (C14)
    constrainPlanExtents(constraints, getCrow(), getCol(), getRowBlockGroups(),
                         getSteps());
}

/// Whether beta * `out` is added, or may be.
static bool addsOut(BsrAddmmOp op) {
  FloatAttr beta;
  return !matchPattern(op.getBeta(), m_Constant(&beta)) ||
         !beta.getValue().isZero();
}

LogicalResult BsrAddmmOp::describeContract(Contract &contract,
                                           Value destination) {
  if (isEncoded())
    return failure();
  Value input = getInput(), out = getOut();
  if (destination) {
    contract.setFused();
    out = destination;
    if (!input && addsOut(*this) && out != getOut()) {
      if (getElementTypeOrSelf(getOut()) !=
          getAddedType(getElementTypeOrSelf(getB()),
                       getElementTypeOrSelf(getOut())))
        return failure();
      input = getOut();
    }
  }
  static constexpr StringRef f32[] = {"f32"};
  Type factor = getElementTypeOrSelf(getB());
  ArrayRef<StringRef> others = getOtherFactorNames(factor);
  if (others.size() == 1)
    others = {};
  StringRef scales = isScale(factor) ? "values" : "";
  StringRef added = isScale(factor) ? "values" : "out";
  if (failed(contract.addScalar("alpha", getAlpha())) ||
      failed(contract.addScalar("beta", getBeta())) ||
      failed(contract.addTensor("crow", getCrow(), 1, kIndexTypes)) ||
      failed(contract.addTensor("col", getCol(), 1, kIndexTypes)) ||
      failed(contract.addTensor("values", getValues(), 3, getFactorNames())) ||
      failed(contract.addTensor("b", getB(), 2, others,
                                others.empty() ? "values" : "")) ||
      (input && failed(contract.addTensor("input", input, 2, {}, added))) ||
      (getLeft() &&
       failed(contract.addTensor("left", getLeft(), 1, f32, scales))) ||
      (getRight() &&
       failed(contract.addTensor("right", getRight(), 1, f32, scales))) ||
      (getOrder() &&
       failed(contract.addTensor("order", getOrder(), 1, {}, "crow"))) ||
      failed(contract.addTensor("out", out, 2, getResultNames(factor))))
    return failure();
  contract.setWritten();
  contract.setBatches("out");

  SparseOperand a = getSparseOperands().front();
  std::string rows = std::to_string(a.blockRows),
              columns = std::to_string(a.blockColumns);
  auto extent = [&](Value tensor, int64_t dimension) {
    return contract.getExtent(tensor, dimension);
  };
  int64_t rowDim = getRowDim(), columnDim = getColumnDim();
  DictionaryAttr m = extent(out, rowDim), n = extent(out, columnDim);
  DictionaryAttr k = extent(getB(), getBRowDim());
  contract.requireMultiple(m, "M", a.blockRows,
                           "the block's " + rows + " rows"); // (C7)
  contract.requireMultiple(k, "K", a.blockColumns,
                           "the block's " + columns + " columns"); // (C9)
  contract.requireEqual(extent(getCrow(), -1), "offsets",
                        contract.compute(m, a.blockRows, 1),
                        "M / " + rows + " + 1");
  contract.requireBlocks(a);                                      // (C10)
  contract.requireEqual(extent(getB(), getBColumnDim()), "N", n); // (C8)
  if (input) {
    contract.requireEqual(extent(input, rowDim), "M", m);
    contract.requireEqual(extent(input, columnDim), "N", n);
  }
  if (getLeft())
    contract.requireEqual(extent(getLeft(), -1), "M", m);
  if (getRight())
    contract.requireEqual(extent(getRight(), -1), "N", n);

  SmallVector<Value> read = {getValues(), getB(), getCrow(), getCol()};
  for (Value operand : {Value(getLeft()), Value(getRight()), Value(getOrder())})
    if (operand)
      read.push_back(operand);
  contract.requireApart(out, read, input);
  contract.requireIndices(a, k);
  if (getOrder()) { // (C19)
    DictionaryAttr blocks = extent(getValues(), -3);
    for (int64_t i = 1; i <= getOrder().getType().getRank(); ++i)
      contract.requireEqual(extent(getOrder(), -i),
                            i == 1 ? "stored blocks" : "batches",
                            extent(getCol(), -i));
    contract.requireIndices(getCrow(), getOrder(), "entries", blocks,
                            "stored blocks");
  }
  return success();
}
