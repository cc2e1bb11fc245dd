//===- SampledAddmmOp.cpp - sampled_addmm for tools -----------------------===//

#include "sattn/Reference/Op.h"
#include "sattn/Reference/SampledAddmm.h"

#include <algorithm>

using namespace sattn::reference;
using sattn::runtime::ErrorOr;
using sattn::runtime::TensorView;

static TensorView tensorOf(const NamedOperands &operands, const char *name) {
  return *operands.findTensor(name);
}

static double numberOf(const NamedOperands &operands, const char *name) {
  return std::get<double>(operands.find(name)->value);
}

static ErrorOr<std::vector<Result>> compute(const NamedOperands &operands) {
  SampledAddmmOperands op;
  op.alpha = numberOf(operands, "alpha");
  op.beta = numberOf(operands, "beta");
  op.crow = tensorOf(operands, "crow");
  op.col = tensorOf(operands, "col");
  op.mat1 = tensorOf(operands, "mat1");
  op.mat2 = tensorOf(operands, "mat2");
  if (const TensorView *input = operands.findTensor("input"))
    op.input = *input;
  op.out = tensorOf(operands, "out");
  op.transposeMat1 = operands.find("transpose_mat1") != nullptr;
  op.transposeMat2 = operands.find("transpose_mat2") != nullptr;
  ErrorOr<std::vector<double>> out = sampledAddmm(op);
  if (!out)
    return out.takeError();
  return std::vector<Result>{{"out", std::move(*out)}};
}

static ErrorOr<std::vector<int64_t>> inferShape(const NamedOperands &operands) {
  const TensorView *col = operands.findTensor("col");
  const TensorView *input = operands.findTensor("input");
  if (!col || col->rank() < 1)
    return sattn::runtime::Error("");
  if (input && input->rank() >= 3)
    return std::vector<int64_t>(input->shape.end() - 3, input->shape.end());
  if (!operands.find("block_rows") || !operands.find("block_columns"))
    return sattn::runtime::Error("");
  return std::vector<int64_t>{
      col->shape.back(), static_cast<int64_t>(numberOf(operands, "block_rows")),
      static_cast<int64_t>(numberOf(operands, "block_columns"))};
}

static Description describe(const NamedOperands &operands) {
  TensorView mat1 = tensorOf(operands, "mat1"),
             mat2 = tensorOf(operands, "mat2"), out = tensorOf(operands, "out");
  bool isTransposed = operands.find("transpose_mat2");
  bool isLeftTransposed = operands.find("transpose_mat1");
  int64_t m = mat1.shape.end()[isLeftTransposed ? -1 : -2],
          k = mat1.shape.end()[isLeftTransposed ? -2 : -1];
  int64_t n = mat2.shape.end()[isTransposed ? -2 : -1];
  int64_t blockRows = out.shape.end()[-2], blockColumns = out.shape.back();
  int64_t batch = 1;
  for (int64_t dim = 0; dim < out.rank() - 3; ++dim)
    batch *= out.shape[dim];
  int64_t stored = batch * out.shape.end()[-3];
  std::string dtype = name(mat1.dtype), outDtype = name(out.dtype);
  auto text = [](int64_t number) { return std::to_string(number); };
  Description result;
  result.text = (batch == 1 ? "" : text(batch) + " x ") + text(m) + "x" +
                text(k) + " @ " + text(k) + "x" + text(n) + " at " +
                text(stored) + " blocks of " + text(blockRows) + "x" +
                text(blockColumns) + ", " + dtype + " -> " + outDtype;
  result.members = {{"m", m},
                    {"k", k},
                    {"n", n},
                    {"batch", batch},
                    {"block", std::vector<int64_t>{blockRows, blockColumns}},
                    {"stored_blocks", stored},
                    {"dtype", dtype},
                    {"out_dtype", outDtype}};
  double present = double(stored) * blockRows * blockColumns;
  result.operations = 2.0 * present * k;
  result.sizes = {m, n, k};
  double all = double(m) * n * batch;
  result.sparsity = all > 0 ? std::clamp(1 - present / all, 0.0, 1.0) : 0;
  return result;
}

namespace sattn::reference {
extern const Op kSampledAddmmOp = {"sampled_addmm", "out", compute, inferShape,
                                   describe};
} // namespace sattn::reference
