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
SampledOp getFlexAttentionDqSample();
} // namespace sattn::tune

static llvm::Expected<SampleProgram>
makeFlexAttentionDq(const Problem &problem) {
  return makeGradientSample(problem, {{sizeOf(problem, "head_dim", 64)}});
}

SampledOp sattn::tune::getFlexAttentionDqSample() {
  return {"flex_attention_dq", makeFlexAttentionDq};
}
