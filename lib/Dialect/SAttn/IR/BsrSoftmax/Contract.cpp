//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Requirements of sattn.bsr_softmax and sattn.bsr_softmax_backward for their
// operands, at run time too.

#include "StoredRows.h"

#include "../ProductTypes.h"

#include "sattn/Dialect/SAttn/IR/BsrSoftmax/BsrSoftmaxBackwardOp.h"
#include "sattn/Dialect/SAttn/IR/BsrSoftmax/BsrSoftmaxOp.h"

using namespace mlir;
using namespace sattn;

/// The arrays of blocks but the first, which all others are like.
static SmallVector<NamedOperand> getOtherArrays(const StoredRows &rows) {
  SmallVector<NamedOperand> others(llvm::drop_begin(rows.inputs));
  others.push_back(rows.out);
  return others;
}

static void constrainRows(const StoredRows &rows,
                          ExtentConstraints &constraints) {
  Value values = rows.values().value, crow = rows.crow.value,
        col = rows.col.value;
  auto requireEqual = [&](Value tensor, int64_t dimension, Value other,
                          int64_t otherDimension, AffineExpr orElse = {}) {
    constraints.requireEqual(constraints.getExtent(tensor, dimension),
                             constraints.getExtent(other, otherDimension),
                             orElse);
  };
  for (const NamedOperand &other : getOtherArrays(rows)) // (C5)
    for (int64_t dim = 0; dim <= rows.getBatchRank(); ++dim)
      requireEqual(other.value, dim, values, dim);
  requireEqual(col, -1, values, -3); // (C6)
  for (Value list : {crow, col})     // (C7)
    for (int64_t i = 1; i < cast<RankedTensorType>(list.getType()).getRank();
         ++i)
      requireEqual(list, -1 - i, values, -3 - i, constraints.getConstant(1));
  constraints.requireAtLeast(constraints.getExtent(crow, -1),
                             constraints.getConstant(1));
}

static LogicalResult describeRows(const StoredRows &rows,
                                  const SparseOperand &matrix,
                                  Contract &contract, Value destination) {
  if (destination)
    return failure();
  Value values = rows.values().value, crow = rows.crow.value,
        out = rows.out.value;
  if (failed(contract.addTensor("crow", crow, 1, kIndexTypes)) ||
      failed(contract.addTensor("col", rows.col.value, 1, kIndexTypes)) ||
      failed(
          contract.addTensor(rows.values().name, values, 3, getFloatNames())))
    return failure();
  SmallVector<NamedOperand> others = getOtherArrays(rows);
  for (const NamedOperand &other : others)
    if (failed(contract.addTensor(other.name, other.value, 3, {},
                                  rows.values().name)))
      return failure();
  contract.setWritten();
  contract.setBatches(rows.out.name);
  auto extent = [&](Value tensor, int64_t dimension) {
    return contract.getExtent(tensor, dimension);
  };
  contract.requireAtLeast(extent(crow, -1), "offset", 1);
  contract.requireBlocks(matrix);                         // (C6)
  for (int64_t dim = 0; dim < rows.getBatchRank(); ++dim) // (C5)
    for (const NamedOperand &input : rows.inputs)
      contract.requireEqual(extent(input.value, dim), "batches",
                            extent(out, dim));
  static constexpr StringRef kExtents[] = {"stored blocks", "block rows",
                                           "block columns"};
  for (const NamedOperand &other : others)
    for (auto [place, name] : llvm::enumerate(kExtents)) {
      int64_t dim = static_cast<int64_t>(place) - 3;
      contract.requireEqual(extent(other.value, dim), name,
                            extent(values, dim));
    }
  SmallVector<Value> read;
  for (const NamedOperand &input : rows.inputs)
    read.push_back(input.value);
  read.append({crow, rows.col.value});
  contract.requireApart(out, read, Value());
  contract.requireIndices(matrix, /*columns=*/{});
  return success();
}

void BsrSoftmaxOp::constrainExtents(ExtentConstraints &constraints) {
  constrainRows(*this, constraints);
}

LogicalResult BsrSoftmaxOp::describeContract(Contract &contract,
                                             Value destination) {
  return describeRows(*this, getSparseOperands().front(), contract,
                      destination);
}

void BsrSoftmaxBackwardOp::constrainExtents(ExtentConstraints &constraints) {
  constrainRows(*this, constraints);
}

LogicalResult BsrSoftmaxBackwardOp::describeContract(Contract &contract,
                                                     Value destination) {
  return describeRows(*this, getSparseOperands().front(), contract,
                      destination);
}
