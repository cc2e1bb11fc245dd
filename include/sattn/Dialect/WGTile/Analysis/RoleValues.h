//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef SATTN_DIALECT_WGTILE_ANALYSIS_ROLEVALUES_H
#define SATTN_DIALECT_WGTILE_ANALYSIS_ROLEVALUES_H

#include "sattn/Dialect/WGTile/IR/WGTile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AffineExpr.h"

namespace wgtile {

/// Decides which values of a producer and of one consumer group are equal:
/// values from outside both roles, values that were matched, and results of the
/// same op on equal operands. Memory counts as the same if no op of the kernel
/// writes to the memref that it is read through.
class RoleValues {
public:
  explicit RoleValues(mlir::Operation *kernel);

  /// Forgets all pairs.
  void reset();
  /// Notes that two values are equal: arguments of loops in step.
  void match(mlir::Value producer, mlir::Value consumer);
  /// Notes that the consumer's index is that of tile `tile` of the producer's
  /// group: consumer = producer * size + tile.
  void matchTile(mlir::Value producer, mlir::Value consumer, int64_t size,
                 int64_t tile);

  /// Whether two loops have the same range. If so, their induction variables
  /// match, and so do carried values and results that are equal.
  bool matchLoops(mlir::scf::ForOp producer, mlir::scf::ForOp consumer);

  bool areEqual(mlir::Value producer, mlir::Value consumer);
  /// Whether producer = ceil(consumer / size).
  bool isCeilDiv(mlir::Value producer, mlir::Value consumer, int64_t size);
  /// The value of an index of the consumer's, if it is the same in every tile
  /// of this consumer group.
  std::optional<int64_t> getConstant(mlir::Value consumer);

private:
  /// The consumer's index of a tile in terms of the producer's.
  struct TileIndex {
    mlir::Value producer, consumer;
    int64_t size = 1, tile = 0;
  };

  bool compute(mlir::Value producer, mlir::Value consumer);
  bool compareOps(mlir::Operation *producer, mlir::Operation *consumer,
                  unsigned result);
  bool compareAffine(mlir::Value producer, mlir::Value consumer,
                     int64_t divisor);
  mlir::AffineExpr expressProducer(mlir::Value value,
                                   llvm::SmallVectorImpl<mlir::Value> &leaves);
  mlir::AffineExpr expressConsumer(mlir::Value value,
                                   llvm::SmallVectorImpl<mlir::Value> &leaves);

  llvm::DenseSet<mlir::Value> written;
  llvm::DenseSet<std::pair<mlir::Value, mlir::Value>> matched;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Value>, bool> known;
  std::optional<TileIndex> index;
};

} // namespace wgtile

#endif // SATTN_DIALECT_WGTILE_ANALYSIS_ROLEVALUES_H
