//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "sattn/Tuning/NamedFacts.h"
#include "sattn/Tuning/ScatterMm.h"

using namespace sattn::tuning;

static scatter_mm::Facts read(NamedFacts &given) {
  scatter_mm::Facts facts;
  facts.blockRows = given.require("block_rows");
  facts.blockColumns = given.require("block_columns");
  facts.elementBytes = given.require("element_bytes");
  facts.n = given.find("n");
  facts.sparsity = given.find("sparsity");
  return facts;
}

namespace sattn::tuning {
NamedOp getScatterMmByName() {
  return makeNamedOp("scatter_mm", read, scatter_mm::choose);
}
} // namespace sattn::tuning
