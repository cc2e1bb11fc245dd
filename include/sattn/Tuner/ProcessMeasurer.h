//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TUNER_PROCESSMEASURER_H
#define SATTN_TUNER_PROCESSMEASURER_H

#include "sattn/Tuner/Measurer.h"

#include <memory>

namespace sattn::tuner {

/// A program whose candidates are measured.
struct Measured {
  /// The path of an MLIR file, with one op that has parameters.
  std::string program;
  /// Words as of sparse-run, one for each argument.
  std::vector<std::string> arguments;
};

/// Measures by processes that speak lines of JSON: some compile, into the disk
/// cache that they share, and one runs what has been compiled. Requests and
/// their answers, which are {"error": "..."} where something fails:
///
///   {"do": "open", "program": PATH, "arguments": [WORD, ...]}   {}
///   {"do": "compile", "meta": META}                  {"seconds": 0.2}
///   {"do": "load", "meta": META}                 {"milliseconds": 1.5}
///   {"do": "drop", "meta": META}                                   {}
///   {"do": "time", "metas": [META, ...], "turns": 3}
///                                        {"times": [[1.5, ...], ...]}
///
/// META is an array of seven numbers, in the order of #sattn.meta's, 0 for
/// those that are not given. `load` runs the candidate, and compares its
/// results with those of the first one that was loaded. A process that ends,
/// does not answer in time, or answers with "is_lost": true beside an error, is
/// replaced.
class ProcessMeasurer final : public Measurer {
public:
  /// `command` starts a process; `jobs` of them compile at one time.
  ProcessMeasurer(std::vector<std::string> command, Measured measured,
                  int64_t jobs);
  ~ProcessMeasurer() override;

  std::vector<Compiled> compile(llvm::ArrayRef<tuning::Parameters> candidates,
                                double seconds) override;
  std::string check(const tuning::Parameters &candidate) override;
  std::vector<std::vector<double>>
  time(llvm::ArrayRef<tuning::Parameters> candidates, int turns) override;
  double now() override;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace sattn::tuner

#endif // SATTN_TUNER_PROCESSMEASURER_H
