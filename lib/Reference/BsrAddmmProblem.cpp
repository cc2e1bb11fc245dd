//===- BsrAddmmProblem.cpp - Checks of bsr_addmm's operands ---------------===//

#include "BsrAddmmProblem.h"

#include <algorithm>
#include <limits>
#include <utility>

using namespace sattn::reference;
namespace runtime = sattn::runtime;
using runtime::Error;
using runtime::ErrorOr;

/// Views a transposed matrix as the matrix. What has one dimension, or none, is
/// broadcast along the others.
static void transpose(TensorView &view) {
  if (view.strides.size() != view.shape.size())
    return;
  while (view.rank() < 2) {
    view.shape.insert(view.shape.begin(), 1);
    view.strides.insert(view.strides.begin(), 0);
  }
  std::swap(view.shape.end()[-1], view.shape.end()[-2]);
  std::swap(view.strides.end()[-1], view.strides.end()[-2]);
}

ErrorOr<BsrAddmmProblem>
BsrAddmmProblem::create(const BsrAddmmOperands &operands) {
  BsrAddmmProblem problem;
  problem.alpha = operands.alpha;
  problem.beta = operands.beta;
  problem.crow = {"crow", operands.crow, {}};
  problem.col = {"col", operands.col, {}};
  problem.values = {"values", operands.values, {}};
  problem.b = {"b", operands.b, {}};
  problem.out = {"out", operands.out, {}};
  problem.inputIsOut = !operands.input;
  problem.input = {problem.inputIsOut ? "out" : "input",
                   operands.input.value_or(operands.out),
                   {}};
  if (operands.left)
    problem.left = Operand{"left", *operands.left, {}};
  if (operands.right)
    problem.right = Operand{"right", *operands.right, {}};

  if (operands.order)
    problem.order = Operand{"order", *operands.order, {}};

  if (Error error = problem.checkViews())
    return error;
  problem.isTransposed = operands.transposeOut;
  if (operands.transposeA)
    transpose(problem.values.view);
  if (operands.transposeB)
    transpose(problem.b.view);
  if (operands.transposeOut)
    for (Operand *operand : {&problem.input, &problem.out})
      transpose(operand->view);

  const Shape &shape = problem.out.view.shape;
  problem.batch.assign(shape.begin(), shape.end() - 2);
  problem.M = problem.out.extent(2);
  problem.N = problem.out.extent(1);
  problem.K = problem.b.extent(2);
  problem.nnz = problem.values.extent(3);
  problem.blockM = problem.values.extent(2);
  problem.blockK = problem.values.extent(1);
  if (Error error = problem.checkTypes())
    return error;
  if (Error error = problem.checkShapes())
    return error;
  if (Error error = problem.broadcastAll())
    return error;
  return problem;
}

Error BsrAddmmProblem::checkViews() const {
  bool readsProduct = alpha != 0;
  std::vector<std::pair<const Operand *, int>> multiplicands = {
      {&crow, 1}, {&col, 1}, {&values, 3}, {&b, 2}};
  if (left)
    multiplicands.push_back({&*left, 1});
  if (right)
    multiplicands.push_back({&*right, 1});
  if (order)
    multiplicands.push_back({&*order, 1});
  for (auto [operand, minRank] : multiplicands)
    if (Error error = checkView(*operand, minRank, readsProduct))
      return error;
  if (Error error = checkView(out, 2, false))
    return error;
  return checkView(input, 0, beta != 0);
}

Error BsrAddmmProblem::checkTypes() const {
  for (const Operand *operand : {&crow, &col, order ? &*order : &col})
    if (DType dtype = operand->view.dtype;
        dtype != DType::I32 && dtype != DType::I64)
      return expected(std::string(operand->name) + " of type i32 or i64",
                      runtime::name(dtype));
  DType dtype = values.view.dtype;
  if (Error error = checkProductTypes("values", dtype, out.view.dtype))
    return error;
  std::string ofValues =
      " of values' type, " + std::string(runtime::name(dtype));
  if (!canMultiply(dtype, b.view.dtype))
    return expected("b" + ofValues, runtime::name(b.view.dtype));
  if (DType added = addedType(dtype, out.view.dtype);
      !inputIsOut && input.view.dtype != added)
    return expected(std::string("input of ") +
                        (added == dtype ? "values' type, " : "out's type, ") +
                        runtime::name(added),
                    runtime::name(input.view.dtype));
  for (const std::optional<Operand> *scale : {&left, &right})
    if (*scale && (*scale)->view.dtype != dtype &&
        (*scale)->view.dtype != DType::F32)
      return expected((*scale)->name + ofValues + ", or f32",
                      runtime::name((*scale)->view.dtype));
  return Error::success();
}

Error BsrAddmmProblem::checkShapes() const {
  if (blockM < 1 || blockK < 1)
    return expected("values' blocks to be at least 1 x 1",
                    str(blockM) + " x " + str(blockK));
  if (col.extent(1) != nnz)
    return expected("col's last extent to be that of values' blocks, " +
                        str(nnz),
                    str(col.extent(1)));
  if (order && order->extent(1) != nnz)
    return expected("order's last extent to be that of values' blocks, " +
                        str(nnz),
                    str(order->extent(1)));
  if (M % blockM != 0)
    return expected("out's rows to be a multiple of values' block rows, " +
                        str(blockM),
                    str(M));
  if (crow.extent(1) != M / blockM + 1)
    return expected(
        "crow's last extent to be one more than out's block rows, " +
            str(M / blockM + 1),
        str(crow.extent(1)));
  if (K % blockK != 0)
    return expected("b's rows to be a multiple of values' block columns, " +
                        str(blockK),
                    str(K));
  if (b.extent(1) != N)
    return expected("b's columns to be those of out, " + str(N),
                    str(b.extent(1)));
  if (left && left->extent(1) != M)
    return expected("left's last extent to be out's rows, " + str(M),
                    str(left->extent(1)));
  if (right && right->extent(1) != N)
    return expected("right's last extent to be out's columns, " + str(N),
                    str(right->extent(1)));
  constexpr int64_t limit =
      std::numeric_limits<int64_t>::max() / int64_t(sizeof(double));
  int64_t count = 1;
  bool isEmpty =
      std::count(out.view.shape.begin(), out.view.shape.end(), 0) != 0;
  for (int64_t extent : out.view.shape) {
    if (!isEmpty && count > limit / extent)
      return expected("out to be of less than 2^60 elements",
                      str(out.view.shape));
    count *= isEmpty ? 1 : extent;
  }
  return Error::success();
}

Error BsrAddmmProblem::broadcastAll() {
  std::vector<std::pair<Operand *, int>> batched = {
      {&crow, 1}, {&col, 1}, {&values, 3}, {&b, 2}};
  if (left)
    batched.push_back({&*left, 1});
  if (right)
    batched.push_back({&*right, 1});
  if (order)
    batched.push_back({&*order, 1});
  for (auto [operand, trailing] : batched) {
    ErrorOr<Shape> strides = broadcast(*operand, trailing, batch);
    if (!strides)
      return strides.takeError();
    operand->batchStrides = *strides;
  }
  // The input is broadcast in its rows and columns too, then read through the
  // strides that this gives.
  ErrorOr<Shape> strides = broadcast(input, 0, out.view.shape);
  if (!strides)
    return strides.takeError();
  input.view.shape = out.view.shape;
  input.view.strides = *strides;
  input.batchStrides.assign(strides->begin(), strides->end() - 2);
  return Error::success();
}
