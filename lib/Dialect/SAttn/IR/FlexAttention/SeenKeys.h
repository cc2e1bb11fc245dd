//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// After which key a mask_mod is false: as a rule that of a cache that is filled
// in part, whose other values may be anything.

#ifndef LIB_DIALECT_SATTN_IR_FLEXATTENTION_SEENKEYS_H
#define LIB_DIALECT_SATTN_IR_FLEXATTENTION_SEENKEYS_H

#include "TileBuilder.h"

namespace sattn::flex_attention {

/// The key, an index from 0 to the number of keys, from which on mask_mod is
/// false for all queries of the tile, where that depends on what it captures.
/// Null where that is not known, or positions alone say it: as in a causal
/// mask, whose last key is that of the last query.
mlir::Value findSeenEnd(TileBuilder &b);

} // namespace sattn::flex_attention

#endif // LIB_DIALECT_SATTN_IR_FLEXATTENTION_SEENKEYS_H
