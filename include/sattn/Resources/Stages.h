//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Stages of rings in shared memory: their bytes, and how many fit.

#ifndef SATTN_RESOURCES_STAGES_H
#define SATTN_RESOURCES_STAGES_H

#include "sattn/Resources/Target.h"

namespace sattn::resources {

/// The fewest and the most stages of a ring: with fewer nothing overlaps, and
/// no loop needs more, since a stage is released when the next one is full.
inline constexpr int64_t kMinStages = 2, kMostStages = 16;

/// A product's tiles in one step: M x K and K x N.
struct StepTiles {
  int64_t m, n, k, elementBytes;

  /// Bytes of both, as they are in global memory.
  int64_t getBytes() const { return (m + n) * k * elementBytes; }
  /// Bytes of both, as they are stored for mma.sync, in either layout of the
  /// second: in multiples of 16 rows and 32 bytes.
  int64_t getPaddedBytes() const;
};

/// Stages of those tiles that a CTA has memory for.
int64_t countStages(const StepTiles &tiles, const Target &target);

/// Whether a ring of the fewest stages fits beside barriers, as stored for
/// mma.sync.
bool fitsRing(const StepTiles &tiles, const Target &target);

/// Stages of the rings that a tile's loops fill, and of those that are filled
/// once a tile.
struct RingStages {
  int64_t loop = 0, tile = 0;
};

/// The most stages that fit into so many bytes, the same number in all rings
/// that loops fill. A ring that is loaded once a tile needs `mostTileStages` at
/// most. None of the latter if a stage of each does not fit. `loopBytes` and
/// `tileBytes` are those of one stage of all rings of a kind.
RingStages fitRingStages(int64_t loopBytes, int64_t tileBytes,
                         int64_t available, int64_t mostStages,
                         int64_t mostTileStages);

} // namespace sattn::resources

#endif // SATTN_RESOURCES_STAGES_H
