//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SampleProgram.h"

#include "Samples/SampleParts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace sattn;
using namespace sattn::tune;

namespace sattn::tune {
#define SATTN_SAMPLED_OP(NAME) SampledOp get##NAME##Sample();
#include "SampledOps.inc"
} // namespace sattn::tune

/// Numbers of elements, blocks and matrices, which are indices of i32.
static constexpr llvm::StringLiteral kSizes[] = {"m",
                                                 "n",
                                                 "k",
                                                 "whole_n",
                                                 "batches",
                                                 "rows",
                                                 "head_dim",
                                                 "value_dim",
                                                 "block_rows",
                                                 "block_columns",
                                                 "block_queries",
                                                 "block_keys",
                                                 "seen_blocks",
                                                 "nnz",
                                                 "element_bytes"};

/// Numbers that are no sizes of operands, by their names. What is wrong with
/// them together is found by the ops' samples.
static llvm::Error checkFacts(const tuner::Problem &problem) {
  auto check = [&](llvm::StringRef name, double least, double most,
                   bool isWhole) -> llvm::Error {
    double number = problem.getNumber(name, least);
    if (number >= least && number <= most &&
        (!isWhole || number == std::floor(number)))
      return llvm::Error::success();
    std::string text;
    llvm::raw_string_ostream(text)
        << "fact '" << name << "': expected a "
        << (isWhole ? "whole number" : "number")
        << llvm::format(" from %.15g to %.15g, but got %.15g", least, most,
                        number);
    return llvm::createStringError(text);
  };
  for (llvm::StringRef name : kSizes)
    if (llvm::Error error = check(name, name == "nnz" ? 0 : 1, INT32_MAX,
                                  /*isWhole=*/true))
      return error;
  for (llvm::StringRef name : {"alpha", "beta"})
    if (llvm::Error error = check(name, -1e30, 1e30, /*isWhole=*/false))
      return error;
  return check("sparsity", 0, 100, /*isWhole=*/true);
}

llvm::Expected<SampleProgram>
sattn::tune::makeSampleProgram(const tuner::Problem &problem) {
  if (llvm::Error error = checkFacts(problem))
    return error;
  const SampledOp ops[] = {
#define SATTN_SAMPLED_OP(NAME) get##NAME##Sample(),
#include "SampledOps.inc"
  };
  for (const SampledOp &op : ops)
    if (op.name == problem.op)
      return op.make(problem);
  auto names =
      llvm::map_range(ops, [](const SampledOp &op) { return op.name.str(); });
  return llvm::createStringError("expected an op out of " +
                                 llvm::join(names, ", ") + ", but got '" +
                                 problem.op + "'");
}
