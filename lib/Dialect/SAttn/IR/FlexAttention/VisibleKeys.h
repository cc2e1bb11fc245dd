//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The end of the keys that a mask_mod lets a tile see. As a rule the mask is of
// a KV cache that is partly filled: its other rows may hold anything.

#ifndef LIB_DIALECT_SATTN_IR_FLEXATTENTION_VISIBLEKEYS_H
#define LIB_DIALECT_SATTN_IR_FLEXATTENTION_VISIBLEKEYS_H

#include "WalkedBlocks.h"

namespace sattn::flex_attention {

/// The end of the keys that are visible to a tile of queries: keys from there
/// on are visible to none of them, and may hold anything.
class VisibleKeys {
public:
  /// Computes the end; the builder stands before the loop over blocks of keys.
  VisibleKeys(TileBuilder &b, WalkedBlocks &range);

  /// The number of rows of an iteration's block of keys that lie before the
  /// end. Rows after it may hold anything, and are not multiplied. Null if no
  /// end but the tensor's is known.
  mlir::OpFoldResult countRows(mlir::Value iteration);

private:
  TileBuilder &b;
  WalkedBlocks &range;
  /// The end of the keys that mask_mod lets the tile see, if it is known.
  mlir::Value end;
};

} // namespace sattn::flex_attention

#endif // LIB_DIALECT_SATTN_IR_FLEXATTENTION_VISIBLEKEYS_H
