//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Declaration.h"

using namespace sattn::tuning;

static bsr_addmm::Facts read(NamedFacts &given) {
  bsr_addmm::Facts facts;
  facts.m = given.find("m");
  facts.n = given.find("n");
  facts.k = given.find("k");
  facts.blockRows = given.require("block_rows");
  facts.blockColumns = given.require("block_columns");
  facts.batches = given.find("batches").value_or(1);
  facts.dtype = given.requireText(
      "dtype", {"f16", "bf16", "f32", "f64", "i8", "f8E4M3FN", "f8E5M2"});
  facts.outDtype =
      given.requireText("out_dtype", {"f16", "bf16", "f32", "f64", "i32"});
  facts.nnz = given.find("nnz");
  facts.longestRow = given.find("longest_row");
  facts.alpha = given.number("alpha", 1);
  facts.beta = given.number("beta", 1);
  facts.sharesColumns = given.isSet("shares_columns");
  facts.alongK = given.isSet("along_k");
  facts.sparsity = given.findHundredths("sparsity");
  facts.takesRowBlockGroups = !given.isSet("is_encoded");
  facts.plannedBlockRows = given.find("planned_block_rows", /*least=*/1);
  return facts;
}

static Parameters getDefaults(const bsr_addmm::Facts &facts,
                              const Target &target) {
  return llvm::cantFail(bsr_addmm::choose({}, facts, Search{target}))
      .parameters;
}

static llvm::Expected<Choice> fitRow(const bsr_addmm::Facts &facts,
                                     const Search &search) {
  return bsr_addmm::choose({}, facts, search);
}

static std::optional<double> estimate(const bsr_addmm::Facts &facts,
                                      const Parameters &parameters,
                                      const Target &target) {
  return bsr_addmm::estimateCycles(bsr_addmm::makeProblem(facts), parameters,
                                   target);
}

static std::optional<double> estimateDense(const bsr_addmm::Facts &facts,
                                           const Target &target) {
  return bsr_addmm::estimateDenseCycles(bsr_addmm::makeProblem(facts), target);
}

namespace sattn::tuning {
NamedOp getBsrAddmmByName() {
  return makeNamedOp<bsr_addmm::Facts>(
      {"bsr_addmm", &bsr_addmm::kSchema, read, getDefaults, fitRow,
       bsr_addmm::getKey, bsr_addmm::addParameters, bsr_addmm::findTileProblem,
       bsr_addmm::findHintsProblem, bsr_addmm::choose, estimate,
       estimateDense});
}
} // namespace sattn::tuning
