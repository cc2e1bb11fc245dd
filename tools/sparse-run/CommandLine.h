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

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sattn::run {

enum class Target { Cpu, Cuda };

/// How a program is compiled for and launched on a GPU.
struct CudaOptions {
  int64_t device = 0;
  /// Empty: the device's own.
  std::string chip;
  /// All threads of a CTA together, synchronous.
  bool plainSchedule = false;
  /// Largest random delay where threads synchronize, in nanoseconds.
  int64_t delays = 0;
  /// Plans once, before the first launch.
  bool prepare = false;
  /// Precision of f32 matrix products of linalg ops: "ieee" or "tf32".
  std::string precision = "ieee";
  /// File of tuned parameters that is searched first; empty: none.
  std::string metaTable;
};

struct CommandLine {
  bool help = false;
  bool version = false;
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
  CudaOptions cuda;
  /// Launches whose results are compared, the first included.
  int64_t launches = 1;
  bool json = false;
  /// Prints the compiler's remarks, such as the origin of parameters.
  bool remarks = false;
  /// Empty: the result is not written.
  std::string out;
  bool verifyContents = true;
};

/// The text of --help.
extern const char *const kUsage;

/// A whole text as a number: "1.5", "-1e-3", "inf", "nan". Nothing for a number
/// without digits after an `e`, or one beyond a double's range.
std::optional<double> parseNumber(llvm::StringRef text);

/// Errors name the option.
runtime::ErrorOr<CommandLine> parseCommandLine(int argc, char **argv);

} // namespace sattn::run

#endif // SATTN_TOOLS_SPARSERUN_COMMANDLINE_H
