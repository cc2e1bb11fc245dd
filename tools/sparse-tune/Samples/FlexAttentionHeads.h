//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TOOLS_SPARSETUNE_SAMPLES_FLEXATTENTIONHEADS_H
#define SATTN_TOOLS_SPARSETUNE_SAMPLES_FLEXATTENTIONHEADS_H

#include "SampleParts.h"

namespace sattn::tune {

/// Rows of a head where no fact gives them.
inline constexpr int64_t kRows = 4096;

/// How many heads a batch of one has.
int64_t getHeads(const tuner::Problem &problem);

/// An error where a problem has block lists or packed heads.
llvm::Error requireNoLists(const tuner::Problem &problem);

/// The attribute of a causal mask; empty without one.
std::string maskOf(const tuner::Problem &problem);

/// Adds query, key and value, and for gradients the output's gradient, lse2 and
/// delta. Returns their types, with commas.
std::string addHeads(const tuner::Problem &problem, Arguments &arguments,
                     bool isGradient);

/// A program of the problem's op, whose results have these columns.
llvm::Expected<SampleProgram>
makeGradientSample(const tuner::Problem &problem,
                   llvm::ArrayRef<int64_t> gradients);

} // namespace sattn::tune

#endif // SATTN_TOOLS_SPARSETUNE_SAMPLES_FLEXATTENTIONHEADS_H
