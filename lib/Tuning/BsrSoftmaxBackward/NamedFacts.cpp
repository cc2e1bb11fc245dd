//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../BsrSoftmax/Space.h"

#include "sattn/Tuning/BsrSoftmaxBackward.h"

using namespace sattn::tuning;

static bsr_softmax::Facts read(NamedFacts &given) {
  bsr_softmax::Facts facts = bsr_softmax::readFacts(given);
  facts.arrays = bsr_softmax_backward::kArrays;
  return facts;
}

namespace sattn::tuning {
NamedOp getBsrSoftmaxBackwardByName() {
  return makeNamedOp(bsr_softmax::declare("bsr_softmax_backward",
                                          bsr_softmax_backward::kSchema, read));
}
} // namespace sattn::tuning
