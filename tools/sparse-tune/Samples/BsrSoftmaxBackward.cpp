//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SampleParts.h"

using namespace sattn;
using namespace sattn::tune;
using tuner::Problem;

namespace sattn::tune {
SampledOp getBsrSoftmaxBackwardSample();
} // namespace sattn::tune

static llvm::Expected<SampleProgram>
makeBsrSoftmaxBackward(const Problem &problem) {
  return makeRowsSample(problem, {"output", "grad_out"});
}

SampledOp sattn::tune::getBsrSoftmaxBackwardSample() {
  return {"bsr_softmax_backward", makeBsrSoftmaxBackward};
}
