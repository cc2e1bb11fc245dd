//===- FlexAttentionGradients.cpp - Gradients for tools -------------------===//

#include "FlexAttentionGradients.h"

#include "sattn/Reference/ElementConversion.h"
#include "sattn/Reference/Philox.h"

#include <cmath>

using namespace sattn::reference;
using sattn::runtime::Error;
using sattn::runtime::ErrorOr;
using sattn::runtime::TensorView;

static std::function<double(int64_t, int64_t, int64_t, int64_t)>
readDropout(const TensorView &random, double probability,
            const FlexAttentionOperands &op) {
  if (op.q.dtype != sattn::runtime::DType::F64)
    probability = static_cast<float>(probability);
  int64_t heads = op.q.shape.end()[-3], seed = loadIndex(random, 0),
          offset = loadIndex(random, random.strides[0]);
  return [=](int64_t b, int64_t h, int64_t i, int64_t j) {
    if (!isKept(probability, seed, offset, b * heads + h, i, j))
      return 0.0;
    return 1 / (1 - std::fmax(probability, 0));
  };
}

ErrorOr<FlexAttentionGradients> sattn::reference::computeGradients(
    const char *op, const NamedOperands &operands, ListsOf lists,
    decltype(FlexAttentionCotangents::scoreMod) scoreMod) {
  if (Error error =
          checkFunctions(op, operands, /*takesScoreMod=*/bool(scoreMod)))
    return error;
  FlexAttentionCotangents cotangents;
  cotangents.scoreMod = std::move(scoreMod);
  cotangents.out = *operands.findTensor("grad_out");
  FlexAttentionSums sums;
  sums.lse2 = *operands.findTensor("lse2");
  sums.delta = *operands.findTensor("delta");
  if (const TensorView *largest = operands.findTensor("max_scores"))
    sums.maxScores = *largest;
  sums.times = readStored(operands, lists);
  FlexAttentionOperands given = readOperands(operands, lists);
  if (const TensorView *random = operands.findTensor("random"))
    sums.keep = readDropout(
        *random, std::get<double>(operands.find("probability")->value), given);
  return flexAttentionBackward(given, cotangents, sums);
}

ErrorOr<std::vector<int64_t>>
sattn::reference::shapeOf(const NamedOperands &operands, const char *name) {
  const TensorView *operand = operands.findTensor(name);
  if (!operand)
    return Error("");
  return operand->shape;
}
