//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Space.h"

using namespace sattn::tuning;

bsr_softmax::Facts bsr_softmax::readFacts(NamedFacts &given) {
  bsr_softmax::Facts facts;
  facts.blockRows = given.require("block_rows");
  facts.blockColumns = given.require("block_columns");
  facts.dtype = given.findElement(facts.elementBytes);
  return facts;
}

namespace sattn::tuning {
NamedOp getBsrSoftmaxByName() {
  return makeNamedOp(bsr_softmax::declare("bsr_softmax", bsr_softmax::kSchema,
                                          bsr_softmax::readFacts));
}
} // namespace sattn::tuning
