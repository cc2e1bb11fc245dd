//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_WGTILE_UTILS_PREDICATES_H
#define SATTN_DIALECT_WGTILE_UTILS_PREDICATES_H

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace wgtile {

/// Whether a comparison takes its operands as signed, or asks whether they are
/// equal.
inline bool isSignedOrEquality(mlir::arith::CmpIPredicate predicate) {
  using P = mlir::arith::CmpIPredicate;
  return llvm::is_contained({P::eq, P::ne, P::slt, P::sle, P::sgt, P::sge},
                            predicate);
}

/// The predicate of such a comparison with its operands swapped.
inline mlir::arith::CmpIPredicate
swapOperands(mlir::arith::CmpIPredicate predicate) {
  using P = mlir::arith::CmpIPredicate;
  switch (predicate) {
  case P::slt:
    return P::sgt;
  case P::sle:
    return P::sge;
  case P::sgt:
    return P::slt;
  case P::sge:
    return P::sle;
  default:
    return predicate;
  }
}

} // namespace wgtile

#endif // SATTN_DIALECT_WGTILE_UTILS_PREDICATES_H
