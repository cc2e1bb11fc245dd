//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "sattn/Tuning/NamedFacts.h"
#include "sattn/Tuning/BsrSoftmax.h"

using namespace sattn;
using namespace sattn::tuning;

static llvm::Expected<Choice> chooseByName(llvm::ArrayRef<meta::Table>,
                                           NamedFacts &given,
                                           const Search &search) {
  bsr_softmax::Facts facts;
  facts.blockRows = given.require("block_rows");
  facts.blockColumns = given.require("block_columns");
  facts.elementBytes = given.require("element_bytes");
  if (llvm::Error error = given.takeError())
    return error;
  return bsr_softmax::choose(facts, search);
}

namespace sattn::tuning {
NamedOp getBsrSoftmaxByName() { return {"bsr_softmax", chooseByName}; }
} // namespace sattn::tuning
