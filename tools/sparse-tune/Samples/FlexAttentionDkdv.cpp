//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlexAttentionHeads.h"

using namespace sattn;
using namespace sattn::tune;
using tuner::Problem;

namespace sattn::tune {
SampledOp getFlexAttentionDkdvSample();
} // namespace sattn::tune

static llvm::Expected<SampleProgram>
makeFlexAttentionDkdv(const Problem &problem) {
  int64_t depth = sizeOf(problem, "head_dim", 64),
          width = sizeOf(problem, "value_dim", depth);
  if (problem.getNumber("is_one_gradient", 0) == 0)
    return makeGradientSample(problem, {{depth, width}, /*isByKeys=*/true});
  int64_t columns = sizeOf(problem, "gradient_columns", depth);
  if (columns != depth && columns != width)
    return llvm::createStringError("fact 'gradient_columns': expected "
                                   "'head_dim' or 'value_dim', but got " +
                                   llvm::Twine(columns));
  return makeGradientSample(
      problem, {{columns},
                /*isByKeys=*/true,
                /*isOfCapture=*/false,
                {columns == depth ? "only = \"dk\"" : "only = \"dv\""}});
}

SampledOp sattn::tune::getFlexAttentionDkdvSample() {
  return {"flex_attention_dkdv", makeFlexAttentionDkdv};
}
