//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The requirements of sattn.flex_attention_dq and sattn.flex_attention_dkdv on
// extents and on a program's arguments. The constraint numbers are those of the
// ops' descriptions.

#include "../FlexAttention/ScoreContract.h"

#include "sattn/Dialect/SAttn/IR/FlexAttentionBackward/FlexAttentionDcaptureOp.h"
#include "sattn/Dialect/SAttn/IR/FlexAttentionBackward/FlexAttentionDkdvOp.h"
#include "sattn/Dialect/SAttn/IR/FlexAttentionBackward/FlexAttentionDqOp.h"

using namespace mlir;
using namespace sattn;
using namespace sattn::flex_attention;

/// The operands beside those of the scores.
template <typename OpTy>
static SmallVector<std::pair<StringRef, Value>> nameInputs(OpTy op) {
  SmallVector<std::pair<StringRef, Value>> inputs = {
      {"grad_out", op.getGradOut()},
      {"lse2", op.getLse2()},
      {"delta", op.getDelta()}};
  if (op.getMaxScores())
    inputs.push_back({"max_scores", op.getMaxScores()});
  return inputs;
}

void FlexAttentionDqOp::constrainExtents(ExtentConstraints &constraints) {
  for (auto [name, input] : nameInputs(*this))
    constrainRows(*this, input, constraints);
  constrainRows(*this, getOuts()[0], constraints);
  constrainScores(*this, constraints);
}

void FlexAttentionDkdvOp::constrainExtents(ExtentConstraints &constraints) {
  for (auto [name, input] : nameInputs(*this))
    constrainRows(*this, input, constraints);
  for (Value result : getOuts()) // (C4)
    for (int64_t i = 0; i <= getLeadRank(); ++i)
      constraints.requireEqual(constraints.getExtent(result, i),
                               constraints.getExtent(getK(), i));
  constrainScores(*this, constraints);
}

void FlexAttentionDcaptureOp::constrainExtents(ExtentConstraints &constraints) {
  for (auto [name, input] : nameInputs(*this))
    constrainRows(*this, input, constraints);
  constrainRows(*this, getOuts()[0], constraints);
  constraints.requireEqual(constraints.getExtent(getOuts()[0], -1),
                           constraints.getExtent(getK(), -2));
  constrainScores(*this, constraints);
}

/// Adds the inputs that are arguments. Results of other ops in the program are
/// checked where those ops are.
template <typename OpTy>
static LogicalResult addInputs(OpTy op, Contract &contract,
                               ScoreContract &scores,
                               SmallVectorImpl<Value> &read) {
  if (failed(scores.addOperands()))
    return failure();
  for (auto [name, input] : nameInputs(op)) {
    if (!isa<BlockArgument>(input))
      continue;
    if (failed(
            name == "grad_out"
                ? contract.addTensor(name, input, op.getLeadRank() + 2, {}, "q")
                : scores.addRows(name, input)))
      return failure();
    read.push_back(input);
  }
  scores.addNumbers();
  return success();
}

LogicalResult FlexAttentionDqOp::describeContract(Contract &contract,
                                                  Value destination) {
  ScoreContract scores(*this, contract);
  SmallVector<Value> read;
  if (destination || failed(addInputs(*this, contract, scores, read)) ||
      failed(scores.addResult("dq", getOuts()[0])))
    return failure();
  for (Value input : read)
    scores.requireRows(input);
  scores.requireRows(getOuts()[0]);
  scores.addChecks();
  scores.addApart(read);
  return success();
}

LogicalResult FlexAttentionDkdvOp::describeContract(Contract &contract,
                                                    Value destination) {
  ScoreContract scores(*this, contract);
  SmallVector<Value> read;
  if (destination || failed(addInputs(*this, contract, scores, read)))
    return failure();
  for (StringRef name : {"dv", "dk"})
    if (Value gradient = getGradient(name);
        gradient && failed(scores.addResult(name, gradient)))
      return failure();
  for (Value input : read)
    scores.requireRows(input);
  static constexpr StringRef kNames[] = {"B", "heads", "N"};
  for (Value result : getOuts())
    for (int64_t i = 0; i <= getLeadRank(); ++i)
      scores.requireEqual(result, i, kNames[i + 2 - getLeadRank()], getK(), i);
  scores.addChecks();
  scores.addApart(read);
  return success();
}

LogicalResult FlexAttentionDcaptureOp::describeContract(Contract &contract,
                                                        Value destination) {
  ScoreContract scores(*this, contract);
  SmallVector<Value> read;
  if (destination || failed(addInputs(*this, contract, scores, read)))
    return failure();
  Value grad = getOuts()[0];
  bool isF64 = getScale().getType().isF64();
  if (failed(contract.addTensor("grad", grad, getLeadRank() + 2,
                                {isF64 ? "f64" : "f32"})))
    return failure();
  contract.setWritten();
  for (Value input : read)
    scores.requireRows(input);
  scores.requireRows(grad);
  scores.requireEqual(grad, -1, "N", getK(), -2);
  scores.addChecks();
  scores.addApart(read);
  return success();
}
