//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LIB_CONVERSION_WGTILETONVVM_LANEEXCHANGE_H
#define SATTN_LIB_CONVERSION_WGTILETONVVM_LANEEXCHANGE_H

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace wgtile {

/// The value, of 32 or 64 bits, of the lane whose number differs by one bit.
mlir::Value createShuffle(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::Value value, int64_t distance);

/// Combines a value with those of the other lanes of a group of neighbors, or
/// with those of each `every`-th lane of the group.
mlir::Value combineLanes(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::arith::AtomicRMWKind kind, mlir::Value value,
                         int64_t lanes, int64_t every = 1);

/// Combines values, at least one.
mlir::Value combineAll(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::arith::AtomicRMWKind kind,
                       llvm::SmallVector<mlir::Value> values);

/// Combines the elements of a pair of 16 bits, in f32.
mlir::Value combinePair(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::arith::AtomicRMWKind kind, mlir::Value pair);

} // namespace wgtile

#endif // SATTN_LIB_CONVERSION_WGTILETONVVM_LANEEXCHANGE_H
