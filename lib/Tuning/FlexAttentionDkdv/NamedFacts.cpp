//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Tuning/NamedFacts.h"
#include "sattn/Tuning/FlexAttentionDkdv.h"

namespace sattn::tuning {
NamedOp getFlexAttentionDkdvByName() {
  return makeNamedOp("flex_attention_dkdv", attention::readFacts,
                     flex_attention_dkdv::choose);
}
} // namespace sattn::tuning
