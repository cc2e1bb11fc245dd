//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TOOLS_SPARSERUN_COMMANDLINE_H
#define SATTN_TOOLS_SPARSERUN_COMMANDLINE_H

#include "sattn/Runtime/Error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sattn::run {

enum class Target { Cpu, Cuda };

struct CommandLine {
  bool help = false;
  std::string program;
  /// One for each argument of the function, as written.
  std::vector<std::string> arguments;
  /// Empty: the only public function.
  std::string entry;
  Target target = Target::Cpu;
  bool check = false;
  /// Nothing: by the result's element type.
  std::optional<double> tolerance;
  /// Timed runs after the first.
  int64_t timedRuns = 0;
  /// 0: as many as the process may use.
  int64_t threads = 0;
  int64_t device = 0;
  /// All threads of a thread block together, synchronous.
  bool plainSchedule = false;
  bool json = false;
  /// Empty: the result is not written.
  std::string out;
  bool verifyContents = true;
};

/// What --help prints.
extern const char *const kUsage;

/// Errors name the option.
runtime::ErrorOr<CommandLine> parseCommandLine(int argc, char **argv);

} // namespace sattn::run

#endif // SATTN_TOOLS_SPARSERUN_COMMANDLINE_H
