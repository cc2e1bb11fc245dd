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
SampledOp getFlexAttentionDcaptureSample();
} // namespace sattn::tune

static llvm::Expected<SampleProgram>
makeFlexAttentionDcapture(const Problem &problem) {
  return makeGradientSample(problem, {{sizeOf(problem, "rows", kRows)},
                                      /*isByKeys=*/false,
                                      /*isOfCapture=*/true,
                                      {"number = 0 : i64"}});
}

SampledOp sattn::tune::getFlexAttentionDcaptureSample() {
  return {"flex_attention_dcapture", makeFlexAttentionDcapture};
}
