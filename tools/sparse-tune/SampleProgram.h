//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TOOLS_SPARSETUNE_SAMPLEPROGRAM_H
#define SATTN_TOOLS_SPARSETUNE_SAMPLEPROGRAM_H

#include "sattn/Tuner/Problem.h"

namespace sattn::tune {

/// A program, and words of sparse-run for its arguments.
struct SampleProgram {
  std::string text;
  std::vector<std::string> arguments;
};

/// A program of the problem's op alone on random operands, of the facts'
/// sizes; sizes that no fact gives are typical ones. An error where a fact that
/// it needs is missing, or for an op that has no such program.
llvm::Expected<SampleProgram> makeSampleProgram(const tuner::Problem &problem);

} // namespace sattn::tune

#endif // SATTN_TOOLS_SPARSETUNE_SAMPLEPROGRAM_H
