//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_WGTILE_ANALYSIS_ROTATION_H
#define SATTN_DIALECT_WGTILE_ANALYSIS_ROTATION_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace wgtile {

/// The ops of a loop's body by their place in an iteration of the rotated loop:
/// `first` (the MMAs that need no other MMA, and their loads) and `between`
/// (all ops on their results) for the iteration's own block, `last` (the MMAs
/// on the results of `between`, and their loads) for the block before.
struct Rotation {
  llvm::SmallVector<mlir::Operation *> first, between, last;
};

/// The rotation of a loop with two MMAs in a chain; nothing if there is no
/// chain or the loop cannot be rotated. `declined` is then why a loop with a
/// chain is left alone.
std::optional<Rotation> findRotation(mlir::scf::ForOp loop,
                                     llvm::StringRef *declined = nullptr);

/// Moves ops that only `last` needs from `between` to `last`. Ops of `last` run
/// beside the next block's first MMAs, those of `between` beside this block's
/// last MMAs. Ops move where the loop then carries no wider tiles, or tiles of
/// at most `elements` elements.
void moveToLast(Rotation &rotation, int64_t elements);

} // namespace wgtile

#endif // SATTN_DIALECT_WGTILE_ANALYSIS_ROTATION_H
