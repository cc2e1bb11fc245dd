//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TUNER_PROBLEM_H
#define SATTN_TUNER_PROBLEM_H

#include "sattn/Tuning/NamedFacts.h"

#include "llvm/Support/Error.h"

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace sattn::tuner {

/// A fact of a problem, by the name that docs/MetaTable.md lists.
struct Fact {
  std::string name;
  std::variant<double, std::string> value;

  bool operator==(const Fact &other) const {
    return name == other.name && value == other.value;
  }
};

/// A problem to tune parameters for: an op, and the known facts of its
/// operands.
struct Problem {
  /// The op's name without the dialect.
  std::string op;
  /// The known facts, sorted by name, each once.
  std::vector<Fact> facts;

  bool operator==(const Problem &other) const {
    return op == other.op && facts == other.facts;
  }

  /// The facts in the form that `tuning::choose` takes. They point into the
  /// problem.
  std::vector<tuning::NamedFact> getNamedFacts() const;
  /// A number by its name; `otherwise` where there is none.
  double getNumber(llvm::StringRef name, double otherwise) const;
  /// A text by its name; empty where there is none.
  llvm::StringRef getText(llvm::StringRef name) const;

  /// A text such as "OP k=256 m=256": the op, and its facts as words.
  std::string describe() const;
};

/// Reads an op's name and words such as "m=256" and "dtype=bf16". A value that
/// starts like a number is one.
llvm::Expected<Problem> parseProblem(llvm::StringRef op,
                                     llvm::ArrayRef<std::string> words);

/// Reads a file with a line for each problem, an object
/// {"op": NAME, "facts": {"m": 256, "dtype": "bf16"}}. A last line that was not
/// written whole, as by a process that was killed, and lines that repeat
/// another one are left out; other lines that are no problem are errors, which
/// name the line.
llvm::Expected<std::vector<Problem>> readProblems(llvm::StringRef path);

} // namespace sattn::tuner

#endif // SATTN_TUNER_PROBLEM_H
