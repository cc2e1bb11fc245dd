//===- FlexAttentionDcaptureOp.cpp - flex_attention_dcapture for tools ----===//

#include "FlexAttentionGradients.h"

using namespace sattn::reference;
using sattn::runtime::Error;
using sattn::runtime::ErrorOr;

static ErrorOr<std::vector<int64_t>> inferShape(const NamedOperands &operands) {
  ErrorOr<std::vector<int64_t>> shape = shapeOf(operands, "q");
  const sattn::runtime::TensorView *k = operands.findTensor("k");
  if (!shape || !k || shape->empty() || k->shape.size() < 2)
    return Error("");
  shape->back() = k->shape.end()[-2];
  return shape;
}

/// The result where a query does not see a key is 0, as of blocks that the op
/// reads: others keep what the operand holds, which a check has to be given as
/// 0.
static ErrorOr<std::vector<Result>> compute(const NamedOperands &operands) {
  ErrorOr<std::vector<int64_t>> shape = inferShape(operands);
  if (!shape)
    return shape.takeError();
  int64_t heads = shape->end()[-3], rows = shape->end()[-2],
          keys = shape->end()[-1], count = 1;
  for (int64_t extent : *shape)
    count *= extent;
  std::vector<double> grad(count);
  decltype(FlexAttentionCotangents::scoreMod) scoreMod;
  if (operands.numberCotangent)
    scoreMod = [&](double score, double cotangent, int64_t b, int64_t h,
                   int64_t i, int64_t j) {
      grad[((b * heads + h) * rows + i) * keys + j] =
          operands.numberCotangent(score, cotangent, b, h, i, j);
      return cotangent;
    };
  ErrorOr<FlexAttentionGradients> result =
      computeGradients("flex_attention_dcapture", operands, ListsOf::Queries,
                       std::move(scoreMod));
  if (!result)
    return result.takeError();
  return std::vector<Result>{{"grad", std::move(grad)}};
}

static Description describe(const NamedOperands &operands) {
  FlexAttentionOperands op = readOperands(operands, ListsOf::Queries);
  int64_t d = op.q.shape.back(), e = op.v.shape.back();
  Description result = describeScores(operands, op, d + e);
  result.sizes = {op.q.shape.end()[-2], e, op.k.shape.end()[-2]};
  return result;
}

namespace sattn::reference {
extern const Op kFlexAttentionDcaptureOp = {"flex_attention_dcapture", "grad",
                                            compute, inferShape, describe};
} // namespace sattn::reference
