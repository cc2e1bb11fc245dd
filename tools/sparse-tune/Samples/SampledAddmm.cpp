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
SampledOp getSampledAddmmSample();
} // namespace sattn::tune

static llvm::Expected<SampleProgram> makeSampledAddmm(const Problem &problem) {
  int64_t k = sizeOf(problem, "k", 512);
  llvm::Expected<Blocks> blocks = blocksOf(problem, kSize, kSize);
  if (!blocks)
    return blocks.takeError();
  int64_t blockRows = sizeOf(problem, "block_rows", 1),
          blockColumns = sizeOf(problem, "block_columns", 1);
  llvm::StringRef type = elementOf(problem);
  llvm::StringRef outType = type == "i8" ? "i32" : type;
  Arguments arguments;
  std::string crow =
      arguments.add("crow", "tensor<?xi32>", blocks->word("crow"));
  std::string col = arguments.add("col", "tensor<?xi32>", blocks->word("col"));
  // Blocks can be computed one after the other where K is static.
  size_t staticCount = problem.getNumber("can_be_run", 0) != 0 ? 1 : 0;
  std::string mat1 = arguments.addArray("mat1", {blocks->rows * blockRows, k},
                                        type, staticCount);
  std::string mat2 =
      arguments.addArray("mat2", {k, blocks->columns * blockColumns}, type);
  std::string out = arguments.addArray(
      "out", {blocks->nnz, blockRows, blockColumns}, outType, 2);
  std::string body =
      formatv("  %one = arith.constant 1.0 : {0}\n  %zero = arith.constant 0.0 "
              ": {0}\n  %0 = sattn.sampled_addmm alpha(%one) beta(%zero)\n"
              "      ins(%crow, %col, %mat1, %mat2 : {1}, {2}, {3}, {4})\n"
              "      outs(%out : {5}) -> {5}\n  return %0 : {5}\n",
              scalarOf(type), crow, col, mat1, mat2, out);
  return arguments.makeFunction(body, out);
}

SampledOp sattn::tune::getSampledAddmmSample() {
  return {"sampled_addmm", makeSampledAddmm};
}
