//===- BsrSoftmax.cpp - bsr_softmax in double precision -------------------===//

#include "sattn/Reference/BsrSoftmax.h"
#include "sattn/Reference/ElementConversion.h"

#include <limits>
#include <string>

using namespace sattn::reference;
using sattn::runtime::Error;
using sattn::runtime::ErrorOr;

namespace {
using Shape = std::vector<int64_t>;

class Evaluator {
public:
  explicit Evaluator(const BsrSoftmaxOperands &op)
      : op(op), batchRank(op.values.rank() - 3) {}

  Error check() const;
  ErrorOr<std::vector<double>> compute() const;

private:
  /// Elements of a tensor before its matrix or list of the batch.
  int64_t findBatch(const TensorView &view, int64_t rest,
                    const Shape &batch) const;
  /// `Sum` has more bits than the result.
  template <typename Sum>
  void computeRow(int64_t begin, int64_t end, int64_t row, int64_t source,
                  double *matrix) const;

  int64_t blocks() const { return op.values.shape.end()[-3]; }
  int64_t rows() const { return op.values.shape.end()[-2]; }
  int64_t columns() const { return op.values.shape.back(); }

  const BsrSoftmaxOperands &op;
  int64_t batchRank;
};
} // namespace

static std::string str(const Shape &shape) {
  std::string text = "(";
  for (size_t dim = 0; dim < shape.size(); ++dim)
    text += (dim ? ", " : "") + std::to_string(shape[dim]);
  return text + ")";
}

static Error expected(const std::string &what, const std::string &got) {
  return Error("expected " + what + ", but got " + got);
}

Error Evaluator::check() const {
  auto isFloat = [](DType dtype) {
    return dtype == DType::F16 || dtype == DType::BF16 || dtype == DType::F32 ||
           dtype == DType::F64;
  };
  if (op.values.rank() < 3)
    return expected("values of rank 3 or more",
                    "rank " + std::to_string(op.values.rank()));
  if (op.crow.rank() < 1 || op.crow.rank() > 1 + batchRank)
    return expected("crow of rank 1 to " + std::to_string(1 + batchRank),
                    "rank " + std::to_string(op.crow.rank()));
  if (op.crow.dtype != DType::I32 && op.crow.dtype != DType::I64)
    return expected("crow of type i32 or i64",
                    sattn::runtime::name(op.crow.dtype));
  for (auto [name, view] :
       {std::pair("values", &op.values), std::pair("out", &op.out)})
    if (!isFloat(view->dtype))
      return expected(std::string(name) + " of a float type",
                      sattn::runtime::name(view->dtype));
  if (op.out.shape != op.values.shape)
    return expected("out of the shape of values, " + str(op.values.shape),
                    str(op.out.shape));
  if (op.crow.shape.back() < 1)
    return expected("crow of at least 1 offset", str(op.crow.shape));
  for (int64_t dim = 0; dim < op.crow.rank() - 1; ++dim) {
    int64_t extent = op.crow.shape[dim];
    if (extent != 1 &&
        extent != op.values.shape[batchRank + 1 - op.crow.rank() + dim])
      return expected("crow's batch dimensions to broadcast to those of "
                      "values, " +
                          str(op.values.shape),
                      str(op.crow.shape));
  }
  return Error::success();
}

int64_t Evaluator::findBatch(const TensorView &view, int64_t rest,
                             const Shape &batch) const {
  int64_t rank = view.rank() - rest, offset = 0;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (view.shape[dim] != 1)
      offset += batch[batchRank - rank + dim] * view.strides[dim];
  return offset;
}

template <typename Sum>
void Evaluator::computeRow(int64_t begin, int64_t end, int64_t row,
                           int64_t source, double *matrix) const {
  auto load = [&](int64_t block, int64_t column) -> Sum {
    return loadElement(op.values, source + block * op.values.strides.end()[-3] +
                                      row * op.values.strides.end()[-2] +
                                      column * op.values.strides.back());
  };
  Sum maximum = -std::numeric_limits<Sum>::infinity(), total = 0;
  for (int64_t block = begin; block < end; ++block)
    for (int64_t column = 0; column < columns(); ++column)
      maximum = std::fmax(maximum, load(block, column));
  Sum shift = maximum == -std::numeric_limits<Sum>::infinity() ? 0 : maximum;
  for (int64_t block = begin; block < end; ++block)
    for (int64_t column = 0; column < columns(); ++column)
      total += std::exp(load(block, column) - shift);
  for (int64_t block = begin; block < end; ++block)
    for (int64_t column = 0; column < columns(); ++column)
      matrix[(block * rows() + row) * columns() + column] = double(
          std::exp(load(block, column) - shift) / (total == 0 ? 1 : total));
}

ErrorOr<std::vector<double>> Evaluator::compute() const {
  std::vector<double> result(op.out.numElements(), 0.0);
  int64_t size = blocks() * rows() * columns();
  for (int64_t i = 0; size && i < int64_t(result.size()) / size; ++i) {
    Shape batch(batchRank);
    for (int64_t dim = batchRank - 1, rest = i; dim >= 0; --dim) {
      batch[dim] = rest % op.values.shape[dim];
      rest /= op.values.shape[dim];
    }
    double *matrix = result.data() + i * size;
    int64_t old = findBatch(op.out, 3, batch), element = 0;
    if (op.out.data)
      for (int64_t block = 0; block < blocks(); ++block)
        for (int64_t row = 0; row < rows(); ++row)
          for (int64_t column = 0; column < columns(); ++column)
            matrix[element++] =
                loadElement(op.out, old + block * op.out.strides.end()[-3] +
                                        row * op.out.strides.end()[-2] +
                                        column * op.out.strides.back());
    int64_t source = findBatch(op.values, 3, batch);
    int64_t list = findBatch(op.crow, 1, batch), begin = 0;
    for (int64_t j = 0; j < op.crow.shape.back(); ++j) {
      int64_t end = loadIndex(op.crow, list + j * op.crow.strides.back());
      if (end < begin || end > blocks())
        return expected("crow[" + std::to_string(j) + "] to be from " +
                            std::to_string(begin) + " to " +
                            std::to_string(blocks()),
                        std::to_string(end));
      for (int64_t row = 0; j > 0 && row < rows(); ++row)
        if (op.values.dtype == DType::F64)
          computeRow<long double>(begin, end, row, source, matrix);
        else
          computeRow<double>(begin, end, row, source, matrix);
      begin = end;
    }
  }
  return result;
}

ErrorOr<std::vector<double>>
sattn::reference::bsrSoftmax(const BsrSoftmaxOperands &operands) {
  Evaluator evaluator(operands);
  if (Error error = evaluator.check())
    return error;
  return evaluator.compute();
}
