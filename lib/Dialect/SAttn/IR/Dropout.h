//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Which weights of attention are dropped, in the IR: Philox4x32-10 (Salmon,
// Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011)
// of a weight's place.

#ifndef LIB_DIALECT_SATTN_IR_DROPOUT_H
#define LIB_DIALECT_SATTN_IR_DROPOUT_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace sattn {

class Dropout {
public:
  /// Computes, where `b` stands, the values that are the same for all elements.
  /// `probability` is a float, `random` has two elements of i64, the key and
  /// the counter's last word.
  Dropout(mlir::ImplicitLocOpBuilder &b, mlir::Value probability,
          mlir::Value random);

  /// The factor of the weights that are kept, of the probability's type; 0
  /// where none is kept.
  mlir::Value factor;

  /// Whether the weight of this place is kept, of i1. The numbers are i32.
  mlir::Value isKept(mlir::ImplicitLocOpBuilder &b, mlir::Value column,
                     mlir::Value row, mlir::Value batch) const;

private:
  static constexpr int kRounds = 10;

  /// Philox's inputs, of i32: the threshold below which a number drops its
  /// weight; the counter's last word; two words of key for each round.
  mlir::Value threshold, offset;
  mlir::Value keys[kRounds][2];
};

/// Verifies that `random` is a seed and an offset: two elements of i64.
llvm::LogicalResult verifyRandom(mlir::Operation *op,
                                 mlir::RankedTensorType type);

} // namespace sattn

#endif // LIB_DIALECT_SATTN_IR_DROPOUT_H
