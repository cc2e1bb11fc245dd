//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Shapes of MMAs: which of them wgmma takes, and the most accumulators that
// leave a thread its other registers.

#ifndef SATTN_RESOURCES_MMA_H
#define SATTN_RESOURCES_MMA_H

#include "sattn/Layout/WgmmaDescriptor.h"
#include "sattn/Resources/Target.h"

namespace sattn::resources {

/// An operand of an MMA in shared memory, as it is stored.
struct SharedOperand {
  int64_t rows, columns, elementBytes;
  layout::Major major;
};

/// An MMA of two tiles, M x K and K x N.
struct MmaShape {
  int64_t m, n, k;
  int64_t elementBytes;
  /// Whether the first factor is stored K x M, the second one N x K.
  bool isTransposedA = false, isTransposedB = false;
  bool isInteger = false;

  SharedOperand getA() const;
  SharedOperand getB() const;
};

/// Whether wgmma takes a tile as an operand, in rows of its swizzle, without
/// padding.
bool isWgmmaOperand(const SharedOperand &tile);
/// Whether an operand that wgmma takes is whole rows of its swizzle.
bool hasWholeRows(const SharedOperand &tile);

/// Whether wgmma can compute an MMA whose operands are in shared memory:
/// elements of 16 bits, or of 8 or 32 along K.
bool fitsWgmma(const MmaShape &mma);

/// Most columns of a tile of so many rows and K columns, a multiple of the
/// target's, within the limits of one instruction or the threads' registers; 0
/// if there are none. `isGrouped`: the rows are those of several block rows,
/// which have two warps each and fit like wgmma's tiles. Only for targets with
/// a limit.
int64_t getWidestColumns(int64_t rows, int64_t k, int64_t elementBytes,
                         bool isTransposedB, bool isGrouped,
                         const Target &target);

} // namespace sattn::resources

#endif // SATTN_RESOURCES_MMA_H
