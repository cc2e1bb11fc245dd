//===- UnequalRows.cpp - Tiles for block rows of unequal length -----------===//

#include "sattn/Tuning/BsrAddmm.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

using namespace sattn::tuning;
using namespace sattn::tuning::bsr_addmm;

/// An SM of Hopper in one cycle: bytes that it gets from L2, and operations of
/// wgmma on 16-bit elements, whose tiles have a multiple of 64 rows.
static constexpr double kBytes = 64, kOperations = 4096;
static constexpr int64_t kMMARows = 64;
/// Cycles of a step and of a tile beside its loads and MMAs.
static constexpr double kStep = 60, kTile = 600;

/// Limits from which on a row is long: more than this many times the mean, and
/// this many blocks more. In rows drawn all alike there is none.
static constexpr int64_t kLong = 2, kLongBlocks = 4;

/// How much longer than the shortest is near.
static constexpr double kNear = 1.1;

/// Stored blocks of a block row, on average.
static double meanRow(const Problem &problem) {
  return double(*problem.k / problem.blockColumns) *
         double(100 - *problem.sparsity) / 100;
}

static double stepCycles(const Problem &problem, const Parameters &tile) {
  double bytes =
      double(tile.rows + tile.columns) * tile.depth * problem.elementBytes;
  double operations = 2.0 * llvm::alignTo(tile.rows, kMMARows) * tile.columns *
                      tile.depth * problem.elementBytes / 2;
  return std::max(bytes / kBytes, operations / kOperations) + kStep;
}

std::optional<double> sattn::tuning::bsr_addmm::estimateMakespan(
    const Problem &problem, const Parameters &tile, const Target &target) {
  if (!problem.m || !problem.n || !problem.k || !problem.sparsity ||
      !problem.longestRow || *problem.k < problem.blockColumns ||
      tile.depth < 1 || tile.columns < 1)
    return std::nullopt;
  double mean = meanRow(problem);
  double groups = std::max<int64_t>(1, tile.rows / problem.blockRows);
  // The rows of a group take the steps of all columns that one of them stores.
  double density = mean / double(*problem.k / problem.blockColumns);
  double steps = 1;
  if (groups > 1 && density > 0)
    steps = (1 - std::pow(1 - density, groups)) / density;
  double cycles = stepCycles(problem, tile) *
                  double(llvm::divideCeil(problem.blockColumns, tile.depth));
  double tiles = double(problem.batches) * double(*problem.m) /
                 double(problem.blockRows) / groups *
                 double(llvm::divideCeil(*problem.n, tile.columns));
  double all = tiles * (mean * steps * cycles + kTile) / target.smCount;
  return std::max(all, double(*problem.longestRow) * cycles + kTile);
}

bool sattn::tuning::bsr_addmm::hasUnequalRows(const Problem &problem) {
  return problem.m && problem.n && problem.k && problem.sparsity &&
         problem.longestRow && *problem.k >= problem.blockColumns &&
         double(*problem.longestRow) > kLong * meanRow(problem) + kLongBlocks;
}

Parameters
sattn::tuning::bsr_addmm::chooseForUnequalRows(const Problem &problem,
                                               llvm::ArrayRef<Parameters> tiles,
                                               const Target &target) {
  std::optional<double> shortest;
  for (const Parameters &tile : tiles)
    if (std::optional<double> cycles = estimateMakespan(problem, tile, target))
      shortest = std::min(shortest.value_or(*cycles), *cycles);
  if (!shortest || !hasUnequalRows(problem))
    return tiles.front();
  return *std::find_if(tiles.begin(), tiles.end(), [&](const Parameters &tile) {
    return *estimateMakespan(problem, tile, target) <= kNear * *shortest;
  });
}
