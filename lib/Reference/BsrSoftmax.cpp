//===- BsrSoftmax.cpp - bsr_softmax in double precision -------------------===//

#include "BsrSoftmaxRows.h"

#include "sattn/Reference/BsrSoftmax.h"

#include <cmath>
#include <limits>

using namespace sattn::reference;
using sattn::runtime::ErrorOr;

/// Computes a row; `Sum` has more bits than the result.
template <typename Sum> static void computeRow(const StoredRow &row) {
  Sum maximum = -std::numeric_limits<Sum>::infinity(), total = 0;
  for (int64_t i = 0; i < row.size(); ++i)
    maximum = std::fmax(maximum, Sum(row.load(0, i)));
  Sum shift = maximum == -std::numeric_limits<Sum>::infinity() ? 0 : maximum;
  for (int64_t i = 0; i < row.size(); ++i)
    total += std::exp(row.load(0, i) - shift);
  for (int64_t i = 0; i < row.size(); ++i)
    row.store(
        i, double(std::exp(row.load(0, i) - shift) / (total == 0 ? 1 : total)));
}

ErrorOr<std::vector<double>>
sattn::reference::bsrSoftmax(const BsrSoftmaxOperands &operands) {
  StoredRows rows(operands.crow, {{"values", operands.values, {}}},
                  {"out", operands.out, {}});
  return rows.compute(rows.isF64() ? computeRow<long double>
                                   : computeRow<double>);
}
