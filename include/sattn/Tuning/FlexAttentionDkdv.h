//===- FlexAttentionDkdv.h - Parameters of flex_attention_dkdv ---------*- C++
//-*-===//
//
// How the parameters of one flex_attention_dkdv are chosen: a tile of keys,
// which walks blocks of queries. The op's methods ask, and the C API
// (sattn-c/Tuning.h).
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TUNING_FLEXATTENTIONDKDV_H
#define SATTN_TUNING_FLEXATTENTIONDKDV_H

#include "sattn/Tuning/Attention.h"

namespace sattn::tuning::flex_attention_dkdv {
using attention::Facts;

/// The parameters without a table's row: a tile has `rows` queries, `depth`
/// keys and all columns.
Parameters defaultParameters(const Facts &facts, const Target &target);
/// Chooses parameters as attention::choose does, from this default.
llvm::Expected<Choice> choose(const Facts &facts, const Search &search);

/// The rows of tables.
extern const meta::OpSchema kSchema;
} // namespace sattn::tuning::flex_attention_dkdv

#endif // SATTN_TUNING_FLEXATTENTIONDKDV_H
