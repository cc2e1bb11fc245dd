//===- BsrSoftmaxNamed.cpp - Operands by name -----------------------------===//

#include "BsrSoftmaxNamed.h"

#include <algorithm>

using namespace sattn::reference;
using sattn::runtime::Error;
using sattn::runtime::ErrorOr;
using sattn::runtime::TensorView;

TensorView sattn::reference::tensorOf(const NamedOperands &operands,
                                      const char *name) {
  return *operands.findTensor(name);
}

ErrorOr<std::vector<int64_t>>
sattn::reference::shapeLike(const TensorView *values) {
  if (!values || values->rank() < 3)
    return Error("");
  return std::vector<int64_t>(values->shape.end() - 3, values->shape.end());
}

Description sattn::reference::describeRows(const NamedOperands &operands,
                                           const TensorView &values) {
  TensorView crow = tensorOf(operands, "crow");
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
