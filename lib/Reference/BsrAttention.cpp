//===- BsrAttention.cpp - bsr_attention in double precision -------------===//

#include "sattn/Reference/BsrAttention.h"

#include "Operands.h"

#include "sattn/Reference/Philox.h"

#include <cmath>
#include <limits>
#include <tuple>

using namespace sattn::reference;
using sattn::runtime::DType;
using sattn::runtime::Error;
using sattn::runtime::ErrorOr;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

namespace {
class Evaluator {
public:
  explicit Evaluator(const BsrAttentionOperands &op)
      : op(op), crow{"crow", op.crow, {}}, col{"col", op.col, {}},
        q{"q", op.q, {}}, k{"k", op.k, {}}, v{"v", op.v, {}},
        out{"out", op.out, {}},
        probability(op.q.dtype == DType::F64
                        ? op.probability
                        : static_cast<float>(op.probability)) {}

  Error check();
  ErrorOr<BsrAttentionResult> compute() const;

private:
  const BsrAttentionOperands &op;
  Operand crow, col, q, k, v, out;
  double probability;
  int64_t seed = 0, offset = 0;
  Shape batch;
  int64_t M = 0, N = 0, D = 0, E = 0;

  Error checkTypes() const;
  Error checkShapes() const;
  Error readRandom();
  double weigh(int64_t number, int64_t row, int64_t key) const;
  /// Computes a row; `Sum` has more bits than the result. `keys` are those of
  /// the row's blocks, in their order.
  template <typename Sum>
  void computeRow(int64_t number, const Shape &index, int64_t row,
                  const Shape &keys, double *result, double &lse) const;
};
} // namespace

Error Evaluator::checkTypes() const {
  for (const Operand *operand : {&crow, &col})
    if (DType dtype = operand->view.dtype;
        dtype != DType::I32 && dtype != DType::I64)
      return expected(std::string(operand->name) + " of type i32 or i64",
                      name(dtype));
  for (const Operand *operand : {&q, &out})
    if (!isFloat(operand->view.dtype))
      return expected(std::string(operand->name) + " of a float type",
                      name(operand->view.dtype));
  for (const Operand *operand : {&k, &v})
    if (operand->view.dtype != q.view.dtype)
      return expected(std::string(operand->name) + " of q's type, " +
                          std::string(name(q.view.dtype)),
                      name(operand->view.dtype));
  return Error::success();
}

Error Evaluator::checkShapes() const {
  if (op.blockRows < 1 || op.blockColumns < 1)
    return expected("blocks of at least 1 x 1",
                    str(op.blockRows) + " x " + str(op.blockColumns));
  if (M % op.blockRows != 0)
    return expected("q's rows to be a multiple of the block's " +
                        str(op.blockRows),
                    str(M));
  if (crow.extent(1) != M / op.blockRows + 1)
    return expected("crow's last extent to be one more than q's block rows, " +
                        str(M / op.blockRows + 1),
                    str(crow.extent(1)));
  if (N % op.blockColumns != 0)
    return expected("k's rows to be a multiple of the block's " +
                        str(op.blockColumns) + " columns",
                    str(N));
  for (auto [what, wanted, got] :
       {std::tuple("k's columns to be those of q, ", D, k.extent(1)),
        {"v's rows to be those of k, ", N, v.extent(2)},
        {"out's rows to be those of q, ", M, out.extent(2)},
        {"out's columns to be those of v, ", E, out.extent(1)}})
    if (wanted != got)
      return expected(std::string(what) + str(wanted), str(got));
  return Error::success();
}

Error Evaluator::readRandom() {
  if (!op.random)
    return Error::success();
  if (op.random->dtype != DType::I64 || op.random->shape != Shape{2})
    return expected("random of two elements of i64",
                    std::string(name(op.random->dtype)) + " of shape " +
                        str(op.random->shape));
  seed = loadIndex(*op.random, 0);
  offset = loadIndex(*op.random, op.random->strides[0]);
  return Error::success();
}

Error Evaluator::check() {
  for (auto [operand, minRank] :
       {std::pair(&crow, 1), {&col, 1}, {&q, 2}, {&k, 2}, {&v, 2}, {&out, 2}})
    if (Error error = checkView(*operand, minRank, operand != &out))
      return error;
  if (Error error = checkTypes())
    return error;
  batch.assign(out.view.shape.begin(), out.view.shape.end() - 2);
  M = q.extent(2);
  N = k.extent(2);
  D = q.extent(1);
  E = v.extent(1);
  if (Error error = checkShapes())
    return error;
  for (auto [operand, trailing] :
       {std::pair(&crow, 1), {&col, 1}, {&q, 2}, {&k, 2}, {&v, 2}}) {
    ErrorOr<Shape> strides = broadcast(*operand, trailing, batch);
    if (!strides)
      return strides.takeError();
    operand->batchStrides = *strides;
  }
  return readRandom();
}

/// The factor that dropout applies to a weight.
double Evaluator::weigh(int64_t number, int64_t row, int64_t key) const {
  if (!op.random)
    return 1;
  if (!isKept(probability, seed, offset, number, row, key))
    return 0;
  return 1 / (1 - std::fmax(probability, 0));
}

template <typename Sum>
void Evaluator::computeRow(int64_t number, const Shape &index, int64_t row,
                           const Shape &keys, double *result,
                           double &lse) const {
  int64_t baseQ = q.offset(index) + row * q.stride(2), baseK = k.offset(index),
          baseV = v.offset(index);
  std::vector<Sum> scores, sums(E);
  Sum largest = -kInfinity;
  for (int64_t key : keys) {
    Sum sum = 0;
    for (int64_t d = 0; d < D; ++d)
      sum += Sum(q.load(baseQ + d * q.stride(1))) *
             k.load(baseK + key * k.stride(2) + d * k.stride(1));
    scores.push_back(op.scale * sum);
    largest = std::fmax(largest, scores.back());
  }
  Sum shift = largest == -kInfinity ? 0 : largest, total = 0;
  for (Sum &score : scores)
    total += score = std::exp(score - shift);
  for (size_t i = 0; i < keys.size(); ++i) {
    Sum weight = scores[i] / (total == 0 ? 1 : total);
    weight *= weigh(number, row, keys[i]);
    for (int64_t e = 0; weight != 0 && e < E; ++e)
      sums[e] +=
          weight * v.load(baseV + keys[i] * v.stride(2) + e * v.stride(1));
  }
  for (int64_t e = 0; e < E; ++e)
    result[e] = double(sums[e]);
  lse = double(shift + std::log(total));
}

ErrorOr<BsrAttentionResult> Evaluator::compute() const {
  int64_t batches = 1;
  for (int64_t extent : batch)
    batches *= extent;
  BsrAttentionResult result;
  result.out.resize(batches * M * E);
  result.lse.resize(batches * M);
  for (int64_t number = 0; number < batches; ++number) {
    Shape index = indexOf(number, batch);
    ErrorOr<Pattern> pattern =
        loadPattern(crow, col, col.extent(1), N / op.blockColumns, index);
    if (!pattern)
      return pattern.takeError();
    for (int64_t blockRow = 0; blockRow < M / op.blockRows; ++blockRow) {
      Shape keys;
      for (int64_t p = pattern->offsets[blockRow];
           p < pattern->offsets[blockRow + 1]; ++p)
        for (int64_t j = 0; j < op.blockColumns; ++j)
          keys.push_back(pattern->columns[p - pattern->offsets.front()] *
                             op.blockColumns +
                         j);
      for (int64_t i = 0; i < op.blockRows; ++i) {
        int64_t row = blockRow * op.blockRows + i;
        double *target = result.out.data() + (number * M + row) * E;
        double &lse = result.lse[number * M + row];
        if (q.view.dtype == DType::F64)
          computeRow<long double>(number, index, row, keys, target, lse);
        else
          computeRow<double>(number, index, row, keys, target, lse);
      }
    }
  }
  return result;
}

ErrorOr<BsrAttentionResult>
sattn::reference::bsrAttention(const BsrAttentionOperands &operands) {
  Evaluator evaluator(operands);
  if (Error error = evaluator.check())
    return error;
  return evaluator.compute();
}
