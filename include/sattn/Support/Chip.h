//===- Chip.h - The GPUs that kernels are generated for ---------*- C++ -*-===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one table of chips (CUDA C++ Programming Guide, "Technical Specifications
// per Compute Capability").
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_SUPPORT_CHIP_H
#define SATTN_SUPPORT_CHIP_H

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace sattn {

/// Shared memory that the hardware keeps for itself in each CTA.
inline constexpr int64_t kReservedSharedBytes = 1024;
/// Most warps of a CTA, on every chip.
inline constexpr int64_t kMaxWarpsPerCTA = 32;
/// Most CTAs of a cluster, on every chip with clusters (CUDA C++ Programming
/// Guide, "Thread Block Clusters": the portable size).
inline constexpr int64_t kMaxClusterSize = 8;

/// The resources of a chip that kernels share, and the instructions it has.
struct ChipResources {
  /// Shared memory that one CTA may have, and that of an SM, in bytes.
  int64_t sharedBytes = 0;
  int64_t sharedBytesPerSM = 0;
  /// Bytes of each CTA's shared memory that are not the kernel's.
  int64_t reservedSharedBytes = kReservedSharedBytes;
  int64_t registersPerSM = 65536;
  int64_t registersPerThread = 255;
  int64_t threadsPerCTA = 32 * kMaxWarpsPerCTA;
  int64_t ctasPerSM = 32;
  /// Whether the chip has copies of tiles by tensor maps (TMA), MMAs of
  /// warpgroups (wgmma), and CTAs that share their memory (clusters).
  bool hasTMA = false;
  bool hasWgmma = false;
  bool hasClusters = false;
};

struct Chip : ChipResources {
  constexpr Chip(llvm::StringLiteral name, llvm::StringLiteral features,
                 int64_t sharedKilobytesPerSM, int64_t maxCTAsPerSM,
                 bool isHopper = false)
      : name(name), features(features) {
    sharedBytesPerSM = sharedKilobytesPerSM * 1024;
    sharedBytes = sharedBytesPerSM - kReservedSharedBytes;
    ctasPerSM = maxCTAsPerSM;
    hasTMA = hasWgmma = hasClusters = isHopper;
  }

  /// The name as ptxas spells it.
  llvm::StringLiteral name;
  /// LLVM's feature string: the PTX version.
  llvm::StringLiteral features;
};

inline constexpr Chip kChips[] = {
    {"sm_90a", "+ptx86", 228, 32, /*isHopper=*/true},
    {"sm_80", "+ptx80", 164, 32},
    {"sm_86", "+ptx80", 100, 16},
    {"sm_89", "+ptx80", 100, 24},
};

/// The chip of that name, if kernels can be generated for it.
inline std::optional<Chip> findChip(llvm::StringRef name) {
  for (const Chip &chip : kChips)
    if (chip.name == name)
      return chip;
  return std::nullopt;
}

/// The message for a chip's name that `findChip` does not find.
inline std::string explainUnknownChip(llvm::StringRef name) {
  std::string known;
  for (const Chip &chip : kChips)
    known += (known.empty() ? "" : ", ") + chip.name.str();
  return "expected a chip that kernels can be generated for (" + known +
         "), but got '" + name.str() + "'";
}

} // namespace sattn

#endif // SATTN_SUPPORT_CHIP_H
