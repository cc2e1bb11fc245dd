//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Checks that the verifiers of ops on matrices in BSR storage share.

#ifndef LIB_DIALECT_SATTN_IR_OPERANDCHECKS_H
#define LIB_DIALECT_SATTN_IR_OPERANDCHECKS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace sattn {

/// Most of each size of a tile, and of its elements: on the CPU a thread has an
/// accumulator and a copy of the right operand of this size, in f32 256 MiB
/// each.
inline constexpr int64_t kMaxTileSize = 65536;
inline constexpr int64_t kMaxTileElements = int64_t(1) << 26;
/// Most stored blocks of a tile: the consumer groups that a CTA may
/// have (wgtile.for_each_tile, C3).
inline constexpr int64_t kMaxBlocksPerTile = 32;

/// An operand, its name, and its rank without batch dimensions.
struct NamedOperand {
  llvm::StringRef name;
  mlir::TypedValue<mlir::RankedTensorType> value;
  int64_t baseRank;

  mlir::Type elementType() const { return value.getType().getElementType(); }
  int64_t batchRank() const { return value.getType().getRank() - baseRank; }
  /// Size of a dimension after the batch dimensions.
  int64_t size(int64_t dim) const {
    return value.getType().getDimSize(batchRank() + dim);
  }
};

/// Whether a type is f16, bf16 or f32.
bool isSmallFloat(mlir::Type type);

/// Whether two sizes may be equal: one of them is dynamic, or they agree.
bool mayMatch(int64_t a, int64_t b);

/// Verifies that the operand's size of a dimension may be `expected`.
llvm::LogicalResult verifySize(mlir::Operation *op, const NamedOperand &operand,
                               int64_t dim, llvm::StringRef dimName,
                               int64_t expected);

/// Verifies that operands have their rank and at most `batchRank` more.
llvm::LogicalResult verifyBatchRanks(mlir::Operation *op,
                                     llvm::ArrayRef<NamedOperand> operands,
                                     int64_t batchRank);

/// Verifies that the operand's batch dimensions broadcast to `batch`.
llvm::LogicalResult verifyBatch(mlir::Operation *op,
                                const NamedOperand &operand,
                                llvm::ArrayRef<int64_t> batch);

/// Verifies that no operand of static sizes has 2^63 bytes or more.
llvm::LogicalResult verifyBytes(mlir::Operation *op,
                                llvm::ArrayRef<NamedOperand> operands);

/// Verifies the element type of the operand `name`, of an op that takes floats
/// alone.
llvm::LogicalResult verifyFloat(mlir::Operation *op, llvm::StringRef name,
                                mlir::Type element);

/// Verifies the element type `out` of the result of a product of `factor`, that
/// of the operand `name`.
llvm::LogicalResult verifyResultType(mlir::Operation *op, llvm::StringRef name,
                                     mlir::Type factor, mlir::Type out);

/// Verifies the element types of a product: `factor`, that of the operand
/// `name`, and `out`.
llvm::LogicalResult verifyProductTypes(mlir::Operation *op,
                                       llvm::StringRef name, mlir::Type factor,
                                       mlir::Type out);

/// Verifies the element type that `factor` is multiplied with, that of the
/// operand `name`.
llvm::LogicalResult verifyOtherFactor(mlir::Operation *op, llvm::StringRef name,
                                      mlir::Type factor, mlir::Type other);

/// Verifies that `precision` is "ieee" or, of f32, "tf32". `elements` says
/// whose type it is.
llvm::LogicalResult verifyPrecision(mlir::Operation *op,
                                    llvm::StringRef precision, mlir::Type type,
                                    llvm::StringRef elements);

} // namespace sattn

#endif // LIB_DIALECT_SATTN_IR_OPERANDCHECKS_H
