//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "sattn/Tuning/NamedFacts.h"
#include "sattn/Tuning/FlexAttention.h"

using namespace sattn::tuning;

namespace sattn::tuning {
NamedOp getFlexAttentionByName() {
  return makeNamedOp("flex_attention", attention::readFacts,
                     flex_attention::choose);
}
} // namespace sattn::tuning
