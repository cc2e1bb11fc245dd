//===- UnequalRows.cpp - Tiles for block rows of unequal length -----------===//

#include "sattn/Tuning/BsrAddmm.h"

#include <algorithm>

using namespace sattn::tuning;
using namespace sattn::tuning::bsr_addmm;

/// Limits from which on a row is long: more than this many times the mean, and
/// this many blocks more. In rows drawn all alike there is none.
static constexpr int64_t kLong = 2, kLongBlocks = 4;

/// How much longer than the shortest is near.
static constexpr double kNear = 1.1;

bool sattn::tuning::bsr_addmm::hasUnequalRows(const Problem &problem) {
  return problem.m && problem.n && problem.k && problem.sparsity &&
         problem.longestRow && *problem.k >= problem.blockColumns &&
         double(*problem.longestRow) >
             kLong * getMeanRow(problem) + kLongBlocks;
}

Parameters
sattn::tuning::bsr_addmm::chooseForUnequalRows(const Problem &problem,
                                               llvm::ArrayRef<Parameters> tiles,
                                               const Target &target) {
  std::optional<double> shortest;
  for (const Parameters &tile : tiles)
    if (std::optional<double> cycles = estimateCycles(problem, tile, target))
      shortest = std::min(shortest.value_or(*cycles), *cycles);
  if (!shortest || !hasUnequalRows(problem))
    return tiles.front();
  return *std::find_if(tiles.begin(), tiles.end(), [&](const Parameters &tile) {
    return *estimateCycles(problem, tile, target) <= kNear * *shortest;
  });
}
