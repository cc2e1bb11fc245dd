//===- FlexAttentionGradients.cpp - Gradients for tools -------------------===//

#include "FlexAttentionGradients.h"

using namespace sattn::reference;
using sattn::runtime::Error;
using sattn::runtime::ErrorOr;

ErrorOr<FlexAttentionGradients> sattn::reference::computeGradients(
    const char *op, const NamedOperands &operands, ListsOf lists) {
  if (Error error = checkFunctions(op, operands, false))
    return error;
  FlexAttentionCotangents cotangents;
  cotangents.out = *operands.findTensor("grad_out");
  FlexAttentionSums sums;
  sums.lse2 = *operands.findTensor("lse2");
  sums.delta = *operands.findTensor("delta");
  if (const sattn::runtime::TensorView *largest =
          operands.findTensor("max_scores"))
    sums.maxScores = *largest;
  return flexAttentionBackward(readOperands(operands, lists), cotangents, sums);
}

ErrorOr<std::vector<int64_t>>
sattn::reference::shapeOf(const NamedOperands &operands, const char *name) {
  const sattn::runtime::TensorView *operand = operands.findTensor(name);
  if (!operand)
    return Error("");
  return operand->shape;
}
