//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The requirements of sattn.flex_attention on extents and on a program's
// arguments. The constraint numbers are those of the op's description.

#include "ScoreContract.h"

#include "sattn/Dialect/SAttn/IR/FlexAttention/FlexAttentionOp.h"

using namespace mlir;
using namespace sattn;
using namespace sattn::flex_attention;

void FlexAttentionOp::constrainExtents(ExtentConstraints &constraints) {
  for (Value result : getOuts())
    constrainRows(*this, result, constraints);
  constrainScores(*this, constraints);
}

LogicalResult FlexAttentionOp::describeContract(Contract &contract,
                                                Value destination) {
  if (destination)
    return failure();
  ScoreContract scores(*this, contract);
  if (failed(scores.addOperands()))
    return failure();
  std::pair<StringRef, Value> rowResults[] = {{"lse", getLse()},
                                              {"max_scores", getMaxScores()}};
  for (auto [name, rows] : rowResults) {
    if (!rows)
      continue;
    if (failed(scores.addRows(name, rows)))
      return failure();
    contract.setWritten();
  }
  scores.addNumbers();
  if (failed(scores.addResult("out", getOut())))
    return failure();
  for (Value result : getOuts())
    scores.requireRows(result);
  scores.addChecks();
  scores.addApart({});
  return success();
}
