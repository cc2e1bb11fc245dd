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

using namespace sattn;
using namespace sattn::tune;

namespace sattn::tune {
#define SATTN_SAMPLED_OP(NAME) SampledOp get##NAME##Sample();
#include "SampledOps.inc"
} // namespace sattn::tune

llvm::Expected<SampleProgram>
sattn::tune::makeSampleProgram(const tuner::Problem &problem) {
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
