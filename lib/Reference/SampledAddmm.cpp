//===- SampledAddmm.cpp - sampled_addmm in double precision ---------------===//

#include "sattn/Reference/SampledAddmm.h"

#include "Operands.h"

#include <algorithm>
#include <tuple>
#include <utility>

using namespace sattn::reference;
using sattn::runtime::DType;
using sattn::runtime::Error;
using sattn::runtime::ErrorOr;

namespace {

class Evaluator {
public:
  explicit Evaluator(const SampledAddmmOperands &operands)
      : alpha(operands.alpha), beta(operands.beta),
        crow{"crow", operands.crow, {}}, col{"col", operands.col, {}},
        mat1{"mat1", operands.mat1, {}}, mat2{"mat2", operands.mat2, {}},
        input{operands.input ? "input" : "out",
              operands.input.value_or(operands.out),
              {}},
        out{"out", operands.out, {}}, hasInput(operands.input.has_value()),
        mat2RowDim(operands.transposeMat2 ? 1 : 2) {
    TensorView &view = mat1.view;
    if (!operands.transposeMat1 || view.rank() < 2 ||
        view.strides.size() != view.shape.size())
      return;
    std::swap(view.shape.end()[-1], view.shape.end()[-2]);
    std::swap(view.strides.end()[-1], view.strides.end()[-2]);
  }

  Error check();
  ErrorOr<std::vector<double>> compute() const;

private:
  double alpha, beta;
  Operand crow, col, mat1, mat2, input, out;
  bool hasInput;
  /// The dimension of mat2 that is K, counted from the end.
  int mat2RowDim;
  Shape batch;
  int64_t M = 0, N = 0, K = 0, nnz = 0, blockM = 0, blockN = 0;

  int mat2ColumnDim() const { return 3 - mat2RowDim; }
  Error checkViews() const;
  Error checkTypes() const;
  Error checkShapes() const;
  /// Add an input or a product to `result`, all blocks of a batch.
  void addInput(const Shape &batchIndex, double *result) const;
  /// Adds the product; `Sum` has more bits than the result.
  template <typename Sum>
  void addProduct(const Shape &batchIndex, const Pattern &pattern,
                  double *result) const;
};

Error Evaluator::checkViews() const {
  bool readsProduct = alpha != 0;
  for (auto [operand, minRank, isRead] :
       {std::tuple(&crow, 1, readsProduct), std::tuple(&col, 1, readsProduct),
        std::tuple(&mat1, 2, readsProduct), std::tuple(&mat2, 2, readsProduct),
        std::tuple(&out, 3, false), std::tuple(&input, 3, beta != 0)})
    if (Error error = checkView(*operand, minRank, isRead))
      return error;
  return Error::success();
}

Error Evaluator::checkTypes() const {
  for (const Operand *operand : {&crow, &col})
    if (DType dtype = operand->view.dtype;
        dtype != DType::I32 && dtype != DType::I64)
      return expected(std::string(operand->name) + " of type i32 or i64",
                      name(dtype));
  DType dtype = mat1.view.dtype;
  if (Error error = checkProductTypes("mat1", dtype, out.view.dtype))
    return error;
  if (!canMultiply(dtype, mat2.view.dtype))
    return expected("mat2 of mat1's type, " + std::string(name(dtype)),
                    name(mat2.view.dtype));
  if (DType added = addedType(dtype, out.view.dtype);
      hasInput && input.view.dtype != added)
    return expected(std::string("input of ") +
                        (added == dtype ? "mat1's type, " : "out's type, ") +
                        name(added),
                    name(input.view.dtype));
  return Error::success();
}

Error Evaluator::checkShapes() const {
  if (blockM < 1 || blockN < 1)
    return expected("out's blocks to be at least 1 x 1",
                    str(blockM) + " x " + str(blockN));
  if (M % blockM != 0)
    return expected("mat1's rows to be a multiple of out's block rows, " +
                        str(blockM),
                    str(M));
  if (crow.extent(1) != M / blockM + 1)
    return expected(
        "crow's last extent to be one more than mat1's block rows, " +
            str(M / blockM + 1),
        str(crow.extent(1)));
  if (N % blockN != 0)
    return expected("mat2's columns to be a multiple of out's block columns, " +
                        str(blockN),
                    str(N));
  if (mat2.extent(mat2RowDim) != K)
    return expected("mat2's rows to be mat1's columns, " + str(K),
                    str(mat2.extent(mat2RowDim)));
  if (col.extent(1) != nnz)
    return expected("col's last extent to be that of out's blocks, " + str(nnz),
                    str(col.extent(1)));
  for (int dim : {3, 2, 1})
    if (input.extent(dim) != out.extent(dim))
      return expected("input's blocks to be those of out, " +
                          str(out.view.shape),
                      str(input.view.shape));
  return Error::success();
}

Error Evaluator::check() {
  if (Error error = checkViews())
    return error;
  if (Error error = checkTypes())
    return error;
  batch.assign(out.view.shape.begin(), out.view.shape.end() - 3);
  M = mat1.extent(2);
  K = mat1.extent(1);
  N = mat2.extent(mat2ColumnDim());
  nnz = out.extent(3);
  blockM = out.extent(2);
  blockN = out.extent(1);
  if (Error error = checkShapes())
    return error;
  for (auto [operand, trailing] :
       {std::pair(&crow, 1), std::pair(&col, 1), std::pair(&mat1, 2),
        std::pair(&mat2, 2), std::pair(&input, 3)}) {
    ErrorOr<Shape> strides = broadcast(*operand, trailing, batch);
    if (!strides)
      return strides.takeError();
    operand->batchStrides = *strides;
  }
  return Error::success();
}

void Evaluator::addInput(const Shape &batchIndex, double *result) const {
  int64_t base = input.offset(batchIndex);
  for (int64_t p = 0; p < nnz; ++p)
    for (int64_t i = 0; i < blockM; ++i)
      for (int64_t j = 0; j < blockN; ++j)
        *result++ +=
            beta * input.load(base + p * input.stride(3) + i * input.stride(2) +
                              j * input.stride(1));
}

template <typename Sum>
void Evaluator::addProduct(const Shape &batchIndex, const Pattern &pattern,
                           double *result) const {
  int64_t base1 = mat1.offset(batchIndex), base2 = mat2.offset(batchIndex);
  std::vector<Sum> sums(blockM * blockN);
  for (int64_t row = 0; row < M / blockM; ++row)
    for (int64_t p = pattern.offsets[row]; p < pattern.offsets[row + 1]; ++p) {
      int64_t column = pattern.columns[p - pattern.offsets.front()];
      std::fill(sums.begin(), sums.end(), Sum(0));
      for (int64_t k = 0; k < K; ++k)
        for (int64_t i = 0; i < blockM; ++i) {
          Sum left = mat1.load(base1 + (row * blockM + i) * mat1.stride(2) +
                               k * mat1.stride(1));
          for (int64_t j = 0; j < blockN; ++j)
            sums[i * blockN + j] +=
                left *
                mat2.load(base2 + k * mat2.stride(mat2RowDim) +
                          (column * blockN + j) * mat2.stride(mat2ColumnDim()));
        }
      double *block = result + p * blockM * blockN;
      for (size_t i = 0; i < sums.size(); ++i)
        block[i] += double(alpha * sums[i]);
    }
}

ErrorOr<std::vector<double>> Evaluator::compute() const {
  std::vector<double> result(out.view.numElements(), 0.0);
  if (result.empty())
    return result;
  int64_t size = nnz * blockM * blockN;
  for (int64_t i = 0; i < static_cast<int64_t>(result.size()) / size; ++i) {
    Shape batchIndex = indexOf(i, batch);
    double *blocks = result.data() + i * size;
    if (beta != 0)
      addInput(batchIndex, blocks);
    if (alpha == 0)
      continue;
    ErrorOr<Pattern> pattern =
        loadPattern(crow, col, nnz, N / blockN, batchIndex);
    if (!pattern)
      return pattern.takeError();
    if (K > 0 && mat1.view.dtype == DType::F64)
      addProduct<long double>(batchIndex, *pattern, blocks);
    else if (K > 0)
      addProduct<double>(batchIndex, *pattern, blocks);
  }
  return result;
}

} // namespace

ErrorOr<std::vector<double>>
sattn::reference::sampledAddmm(const SampledAddmmOperands &operands) {
  Evaluator evaluator(operands);
  if (Error error = evaluator.check())
    return error;
  return evaluator.compute();
}
