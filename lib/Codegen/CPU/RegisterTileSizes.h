//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The accumulator of a matrix product in vector registers.

#ifndef SATTN_DIALECT_SATTN_TRANSFORMS_CPUREGISTERTILESIZES_H
#define SATTN_DIALECT_SATTN_TRANSFORMS_CPUREGISTERTILESIZES_H

#include "sattn/Resources/RegisterTile.h"

#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Types.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <utility>

namespace sattn {

/// The number that widths of tiles are a multiple of.
inline constexpr int64_t kColumnAlignment = 8;

/// Rows from `begin` to `end` of a tile, in register tiles of `rows`.
struct RowBand {
  int64_t begin, end, rows;
};

/// Sizes of the register tile for vectors of a width, unless they are given.
class RegisterTileSizes {
public:
  /// `element`: of the matrix product or the rows; null for any but f64.
  /// `op`: one in the loop over tiles whose hints count, or null.
  RegisterTileSizes(int64_t vectorBits, llvm::ArrayRef<int64_t> given,
                    mlir::Type element, mlir::Operation *op);

  int64_t vectorBits;
  llvm::ArrayRef<int64_t> given;
  int64_t elementBits;
  /// The hints of the loop; 0: none.
  resources::RegisterTile hints = {0, 0};

  /// Verifies the options.
  mlir::LogicalResult verify(mlir::Location loc) const;
  /// Says which loops have hints that registers cannot hold.
  static mlir::LogicalResult verifyHints(mlir::Operation *root,
                                         int64_t vectorBits);
  /// The columns of a panel: a divisor of the tile's columns, a power of two
  /// unless the sizes are given. LLVM splits vectors of other lengths.
  int64_t columns(int64_t size) const;
  /// The side of a square that is transposed in registers: a divisor of its
  /// size, at most the elements of a register.
  int64_t lanes(int64_t size) const;
  /// The rows of register tiles in a panel of that width, from the first row of
  /// a tile to its last: one band, or two where the first's rows do not divide
  /// the tile's.
  llvm::SmallVector<RowBand, 2> bands(int64_t size, int64_t columns) const;
  /// Rows that are reduced together and the columns that one iteration takes of
  /// them, squares side by side; none where a tile of that size has no squares.
  std::optional<std::pair<int64_t, int64_t>> squares(int64_t rows,
                                                     int64_t columns) const;

private:
  /// Elements of a vector register.
  int64_t elements() const;
  /// Rows of a register tile, at most.
  int64_t mostRows(int64_t columns) const;
};

} // namespace sattn

#endif // SATTN_DIALECT_SATTN_TRANSFORMS_CPUREGISTERTILESIZES_H
