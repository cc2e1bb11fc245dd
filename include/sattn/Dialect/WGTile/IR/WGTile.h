//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_WGTILE_IR_WGTILE_H
#define SATTN_DIALECT_WGTILE_IR_WGTILE_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "sattn/Dialect/WGTile/IR/SyncEffects.h"
#include "sattn/Layout/SharedTile.h"

#include "sattn/Dialect/WGTile/IR/WGTileDialect.h.inc"

#include "sattn/Dialect/WGTile/IR/WGTileInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "sattn/Dialect/WGTile/IR/WGTileAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "sattn/Dialect/WGTile/IR/WGTileTypes.h.inc"

#define GET_OP_CLASSES
#include "sattn/Dialect/WGTile/IR/WGTileOps.h.inc"

namespace wgtile {
/// Unit attribute on the `scf.for` that walks the stored blocks of a tile.
inline constexpr llvm::StringLiteral kBlockLoopAttrName = "wgtile.block_loop";
/// Bytes of shared memory that a kernel needs, an i64 on its gpu.func
/// (`wgtile-allocate-shared`).
inline constexpr llvm::StringLiteral kSharedBytesAttrName =
    "wgtile.shared_bytes";

/// Unit attribute on a `memref.alloc` of the host: the runtime sets the memory
/// to zero before the launches of a call.
inline constexpr llvm::StringLiteral kZeroedAttrName = "wgtile.zeroed";

/// On a gpu.func: the version of a kernel that moves tiles by the copy engine.
/// On its arguments: those that the host has found `wgtile.mappable`.
inline constexpr llvm::StringLiteral kCopyEngineAttrName = "wgtile.copy_engine";
inline constexpr llvm::StringLiteral kMappableAttrName = "wgtile.mappable";

/// On a gpu.func: the symbol of the kernel that the host launches instead where
/// more of the arguments can be mapped. Both do the same work, tile by tile.
inline constexpr llvm::StringLiteral kVersionOfAttrName = "wgtile.version_of";

/// Warpgroups that hold 64 rows each of a register tile, one after another; 0
/// for a tile of any other layout.
int64_t getNumWarpgroups(mlir::RankedTensorType tile);
} // namespace wgtile

#endif // SATTN_DIALECT_WGTILE_IR_WGTILE_H
