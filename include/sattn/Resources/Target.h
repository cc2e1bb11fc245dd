//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The targets that parameters are chosen for, and their limits.

#ifndef SATTN_RESOURCES_TARGET_H
#define SATTN_RESOURCES_TARGET_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace sattn::resources {

enum class TargetKind {
  CPU,
  /// mma.sync on tiles that cp.async fetched: sm_80, sm_86, sm_89.
  MmaSync,
  /// wgmma on tiles that TMA fetched: sm_90a.
  Wgmma,
};

/// Rates of a GPU in one cycle of its clock: of one SM, the bytes that it gets
/// from the second-level cache, and operations on 16-bit elements by wgmma and
/// by mma.sync, twice as many on 8 bits and half as many on 32; of all, the
/// bytes that device memory moves. 0 for what a target lacks.
struct Rates {
  double loadedBytes = 0, wgmmaOperations = 0, mmaOperations = 0,
         memoryBytes = 0;
};

/// A chip or the CPU, by what limits a tile there.
struct Target {
  llvm::StringLiteral name;
  TargetKind kind;
  /// The number that a tile's columns are a multiple of.
  int64_t columnMultiple;
  /// Most columns of a tile; the CPU has no limit.
  int64_t maxColumns;
  /// Most elements of a tile's accumulator, rows x columns, in the registers of
  /// the CTA that computes it; MMAs by mma.sync may take fewer.
  int64_t maxAccumulator;
  /// CTAs that run at one time.
  int64_t smCount;
  Rates rates = {};
  /// Shared memory of a CTA, that of the chip (sattn/Support/Chip.h);
  /// 0 for the CPU.
  int64_t sharedBytes = 0;
  /// Whether the chip has clusters (sattn/Support/Chip.h).
  bool hasClusters = false;
  /// Width of the CPU's vectors; 0 for a chip.
  int64_t vectorBits = 0;
  /// Threads that the CPU runs at one time, if known.
  int64_t threads = 0;
};

/// "cpu", "sm_80", "sm_86", "sm_89" or "sm_90a".
std::optional<Target> findTarget(llvm::StringRef name);
/// "cpu" as this process makes code for it (HostCpu.h).
Target findHostTarget();
/// Names that findTarget accepts.
llvm::SmallVector<llvm::StringRef> targetNames();

} // namespace sattn::resources

#endif // SATTN_RESOURCES_TARGET_H
