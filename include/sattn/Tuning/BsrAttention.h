//===- BsrAttention.h - Parameters of bsr_attention -------------*- C++ -*-===//
//
// How the parameters of one bsr_attention are chosen: as those of any attention
// by blocks. The op's methods ask, and the C API (sattn-c/Tuning.h).
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TUNING_BSRATTENTION_H
#define SATTN_TUNING_BSRATTENTION_H

#include "sattn/Tuning/Attention.h"

namespace sattn::tuning::bsr_attention {
using attention::choose;
using attention::defaultParameters;
using attention::Facts;

/// The rows of tables.
extern const meta::OpSchema kSchema;
} // namespace sattn::tuning::bsr_attention

#endif // SATTN_TUNING_BSRATTENTION_H
