//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LIB_CONVERSION_VECTORTOWGTILE_SCAN_H
#define SATTN_LIB_CONVERSION_VECTORTOWGTILE_SCAN_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <optional>

namespace sattn {

/// The name of a reduction of a tile in wgtile and arith.
std::optional<mlir::arith::AtomicRMWKind>
convertKind(mlir::vector::CombiningKind kind, mlir::Type element);

/// Converts a scan of all elements of a tile, in row-major order, which are a
/// vector between two casts, to a scan of the tile:
///   shape_cast (scan (shape_cast %tile), %initial)
/// Emits an error for any other.
llvm::LogicalResult convertScan(mlir::vector::ScanOp op);

} // namespace sattn

#endif // SATTN_LIB_CONVERSION_VECTORTOWGTILE_SCAN_H
