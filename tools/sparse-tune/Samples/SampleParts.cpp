//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SampleParts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace sattn;
using namespace sattn::tune;
using llvm::formatv;
using llvm::StringRef;
using tuner::Problem;

/// The part of blocks that is not stored where no fact gives it, in hundredths.
static constexpr double kSparsity = 50;

std::string Arguments::add(StringRef name, std::string type, std::string word) {
  text += (text.empty() ? "%" : ", %") + name.str() + ": " + type;
  words.push_back(std::move(word));
  return type;
}

std::string Arguments::addArray(StringRef name, llvm::ArrayRef<int64_t> shape,
                                StringRef element, size_t staticCount) {
  std::string type = "tensor<", extents;
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    std::string number = std::to_string(extent);
    type += (dim + staticCount < shape.size() ? "?" : number) + "x";
    extents += (dim ? "x" : "") + number;
  }
  // Random contents are those of floats, and of operands in 8 bits.
  std::string contents = element == "i32"
                             ? "zeros"
                             : formatv("random:{0}", words.size() + 1).str();
  return add(name, type + element.str() + ">", contents + ":shape=" + extents);
}

SampleProgram Arguments::makeFunction(StringRef body, StringRef results) const {
  return {
      formatv("func.func @sample({0}) -> {1} {{\n{2}}\n", text, results, body),
      words};
}

std::string Blocks::word(StringRef kind, int seed) const {
  std::string text =
      formatv("{0}:{1}:grid={2}x{3}:nnz={4}", kind, seed, rows, columns, nnz);
  return longest ? text + ":longest=" + std::to_string(*longest) : text;
}

int64_t sattn::tune::sizeOf(const Problem &problem, StringRef name,
                            int64_t otherwise) {
  return static_cast<int64_t>(
      problem.getNumber(name, static_cast<double>(otherwise)));
}

StringRef sattn::tune::elementOf(const Problem &problem) {
  if (StringRef type = problem.getText("dtype"); !type.empty())
    return type;
  switch (sizeOf(problem, "element_bytes", 2)) {
  case 1:
    return "i8";
  case 4:
    return "f32";
  case 8:
    return "f64";
  default:
    return "bf16";
  }
}

StringRef sattn::tune::scalarOf(StringRef element) {
  return element == "f64" ? "f64" : "f32";
}

double sattn::tune::densityOf(const Problem &problem) {
  return 1 - problem.getNumber("sparsity", kSparsity) / 100;
}

llvm::Expected<Blocks> sattn::tune::blocksOf(const Problem &problem,
                                             int64_t rows, int64_t columns,
                                             const PatternFacts &names) {
  int64_t blockRows = sizeOf(problem, names.blockRows, 0);
  int64_t blockColumns = sizeOf(problem, names.blockColumns, 0);
  if (blockRows < 1 || blockColumns < 1)
    return llvm::createStringError("expected the facts '" + names.blockRows +
                                   "' and '" + names.blockColumns + "'");
  Blocks blocks{llvm::divideCeilSigned(rows, blockRows),
                llvm::divideCeilSigned(columns, blockColumns), 0};
  int64_t ofOne, all;
  if (llvm::MulOverflow(blocks.rows, blocks.columns, ofOne) ||
      llvm::MulOverflow(ofOne, names.patterns, all))
    return llvm::createStringError("expected fewer blocks than 2^63, but got " +
                                   llvm::Twine(blocks.rows) + " x " +
                                   llvm::Twine(blocks.columns) + " of " +
                                   llvm::Twine(names.patterns) + " patterns");
  int64_t stored = sizeOf(problem, names.stored,
                          std::max<int64_t>(1, all * densityOf(problem)));
  if (stored > all)
    return llvm::createStringError(
        "fact '" + names.stored + "': expected at most " + llvm::Twine(all) +
        ", as many blocks as there are, but got " + llvm::Twine(stored));
  blocks.nnz = stored / names.patterns;
  int64_t longest = sizeOf(problem, "longest_row", 0);
  if (!longest)
    return blocks;
  if (longest > std::min(blocks.columns, blocks.nnz) ||
      blocks.nnz > longest * blocks.rows)
    return llvm::createStringError(
        "fact 'longest_row': expected one of a matrix of " +
        llvm::Twine(blocks.rows) + " x " + llvm::Twine(blocks.columns) +
        " blocks, " + llvm::Twine(blocks.nnz) + " of them stored, but got " +
        llvm::Twine(longest));
  blocks.longest = longest;
  return blocks;
}

llvm::Expected<SampleProgram>
sattn::tune::makeRowsSample(const Problem &problem,
                            llvm::ArrayRef<const char *> inputs) {
  llvm::Expected<Blocks> blocks = blocksOf(problem, kSize, kSize);
  if (!blocks)
    return blocks.takeError();
  llvm::SmallVector<int64_t> shape = {blocks->nnz,
                                      sizeOf(problem, "block_rows", 1),
                                      sizeOf(problem, "block_columns", 1)};
  Arguments arguments;
  std::string names = "%crow, %col", types;
  types = arguments.add("crow", "tensor<?xi32>", blocks->word("crow"));
  types += ", " + arguments.add("col", "tensor<?xi32>", blocks->word("col"));
  for (const char *input : inputs) {
    names += std::string(", %") + input;
    types += ", " + arguments.addArray(input, shape, elementOf(problem), 2);
  }
  std::string out = arguments.addArray("out", shape, elementOf(problem), 2);
  std::string body =
      formatv("  %0 = sattn.{0} ins({1} : {2})\n      outs(%out : {3}) -> "
              "{3}\n  return %0 : {3}\n",
              problem.op, names, types, out);
  return arguments.makeFunction(body, out);
}
