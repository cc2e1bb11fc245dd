//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SampleParts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace sattn;
using namespace sattn::tune;
using llvm::formatv;
using tuner::Problem;

namespace sattn::tune {
SampledOp getBsrAddmmSample();
} // namespace sattn::tune

static llvm::Expected<SampleProgram> makeBsrAddmm(const Problem &problem) {
  int64_t m = sizeOf(problem, "m", kSize), n = sizeOf(problem, "n", kSize),
          k = sizeOf(problem, "k", kSize),
          batches = sizeOf(problem, "batches", 1);
  llvm::Expected<Blocks> blocks = blocksOf(problem, m, k);
  if (!blocks)
    return blocks.takeError();
  int64_t blockRows = sizeOf(problem, "block_rows", 1),
          blockColumns = sizeOf(problem, "block_columns", 1);
  llvm::StringRef type = problem.getText("dtype");
  llvm::StringRef outType = problem.getText("out_dtype");
  if (type.empty())
    return llvm::createStringError("expected the fact 'dtype'");
  if (outType.empty())
    outType = type;
  bool alongK = problem.getNumber("along_k", 0) != 0;
  llvm::SmallVector<int64_t> batch;
  if (batches > 1)
    batch.push_back(batches);
  auto shape = [&](llvm::ArrayRef<int64_t> core) {
    llvm::SmallVector<int64_t> all(batch);
    llvm::append_range(all, core);
    return all;
  };
  std::string suffix =
      batches > 1 ? ":batch=" + std::to_string(batches) : std::string();
  std::string indices = batches > 1 ? "tensor<?x?xi32>" : "tensor<?xi32>";
  Arguments arguments;
  std::string crow =
      arguments.add("crow", indices, blocks->word("crow") + suffix);
  std::string col = arguments.add("col", indices, blocks->word("col") + suffix);
  std::string values = arguments.addArray(
      "values", shape({blocks->nnz, blockRows, blockColumns}), type, 2);
  std::string b =
      arguments.addArray("b", alongK ? shape({n, k}) : shape({k, n}), type);
  std::string out = arguments.addArray("out", shape({m, n}), outType);
  std::string scalar = scalarOf(outType).str();
  std::string body = formatv(
      "  %alpha = arith.constant {0:e6} : {1}\n  %beta = arith.constant {2:e6} "
      ": {1}\n  %0 = sattn.bsr_addmm alpha(%alpha) beta(%beta)\n"
      "      ins(%crow, %col, %values, %b : {3}, {4}, {5}, {6})\n"
      "      outs(%out : {7}) {8}-> {7}\n  return %0 : {7}\n",
      problem.getNumber("alpha", 1), scalar, problem.getNumber("beta", 0), crow,
      col, values, b, out, alongK ? "{transpose_b} " : "");
  return arguments.makeFunction(body, out);
}

SampledOp sattn::tune::getBsrAddmmSample() {
  return {"bsr_addmm", makeBsrAddmm};
}
