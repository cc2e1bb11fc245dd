//===- BsrSoftmaxBackward.cpp - Its gradient in double precision ----------===//

#include "BsrSoftmaxRows.h"

#include "sattn/Reference/BsrSoftmaxBackward.h"

using namespace sattn::reference;
using sattn::runtime::ErrorOr;

/// Computes a row; `Sum` has more bits than the result.
template <typename Sum> static void computeRow(const StoredRow &row) {
  Sum total = 0;
  for (int64_t i = 0; i < row.size(); ++i)
    total += Sum(row.load(0, i)) * Sum(row.load(1, i));
  for (int64_t i = 0; i < row.size(); ++i)
    row.store(i, double(Sum(row.load(0, i)) * (Sum(row.load(1, i)) - total)));
}

ErrorOr<std::vector<double>> sattn::reference::bsrSoftmaxBackward(
    const BsrSoftmaxBackwardOperands &operands) {
  StoredRows rows(
      operands.crow,
      {{"output", operands.output, {}}, {"grad_out", operands.gradOut, {}}},
      {"grad_in", operands.gradIn, {}});
  return rows.compute(rows.isF64() ? computeRow<long double>
                                   : computeRow<double>);
}
