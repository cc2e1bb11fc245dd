//===- TileLoops.h - Ops in loops over their tiles --------------*- C++ -*-===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LIB_CODEGEN_CPU_TILELOOPS_H
#define SATTN_LIB_CODEGEN_CPU_TILELOOPS_H

#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/IR/PatternMatch.h"

namespace sattn {

/// Replaces `op` by a loop nest of tiles of the given sizes (0: not tiled) and
/// returns the op on a tile. An error, at the op, if it cannot be tiled.
mlir::FailureOr<mlir::TilingInterface> tile(mlir::RewriterBase &rewriter,
                                            mlir::TilingInterface op,
                                            llvm::ArrayRef<int64_t> sizes);

/// Tiles as `tile` does, and returns the loops, too.
mlir::FailureOr<mlir::scf::SCFTilingResult>
tileToLoops(mlir::RewriterBase &rewriter, mlir::TilingInterface op,
            llvm::ArrayRef<int64_t> sizes);

} // namespace sattn

#endif // SATTN_LIB_CODEGEN_CPU_TILELOOPS_H
