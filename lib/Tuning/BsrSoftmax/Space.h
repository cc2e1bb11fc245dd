//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The space of ops that walk the rows of stored blocks.

#ifndef SATTN_LIB_TUNING_BSRSOFTMAX_SPACE_H
#define SATTN_LIB_TUNING_BSRSOFTMAX_SPACE_H

#include "../OpTuning.h"

#include "sattn/Tuning/BsrSoftmax.h"

namespace sattn::tuning::bsr_softmax {

/// The declaration of an op with these rows of tables.
OpTuning<Facts> declare(llvm::StringLiteral name, const meta::OpSchema &schema,
                        Facts (*read)(NamedFacts &given));

} // namespace sattn::tuning::bsr_softmax

#endif // SATTN_LIB_TUNING_BSRSOFTMAX_SPACE_H
