//===- Target.cpp - Limits of targets -------------------------------------===//
//
// The limits that a tile is chosen by.
//
//===----------------------------------------------------------------------===//

#include "sattn/MetaTable/Parameters.h"

#include "sattn/Layout/WarpDivision.h"

#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace sattn::meta;

static constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

/// On the GPU a tile's columns are a multiple of 64: 128 bytes of 16-bit
/// elements, the longest swizzled row. At most 256 columns are what one wgmma
/// and one box of a tensor map take.
///
/// Accumulators: two warpgroups of 64 x 256 leave each thread 128 registers of
/// them, about half of what it has; mma.sync, whose operands go through
/// registers too, gets half of that.
///
/// Multiprocessors: of the H100 SXM, the H200 and the GH200; the A100; the A10;
/// the L40S. They bound how narrow a tile gets, nothing depends on them.
static constexpr Target kTargets[] = {
    {"cpu", TargetKind::CPU, 8, kNoLimit, kNoLimit, 1},
    {"sm_80", TargetKind::MmaSync, 64, 256, 128 * 128, 108},
    {"sm_86", TargetKind::MmaSync, 64, 256, 128 * 128, 72},
    {"sm_89", TargetKind::MmaSync, 64, 256, 128 * 128, 142},
    {"sm_90a", TargetKind::Wgmma, 64, 256, 128 * 256, 132},
};

/// Most accumulators of a thread that multiplies by mma.sync where other
/// threads load, and where whole warpgroups multiply, which then take those
/// threads' registers.
static constexpr int64_t kSpecializedMmaAccumulators = 96;
static constexpr int64_t kWarpgroupMmaAccumulators = 128;
/// Rows of 16-bit tiles of which it takes twice as many where the copy engine
/// does not load: no epilogue of those spills.
static constexpr int64_t kDenseRows = 128;

/// Whether wgmma multiplies such tiles: 16-bit elements, whole rows of its
/// swizzle of 128 bytes, 64 rows a warpgroup.
static bool fitsWgmma(const Problem &problem, int64_t rows, int64_t depth) {
  return problem.elementBytes == 2 && rows % 64 == 0 && depth % 64 == 0;
}

int64_t sattn::meta::widestColumns(const Problem &problem, int64_t rows,
                                   int64_t depth, const Target &target) {
  int64_t multiple = target.columnMultiple;
  // A panel's block rows have two warps each, and fit as wgmma's tiles do.
  if (target.kind == TargetKind::Wgmma &&
      (fitsWgmma(problem, rows, depth) || rows > problem.blockRows))
    return llvm::alignDown(
        std::min(target.maxColumns, target.maxAccumulator / rows), multiple);
  if (target.kind == TargetKind::MmaSync && problem.elementBytes == 2 &&
      rows == kDenseRows)
    return target.maxColumns;
  auto getMost = [&](const sattn::layout::WarpDivision &division) {
    if (target.kind != TargetKind::Wgmma)
      return sattn::layout::kMmaAccumulators;
    return division.warps() % 4 == 0 ? kWarpgroupMmaAccumulators
                                     : kSpecializedMmaAccumulators;
  };
  int64_t columns = llvm::alignDown(target.maxColumns, multiple);
  while (columns > 0) {
    auto division = sattn::layout::divideAmongWarps(
        rows, columns, columns, sattn::layout::getMmaWarps(rows, columns));
    if (division && division->accumulators(columns) <= getMost(*division))
      break;
    columns -= multiple;
  }
  return columns;
}

std::optional<Target> sattn::meta::findTarget(llvm::StringRef name) {
  for (const Target &target : kTargets)
    if (target.name == name)
      return target;
  return std::nullopt;
}

llvm::SmallVector<llvm::StringRef> sattn::meta::targetNames() {
  llvm::SmallVector<llvm::StringRef> names;
  for (const Target &target : kTargets)
    names.push_back(target.name);
  return names;
}
