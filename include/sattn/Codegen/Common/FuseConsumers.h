//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Elementwise ops that use an op's result, in the program of its tile.

#ifndef SATTN_CODEGEN_COMMON_FUSECONSUMERS_H
#define SATTN_CODEGEN_COMMON_FUSECONSUMERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace sattn {

/// Makes one linalg.generic of the elementwise ops after an op that has a tile
/// program, and of those that make their other operands.
mlir::LogicalResult
mergeConsumers(mlir::func::FuncOp function,
               llvm::function_ref<bool(mlir::Operation *)> hasTileProgram);

/// The elementwise op that can be computed with the tiles of `op`, as the only
/// user of its only result, or null. Makes `op` write to memory that nobody
/// reads, or to that of the consumer.
mlir::linalg::GenericOp
prepareConsumer(mlir::RewriterBase &rewriter, mlir::Operation *op,
                llvm::function_ref<bool(mlir::Value)> writeInto);

/// Moves the consumer of the loop's result into the loop; the loop then has
/// the consumer's result alone. Returns the op on one tile.
mlir::FailureOr<mlir::linalg::GenericOp>
fuseConsumer(mlir::RewriterBase &rewriter, mlir::linalg::GenericOp consumer,
             mlir::scf::ForallOp loop);

/// Rewrites a fused op on the slice that a tile program wrote as one on the
/// whole static tile, with its other operands padded and its result clipped.
void widenToTile(mlir::RewriterBase &rewriter, mlir::linalg::GenericOp op);

/// Makes one of a tile program's epilogue and the consumer that was fused, in
/// the loop over tiles or in a branch there.
void mergeInTiles(mlir::func::FuncOp function);

} // namespace sattn

#endif // SATTN_CODEGEN_COMMON_FUSECONSUMERS_H
