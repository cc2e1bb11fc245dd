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
SampledOp getBsrSoftmaxSample();
} // namespace sattn::tune

static llvm::Expected<SampleProgram> makeBsrSoftmax(const Problem &problem) {
  return makeRowsSample(problem, {"values"});
}

SampledOp sattn::tune::getBsrSoftmaxSample() {
  return {"bsr_softmax", makeBsrSoftmax};
}
