//===- FlexAttentionBackward.cpp - Gradients of flex_attention ------------===//

#include "sattn/Reference/FlexAttentionBackward.h"

#include "FlexAttentionProblem.h"

#include "sattn/Reference/ElementConversion.h"

#include <numeric>

using namespace sattn::reference;
using sattn::runtime::Error;
using sattn::runtime::ErrorOr;

static std::string describe(const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t extent : shape)
    text += (text.empty() ? "" : " x ") + std::to_string(extent);
  return text;
}

static Error checkCotangent(const char *name, const TensorView &view,
                            const std::vector<int64_t> &shape) {
  if (view.shape != shape)
    return Error(std::string("expected '") + name + "' of shape " +
                 describe(shape) + ", but got " + describe(view.shape));
  return FlexAttentionProblem::checkType(name, view);
}

static Error check(const FlexAttentionOperands &op,
                   const FlexAttentionCotangents &cotangents) {
  std::vector<int64_t> shape = op.q.shape;
  shape.back() = op.v.shape.back();
  if (Error error = checkCotangent("dout", cotangents.out, shape))
    return error;
  shape.pop_back();
  return cotangents.lse ? checkCotangent("dlse", *cotangents.lse, shape)
                        : Error::success();
}

namespace {
class Evaluator {
public:
  Evaluator(const FlexAttentionProblem &problem,
            const FlexAttentionCotangents &cotangents)
      : problem(problem), cotangents(cotangents), dout(cotangents.out) {
    result.q.resize(problem.q.view.numElements());
    result.k.resize(problem.k.view.numElements());
    result.v.resize(problem.v.view.numElements());
  }

  void addRow(int64_t b, int64_t h, int64_t i);

  FlexAttentionGradients result;

private:
  double loadDlse(int64_t b, int64_t h, int64_t row) const;

  const FlexAttentionProblem &problem;
  const FlexAttentionCotangents &cotangents;
  FlexAttentionProblem::Operand dout;
};
} // namespace

double Evaluator::loadDlse(int64_t b, int64_t h, int64_t row) const {
  if (!cotangents.lse)
    return 0;
  std::vector<int64_t> place = {h, row};
  if (cotangents.lse->shape.size() == 3)
    place.insert(place.begin(), b);
  return loadElement(*cotangents.lse,
                     std::inner_product(place.begin(), place.end(),
                                        cotangents.lse->strides.begin(),
                                        int64_t(0)));
}

void Evaluator::addRow(int64_t b, int64_t h, int64_t i) {
  FlexAttentionProblem::Row row = problem.computeRow(b, h, i);
  if (row.total == 0)
    return;
  const FlexAttentionProblem::Operand &q = problem.q, &k = problem.k,
                                      &v = problem.v;
  int64_t headQ = problem.headInQ(h), headK = problem.headInK(h);
  int64_t rowQ = problem.rowInQ(h, i), keys = row.scores.size();

  // Products of dout and rows of v, and their sum by weights.
  std::vector<double> weights(keys), products(keys);
  double mean = 0;
  for (int64_t j = 0; j < keys; ++j) {
    if (!row.hasWeight(j))
      continue;
    weights[j] = row.weigh(j) / row.total;
    for (int64_t e = 0; e < v.shape[3]; ++e) {
      double cotangent = dout.load(b, headQ, rowQ, e);
      products[j] += cotangent * v.load(b, headK, j, e);
      result.v[v.placeOf(b, headK, j) + e] += weights[j] * cotangent;
    }
    mean += weights[j] * products[j];
  }

  double dlse = loadDlse(b, headQ, rowQ);
  for (int64_t j = 0; j < keys; ++j) {
    if (!row.hasWeight(j))
      continue;
    double cotangent = weights[j] * (products[j] - mean + dlse);
    if (cotangents.scoreMod)
      cotangent = cotangents.scoreMod(row.products[j], cotangent, b, h, i, j);
    cotangent *= problem.op.scale;
    for (int64_t d = 0; d < q.shape[3]; ++d) {
      result.q[q.placeOf(b, headQ, rowQ) + d] +=
          cotangent * k.load(b, headK, j, d);
      result.k[k.placeOf(b, headK, j) + d] +=
          cotangent * q.load(b, headQ, rowQ, d);
    }
  }
}

ErrorOr<FlexAttentionGradients> sattn::reference::flexAttentionBackward(
    const FlexAttentionOperands &operands,
    const FlexAttentionCotangents &cotangents) {
  if (Error error = FlexAttentionProblem::checkOperands(operands))
    return error;
  FlexAttentionProblem problem(operands);
  if (Error error = problem.check())
    return error;
  if (Error error = check(operands, cotangents))
    return error;
  Evaluator evaluator(problem, cotangents);
  forEachQuery(problem, [&](int64_t b, int64_t h, int64_t i) {
    evaluator.addRow(b, h, i);
  });
  return std::move(evaluator.result);
}
