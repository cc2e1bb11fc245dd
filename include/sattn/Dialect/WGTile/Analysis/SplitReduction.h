//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_WGTILE_ANALYSIS_SPLITREDUCTION_H
#define SATTN_DIALECT_WGTILE_ANALYSIS_SPLITREDUCTION_H

#include "sattn/Dialect/WGTile/IR/WGTile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace wgtile {

/// The loop whose iterations several CTAs can share, each with a part
/// of the range: the block loop (`wgtile.block_loop`) of a tile's program, if
/// it has one, that does nothing but add MMAs of f32 to zeros. Null if there is
/// none, with what is in the way in `reason`.
mlir::scf::ForOp findSplitLoop(ForEachTileOp tiles, llvm::StringRef &reason);

} // namespace wgtile

#endif // SATTN_DIALECT_WGTILE_ANALYSIS_SPLITREDUCTION_H
