//===- FlexAttentionDqOp.cpp - flex_attention_dq for tools ----------------===//

#include "FlexAttentionGradients.h"

using namespace sattn::reference;
using sattn::runtime::ErrorOr;

static ErrorOr<std::vector<Result>> compute(const NamedOperands &operands) {
  ErrorOr<FlexAttentionGradients> result = computeGradients(
      "flex_attention_dq", operands, ListsOf::Queries, operands.scoreCotangent);
  if (!result)
    return result.takeError();
  return std::vector<Result>{{"dq", std::move(result->q)}};
}

static ErrorOr<std::vector<int64_t>> inferShape(const NamedOperands &operands) {
  return shapeOf(operands, "q");
}

static Description describe(const NamedOperands &operands) {
  FlexAttentionOperands op = readOperands(operands, ListsOf::Queries);
  int64_t d = op.q.shape.back(), e = op.v.shape.back();
  Description result = describeScores(operands, op, 2 * d + e);
  result.sizes = {op.q.shape.end()[-2], e, op.k.shape.end()[-2]};
  return result;
}

namespace sattn::reference {
extern const Op kFlexAttentionDqOp = {"flex_attention_dq", "dq", compute,
                                      inferShape, describe};
} // namespace sattn::reference
