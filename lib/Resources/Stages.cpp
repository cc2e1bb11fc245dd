//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Resources/Stages.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace sattn::resources;

/// Rows and bytes that stored tiles are multiples of.
static constexpr int64_t kRowUnit = 16, kByteUnit = 32;
/// Bytes of shared memory for what is no stage.
static constexpr int64_t kOtherBytes = 256;

int64_t StepTiles::getPaddedBytes() const {
  auto bytes = [&](int64_t rows, int64_t columns) {
    return static_cast<int64_t>(
        llvm::alignTo(rows, kRowUnit) *
        llvm::alignTo(columns * elementBytes, kByteUnit));
  };
  return bytes(m, k) + std::max(bytes(k, n), bytes(n, k));
}

int64_t sattn::resources::countStages(const StepTiles &tiles,
                                      const Target &target) {
  return target.sharedBytes / tiles.getBytes();
}

bool sattn::resources::fitsRing(const StepTiles &tiles, const Target &target) {
  return kMinStages * tiles.getPaddedBytes() + kOtherBytes <=
         target.sharedBytes;
}

RingStages sattn::resources::fitRingStages(int64_t loopBytes, int64_t tileBytes,
                                           int64_t available,
                                           int64_t mostStages,
                                           int64_t mostTileStages) {
  RingStages stages{0, std::min(mostTileStages, mostStages)};
  for (; stages.tile > 0; --stages.tile) {
    int64_t left = available - stages.tile * tileBytes;
    stages.loop =
        loopBytes == 0 ? left >= 0 : std::min(mostStages, left / loopBytes);
    if (stages.loop >= std::min(mostStages, kMinStages) ||
        (stages.loop >= 1 && (stages.tile == 1 || loopBytes == 0)))
      break;
  }
  return stages;
}
