//===- FlexAttentionNamed.h - Operands by name ------------------*- C++ -*-===//
//
// The part that the ops of flex_attention and of its gradients share for tools.
//
//===----------------------------------------------------------------------===//

#ifndef LIB_REFERENCE_FLEXATTENTIONNAMED_H
#define LIB_REFERENCE_FLEXATTENTIONNAMED_H

#include "sattn/Reference/FlexAttention.h"
#include "sattn/Reference/Op.h"

namespace sattn::reference {

/// Which blocks have lists: those of queries list blocks of keys, those of keys
/// list blocks of queries.
enum class ListsOf { Queries, Keys };

/// The operands of an op that meet its contract, with its lists as functions.
FlexAttentionOperands readOperands(const NamedOperands &operands,
                                   ListsOf lists);

/// Number of the op's stored blocks that contain a pair b, h, i, j; null if the
/// op has none.
std::function<int64_t(int64_t, int64_t, int64_t, int64_t)>
readStored(const NamedOperands &operands, ListsOf lists);

/// Returns an error if `op` has functions that nobody gave, or a score_mod that
/// the reference does not take, for want of its derivative.
runtime::Error checkFunctions(const char *op, const NamedOperands &operands,
                              bool takesScoreMod);

/// All of a description but the sizes; `columns` are multiplied and added for
/// each pair of a query and a key.
Description describeScores(const NamedOperands &operands,
                           const FlexAttentionOperands &op, int64_t columns);

} // namespace sattn::reference

#endif // LIB_REFERENCE_FLEXATTENTIONNAMED_H
