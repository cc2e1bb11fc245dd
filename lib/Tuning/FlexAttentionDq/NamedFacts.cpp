//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Tuning/NamedFacts.h"
#include "sattn/Tuning/FlexAttentionDq.h"

namespace sattn::tuning {
NamedOp getFlexAttentionDqByName() {
  return makeNamedOp("flex_attention_dq", attention::readFacts,
                     flex_attention_dq::choose);
}
} // namespace sattn::tuning
