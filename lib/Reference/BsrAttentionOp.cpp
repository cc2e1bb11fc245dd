//===- BsrAttentionOp.cpp - bsr_attention for tools ---------------------===//

#include "sattn/Reference/BsrAttention.h"
#include "sattn/Reference/Op.h"

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
  BsrAttentionOperands op;
  op.scale = numberOf(operands, "scale");
  op.crow = tensorOf(operands, "crow");
  op.col = tensorOf(operands, "col");
  op.q = tensorOf(operands, "q");
  op.k = tensorOf(operands, "k");
  op.v = tensorOf(operands, "v");
  op.blockRows = static_cast<int64_t>(numberOf(operands, "block_rows"));
  op.blockColumns = static_cast<int64_t>(numberOf(operands, "block_columns"));
  if (const TensorView *random = operands.findTensor("random")) {
    op.random = *random;
    op.probability = numberOf(operands, "probability");
  }
  op.out = tensorOf(operands, "out");
  ErrorOr<BsrAttentionResult> found = bsrAttention(op);
  if (!found)
    return found.takeError();
  std::vector<Result> results = {{"out", std::move(found->out)}};
  if (operands.findTensor("lse"))
    results.push_back({"lse", std::move(found->lse)});
  return results;
}

static ErrorOr<std::vector<int64_t>> inferShape(const NamedOperands &operands) {
  const TensorView *q = operands.findTensor("q");
  const TensorView *v = operands.findTensor("v");
  if (!q || !v || q->rank() < 2 || v->rank() < 2)
    return sattn::runtime::Error("");
  return std::vector<int64_t>{q->shape.end()[-2], v->shape.back()};
}

static Description describe(const NamedOperands &operands) {
  TensorView q = tensorOf(operands, "q"), v = tensorOf(operands, "v"),
             col = tensorOf(operands, "col"), out = tensorOf(operands, "out");
  int64_t m = q.shape.end()[-2], d = q.shape.back();
  int64_t n = v.shape.end()[-2], e = v.shape.back();
  auto rows = static_cast<int64_t>(numberOf(operands, "block_rows")),
       columns = static_cast<int64_t>(numberOf(operands, "block_columns"));
  int64_t batch = 1;
  for (int64_t dim = 0; dim < out.rank() - 2; ++dim)
    batch *= out.shape[dim];
  int64_t stored = batch * col.shape.back();
  std::string dtype = name(q.dtype);
  auto text = [](int64_t number) { return std::to_string(number); };
  Description result;
  result.text = (batch == 1 ? "" : text(batch) + " x ") + text(m) +
                " queries x " + text(n) + " keys, " + text(d) + " and " +
                text(e) + " columns, " + text(stored) + " blocks of " +
                text(rows) + "x" + text(columns) + ", " + dtype;
  result.members = {{"m", m},
                    {"n", n},
                    {"head_dim", d},
                    {"value_dim", e},
                    {"batch", batch},
                    {"block", std::vector<int64_t>{rows, columns}},
                    {"stored_blocks", stored},
                    {"dtype", dtype}};
  double present = double(stored) * rows * columns;
  result.operations = 2.0 * present * (d + e);
  result.sizes = {m, e, n};
  double all = double(m) * n * batch;
  result.sparsity = all > 0 ? std::clamp(1 - present / all, 0.0, 1.0) : 0;
  return result;
}

namespace sattn::reference {
extern const Op kBsrAttentionOp = {"bsr_attention", "out", compute, inferShape,
                                   describe};
} // namespace sattn::reference
