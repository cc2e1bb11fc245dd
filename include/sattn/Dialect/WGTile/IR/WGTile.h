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

#include "sattn/Dialect/WGTile/IR/Schedule.h"
#include "sattn/Dialect/WGTile/IR/SyncEffects.h"
#include "sattn/Layout/Fragment.h"
#include "sattn/Layout/SharedTile.h"
#include "sattn/Support/Chip.h"

#include "sattn/Dialect/WGTile/IR/WGTileDialect.h.inc"

namespace wgtile {
/// Barriers at which threads meet.
struct BarrierResource : mlir::SideEffects::Resource::Base<BarrierResource> {
  llvm::StringRef getName() final { return "wgtile.barrier"; }
};
/// Asynchronous work that was issued and is not complete.
struct AsyncWorkResource
    : mlir::SideEffects::Resource::Base<AsyncWorkResource> {
  llvm::StringRef getName() final { return "wgtile.async_work"; }
};
} // namespace wgtile

namespace sattn {
llvm::hash_code hash_value(const ChipResources &resources);
bool operator==(const ChipResources &lhs, const ChipResources &rhs);
} // namespace sattn

#define GET_ATTRDEF_CLASSES
#include "sattn/Dialect/WGTile/IR/WGTileAttrs.h.inc"

namespace wgtile {
/// Whether a layout is that of a vector with one value for each row of a tile,
/// or for each column.
inline bool isRowVector(mlir::Attribute layout) {
  auto slice = mlir::dyn_cast<SliceAttr>(layout);
  return slice && slice.getDim() == 1;
}
inline bool isColumnVector(mlir::Attribute layout) {
  auto slice = mlir::dyn_cast<SliceAttr>(layout);
  return slice && slice.getDim() == 0;
}
} // namespace wgtile

#define GET_TYPEDEF_CLASSES
#include "sattn/Dialect/WGTile/IR/WGTileTypes.h.inc"

namespace wgtile::detail {
/// Checks what holds of every `MmaOpInterface`.
llvm::LogicalResult verifyMma(mlir::Operation *op);
} // namespace wgtile::detail

#include "sattn/Dialect/WGTile/IR/WGTileInterfaces.h.inc"

#define GET_OP_CLASSES
#include "sattn/Dialect/WGTile/IR/WGTileOps.h.inc"

namespace wgtile {
/// Unit attribute on the `scf.for` that walks the stored blocks of a tile.
inline constexpr llvm::StringLiteral kBlockLoopAttrName = "wgtile.block_loop";
/// Attributes of a gpu.module, the `#wgtile.target` of its kernels, and of a
/// kernel, its `#wgtile.schedule`.
inline constexpr llvm::StringLiteral kTargetAttrName = "wgtile.target";
inline constexpr llvm::StringLiteral kScheduleAttrName = "wgtile.schedule";
/// Bytes of shared memory that a kernel needs, an i64 on its gpu.func
/// (`wgtile-allocate-shared`).
inline constexpr llvm::StringLiteral kSharedBytesAttrName =
    "wgtile.shared_bytes";

/// Unit attribute on a `memref.alloc` of the host: the runtime sets the memory
/// to zero before the launches of a call.
inline constexpr llvm::StringLiteral kZeroedAttrName = "wgtile.zeroed";
/// Beside it: each launch leaves the memory zero, as it found it.
inline constexpr llvm::StringLiteral kLeftZeroAttrName = "wgtile.left_zero";

/// Attributes of a gpu.func, the specialization of a kernel that moves tiles by
/// TMA, and of its arguments, those that the host has found
/// `wgtile.tma_compatible`.
inline constexpr llvm::StringLiteral kTMAAttrName = "wgtile.tma";
inline constexpr llvm::StringLiteral kTMACompatibleAttrName =
    "wgtile.tma_compatible";
/// And those whose rows, as the host has found, follow one another without a
/// gap.
inline constexpr llvm::StringLiteral kDenseRowsAttrName = "wgtile.dense_rows";

/// Attribute of a gpu.func: the symbol of the kernel that the host launches
/// instead if more of the arguments can be mapped. Both do the same work, tile
/// by tile.
inline constexpr llvm::StringLiteral kVersionOfAttrName = "wgtile.version_of";

/// Maximum of a tile's sizes, with which passes compute, and of the bits of its
/// elements.
inline constexpr int64_t kMaxTileSize = 1 << 16;
inline constexpr unsigned kMaxElementBits = 64;

/// The swizzle of a packed tile, in bytes.
inline constexpr int64_t kPackedSwizzle = 128;

/// Maximum of stages of a ring.
inline constexpr int64_t kMaxStages = 64;

/// Alignment of stages and of staging in shared memory, in bytes: a swizzled
/// tile's.
inline constexpr int64_t kStageAlignment = 1024;
/// Bytes of a warp's part of a number that warps exchange, and its alignment.
inline constexpr int64_t kExchangeBytes = 8;

/// Maximum of consumer groups: warps of a CTA.
inline constexpr int64_t kMaxGroupSize = 32;
/// Maximum of warpgroups that hold register tiles.
inline constexpr int64_t kMaxWarpgroups = 8;

/// Attributes of a `wgtile.launch`: the specialization of its kernel that it
/// launches, "aligned" (tiles by TMA, or by aligned copies), "register_reads"
/// or "generic", and a sentence on why the kernel has only "generic".
inline constexpr llvm::StringLiteral kVersionAttrName = "wgtile.version";
inline constexpr llvm::StringLiteral kReasonAttrName = "wgtile.reason";

/// Attribute of a `wgtile.launch`, a dictionary of two texts: `parameters` of
/// the kernel's tiles and their `origin`.
inline constexpr llvm::StringLiteral kTuningAttrName = "wgtile.tuning";

/// Whether all threads of the block run the program that an op is in, and so
/// both fill and read rings: no `wgtile.roles` is around it.
bool isCooperative(mlir::Operation *op);
/// Whether an op on a ring is cooperative; warpgroups fill rings of their own.
bool isCooperative(mlir::Operation *op, RingType ring);

/// Reads and writes a kernel's `wgtile.schedule`; without the attribute,
/// nothing is decided.
Schedule getSchedule(mlir::Operation *kernel);
void setSchedule(mlir::Operation *kernel, const Schedule &schedule);

/// Warpgroups that hold 64 rows each of a register tile, one after another; 0
/// for a tile of any other layout.
int64_t getNumWarpgroups(mlir::RankedTensorType tile);

/// The accumulator fragment that a tile or vector with a layout belongs to. A
/// row vector's columns are unknown; they count as eight for each warp.
sattn::layout::AccumulatorFragment getFragment(mlir::RankedTensorType type);
} // namespace wgtile

#endif // SATTN_DIALECT_WGTILE_IR_WGTILE_H
