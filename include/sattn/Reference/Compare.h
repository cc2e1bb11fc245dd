//===- Compare.h - How far a result is from the reference -------*- C++ -*-===//

#ifndef SATTN_REFERENCE_COMPARE_H
#define SATTN_REFERENCE_COMPARE_H

#include "sattn/Runtime/Error.h"
#include "sattn/Runtime/Tensor.h"

#include <cstdint>
#include <vector>

namespace sattn::reference {

/// The distance of a result from its reference. All are 0 where the two agree.
struct ErrorReport {
  /// ||actual - reference|| / ||reference|| in the Frobenius norm, over the
  /// elements that are finite on both sides; 0 where both norms are 0, infinity
  /// where only the reference's is.
  double relFrobenius = 0;
  /// Largest |actual - reference| of those elements.
  double maxAbs = 0;
  /// The largest error in units in the last place of actual's type at the
  /// reference: rounding the exact result once leaves 0.5. Cancellation makes
  /// it large without fault.
  double maxUlps = 0;
  /// Elements where one side is NaN and the other is not, or one is infinite
  /// and the other is not the same infinity. The reference is first rounded to
  /// actual's type, so that both may overflow.
  int64_t nonFiniteMismatches = 0;
  /// Row-major index of the first such element, else of the one that gives
  /// maxAbs; -1 where the two agree.
  int64_t worstElement = -1;

  /// Whether all errors are within the tolerance; none are within a tolerance
  /// of NaN.
  bool within(double tolerance) const {
    return nonFiniteMismatches == 0 && relFrobenius <= tolerance;
  }
};

/// Compares the elements of `actual`, host memory of any strides, in row-major
/// order with `reference`. An error where their numbers differ.
runtime::ErrorOr<ErrorReport> compare(const std::vector<double> &reference,
                                      const runtime::TensorView &actual);

} // namespace sattn::reference

#endif // SATTN_REFERENCE_COMPARE_H
