//===- FlexAttention.cpp - flex_attention in double precision -------------===//

#include "sattn/Reference/FlexAttention.h"

#include "FlexAttentionProblem.h"

using namespace sattn::reference;
using sattn::runtime::Error;
using sattn::runtime::ErrorOr;

static void computeRow(const FlexAttentionProblem &problem, int64_t b,
                       int64_t h, int64_t i, FlexAttentionResult &result) {
  FlexAttentionProblem::Row row = problem.computeRow(b, h, i);
  int64_t columns = problem.v.shape[3];
  size_t begin = result.out.size();
  result.out.resize(begin + columns, 0.0);
  for (size_t j = 0; j < row.scores.size(); ++j) {
    if (!row.hasWeight(j))
      continue;
    double weight = row.weigh(j);
    for (int64_t e = 0; e < columns; ++e)
      result.out[begin + e] +=
          weight * problem.v.load(b, problem.headInK(h), j, e);
  }
  for (int64_t e = 0; row.total != 0 && e < columns; ++e)
    result.out[begin + e] /= row.total;
  result.maxScores.push_back(row.largest);
  result.lse.push_back(row.computeLse());
  result.visible += row.visible;
}

ErrorOr<FlexAttentionResult>
sattn::reference::flexAttention(const FlexAttentionOperands &operands) {
  if (Error error = FlexAttentionProblem::checkOperands(operands))
    return error;
  FlexAttentionProblem problem(operands);
  if (Error error = problem.check())
    return error;
  FlexAttentionResult result;
  forEachQuery(problem, [&](int64_t b, int64_t h, int64_t i) {
    computeRow(problem, b, h, i, result);
  });
  return result;
}
