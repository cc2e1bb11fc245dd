//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Matchers that share the work of raising linalg ops to ops on block-sparse
// matrices.

#ifndef LIB_DIALECT_SATTN_IR_RAISEPARTS_H
#define LIB_DIALECT_SATTN_IR_RAISEPARTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace sattn {

/// Loops that index the dimensions of an operand, in their order.
using LoopList = llvm::SmallVector<unsigned>;

/// An operand, and the loop that each of its dimensions follows.
struct Indexed {
  mlir::Value value;
  LoopList loops;

  unsigned last() const { return loops.back(); }
  unsigned beforeLast() const { return *(loops.end() - 2); }
  /// Loops of its batch dimensions.
  llvm::ArrayRef<unsigned> batch() const {
    return llvm::ArrayRef(loops).drop_back(2);
  }
  /// Whether its batch dimensions are the last ones of `other`.
  bool broadcastsTo(const Indexed &other) const;
};

/// The loop that each result of the map is; nothing for any other map.
std::optional<LoopList> getLoops(mlir::AffineMap map);

/// The dimension of the result that each dimension of the input of a linalg op
/// becomes, if the op only copies it: a transpose, a broadcast to more
/// dimensions, or both.
std::optional<llvm::SmallVector<unsigned>> getCopied(mlir::linalg::LinalgOp op);

} // namespace sattn

#endif // LIB_DIALECT_SATTN_IR_RAISEPARTS_H
