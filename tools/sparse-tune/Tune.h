//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TOOLS_SPARSETUNE_TUNE_H
#define SATTN_TOOLS_SPARSETUNE_TUNE_H

#include "sattn/Tuner/Problem.h"
#include "sattn/Tuner/Search.h"

namespace sattn::tune {

/// The options of `sparse-tune tune`.
struct TuneOptions {
  bool isCuda = false;
  int64_t device = 0, threads = 0, jobs = 1;
  tuner::Effort effort = tuner::Effort::Normal;
  /// For all problems together; nothing: by the effort.
  std::optional<double> seconds;
  /// The table that gets the results.
  std::string table;
  /// Whether a result is a line of JSON.
  bool isJson = false;
  /// This program.
  std::string executable;
  std::vector<tuner::Problem> problems;
};

/// Tunes problems one after the other. A problem that cannot be tuned is told,
/// and the others go on; an error where the table or the device cannot be used.
/// Returns how many were not tuned.
llvm::Expected<int64_t> tune(const TuneOptions &options);

} // namespace sattn::tune

#endif // SATTN_TOOLS_SPARSETUNE_TUNE_H
