//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The resource model of a kernel: shared memory and registers that a chip
// leaves each CTA and each of its roles. The passes of a schedule ask it, and
// so does a choice of tiles before there is a program.

#ifndef SATTN_RESOURCES_KERNEL_H
#define SATTN_RESOURCES_KERNEL_H

#include "sattn/Support/Chip.h"

#include <algorithm>
#include <cstdint>

namespace sattn::resources {

/// Registers that ptxas, which cannot spill them, needs for a wgmma beside its
/// accumulator.
inline constexpr int64_t kWgmmaRegisters = 26;
/// Registers that consumers need, where they compute a left operand, for
/// vectors of rows and for what is computed at one time.
inline constexpr int64_t kLeftOperandRegisters = 20;

/// Registers of a thread at a kernel's start and after each role's change; 0 if
/// a role keeps those of the start.
struct RoleRegisters {
  int64_t entry, producer = 0, consumer = 0;
};

class KernelModel {
public:
  explicit KernelModel(const ChipResources &chip) : chip(chip) {}

  const ChipResources &getChip() const { return chip; }

  /// Shared memory in bytes that each of so many CTAs of an SM may have.
  int64_t getSharedBytes(int64_t ctasPerSM) const {
    return std::min(chip.sharedBytes, chip.sharedBytesPerSM / ctasPerSM -
                                          chip.reservedSharedBytes);
  }

  /// Threads of the producer's role: a warpgroup, whose registers can go to
  /// whole warpgroups of consumers, or one warp.
  static int64_t getProducerThreads(int64_t consumerThreads);

  /// Registers that each thread of a CTA may have if so many CTAs share an SM.
  /// They come in multiples of 8.
  int64_t getRegisters(int64_t threads, int64_t ctasPerSM) const;

  /// Registers of the roles, so that consumers whose MMAs have `tiles`
  /// registers of tiles have enough. Of these `liveTiles` are held at one
  /// time: only where they then fit does the producer get by with so few that
  /// its own may spill, and none that `searches`: it reads memory in a loop for
  /// the place of a tile. Only whole warpgroups can change theirs. If all roles
  /// together asked for more than the kernel started with, the change would
  /// never return.
  RoleRegisters getRoleRegisters(int64_t consumerThreads, int64_t ctasPerSM,
                                 int64_t tiles, int64_t liveTiles = 0,
                                 bool searches = false) const;

  /// Whether consumers have registers for so many of tiles at one time, and the
  /// fewest that they need beside them.
  static bool fitsTiles(const RoleRegisters &registers, int64_t liveTiles);

private:
  ChipResources chip;
};

} // namespace sattn::resources

#endif // SATTN_RESOURCES_KERNEL_H
