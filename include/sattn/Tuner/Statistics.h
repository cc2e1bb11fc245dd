//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TUNER_STATISTICS_H
#define SATTN_TUNER_STATISTICS_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <cmath>

namespace sattn::tuner {

/// The number at a part, from 0 to 1, of the sorted numbers; between two of
/// them by their distances. 0 of none.
inline double quantile(llvm::ArrayRef<double> numbers, double part) {
  if (numbers.empty())
    return 0;
  llvm::SmallVector<double> sorted(numbers);
  llvm::sort(sorted);
  double place = part * static_cast<double>(sorted.size() - 1);
  auto below = static_cast<size_t>(place);
  size_t above = std::min(below + 1, sorted.size() - 1);
  double weight = place - static_cast<double>(below);
  return sorted[below] * (1 - weight) + sorted[above] * weight;
}

inline double median(llvm::ArrayRef<double> numbers) {
  return quantile(numbers, 0.5);
}

/// The median distance from the median, over the median; 0 of none.
inline double spread(llvm::ArrayRef<double> numbers) {
  double middle = median(numbers);
  llvm::SmallVector<double> distances;
  for (double number : numbers)
    distances.push_back(std::fabs(number - middle));
  return middle == 0 ? 0 : median(distances) / middle;
}

} // namespace sattn::tuner

#endif // SATTN_TUNER_STATISTICS_H
