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
SampledOp getScatterMmSample();
} // namespace sattn::tune

static llvm::Expected<SampleProgram> makeScatterMm(const Problem &problem) {
  int64_t blockRows = sizeOf(problem, "block_rows", 0),
          blockColumns = sizeOf(problem, "block_columns", 0),
          n = sizeOf(problem, "n", 256);
  if (blockRows < 1 || blockColumns < 1)
    return llvm::createStringError(
        "expected the facts 'block_rows' and 'block_columns'");
  // As of a matrix, a list for each block row.
  Blocks lists{std::max<int64_t>(1, sizeOf(problem, "m", kSize) / blockRows),
               std::max<int64_t>(1, sizeOf(problem, "k", kSize) / blockColumns),
               0};
  lists.nnz = std::max<int64_t>(
      1, static_cast<int64_t>(densityOf(problem) *
                              static_cast<double>(lists.rows * lists.columns)));
  llvm::StringRef type = elementOf(problem);
  Arguments arguments;
  std::string offsets =
      arguments.add("offsets", "tensor<?xi32>", lists.word("crow"));
  std::string p = arguments.add("p", "tensor<?xi32>", lists.word("col", 2));
  std::string q = arguments.add("q", "tensor<?xi32>", lists.word("col"));
  std::string blocks = arguments.addArray(
      "blocks", {lists.columns, blockRows, blockColumns}, type, 2);
  std::string others =
      arguments.addArray("others", {lists.columns, blockColumns, n}, type);
  std::string out = arguments.addArray("out", {lists.rows, blockRows, n}, type);
  std::string body =
      formatv("  %0 = sattn.scatter_mm ins(%offsets, %q, %blocks, %others : "
              "{0}, {1}, {2}, {3})\n      p(%p : {4}) outs(%out : {5}) -> {5}\n"
              "  return %0 : {5}\n",
              offsets, q, blocks, others, p, out);
  return arguments.makeFunction(body, out);
}

SampledOp sattn::tune::getScatterMmSample() {
  return {"scatter_mm", makeScatterMm};
}
