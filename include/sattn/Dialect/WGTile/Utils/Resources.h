//===- Resources.h - What kernels need of a chip ----------------*- C++ -*-===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The resource model (sattn/Resources) of ops and types: shared memory,
// registers and MMA shapes, from a module's `#wgtile.target`. Every pass that
// fits something into a kernel asks it.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_WGTILE_UTILS_RESOURCES_H
#define SATTN_DIALECT_WGTILE_UTILS_RESOURCES_H

#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Layout/Barriers.h"
#include "sattn/Resources/Kernel.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace wgtile {

using sattn::resources::RoleRegisters;

class ResourceModel : public sattn::resources::KernelModel {
public:
  using KernelModel::KernelModel;

  /// The model of the module that an op is in; emits an error if the module has
  /// no target.
  static mlir::FailureOr<ResourceModel> get(mlir::Operation *op);

  /// Bytes of one tile of a kernel without stages; its barrier not included.
  static int64_t getTileBytes(SharedType tile) {
    return tile.getTile().sizeInBytes();
  }
  /// Bytes of a stage of a ring, with its two barriers.
  static int64_t getStageBytes(RingType ring) {
    return ring.getStageBytes() + 2 * sattn::layout::kBarrierBytes;
  }
  /// The ring by which a role passes on the numbers of tiles, and its bytes.
  static RingType getTileRing(mlir::MLIRContext *context) {
    return RingType::get(context, /*stages=*/2,
                         {mlir::IntegerType::get(context, 32)}, {});
  }
  static int64_t getTileRingBytes(mlir::MLIRContext *context) {
    RingType ring = getTileRing(context);
    return ring.getStages() * getStageBytes(ring);
  }

  /// Registers of each of `threads` threads for the accumulators of a block's
  /// MMAs and their left operands in registers, in the block that has most.
  static int64_t getTileRegisters(mlir::Operation *root, int64_t threads);

  /// Registers that ptxas, which cannot spill them, needs for the widest wgmma;
  /// 0 without one.
  static int64_t getWgmmaRegisters(mlir::Operation *root, int64_t threads);

  /// Whether wgmma can compute an MMA: elements of 16 bits, or of 8 or 32 along
  /// K, in rows of its swizzle, without padding.
  static bool fitsWgmma(MmaOp op);
};

} // namespace wgtile

#endif // SATTN_DIALECT_WGTILE_UTILS_RESOURCES_H
