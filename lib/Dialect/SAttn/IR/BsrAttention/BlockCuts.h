//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Where the stored blocks of a mask are cut, so that long block rows are
// computed in parts (sattn.bsr_attention, 6).

#ifndef LIB_DIALECT_SATTN_IR_BSRATTENTION_BLOCKCUTS_H
#define LIB_DIALECT_SATTN_IR_BSRATTENTION_BLOCKCUTS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace sattn {

/// The cuts of a mask of `stored` blocks, an index, into parts: the number of
/// cuts for which `rows` of partial results have room, twice `blockRows` for
/// each; the blocks between two cuts, at least 1; the blocks of the longest
/// block row that is not cut.
struct BlockCuts {
  BlockCuts(mlir::ImplicitLocOpBuilder &b, mlir::Value stored, mlir::Value rows,
            int64_t blockRows);

  mlir::Value count, length, longest;
};

/// Number of cuts of a mask for about `parts` parts of equal size in all
/// `batches`. Parts have enough blocks to be worth a tile.
mlir::Value chooseCuts(mlir::ImplicitLocOpBuilder &b, mlir::Value stored,
                       mlir::Value batches, int64_t parts);

} // namespace sattn

#endif // LIB_DIALECT_SATTN_IR_BSRATTENTION_BLOCKCUTS_H
