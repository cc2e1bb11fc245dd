//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_WGTILE_ANALYSIS_TILEPRESSURE_H
#define SATTN_DIALECT_WGTILE_ANALYSIS_TILEPRESSURE_H

#include "sattn/Dialect/WGTile/IR/WGTile.h"

namespace wgtile {

/// The most registers that each of `threads` threads holds at one time for the
/// tiles of a loop over tiles, in blocks with MMAs: results of MMAs, what loops
/// carry, and what is computed of these. A wgmma's left operand is held until
/// the wait that wgtile-place-waits will place. Ops on elements compute in
/// place. Vectors do not count, and neither do tiles that are read, since they
/// may be read late. With `rotates`, block loops are counted as wgtile-overlap
/// will rotate them.
int64_t countLiveTileRegisters(ForEachTileOp loop, int64_t threads,
                               bool rotates);

} // namespace wgtile

#endif // SATTN_DIALECT_WGTILE_ANALYSIS_TILEPRESSURE_H
