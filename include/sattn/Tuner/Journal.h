//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TUNER_JOURNAL_H
#define SATTN_TUNER_JOURNAL_H

#include "sattn/Tuner/Search.h"

#include <map>

namespace sattn::tuner {

/// A file of what a run of the tuner has found so far, so that a later run goes
/// on where one was interrupted: a line of JSON for each trial, and one for
/// each problem that is done. Only one process holds a journal.
class Journal {
public:
  /// Opens the file at `path`, which is made where it is missing. Lines that
  /// another `identity` wrote (another device, another build of the compiler),
  /// and a last line that was not written whole, are left out. An error where
  /// another process holds it.
  static llvm::Expected<Journal> open(llvm::StringRef path,
                                      llvm::StringRef identity);

  Journal(Journal &&other);
  Journal &operator=(Journal &&) = delete;
  ~Journal();

  /// Trials of a problem, by its description.
  std::vector<Trial> getTrials(llvm::StringRef problem) const;
  /// Whether a run of this effort is done with a problem.
  bool isDone(llvm::StringRef problem, llvm::StringRef effort) const;

  /// Adds a line. What is added is in the file when the call returns; an error
  /// where there is no room for it.
  llvm::Error add(llvm::StringRef problem, const Trial &trial);
  llvm::Error addDone(llvm::StringRef problem, llvm::StringRef effort);

  /// Removes the file, after the last problem.
  void remove();

private:
  Journal() = default;
  void readLine(llvm::StringRef line);
  llvm::Error append(llvm::StringRef line);

  std::string path, identity;
  int descriptor = -1;
  struct Entry {
    std::vector<Trial> trials;
    /// Names of the efforts that are done.
    std::vector<std::string> done;
  };
  std::map<std::string, Entry> entries;
};

} // namespace sattn::tuner

#endif // SATTN_TUNER_JOURNAL_H
