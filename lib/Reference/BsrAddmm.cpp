//===- BsrAddmm.cpp - bsr_addmm in double precision -----------------------===//

#include "sattn/Reference/BsrAddmm.h"

#include "BsrAddmmProblem.h"

#include <algorithm>
#include <utility>

using namespace sattn::reference;
using sattn::runtime::Error;
using sattn::runtime::ErrorOr;

namespace {

/// Columns of b that are held as doubles at a time.
constexpr int64_t kPanelColumns = 128;

/// Computes one matrix of the batch after the other.
class Evaluator : BsrAddmmProblem {
public:
  explicit Evaluator(BsrAddmmProblem problem)
      : BsrAddmmProblem(std::move(problem)) {}
  ErrorOr<std::vector<double>> compute() const;

private:
  /// The place of an element in a dense matrix of the result.
  int64_t place(int64_t row, int64_t column) const {
    return isTransposed ? column * M + row : row * N + column;
  }
  /// Add an input or a product to `result`, a dense matrix.
  void addInput(const Shape &batchIndex, double *result) const;
  Error checkOrder(const Shape &batchIndex, const Pattern &pattern) const;
  /// Adds the product; `Sum` has more bits than the result.
  template <typename Sum>
  void addProduct(const Shape &batchIndex, const Pattern &pattern,
                  double *result) const;
  template <typename Sum>
  void addBlockRow(const Shape &batchIndex, int64_t blockRow, int64_t column0,
                   int64_t width, const std::vector<Sum> &sums,
                   double *result) const;
};

void Evaluator::addInput(const Shape &batchIndex, double *result) const {
  int64_t base = input.offset(batchIndex);
  for (int64_t i = 0; i < M; ++i)
    for (int64_t j = 0; j < N; ++j)
      result[place(i, j)] +=
          beta * input.load(base + i * input.stride(2) + j * input.stride(1));
}

template <typename Sum>
void Evaluator::addProduct(const Shape &batchIndex, const Pattern &pattern,
                           double *result) const {
  if (pattern.columns.empty())
    return;
  std::vector<double> panel(K * std::min(N, kPanelColumns));
  std::vector<Sum> sums(blockM * std::min(N, kPanelColumns));
  for (int64_t column0 = 0; column0 < N; column0 += kPanelColumns) {
    int64_t width = std::min(N - column0, kPanelColumns);
    int64_t base = b.offset(batchIndex) + column0 * b.stride(1);
    for (int64_t k = 0; k < K; ++k)
      for (int64_t j = 0; j < width; ++j)
        panel[k * width + j] = b.load(base + k * b.stride(2) + j * b.stride(1));

    for (int64_t row = 0; row < M / blockM; ++row) {
      int64_t begin = pattern.offsets[row], end = pattern.offsets[row + 1];
      if (begin == end)
        continue;
      std::fill(sums.begin(), sums.end(), Sum(0));
      for (int64_t p = begin; p < end; ++p) {
        int64_t column = pattern.columns[p - pattern.offsets.front()];
        int64_t place = order
                            ? loadIndex(order->view, order->offset(batchIndex) +
                                                         p * order->stride(1))
                            : p;
        int64_t block = values.offset(batchIndex) + place * values.stride(3);
        for (int64_t i = 0; i < blockM; ++i) {
          Sum *sum = &sums[i * width];
          for (int64_t k = 0; k < blockK; ++k) {
            Sum a = values.load(block + i * values.stride(2) +
                                k * values.stride(1));
            const double *other = &panel[(column * blockK + k) * width];
            for (int64_t j = 0; j < width; ++j)
              sum[j] += a * other[j];
          }
        }
      }
      addBlockRow(batchIndex, row, column0, width, sums, result);
    }
  }
}

template <typename Sum>
void Evaluator::addBlockRow(const Shape &batchIndex, int64_t blockRow,
                            int64_t column0, int64_t width,
                            const std::vector<Sum> &sums,
                            double *result) const {
  auto scale = [&](const std::optional<Operand> &operand, int64_t i) {
    if (!operand)
      return 1.0;
    return operand->load(operand->offset(batchIndex) + i * operand->stride(1));
  };
  for (int64_t i = 0; i < blockM; ++i) {
    int64_t row = blockRow * blockM + i;
    double leftScale = scale(left, row);
    for (int64_t j = 0; j < width; ++j)
      result[place(row, column0 + j)] +=
          double(leftScale * (alpha * sums[i * width + j]) *
                 scale(right, column0 + j));
  }
}

Error Evaluator::checkOrder(const Shape &batchIndex,
                            const Pattern &pattern) const {
  if (!order)
    return Error::success();
  for (int64_t p = pattern.offsets.front(); p < pattern.offsets.back(); ++p) {
    int64_t place = loadIndex(order->view,
                              order->offset(batchIndex) + p * order->stride(1));
    if (place < 0 || place >= nnz)
      return expected("order[" + str(p) + "] in [0, " + str(nnz) + ")",
                      str(place));
  }
  return Error::success();
}

ErrorOr<std::vector<double>> Evaluator::compute() const {
  std::vector<double> result(out.view.numElements(), 0.0);
  if (result.empty())
    return result;
  int64_t batches = 1;
  for (int64_t extent : batch)
    batches *= extent;
  for (int64_t i = 0; i < batches; ++i) {
    Shape batchIndex = indexOf(i, batch);
    double *matrix = result.data() + i * M * N;
    if (beta != 0)
      addInput(batchIndex, matrix);
    if (alpha == 0)
      continue;
    ErrorOr<Pattern> pattern =
        loadPattern(crow, col, nnz, K / blockK, batchIndex);
    if (!pattern)
      return pattern.takeError();
    if (Error error = checkOrder(batchIndex, *pattern))
      return error;
    if (values.view.dtype == DType::F64)
      addProduct<long double>(batchIndex, *pattern, matrix);
    else
      addProduct<double>(batchIndex, *pattern, matrix);
  }
  return result;
}

} // namespace

ErrorOr<std::vector<double>>
sattn::reference::bsrAddmm(const BsrAddmmOperands &operands) {
  ErrorOr<BsrAddmmProblem> problem = BsrAddmmProblem::create(operands);
  if (!problem)
    return problem.takeError();
  return Evaluator(std::move(*problem)).compute();
}
