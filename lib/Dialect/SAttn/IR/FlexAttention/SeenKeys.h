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

#include "WalkedBlocks.h"

namespace sattn::flex_attention {

/// For a tile of queries: the keys from an end on are seen by none of them,
/// whatever their rows are.
class SeenKeys {
public:
  /// Before the loop.
  SeenKeys(TileBuilder &b, WalkedBlocks &range);

  /// Rows that the block of keys has before the end of those that are seen:
  /// what comes after may be anything, and is not multiplied. Nothing where
  /// that is the tensor's end, as far as is known.
  mlir::OpFoldResult countRows(mlir::Value iteration);

private:
  TileBuilder &b;
  WalkedBlocks &range;
  /// The end of the keys that mask_mod lets the tile see, if it is known.
  mlir::Value end;
};

} // namespace sattn::flex_attention

#endif // LIB_DIALECT_SATTN_IR_FLEXATTENTION_SEENKEYS_H
