//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Tuning/FlexAttentionDcapture.h"

sattn::meta::OpSchemas sattn::tuning::getFlexAttentionDcaptureSchemas() {
  return {};
}
