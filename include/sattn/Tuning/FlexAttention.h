//===- FlexAttention.h - Parameters of flex_attention -----------*- C++ -*-===//
//
// How the parameters of one flex_attention are chosen, from what is known of
// it.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TUNING_FLEXATTENTION_H
#define SATTN_TUNING_FLEXATTENTION_H

#include "sattn/Tuning/Attention.h"

namespace sattn::tuning::flex_attention {
using attention::choose;
using attention::defaultParameters;
using attention::Facts;
using attention::kPaddedColumns;
} // namespace sattn::tuning::flex_attention

namespace sattn::tuning {
/// No table has rows of it yet.
meta::OpSchemas getFlexAttentionSchemas();
} // namespace sattn::tuning

#endif // SATTN_TUNING_FLEXATTENTION_H
