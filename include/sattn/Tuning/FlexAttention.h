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

/// The rows of tables.
extern const meta::OpSchema kSchema;
} // namespace sattn::tuning::flex_attention

#endif // SATTN_TUNING_FLEXATTENTION_H
