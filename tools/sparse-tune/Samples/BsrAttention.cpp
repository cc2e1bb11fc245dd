//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SampleParts.h"

#include "llvm/Support/FormatVariadic.h"

using namespace sattn;
using namespace sattn::tune;
using llvm::formatv;
using tuner::Problem;

namespace sattn::tune {
SampledOp getBsrAttentionSample();
} // namespace sattn::tune

static llvm::Expected<SampleProgram> makeBsrAttention(const Problem &problem) {
  int64_t rows = sizeOf(problem, "rows", kSize);
  llvm::Expected<Blocks> blocks = blocksOf(problem, rows, rows);
  if (!blocks)
    return blocks.takeError();
  int64_t heads = sizeOf(problem, "batches", kHeads);
  llvm::StringRef type = elementOf(problem);
  Arguments arguments;
  std::string crow =
      arguments.add("crow", "tensor<?xi32>", blocks->word("crow"));
  std::string col = arguments.add("col", "tensor<?xi32>", blocks->word("col"));
  std::string scalar = scalarOf(type).str();
  int64_t depth = sizeOf(problem, "head_dim", 64),
          width = sizeOf(problem, "value_dim", 64);
  std::string query =
      arguments.addArray("query", {heads, rows, depth}, type, 1);
  std::string key = arguments.addArray("key", {heads, rows, depth}, type, 1);
  std::string value =
      arguments.addArray("value", {heads, rows, width}, type, 1);
  std::string out = arguments.addArray("out", {heads, rows, width}, type, 1);
  std::string body = formatv(
      "  %scale = arith.constant 0.125 : {0}\n  %0 = sattn.bsr_attention "
      "scale(%scale)\n      ins(%crow, %col, %query, %key, %value : {1}, {2}, "
      "{3}, {4}, {5})\n      outs(%out : {6}) {{block_size = array<i64: {7}, "
      "{8}>} -> {6}\n  return %0 : {6}\n",
      scalar, crow, col, query, key, value, out,
      sizeOf(problem, "block_rows", 1), sizeOf(problem, "block_columns", 1));
  return arguments.makeFunction(body, out);
}

SampledOp sattn::tune::getBsrAttentionSample() {
  return {"bsr_attention", makeBsrAttention};
}
