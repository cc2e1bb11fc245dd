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
  if (problem.getNumber("is_one_gradient", 0) != 0)
    return llvm::createStringError(
        "expected no fact 'is_one_gradient', which samples cannot have");
  int64_t depth = sizeOf(problem, "head_dim", 64);
  return makeGradientSample(problem,
                            {depth, sizeOf(problem, "value_dim", depth)});
}

SampledOp sattn::tune::getFlexAttentionDkdvSample() {
  return {"flex_attention_dkdv", makeFlexAttentionDkdv};
}
