//===- BsrSoftmaxNamed.h - Operands by name ---------------------*- C++ -*-===//
//
// The part that the ops on the rows of a matrix in BSR storage share for tools.
//
//===----------------------------------------------------------------------===//

#ifndef LIB_REFERENCE_BSRSOFTMAXNAMED_H
#define LIB_REFERENCE_BSRSOFTMAXNAMED_H

#include "sattn/Reference/Op.h"

namespace sattn::reference {

/// The operand of this name, which must be present.
runtime::TensorView tensorOf(const NamedOperands &operands, const char *name);

/// The shape, without batch dimensions, of an array of blocks, which is also
/// that of results. An error without a message if no array is given.
runtime::ErrorOr<std::vector<int64_t>>
shapeLike(const runtime::TensorView *values);

/// The description of an op on arrays like `values`.
Description describeRows(const NamedOperands &operands,
                         const runtime::TensorView &values);

} // namespace sattn::reference

#endif // LIB_REFERENCE_BSRSOFTMAXNAMED_H
