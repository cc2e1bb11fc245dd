//===- FlexAttentionBackward.cpp - Gradients of flex_attention ------------===//

#include "sattn/Reference/FlexAttentionBackward.h"

#include "FlexAttentionProblem.h"

#include "sattn/Reference/ElementConversion.h"

#include <cmath>
#include <numeric>

using namespace sattn::reference;
using sattn::runtime::Error;
using sattn::runtime::ErrorOr;

static constexpr double kLog2E = 1.44269504088896340736;

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

/// The shape of a number for each row of q.
static std::vector<int64_t> rowsOf(const FlexAttentionOperands &op) {
  return {op.q.shape.begin(), op.q.shape.end() - 1};
}

static Error check(const FlexAttentionOperands &op,
                   const FlexAttentionCotangents &cotangents) {
  std::vector<int64_t> shape = op.q.shape;
  shape.back() = op.v.shape.back();
  if (Error error = checkCotangent("dout", cotangents.out, shape))
    return error;
  return cotangents.lse ? checkCotangent("dlse", *cotangents.lse, rowsOf(op))
                        : Error::success();
}

static Error check(const FlexAttentionOperands &op,
                   const FlexAttentionCotangents &cotangents,
                   const FlexAttentionSums &sums) {
  if (cotangents.lse)
    return Error("expected no 'dlse' beside 'delta'");
  std::vector<int64_t> shape = rowsOf(op);
  if (Error error = checkCotangent("lse2", sums.lse2, shape))
    return error;
  if (Error error = checkCotangent("delta", sums.delta, shape))
    return error;
  return sums.maxScores ? checkCotangent("max_scores", *sums.maxScores, shape)
                        : Error::success();
}

/// The number of a row of q.
static double loadRow(const TensorView &view, int64_t b, int64_t h,
                      int64_t row) {
  std::vector<int64_t> place = {h, row};
  if (view.shape.size() == 3)
    place.insert(place.begin(), b);
  return loadElement(view,
                     std::inner_product(place.begin(), place.end(),
                                        view.strides.begin(), int64_t(0)));
}

namespace {
class Evaluator {
public:
  /// Evaluates gradients; without `sums`, with the weights of the softmax.
  Evaluator(const FlexAttentionProblem &problem,
            const FlexAttentionCotangents &cotangents,
            const FlexAttentionSums *sums)
      : problem(problem), cotangents(cotangents), sums(sums),
        dout(cotangents.out) {
    result.q.resize(problem.q.view.numElements());
    result.k.resize(problem.k.view.numElements());
    result.v.resize(problem.v.view.numElements());
  }

  void addRow(int64_t b, int64_t h, int64_t i);

  FlexAttentionGradients result;

private:
  /// The weights of a query's keys; nothing of a key that contributes nothing.
  std::vector<std::optional<double>>
  computeWeights(const FlexAttentionProblem::Row &row, int64_t b, int64_t headQ,
                 int64_t rowQ) const;

  const FlexAttentionProblem &problem;
  const FlexAttentionCotangents &cotangents;
  const FlexAttentionSums *sums;
  FlexAttentionProblem::Operand dout;
};
} // namespace

std::vector<std::optional<double>>
Evaluator::computeWeights(const FlexAttentionProblem::Row &row, int64_t b,
                          int64_t headQ, int64_t rowQ) const {
  std::vector<std::optional<double>> weights(row.scores.size());
  double lse2 = sums ? loadRow(sums->lse2, b, headQ, rowQ) : 0;
  double largest =
      sums && sums->maxScores ? loadRow(*sums->maxScores, b, headQ, rowQ) : 0;
  for (size_t j = 0; j < weights.size(); ++j) {
    if (!row.hasWeight(j))
      continue;
    double weight = sums ? std::exp2(kLog2E * (row.scores[j] - largest) - lse2)
                         : row.weigh(j) / row.total;
    if (!sums || weight != 0)
      weights[j] = weight;
  }
  return weights;
}

void Evaluator::addRow(int64_t b, int64_t h, int64_t i) {
  FlexAttentionProblem::Row row = problem.computeRow(b, h, i);
  const FlexAttentionProblem::Operand &q = problem.q, &k = problem.k,
                                      &v = problem.v;
  int64_t headQ = problem.headInQ(h), headK = problem.headInK(h);
  int64_t rowQ = problem.rowInQ(h, i), keys = row.scores.size();

  // Products of dout and rows of v, and their sum by weights.
  std::vector<std::optional<double>> weights =
      computeWeights(row, b, headQ, rowQ);
  std::vector<double> products(keys);
  std::vector<double> kept(keys, 1);
  double mean = 0;
  for (int64_t j = 0; j < keys; ++j) {
    if (!weights[j])
      continue;
    if (sums && sums->keep)
      kept[j] = sums->keep(b, h, i, j);
    if (sums && sums->times)
      *weights[j] *= double(sums->times(b, h, i, j));
    for (int64_t e = 0; e < v.shape[3]; ++e) {
      double cotangent = dout.load(b, headQ, rowQ, e);
      products[j] += cotangent * v.load(b, headK, j, e);
      result.v[v.placeOf(b, headK, j) + e] += *weights[j] * kept[j] * cotangent;
    }
    products[j] *= kept[j];
    mean += *weights[j] * products[j];
  }

  double delta = mean;
  if (sums)
    delta = loadRow(sums->delta, b, headQ, rowQ);
  else if (cotangents.lse)
    delta -= loadRow(*cotangents.lse, b, headQ, rowQ);
  for (int64_t j = 0; j < keys; ++j) {
    if (!weights[j])
      continue;
    double cotangent = *weights[j] * (products[j] - delta);
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

static ErrorOr<FlexAttentionGradients>
compute(const FlexAttentionOperands &operands,
        const FlexAttentionCotangents &cotangents,
        const FlexAttentionSums *sums) {
  if (Error error = FlexAttentionProblem::checkOperands(operands))
    return error;
  FlexAttentionProblem problem(operands);
  if (Error error = problem.check())
    return error;
  if (Error error = check(operands, cotangents))
    return error;
  if (sums)
    if (Error error = check(operands, cotangents, *sums))
      return error;
  Evaluator evaluator(problem, cotangents, sums);
  forEachQuery(problem, [&](int64_t b, int64_t h, int64_t i) {
    evaluator.addRow(b, h, i);
  });
  return std::move(evaluator.result);
}

ErrorOr<FlexAttentionGradients> sattn::reference::flexAttentionBackward(
    const FlexAttentionOperands &operands,
    const FlexAttentionCotangents &cotangents) {
  return compute(operands, cotangents, nullptr);
}

ErrorOr<FlexAttentionGradients> sattn::reference::flexAttentionBackward(
    const FlexAttentionOperands &operands,
    const FlexAttentionCotangents &cotangents, const FlexAttentionSums &sums) {
  return compute(operands, cotangents, &sums);
}
