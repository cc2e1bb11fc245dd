//===- FlexAttentionGradients.h - Gradients for tools -----------*- C++ -*-===//
//
// The part that the ops of flex_attention's gradients share for tools.
//
//===----------------------------------------------------------------------===//

#ifndef LIB_REFERENCE_FLEXATTENTIONGRADIENTS_H
#define LIB_REFERENCE_FLEXATTENTIONGRADIENTS_H

#include "FlexAttentionNamed.h"

#include "sattn/Reference/FlexAttentionBackward.h"

namespace sattn::reference {

/// All gradients by the operands `grad_out`, `lse2`, `delta` and `max_scores`.
/// `scoreMod` is that of FlexAttentionCotangents.
runtime::ErrorOr<FlexAttentionGradients>
computeGradients(const char *op, const NamedOperands &operands, ListsOf lists,
                 decltype(FlexAttentionCotangents::scoreMod) scoreMod);

/// The shape of the operand of this name, which its gradient has; an error
/// without a message where it is missing.
runtime::ErrorOr<std::vector<int64_t>> shapeOf(const NamedOperands &operands,
                                               const char *name);

} // namespace sattn::reference

#endif // LIB_REFERENCE_FLEXATTENTIONGRADIENTS_H
