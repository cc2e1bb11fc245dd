//===- FlexAttentionDkdvOp.cpp - flex_attention_dkdv for tools ------------===//

#include "FlexAttentionGradients.h"

using namespace sattn::reference;
using sattn::runtime::ErrorOr;

static ErrorOr<std::vector<Result>> compute(const NamedOperands &operands) {
  ErrorOr<FlexAttentionGradients> result = computeGradients(
      "flex_attention_dkdv", operands, ListsOf::Keys, operands.scoreCotangent);
  if (!result)
    return result.takeError();
  std::vector<Result> results;
  if (operands.findTensor("dk"))
    results.push_back({"dk", std::move(result->k)});
  if (operands.findTensor("dv"))
    results.push_back({"dv", std::move(result->v)});
  return results;
}

static ErrorOr<std::vector<int64_t>> inferShape(const NamedOperands &operands) {
  return shapeOf(operands, "k");
}

static Description describe(const NamedOperands &operands) {
  FlexAttentionOperands op = readOperands(operands, ListsOf::Keys);
  int64_t d = op.q.shape.back(), e = op.v.shape.back();
  Description result = describeScores(operands, op, 2 * (d + e));
  result.sizes = {op.k.shape.end()[-2], e, op.q.shape.end()[-2]};
  return result;
}

namespace sattn::reference {
extern const Op kFlexAttentionDkdvOp = {"flex_attention_dkdv", "dk", compute,
                                        inferShape, describe};
} // namespace sattn::reference
