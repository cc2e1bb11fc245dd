//===- WidestColumns.cpp - Most columns of a tile -------------------------===//
//
// What registers and one instruction hold.
//
//===----------------------------------------------------------------------===//

#include "sattn/Layout/WarpDivision.h"
#include "sattn/Layout/WgmmaDescriptor.h"
#include "sattn/Tuning/BsrAddmm.h"

#include "llvm/Support/MathExtras.h"

using namespace sattn::tuning;
using namespace sattn::tuning::bsr_addmm;

/// Most accumulators of a thread for mma.sync: if other threads load, and if
/// whole warpgroups multiply, which then take the loading threads' registers.
static constexpr int64_t kSpecializedMmaAccumulators = 96;
static constexpr int64_t kWarpgroupMmaAccumulators = 128;
/// Rows of 16-bit tiles that take twice as many accumulators if TMA does not
/// load: none of their epilogues spills.
static constexpr int64_t kDenseRows = 128;

int64_t sattn::tuning::bsr_addmm::widestColumns(const Problem &problem,
                                                int64_t rows, int64_t depth,
                                                const Target &target) {
  int64_t multiple = target.columnMultiple;
  // MMAs of 8 bits always have b along K.
  bool isKMajor = problem.alongK || problem.elementBytes == 1;
  int64_t swizzle = sattn::layout::wgmmaSwizzle(
      rows, depth, problem.elementBytes,
      isKMajor ? sattn::layout::Major::K : sattn::layout::Major::MN);
  bool fitsWgmma = swizzle != 0 &&
                   depth * problem.elementBytes % swizzle == 0 &&
                   sattn::layout::isWgmmaResult(rows, multiple);
  // The block rows of a row-block group have two warps each, and fit like
  // wgmma's tiles.
  if (target.kind == TargetKind::Wgmma &&
      (fitsWgmma || rows > problem.blockRows))
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
