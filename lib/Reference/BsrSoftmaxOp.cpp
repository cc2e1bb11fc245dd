//===- BsrSoftmaxOp.cpp - bsr_softmax for tools ---------------------------===//

#include "sattn/Reference/BsrSoftmax.h"
#include "sattn/Reference/Op.h"

#include <algorithm>

using namespace sattn::reference;
using sattn::runtime::Error;
using sattn::runtime::ErrorOr;
using sattn::runtime::TensorView;

static TensorView tensorOf(const NamedOperands &operands, const char *name) {
  return *operands.findTensor(name);
}

static ErrorOr<std::vector<Result>> compute(const NamedOperands &operands) {
  ErrorOr<std::vector<double>> out =
      bsrSoftmax({tensorOf(operands, "crow"), tensorOf(operands, "values"),
                  tensorOf(operands, "out")});
  if (!out)
    return out.takeError();
  return std::vector<Result>{{"out", std::move(*out)}};
}

static ErrorOr<std::vector<int64_t>> inferShape(const NamedOperands &operands) {
  const TensorView *values = operands.findTensor("values");
  if (!values || values->rank() < 3)
    return Error("");
  return std::vector<int64_t>(values->shape.end() - 3, values->shape.end());
}

static Description describe(const NamedOperands &operands) {
  TensorView crow = tensorOf(operands, "crow");
  TensorView values = tensorOf(operands, "values");
  int64_t blockRows = values.shape.end()[-2],
          blockColumns = values.shape.back(), blocks = values.shape.end()[-3],
          batch = 1;
  for (int64_t dim = 0; dim < values.rank() - 3; ++dim)
    batch *= values.shape[dim];
  int64_t m = std::max<int64_t>(crow.shape.back() - 1, 0) * blockRows;
  std::string dtype = sattn::runtime::name(values.dtype);
  auto text = [](int64_t number) { return std::to_string(number); };
  Description result;
  result.text = (batch == 1 ? "" : text(batch) + " x ") + text(m) +
                " rows, block " + text(blockRows) + "x" + text(blockColumns) +
                ", " + text(blocks) + " stored blocks, " + dtype;
  result.members = {{"m", m},
                    {"batch", batch},
                    {"block", std::vector<int64_t>{blockRows, blockColumns}},
                    {"stored_blocks", blocks},
                    {"dtype", dtype}};
  return result;
}

namespace sattn::reference {
extern const Op kBsrSoftmaxOp = {"bsr_softmax", "out", compute, inferShape,
                                 describe};
} // namespace sattn::reference
