//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Resources/Target.h"

#include "sattn/Resources/HostCpu.h"
#include "sattn/Resources/RegisterTile.h"
#include "sattn/Support/Chip.h"

#include <limits>

using namespace sattn;
using namespace sattn::resources;

static constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

/// The targets. On the GPU a tile's columns are a multiple of 64: 128 bytes of
/// 16-bit elements, the longest swizzled row. At most 256 columns are what one
/// wgmma and one box of a tensor map take.
///
/// Accumulators: two warpgroups of 64 x 256 leave each thread 128 registers of
/// them, about half of what it has; mma.sync, whose operands go through
/// registers too, gets half of that.
///
/// SMs: of the H100 SXM, the H200 and the GH200; the A100; the A10;
/// the L40S. They bound how narrow a tile gets.
///
/// Rates: operations and bytes of memory a second of the data sheets of these
/// cards (H100 SXM: 989 TFLOP/s and 3.35 TB/s at 1.83 GHz; A100 SXM: 312 and
/// 2.04 at 1.41; A10: 125 and 0.6 at 1.7; L40S: 362 and 0.86 at 2.5), over SMs
/// and clock. mma.sync has half of wgmma's rate on an H200, as measured, and an
/// SM gets 64 bytes a cycle from the second-level cache. The memory of an H200
/// has 1.4 times the H100's rate; both have this one.
static constexpr Target kTargets[] = {
    {"cpu", TargetKind::CPU, 8, kNoLimit, kNoLimit, 1},
    {"sm_80", TargetKind::MmaSync, 64, 256, 128 * 128, 108,
     Rates{64, 0, 2048, 1450}},
    {"sm_86", TargetKind::MmaSync, 64, 256, 128 * 128, 72,
     Rates{64, 0, 1024, 350}},
    {"sm_89", TargetKind::MmaSync, 64, 256, 128 * 128, 142,
     Rates{64, 0, 1024, 340}},
    {"sm_90a", TargetKind::Wgmma, 64, 256, 128 * 256, 132,
     Rates{64, 4096, 2048, 1830}},
};

std::optional<Target> sattn::resources::findTarget(llvm::StringRef name) {
  for (Target target : kTargets)
    if (target.name == name) {
      if (std::optional<Chip> chip = findChip(name)) {
        target.sharedBytes = chip->sharedBytes;
        target.hasClusters = chip->hasClusters;
      } else {
        target.vectorBits = kDefaultVectorBits;
      }
      return target;
    }
  return std::nullopt;
}

static Target makeHostTarget() {
  Target target = *findTarget("cpu");
  if (llvm::Expected<HostCpu> cpu = getHostCpu()) {
    target.vectorBits = cpu->vectorBits;
    target.threads = cpu->threads;
  } else {
    // Whoever compiles for it says so.
    llvm::consumeError(cpu.takeError());
  }
  return target;
}

Target sattn::resources::findHostTarget() {
  // Each choice asks for it, and the host stays what it is.
  static const Target target = makeHostTarget();
  return target;
}

llvm::SmallVector<llvm::StringRef> sattn::resources::targetNames() {
  llvm::SmallVector<llvm::StringRef> names;
  for (const Target &target : kTargets)
    names.push_back(target.name);
  return names;
}
