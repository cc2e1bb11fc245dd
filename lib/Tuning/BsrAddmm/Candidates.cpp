//===- Candidates.cpp - What a tuner tries --------------------------------===//
//
// The computed default and its neighbours.
//
//===----------------------------------------------------------------------===//

#include "sattn/Resources/Stages.h"
#include "sattn/Tuning/BsrAddmm.h"

#include "llvm/ADT/STLExtras.h"

#include <tuple>

using namespace sattn::tuning;
using namespace sattn::tuning::bsr_addmm;

/// Rows of a tile that several block rows share, and the widest tile that is
/// tried on the CPU, which has no limit.
static constexpr int64_t kGroupedRows = 128, kWidestOnCPU = 256;

static auto asTuple(const Parameters &tile) {
  return std::tie(tile.rows, tile.columns, tile.depth, tile.stages, tile.warps,
                  tile.rasterGroup, tile.splitK);
}

/// Whether the accumulator fits into registers, and so many stages into shared
/// memory.
static bool fits(const Problem &problem, const Parameters &tile,
                 const Target &target) {
  if (target.kind == TargetKind::CPU)
    return true;
  return tile.columns <=
             widestColumns(problem, tile.rows, tile.depth, target) &&
         tile.stages.value_or(sattn::resources::kMinStages) <=
             sattn::resources::countStages(
                 {tile.rows, tile.columns, tile.depth, problem.elementBytes},
                 target);
}

/// Heights of tiles: one block row, and a row-block group if allowed.
static llvm::SmallVector<int64_t> rowsOf(const Problem &problem,
                                         const Target &target) {
  llvm::SmallVector<int64_t> rows = {problem.blockRows};
  if (target.kind == TargetKind::Wgmma && problem.takesRowBlockGroups &&
      problem.blockRows < kGroupedRows && kGroupedRows % problem.blockRows == 0)
    rows.push_back(kGroupedRows);
  return rows;
}

std::vector<Parameters>
sattn::tuning::bsr_addmm::candidates(const Problem &problem,
                                     const Target &target) {
  Parameters chosen = defaultParameters(problem, target);
  std::vector<Parameters> all = {chosen};
  auto add = [&](const Parameters &tile) {
    bool isNew = llvm::none_of(all, [&](const Parameters &other) {
      return asTuple(other) == asTuple(tile);
    });
    if (isNew && fits(problem, tile, target))
      all.push_back(tile);
  };
  int64_t widest = std::min(target.maxColumns, kWidestOnCPU);
  for (int64_t rows : rowsOf(problem, target))
    for (int64_t columns = widest;
         columns > 0 && columns % target.columnMultiple == 0; columns /= 2)
      add({rows, columns, chosen.depth, {}, {}, {}, {}});
  Parameters changed = chosen;
  if (chosen.depth % 16 == 0) {
    changed.depth = chosen.depth / 2;
    add(changed);
  }
  if (target.kind == TargetKind::CPU)
    return all;
  for (int64_t rasterGroup : {1, 8}) {
    changed = chosen;
    changed.rasterGroup = rasterGroup;
    add(changed);
  }
  changed = chosen;
  changed.stages = 3;
  add(changed);
  if (target.kind == TargetKind::Wgmma && chosen.rows % 64 == 0)
    return all;
  for (int64_t warps : {2, 8}) {
    changed = chosen;
    changed.warps = warps;
    add(changed);
  }
  return all;
}
