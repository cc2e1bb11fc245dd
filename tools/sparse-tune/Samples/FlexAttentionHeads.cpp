//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlexAttentionHeads.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace sattn;
using namespace sattn::tune;
using llvm::formatv;
using tuner::Problem;

int64_t sattn::tune::getHeads(const Problem &problem) {
  return sizeOf(problem, "batches", kHeads);
}

llvm::Error sattn::tune::requireSampled(const Problem &problem) {
  for (llvm::StringRef fact : {"is_packed", "has_dropout", "reads_pairs"})
    if (problem.getNumber(fact, 0) != 0)
      return llvm::createStringError("expected no fact '" + fact +
                                     "', which samples cannot have");
  return llvm::Error::success();
}

std::string
Visibility::makeAttributes(llvm::ArrayRef<std::string> others) const {
  std::vector<std::string> all(attributes);
  llvm::append_range(all, others);
  return all.empty() ? "" : " {" + llvm::join(all, ", ") + "}";
}

/// The lower triangle of each block, as of a causal mask's on the diagonal.
/// `captured`: the type of a captured number, or nothing.
static std::string makeTriangle(int64_t queries, int64_t keys,
                                llvm::StringRef captured) {
  return formatv(
      R"(
      mask_mod {{
      ^bb0(%b: i32, %h: i32, %i: i32, %j: i32{2}):
        %queries = arith.constant {0} : i32
        %keys = arith.constant {1} : i32
        %row = arith.remui %i, %queries : i32
        %column = arith.remui %j, %keys : i32
        %r = arith.cmpi sge, %row, %column : i32
        sattn.yield %r : i1
      })",
      queries, keys, captured.empty() ? "" : ", %x: " + captured.str());
}

llvm::Expected<Visibility>
sattn::tune::addVisibility(const Problem &problem, Arguments &arguments,
                           bool isByKeys, llvm::StringRef captured) {
  Visibility result;
  if (problem.getNumber("is_causal", 0) != 0)
    result.attributes.push_back("mask = #sattn.mask<right = 0>");
  int64_t queries = sizeOf(problem, "block_queries", 0),
          keys = sizeOf(problem, "block_keys", 0),
          rows = sizeOf(problem, "rows", kRows), heads = getHeads(problem);
  if (!queries && !keys)
    return result;
  llvm::Expected<Blocks> blocks =
      blocksOf(problem, rows, rows,
               {"block_queries", "block_keys", "seen_blocks", heads});
  if (!blocks)
    return blocks.takeError();
  int64_t given = sizeOf(problem, "seen_blocks", 0);
  if (!given)
    blocks->nnz = std::max(blocks->nnz, blocks->rows);
  if (blocks->nnz < blocks->rows)
    return llvm::createStringError("fact 'seen_blocks': expected at least " +
                                   llvm::Twine(blocks->rows * heads) +
                                   ", one of each block of queries, but got " +
                                   llvm::Twine(given));
  bool isShared = problem.getNumber("shares_mask", 0) != 0;
  std::string suffix = formatv(":batch=1x{0}", isShared ? 1 : heads);
  if (isByKeys)
    suffix += ":transposed";
  std::string lead = isShared ? "tensor<1x1x" : "tensor<1x?x";
  for (auto [list, part] : {std::pair("partial", "first"), {"full", "rest"}}) {
    std::string name = list, end = suffix + ":part=" + part;
    std::string counts = arguments.add(name + "_counts", lead + "?xi32>",
                                       blocks->word("counts") + end);
    std::string indices = arguments.add(name + "_indices", lead + "?x?xi32>",
                                        blocks->word("indices") + end);
    result.lists += formatv("\n      {0}(%{0}_counts, %{0}_indices : {1}, {2})",
                            name, counts, indices);
  }
  result.maskMod = makeTriangle(queries, keys, captured);
  result.attributes.push_back(
      formatv("block_size = array<i64: {0}, {1}>", queries, keys));
  return result;
}

std::string sattn::tune::addHeads(const Problem &problem, Arguments &arguments,
                                  bool isGradient) {
  int64_t rows = sizeOf(problem, "rows", kRows),
          depth = sizeOf(problem, "head_dim", 64),
          width = sizeOf(problem, "value_dim", depth);
  llvm::StringRef type = elementOf(problem);
  auto add = [&](const char *name, int64_t columns) {
    return arguments.addArray(name, {1, getHeads(problem), rows, columns}, type,
                              1);
  };
  std::string types =
      add("q", depth) + ", " + add("k", depth) + ", " + add("v", width);
  if (!isGradient)
    return types;
  types += ", " + add("grad_out", width);
  for (const char *name : {"lse2", "delta"})
    types += ", " + arguments.addArray(name, {1, getHeads(problem), rows},
                                       scalarOf(type));
  return types;
}

llvm::Expected<SampleProgram>
sattn::tune::makeGradientSample(const Problem &problem,
                                const GradientSample &sample) {
  if (llvm::Error error = requireSampled(problem))
    return error;
  Arguments arguments;
  std::string types = addHeads(problem, arguments, /*isGradient=*/true);
  std::string scalar = scalarOf(elementOf(problem)).str();
  llvm::Expected<Visibility> visible =
      addVisibility(problem, arguments, sample.isByKeys,
                    sample.isOfCapture ? scalar : std::string());
  if (!visible)
    return visible.takeError();
  std::string captures, scoreMod;
  if (sample.isOfCapture) {
    arguments.add("gain", scalar, "1");
    captures = "\n      captures(%gain : " + scalar + ")";
    scoreMod = formatv(
        R"(
      score_mod {{
      ^bb0(%score: {0}, %b: i32, %h: i32, %i: i32, %j: i32, %x: {0}):
        %r = arith.mulf %score, %x : {0}
        sattn.yield %r : {0}
      })",
        scalar);
  }
  std::string names, results;
  for (auto [index, columns] : llvm::enumerate(sample.columns)) {
    std::string name = "out" + std::to_string(index);
    names += (index ? ", %" : "%") + name;
    llvm::SmallVector<int64_t> shape = {
        1, getHeads(problem), sizeOf(problem, "rows", kRows), columns};
    results += (index ? ", " : "") +
               (sample.isOfCapture
                    ? arguments.addArray(name, shape, scalar)
                    : arguments.addArray(name, shape, elementOf(problem), 1));
  }
  bool isOne = sample.columns.size() == 1;
  std::string body = formatv(
      "  %scale = arith.constant 0.125 : {0}\n  %0{1} = sattn.{2} "
      "scale(%scale)\n      ins(%q, %k, %v, %grad_out, %lse2, %delta : {3})"
      "{4}{5}\n      outs({6} : {7}) -> {7}{8}{9}{10}\n  return {11} : {7}\n",
      scalar, isOne ? "" : ":2", problem.op, types, visible->lists, captures,
      names, results, scoreMod, visible->maskMod,
      visible->makeAttributes(sample.attributes), isOne ? "%0" : "%0#0, %0#1");
  return arguments.makeFunction(body, isOne ? results : "(" + results + ")");
}
