//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlexAttentionHeads.h"

#include "llvm/Support/FormatVariadic.h"

using namespace sattn;
using namespace sattn::tune;
using llvm::formatv;
using tuner::Problem;

namespace sattn::tune {
SampledOp getFlexAttentionSample();
} // namespace sattn::tune

static llvm::Expected<SampleProgram> makeFlexAttention(const Problem &problem) {
  if (llvm::Error error = requireSampled(problem))
    return error;
  Arguments arguments;
  std::string types = addHeads(problem, arguments, /*isGradient=*/false);
  llvm::Expected<Visibility> visible =
      addVisibility(problem, arguments, /*isByKeys=*/false);
  if (!visible)
    return visible.takeError();
  llvm::StringRef type = elementOf(problem);
  std::string out = arguments.addArray(
      "out",
      {1, getHeads(problem), sizeOf(problem, "rows", kRows),
       sizeOf(problem, "value_dim", sizeOf(problem, "head_dim", 64))},
      type, 1);
  std::string body = formatv(
      "  %scale = arith.constant 0.125 : {0}\n  %0 = sattn.flex_attention "
      "scale(%scale)\n      ins(%q, %k, %v : {1}){2}\n      outs(%out : {3}) "
      "-> "
      "{3}{4}{5}\n  return %0 : {3}\n",
      scalarOf(type), types, visible->lists, out, visible->maskMod,
      visible->makeAttributes());
  return arguments.makeFunction(body, out);
}

SampledOp sattn::tune::getFlexAttentionSample() {
  return {"flex_attention", makeFlexAttention};
}
