//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TUNER_CHILDPROCESS_H
#define SATTN_TUNER_CHILDPROCESS_H

#include "llvm/Support/Error.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sattn::tuner {

/// A process that answers lines with lines, on its standard input and output.
/// It is killed when the object goes, and when this process ends.
class ChildProcess {
public:
  /// Starts a program with arguments; the first is its path.
  static llvm::Expected<std::unique_ptr<ChildProcess>>
  start(const std::vector<std::string> &command);

  ~ChildProcess();
  ChildProcess(const ChildProcess &) = delete;
  ChildProcess &operator=(const ChildProcess &) = delete;

  /// Writes a line; what goes wrong is found by `read`.
  void write(llvm::StringRef line);

  /// A line that has come, without its end, or nothing. `isEnded` tells whether
  /// more may come.
  std::optional<std::string> read();
  bool isEnded() const { return ended; }

  /// Kills it, if it runs, and says how it ended: "signal 11" or "exit code 1".
  std::string stop();

  /// The file descriptor of its standard output, to wait for.
  int descriptor() const { return output; }

private:
  ChildProcess() = default;

  int process = -1, input = -1, output = -1;
  std::string pending;
  bool ended = false;
};

/// Waits until one of the processes has sent something or ended, at most for
/// `seconds`.
void waitForAny(llvm::ArrayRef<ChildProcess *> processes, double seconds);

} // namespace sattn::tuner

#endif // SATTN_TUNER_CHILDPROCESS_H
