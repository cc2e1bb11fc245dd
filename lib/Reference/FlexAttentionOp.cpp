//===- FlexAttentionOp.cpp - flex_attention for tools ---------------------===//

#include "FlexAttentionNamed.h"

using namespace sattn::reference;
using sattn::runtime::Error;
using sattn::runtime::ErrorOr;
using sattn::runtime::TensorView;

static ErrorOr<std::vector<Result>> compute(const NamedOperands &operands) {
  if (Error error = checkFunctions("flex_attention", operands, true))
    return error;
  ErrorOr<FlexAttentionResult> result =
      flexAttention(readOperands(operands, ListsOf::Queries));
  if (!result)
    return result.takeError();
  std::vector<Result> results = {{"out", std::move(result->out)}};
  if (operands.find("lse"))
    results.push_back({"lse", std::move(result->lse)});
  if (operands.find("max_scores"))
    results.push_back({"max_scores", std::move(result->maxScores)});
  return results;
}

static ErrorOr<std::vector<int64_t>> inferShape(const NamedOperands &operands) {
  const TensorView *q = operands.findTensor("q");
  const TensorView *v = operands.findTensor("v");
  if (!q || !v || q->rank() < 1 || v->rank() < 1)
    return sattn::runtime::Error("");
  std::vector<int64_t> shape = q->shape;
  shape.back() = v->shape.back();
  return shape;
}

static Description describe(const NamedOperands &operands) {
  FlexAttentionOperands op = readOperands(operands, ListsOf::Queries);
  int64_t d = op.q.shape.back(), e = op.v.shape.back();
  Description result = describeScores(operands, op, d + e);
  result.sizes = {op.q.shape.end()[-2] / op.packedHeads, e,
                  op.k.shape.end()[-2]};
  return result;
}

namespace sattn::reference {
extern const Op kFlexAttentionOp = {"flex_attention", "out", compute,
                                    inferShape, describe};
} // namespace sattn::reference
