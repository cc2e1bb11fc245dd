//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TUNER_MEASURER_H
#define SATTN_TUNER_MEASURER_H

#include "sattn/Tuning/Parameters.h"

#include <string>
#include <vector>

namespace sattn::tuner {

/// The result of compiling a candidate.
struct Compiled {
  /// Why there is no code; empty where there is.
  std::string reason;
  /// How long it took.
  double seconds = 0;
};

/// Compiles and runs candidates of one problem. Whatever a candidate does
/// (fails, hangs, ends the process that runs it), the calls return, with a
/// reason, and the next call works.
class Measurer {
public:
  virtual ~Measurer() = default;

  /// Compiles candidates, several at a time, of which each has `seconds`. The
  /// result has one entry for each.
  virtual std::vector<Compiled>
  compile(llvm::ArrayRef<tuning::Parameters> candidates, double seconds) = 0;

  /// Runs a compiled candidate once, on inputs of its own, and compares its
  /// results with those of the first candidate that was checked. Returns why it
  /// is not to be used, or an empty text.
  virtual std::string check(const tuning::Parameters &candidate) = 0;

  /// Runs checked candidates in turns, `turns` times each, in the given order,
  /// and returns the milliseconds of each candidate's runs. A candidate that
  /// fails now has no times.
  virtual std::vector<std::vector<double>>
  time(llvm::ArrayRef<tuning::Parameters> candidates, int turns) = 0;

  /// Seconds on a clock that does not go back.
  virtual double now() = 0;
};

} // namespace sattn::tuner

#endif // SATTN_TUNER_MEASURER_H
