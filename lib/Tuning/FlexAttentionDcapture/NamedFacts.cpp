//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Tuning/NamedFacts.h"
#include "sattn/Tuning/FlexAttentionDcapture.h"

namespace sattn::tuning {
NamedOp getFlexAttentionDcaptureByName() {
  return makeNamedOp("flex_attention_dcapture", attention::readFacts,
                     flex_attention_dcapture::choose);
}
} // namespace sattn::tuning
