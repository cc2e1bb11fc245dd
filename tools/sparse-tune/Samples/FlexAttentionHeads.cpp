//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlexAttentionHeads.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace sattn;
using namespace sattn::tune;
using llvm::formatv;
using tuner::Problem;

int64_t sattn::tune::getHeads(const Problem &problem) {
  return sizeOf(problem, "batches", kHeads);
}

llvm::Error sattn::tune::requireNoLists(const Problem &problem) {
  for (llvm::StringRef fact : {"block_queries", "block_keys", "is_packed"})
    if (problem.getNumber(fact, 0) != 0)
      return llvm::createStringError("expected no fact '" + fact +
                                     "', which samples cannot have");
  return llvm::Error::success();
}

std::string sattn::tune::maskOf(const Problem &problem) {
  return problem.getNumber("is_causal", 0) != 0
             ? " {mask = #sattn.mask<right = 0>}"
             : "";
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
                                llvm::ArrayRef<int64_t> gradients) {
  if (llvm::Error error = requireNoLists(problem))
    return error;
  Arguments arguments;
  std::string types = addHeads(problem, arguments, /*isGradient=*/true);
  std::string names, results;
  for (auto [index, columns] : llvm::enumerate(gradients)) {
    std::string name = "out" + std::to_string(index);
    names += (index ? ", %" : "%") + name;
    results += (index ? ", " : "") +
               arguments.addArray(name,
                                  {1, getHeads(problem),
                                   sizeOf(problem, "rows", kRows), columns},
                                  elementOf(problem), 1);
  }
  bool isOne = gradients.size() == 1;
  std::string body = formatv(
      "  %scale = arith.constant 0.125 : {0}\n  %0{1} = sattn.{2} "
      "scale(%scale)\n      ins(%q, %k, %v, %grad_out, %lse2, %delta : {3})\n"
      "      outs({4} : {5}) -> {5}{6}\n  return {7} : {5}\n",
      scalarOf(elementOf(problem)), isOne ? "" : ":2", problem.op, types, names,
      results, maskOf(problem), isOne ? "%0" : "%0#0, %0#1");
  return arguments.makeFunction(body, isOne ? results : "(" + results + ")");
}
