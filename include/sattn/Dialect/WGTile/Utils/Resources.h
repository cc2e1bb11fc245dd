//===- Resources.h - What kernels need of a chip ----------------*- C++ -*-===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The resource model: shared memory, registers and MMA shapes, from a module's
// `#wgtile.target`. Every pass that fits something into a kernel asks it.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_WGTILE_UTILS_RESOURCES_H
#define SATTN_DIALECT_WGTILE_UTILS_RESOURCES_H

#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Layout/Barriers.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace wgtile {

/// Registers of a thread at a kernel's start and after each role's change; 0 if
/// a role keeps those of the start.
struct RoleRegisters {
  int64_t entry, producer = 0, consumer = 0;
};

class ResourceModel {
public:
  explicit ResourceModel(const sattn::ChipResources &chip) : chip(chip) {}

  /// The model of the module that an op is in; emits an error if the module has
  /// no target.
  static mlir::FailureOr<ResourceModel> get(mlir::Operation *op);

  const sattn::ChipResources &getChip() const { return chip; }

  /// Shared memory in bytes that each of so many CTAs of an SM may have.
  int64_t getSharedBytes(int64_t ctasPerSM) const {
    return std::min(chip.sharedBytes, chip.sharedBytesPerSM / ctasPerSM -
                                          chip.reservedSharedBytes);
  }

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

  /// Threads of the producer's role: a warpgroup, whose registers can go to
  /// whole warpgroups of consumers, or one warp.
  static int64_t getProducerThreads(int64_t consumerThreads);

  /// Registers that each thread of a CTA may have if so many CTAs share an SM.
  /// They come in multiples of 8.
  int64_t getRegisters(int64_t threads, int64_t ctasPerSM) const;

  /// Registers of the roles, so that consumers whose MMAs have `tiles`
  /// registers of tiles (getTileRegisters) have enough. Of these `liveTiles`
  /// are held at one time (countLiveTileRegisters): only where they then fit
  /// does the producer get by with so few that its own may spill, and none that
  /// `searches`: it reads memory in a loop for the place of a tile. Only whole
  /// warpgroups can change theirs. If all roles together asked for more than
  /// the kernel started with, the change would never return.
  RoleRegisters getRoleRegisters(int64_t consumerThreads, int64_t ctasPerSM,
                                 int64_t tiles, int64_t liveTiles = 0,
                                 bool searches = false) const;

  /// Whether consumers have registers for so many of tiles at one time, and the
  /// fewest that they need beside them.
  static bool fitsTiles(const RoleRegisters &registers, int64_t liveTiles);

  /// Registers of each of so many threads for the accumulators of a block's
  /// MMAs and their left operands in registers, in the block that has most.
  static int64_t getTileRegisters(mlir::Operation *root, int64_t threads);

  /// Registers that ptxas, which cannot spill them, needs for the widest wgmma;
  /// 0 without one.
  static int64_t getWgmmaRegisters(mlir::Operation *root, int64_t threads);

  /// Whether wgmma can compute an MMA: elements of 16 bits, or of 8 or 32 along
  /// K, in rows of its swizzle, without padding.
  static bool fitsWgmma(MmaOp op);

private:
  sattn::ChipResources chip;
};

} // namespace wgtile

#endif // SATTN_DIALECT_WGTILE_UTILS_RESOURCES_H
