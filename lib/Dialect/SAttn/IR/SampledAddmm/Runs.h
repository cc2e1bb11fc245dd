//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Runs of stored blocks, tiles whose blocks are computed one after the other.

#ifndef LIB_DIALECT_SATTN_IR_SAMPLEDADDMM_RUNS_H
#define LIB_DIALECT_SATTN_IR_SAMPLEDADDMM_RUNS_H

#include "sattn/Dialect/SAttn/IR/SampledAddmm/SampledAddmmOp.h"

namespace sattn {

/// Whether all of K is one step of the tile of `meta`, of several whole blocks
/// that are added to nothing. Such a tile is a run: the rows of `mat1` that its
/// blocks of a row have in common stay where they are, and each block is stored
/// before the next.
bool isRun(SampledAddmmOp op);

/// Whether K is known and nothing is added, so that a tile of several blocks
/// may be a run.
bool canBeRun(SampledAddmmOp op);

} // namespace sattn

#endif // LIB_DIALECT_SATTN_IR_SAMPLEDADDMM_RUNS_H
