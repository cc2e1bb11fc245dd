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

/// An error where a problem has facts that samples cannot have: packed heads
/// or dropout.
llvm::Error requireSampled(const tuner::Problem &problem);

/// The parts of an op's text that say which keys are visible.
struct Visibility {
  /// Operands of block lists, a mask_mod for the blocks that are seen in part,
  /// and attributes, each empty without them.
  std::string lists, maskMod;
  std::vector<std::string> attributes;

  /// The attributes and others of the op as a dictionary.
  std::string makeAttributes(llvm::ArrayRef<std::string> others = {}) const;
};

/// The mask or the block lists of a problem, whose arguments it adds. Blocks of
/// lists are random: the first of each block of queries is seen in part, the
/// others wholly. `isByKeys`: lists are those of blocks of keys, the transpose.
/// `captured`: the type of a captured number, which a mask_mod gets, too.
llvm::Expected<Visibility> addVisibility(const tuner::Problem &problem,
                                         Arguments &arguments, bool isByKeys,
                                         llvm::StringRef captured = "");

/// Adds query, key and value, and for gradients the output's gradient, lse2 and
/// delta. Returns their types, with commas.
std::string addHeads(const tuner::Problem &problem, Arguments &arguments,
                     bool isGradient);

/// The differences between the gradients' programs.
struct GradientSample {
  /// The columns of each result of the op.
  llvm::SmallVector<int64_t, 2> columns;
  bool isByKeys = false;
  /// Whether the result is the gradient of a captured number, at each element
  /// of the scores.
  bool isOfCapture = false;
  std::vector<std::string> attributes = {};
};

/// A program of the problem's op.
llvm::Expected<SampleProgram> makeGradientSample(const tuner::Problem &problem,
                                                 const GradientSample &sample);

} // namespace sattn::tune

#endif // SATTN_TOOLS_SPARSETUNE_SAMPLES_FLEXATTENTIONHEADS_H
