//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The block row of a stored block, found in a tile's program from the offsets
// of block rows.

#ifndef LIB_DIALECT_SATTN_IR_BLOCKROWSEARCH_H
#define LIB_DIALECT_SATTN_IR_BLOCKROWSEARCH_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace sattn {

/// The last block rows that begin at the given blocks or before them, of
/// `count` rows: those that have them, if any have; 0 if there are none. The
/// blocks are of the type of offsets, and wait together. Each digit of a row's
/// number waits for the one before, and has `digitBits`.
///
/// `readOffset` reads the offset of the row whose number, an index, it gets.
/// `isWanted`, of i1, says whether a search is needed, if it may not be: else
/// the rows are 0.
llvm::SmallVector<mlir::Value>
findBlockRows(mlir::ImplicitLocOpBuilder &b, mlir::OpFoldResult count,
              llvm::ArrayRef<mlir::Value> blocks,
              llvm::function_ref<mlir::Value(mlir::Value)> readOffset,
              int64_t digitBits = 2, mlir::Value isWanted = {});

} // namespace sattn

#endif // LIB_DIALECT_SATTN_IR_BLOCKROWSEARCH_H
