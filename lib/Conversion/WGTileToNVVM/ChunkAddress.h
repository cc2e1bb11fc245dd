//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LIB_CONVERSION_WGTILETONVVM_CHUNKADDRESS_H
#define SATTN_LIB_CONVERSION_WGTILETONVVM_CHUNKADDRESS_H

#include "sattn/Layout/SharedTile.h"

#include "mlir/IR/Builders.h"

namespace wgtile {

/// Addresses of the 16-byte chunks of a shared tile.
class ChunkAddress {
public:
  ChunkAddress(mlir::OpBuilder &b, mlir::Location loc,
               const sattn::layout::SharedTile &tile, mlir::Value offset)
      : b(b), loc(loc), tile(tile), offset(offset) {}

  /// Address of chunk `chunk` + `varying` of row `row` + `varyingRow`. `row` is
  /// a multiple of 8, `varying` less than `bound`, and `chunk` a multiple of
  /// it.
  mlir::Value get(int64_t row, mlir::Value varyingRow, int64_t chunk,
                  mlir::Value varying, int64_t bound);

private:
  mlir::OpBuilder &b;
  mlir::Location loc;
  sattn::layout::SharedTile tile;
  mlir::Value offset;

  mlir::Value constant(int64_t value);
  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value mul(mlir::Value lhs, int64_t rhs);
  mlir::Value getPacked(int64_t row, mlir::Value varyingRow, int64_t chunk,
                        mlir::Value varying);
  mlir::Value address(mlir::Value varying, int64_t fixed);
};

} // namespace wgtile

#endif // SATTN_LIB_CONVERSION_WGTILETONVVM_CHUNKADDRESS_H
