//===- Compare.cpp - How far a result is from the reference ---------------===//

#include "sattn/Reference/Compare.h"

#include "Operands.h"

#include "sattn/Reference/ElementConversion.h"

#include <algorithm>
#include <cmath>
#include <string>

using namespace sattn::reference;
using sattn::runtime::Error;
using sattn::runtime::ErrorOr;

/// Moves `index` to the next element of `shape` in row-major order and `offset`
/// with it.
static void advance(const TensorView &view, std::vector<int64_t> &index,
                    int64_t &offset) {
  for (size_t dim = index.size(); dim-- > 0;) {
    offset += view.strides[dim];
    if (++index[dim] < view.shape[dim])
      return;
    offset -= view.strides[dim] * view.shape[dim];
    index[dim] = 0;
  }
}

ErrorOr<ErrorReport>
sattn::reference::compare(const std::vector<double> &reference,
                          const TensorView &actual) {
  int64_t count = actual.numElements();
  if (count != static_cast<int64_t>(reference.size()))
    return Error("expected as many elements as the reference has, " +
                 std::to_string(reference.size()) + ", but got " +
                 std::to_string(count));

  ErrorReport report;
  double differenceSquares = 0, referenceSquares = 0;
  std::vector<int64_t> index(actual.shape.size(), 0);
  int64_t offset = 0;
  for (int64_t i = 0; i < count; ++i, advance(actual, index, offset)) {
    double expected = reference[i];
    double value = loadElement(actual, offset);
    double rounded = roundToElement(actual.dtype, expected);
    if (!std::isfinite(rounded) || !std::isfinite(value)) {
      bool same = std::isnan(rounded) ? std::isnan(value) : rounded == value;
      if (!same && report.nonFiniteMismatches++ == 0)
        report.worstElement = i;
      continue;
    }
    // Any integer but the nearest is wrong.
    if (!isFloat(actual.dtype))
      expected = rounded;
    double difference = std::fabs(value - expected);
    differenceSquares += difference * difference;
    referenceSquares += expected * expected;
    if (difference > report.maxAbs) {
      report.maxAbs = difference;
      if (report.nonFiniteMismatches == 0)
        report.worstElement = i;
    }
    report.maxUlps = std::max(
        report.maxUlps, difference / unitInLastPlace(actual.dtype, expected));
  }
  if (differenceSquares != 0)
    report.relFrobenius = std::sqrt(differenceSquares / referenceSquares);
  return report;
}
