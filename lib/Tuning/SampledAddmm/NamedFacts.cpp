//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "sattn/Tuning/NamedFacts.h"
#include "sattn/Tuning/SampledAddmm.h"

using namespace sattn::tuning;

static sampled_addmm::Facts read(NamedFacts &given) {
  sampled_addmm::Facts facts;
  facts.blockRows = given.require("block_rows");
  facts.blockColumns = given.require("block_columns");
  facts.elementBytes = given.require("element_bytes");
  facts.k = given.find("k");
  facts.canBeRun = given.isSet("can_be_run");
  return facts;
}

namespace sattn::tuning {
NamedOp getSampledAddmmByName() {
  return makeNamedOp("sampled_addmm", read, sampled_addmm::choose);
}
} // namespace sattn::tuning
