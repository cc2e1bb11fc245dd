//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TOOLS_SPARSERUN_REPORT_H
#define SATTN_TOOLS_SPARSERUN_REPORT_H

#include "sattn/Reference/Op.h"
#include "sattn/Runtime/Tensor.h"

#include <optional>
#include <string>
#include <vector>

namespace sattn::run {

/// The results of one run of sparse-run.
struct Report {
  std::string entry;
  /// "cpu" or "cuda".
  std::string target;
  /// Name of the GPU, or "cpu".
  std::string device;
  /// 0 on a GPU.
  int64_t threads = 0;
  double compileMilliseconds = 0;
  /// The comparison of a result with the reference.
  struct Check {
    std::string operand;
    double relativeError = 0, tolerance = 0;
    bool withinTolerance = true;
  };
  std::vector<Check> checks;
  /// Milliseconds of each timed run.
  std::vector<double> times;

  /// The op that the program consists of, if it is a single op.
  std::string op;
  std::optional<reference::Description> description;
};

/// The default of --tolerance: the largest relative Frobenius error of a result
/// of this type. Rounding once leaves at most 2^-9 (bf16) or 2^-12 (f16) of
/// every element; the rest is room for sums in f32.
double defaultTolerance(runtime::DType outDType);

/// The same of further results, such as lse: sums and logarithms in f32, by
/// approximate functions on a GPU.
inline constexpr double kFurtherTolerance = 1e-4;

/// One `key: value` line each.
std::string formatText(const Report &report);

/// One line of JSON; members that do not apply are absent.
std::string formatJson(const Report &report);

} // namespace sattn::run

#endif // SATTN_TOOLS_SPARSERUN_REPORT_H
