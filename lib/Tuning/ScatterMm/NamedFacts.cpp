//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "sattn/Tuning/NamedFacts.h"
#include "sattn/Tuning/ScatterMm.h"

using namespace sattn;
using namespace sattn::tuning;

static llvm::Expected<Choice> chooseByName(llvm::ArrayRef<meta::Table>,
                                           NamedFacts &given,
                                           const Search &search) {
  scatter_mm::Facts facts;
  facts.blockRows = given.require("block_rows");
  facts.blockColumns = given.require("block_columns");
  facts.elementBytes = given.require("element_bytes");
  facts.n = given.find("n");
  facts.sparsity = given.find("sparsity");
  if (llvm::Error error = given.takeError())
    return error;
  return scatter_mm::choose(facts, search);
}

namespace sattn::tuning {
NamedOp getScatterMmByName() { return {"scatter_mm", chooseByName}; }
} // namespace sattn::tuning
