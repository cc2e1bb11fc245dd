//===- Target.cpp - Limits of targets -------------------------------------===//
//
// The limits that a tile is chosen by, and which devices are of one chip.
//
//===----------------------------------------------------------------------===//

#include "sattn/Tuning/Target.h"

#include "sattn/Support/Chip.h"

#include "llvm/ADT/StringExtras.h"

#include <limits>

using namespace sattn;
using namespace sattn::tuning;

static constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

/// On the GPU a tile's columns are a multiple of 64: 128 bytes of 16-bit
/// elements, the longest swizzled row. At most 256 columns are what one wgmma
/// and one box of a tensor map take.
///
/// Accumulators: two warpgroups of 64 x 256 leave each thread 128 registers of
/// them, about half of what it has; mma.sync, whose operands go through
/// registers too, gets half of that.
///
/// SMs: of the H100 SXM, the H200 and the GH200; the A100; the A10;
/// the L40S. They bound how narrow a tile gets, nothing depends on them.
static constexpr Target kTargets[] = {
    {"cpu", TargetKind::CPU, 8, kNoLimit, kNoLimit, 1},
    {"sm_80", TargetKind::MmaSync, 64, 256, 128 * 128, 108},
    {"sm_86", TargetKind::MmaSync, 64, 256, 128 * 128, 72},
    {"sm_89", TargetKind::MmaSync, 64, 256, 128 * 128, 142},
    {"sm_90a", TargetKind::Wgmma, 64, 256, 128 * 256, 132},
};

std::optional<Target> sattn::tuning::findTarget(llvm::StringRef name) {
  for (Target target : kTargets)
    if (target.name == name) {
      if (std::optional<Chip> chip = findChip(name)) {
        target.sharedBytes = chip->sharedBytes;
        target.hasClusters = chip->hasClusters;
      }
      return target;
    }
  return std::nullopt;
}

llvm::SmallVector<llvm::StringRef> sattn::tuning::targetNames() {
  llvm::SmallVector<llvm::StringRef> names;
  for (const Target &target : kTargets)
    names.push_back(target.name);
  return names;
}

/// The device's name without what tells apart cards of one chip: "NVIDIA A100"
/// of "NVIDIA A100-PCIE-40GB". A digit that follows makes it another chip.
static bool isChip(llvm::StringRef device, llvm::StringRef chip) {
  return device.consume_front(chip) &&
         (device.empty() || !llvm::isDigit(device.front()));
}

static bool isHopper(llvm::StringRef device) {
  return isChip(device, "NVIDIA H100") || isChip(device, "NVIDIA H200") ||
         isChip(device, "NVIDIA GH200");
}

bool sattn::tuning::takesRowsOf(llvm::StringRef device, llvm::StringRef other) {
  if (isChip(device, "NVIDIA A100"))
    return other == "NVIDIA A100-SXM4-80GB";
  return isHopper(device) && isHopper(other);
}
