//===- CheckTiles.h - What a target takes of tile programs ------*- C++ -*-===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LIB_DIALECT_SATTN_TRANSFORMS_CHECKTILES_H
#define SATTN_LIB_DIALECT_SATTN_TRANSFORMS_CHECKTILES_H

#include "sattn/Dialect/SAttn/IR/SAttnDialect.h"
#include "sattn/Tuning/Target.h"

namespace sattn {

/// Whether the target can compute the matrix products among the ops [begin,
/// end) and below, which are the program of a tile of `op`. Emits an error at
/// `op` otherwise, since later passes no longer see the user's op.
mlir::LogicalResult checkTileProgram(TileProgramOpInterface op,
                                     mlir::Block::iterator begin,
                                     mlir::Block::iterator end,
                                     const tuning::Target &target);

} // namespace sattn

#endif // SATTN_LIB_DIALECT_SATTN_TRANSFORMS_CHECKTILES_H
