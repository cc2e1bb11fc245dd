//===- FlexAttentionDq.h - Parameters of flex_attention_dq -------------*- C++
//-*-===//
//
// How the parameters of one flex_attention_dq are chosen: a tile of queries,
// which walks blocks of keys. The op's methods ask, and the C API
// (sattn-c/Tuning.h).
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TUNING_FLEXATTENTIONDQ_H
#define SATTN_TUNING_FLEXATTENTIONDQ_H

#include "sattn/Tuning/Attention.h"

namespace sattn::tuning::flex_attention_dq {
using attention::Facts;

/// The parameters without a table's row: a tile has `rows` queries, `depth`
/// keys and all columns.
Parameters defaultParameters(const Facts &facts, const Target &target);
/// Chooses parameters as attention::choose does, from this default.
llvm::Expected<Choice> choose(const Facts &facts, const Search &search);

/// The rows of tables.
extern const meta::OpSchema kSchema;
} // namespace sattn::tuning::flex_attention_dq

#endif // SATTN_TUNING_FLEXATTENTIONDQ_H
