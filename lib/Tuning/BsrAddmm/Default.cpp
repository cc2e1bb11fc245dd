//===- Default.cpp - Where no table has a row -----------------------------===//
//
// The computed default: one small function a kind of target, each with the
// reasons of its numbers.
//
//===----------------------------------------------------------------------===//

#include "../ProductCost.h"

#include "sattn/Layout/WgmmaDescriptor.h"
#include "sattn/Resources/Stages.h"
#include "sattn/Tuning/BsrAddmm.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"

#include <limits>
#include <numeric>

using namespace sattn::tuning;
using namespace sattn::tuning::bsr_addmm;
using sattn::layout::kWgmmaRows;

/// Bytes of a block's row up to which a stage on the GPU takes all of it, where
/// no power of two divides it: more take too many registers.
static constexpr int64_t kLongestDepthBytes = 384;
/// Blocks of so many rows or more in 16 bits take steps between these on the
/// GPU: longer ones are faster (an H200, blocks of 96: 1.1 to 1.25 times the
/// rate of steps of 32, 1.4 times with code of sm_80), as far as two stages
/// with so many columns fit.
static constexpr int64_t kTallRows = 64, kTallDepth = 104, kLeastTallDepth = 40;
static constexpr int64_t kTallColumns = 128;

/// The longest divisor that is a multiple of 8 and at most `most`, or nothing.
static std::optional<int64_t> longestDivisor(int64_t size, int64_t most) {
  for (int64_t depth = llvm::alignDown(most, 8); depth >= 8; depth -= 8)
    if (size % depth == 0)
      return depth;
  return std::nullopt;
}

/// K tile: a row of it is at most 128 bytes of 16-bit elements, the longest
/// swizzle, or as many bytes of f32 on the GPU. It is the longest power of two
/// that divides the block. If none from 16 on does, it is the whole block or,
/// if that is too long, its longest divisor that is a multiple of 8.
static int64_t defaultDepth(const Problem &problem, const Target &target) {
  int64_t size = problem.blockColumns;
  int64_t most =
      target.kind == TargetKind::CPU ? 64 : 128 / problem.elementBytes;
  if (size <= most)
    return size;
  if (target.kind != TargetKind::CPU && problem.elementBytes == 2 &&
      problem.blockRows >= kTallRows && size % most != 0) {
    int64_t columnBytes =
        2 * (problem.blockRows + kTallColumns) * problem.elementBytes;
    auto depth = longestDivisor(
        size, std::min(kTallDepth, target.sharedBytes / columnBytes));
    if (depth && *depth >= kLeastTallDepth)
      return *depth;
  }
  for (int64_t depth = most; depth >= 16; depth /= 2)
    if (size % depth == 0)
      return depth;
  if (target.kind != TargetKind::CPU &&
      size * problem.elementBytes > kLongestDepthBytes)
    return longestDivisor(size, most).value_or(size);
  return size;
}

/// Number of tiles of the result, if its sizes are known; at most 2^63 - 1.
static std::optional<int64_t> countTiles(const Problem &problem, int64_t rows,
                                         int64_t columns) {
  if (!problem.m || !problem.n)
    return std::nullopt;
  uint64_t tiles = llvm::SaturatingMultiply<uint64_t>(
      llvm::SaturatingMultiply<uint64_t>(problem.batches,
                                         llvm::divideCeil(*problem.m, rows)),
      llvm::divideCeil(*problem.n, columns));
  return std::min(tiles, uint64_t(std::numeric_limits<int64_t>::max()));
}

/// Columns that a tile gets only if they fit N well.
static constexpr int64_t kWide = 256;

/// Whether tiles of half as many columns fit N better: they hold all of it; or,
/// of wide tiles, a fifth less lies outside.
static bool isTooWide(const Problem &problem, int64_t columns, int64_t half) {
  if (!problem.n)
    return false;
  // A tile of `columns` is two of `half`.
  int64_t wide = llvm::divideCeil(*problem.n, columns);
  int64_t narrow = llvm::divideCeil(*problem.n, half);
  return *problem.n <= half || (columns >= kWide && wide * 2 * 4 > narrow * 5);
}

/// `widest` columns, halved while that fits N better, and while they would make
/// fewer tiles than SMs. Only halves, so that a program of many sizes needs few
/// kernels: at most four for all of M, N and sparsity.
static int64_t narrowColumns(const Problem &problem, const Target &target,
                             int64_t rows, int64_t widest) {
  int64_t multiple = target.columnMultiple;
  int64_t columns = widest;
  while (columns > multiple) {
    int64_t half = llvm::alignTo(columns / 2, multiple);
    std::optional<int64_t> tiles = countTiles(problem, rows, columns);
    if (!isTooWide(problem, columns, half) &&
        (!tiles || *tiles >= target.smCount))
      break;
    columns = half;
  }
  return columns;
}

/// The tile of `narrowColumns`, or a wider one whose estimated time is shorter:
/// tiles of half the columns may take two turns of all SMs for less than one.
static Parameters narrowTile(const Problem &problem, const Target &target,
                             Parameters widest) {
  llvm::SmallVector<Parameters> tiles = {widest};
  tiles[0].columns =
      narrowColumns(problem, target, widest.rows, widest.columns);
  for (Parameters tile = widest; tile.columns > tiles[0].columns;
       tile.columns = llvm::alignTo(tile.columns / 2, target.columnMultiple))
    if (!problem.n || *problem.n > tile.columns / 2)
      tiles.push_back(tile);
  return takeShortest(tiles, [&](const Parameters &tile) {
    return estimateCycles(problem, tile, target);
  });
}

/// Rows of a row-block group, which two warpgroups multiply; its rows of B are
/// loaded once for all of its block rows.
static constexpr int64_t kGroupedRows = 128;
/// Most columns of a block of 32 rows in a stage of a row-block group: with 64
/// the warps have no registers left.
static constexpr int64_t kGroupedDepth = 32;
/// Sparsity in hundredths up to which a row-block group is faster than its rows
/// by themselves, measured on an H200 at 8192 x 8192 x 8192: above it most
/// columns of a group have one block, and the other rows' warps wait. L2
/// bandwidth bounds blocks of 64 rows, which gain longer; at 80 a row-block
/// group is 4% faster on a cool card, 2% slower on a hot one, and its plan
/// takes 20 us.
static constexpr int64_t kGroupedSparsity64 = 70;
static constexpr int64_t kGroupedSparsity32 = 60;

/// Block rows of a tile: several if that is faster, N needs the widest tiles,
/// and these are at least as many as SMs.
static int64_t countBlockRows(const Problem &problem, const Target &target) {
  bool pays = false;
  if (problem.blockRows == 64 && problem.elementBytes == 2 &&
      problem.blockColumns % 64 == 0)
    pays = !problem.sparsity || *problem.sparsity <= kGroupedSparsity64;
  else if (problem.blockRows == 32 &&
           problem.blockColumns * problem.elementBytes % 32 == 0)
    pays = problem.sparsity && *problem.sparsity <= kGroupedSparsity32;
  if (!pays || !problem.takesRowBlockGroups ||
      narrowColumns(problem, target, kGroupedRows, target.maxColumns) <
          target.maxColumns)
    return 1;
  return kGroupedRows / problem.blockRows;
}

/// The most columns that the registers hold. A row of A is loaded once for each
/// tile of columns, a row of B once for each tile of rows: the wider a tile,
/// the fewer bytes for each of its MMAs.
static int64_t chooseWidest(const Problem &problem, const Parameters &tile,
                            const Target &target) {
  return std::max(widestColumns(problem, tile.rows, tile.depth, target),
                  target.columnMultiple);
}

/// Columns of the result up to which latency and the stored blocks' bandwidth
/// bound the rate (decoding), and the narrowest tile.
static constexpr int64_t kFewColumns = 64, kLeastColumns = 16;
/// The narrowest tile of b in columns of K, of which eight are one MMA's: with
/// blocks of 16 it takes 0.84 of the time of 16 columns.
static constexpr int64_t kLeastColumnsAlongK = 8;
/// Rows of the lowest tile: those of one MMA.
static constexpr int64_t kLeastRows = 16;
/// Bytes of a K tile of few columns and rows: fewer steps wait less.
static constexpr int64_t kFewDepthBytes = 256;
/// CTAs that an SM holds of such kernels, at most; and the steps of a
/// tile from which two CTAs share its reduction.
static constexpr int64_t kFewCTAsPerSM = 4, kSharedSteps = 8;
/// The sparsity of an unknown matrix, in hundredths.
static constexpr int64_t kUnknownSparsity = 50;
/// Columns up to which a row of b is shorter than what TMA moves in the time of
/// a row.
static constexpr int64_t kShortRow = 32;

/// The rows below which a tile of few columns is not cut. A tile loads its part
/// of b for itself, so low tiles load b more often. That costs most where TMA
/// copies rows of b that are short, and where columns are many.
static int64_t leastRowsOfFewColumns(const Problem &problem,
                                     const Target &target) {
  bool isWgmma =
      target.kind == TargetKind::Wgmma && problem.blockRows % kWgmmaRows == 0;
  bool areRowsShort = !problem.alongK && *problem.n <= kShortRow;
  bool areManyLoads = *problem.n > kShortRow && problem.blockRows > kWgmmaRows;
  return isWgmma && (areRowsShort || areManyLoads) ? kWgmmaRows : kLeastRows;
}

/// Few columns: all in one tile, of as many rows of a block row as leave a tile
/// for nearly every SM, so that all of them load; where there are clusters, two
/// CTAs share the reduction of a tile with many steps, if all run at
/// one time and b's rows are long enough. Measured on an H200 and an H100 at
/// 4096 x 4096 and 14336 x 4096 (benchmarks/few_columns.py).
static std::optional<Parameters> defaultForFewColumns(const Problem &problem,
                                                      const Target &target) {
  if (!problem.m || !problem.n || !problem.k || *problem.n > kFewColumns ||
      *problem.n < 1)
    return std::nullopt;
  Parameters result;
  result.columns =
      std::max<int64_t>(llvm::PowerOf2Ceil(*problem.n),
                        problem.alongK ? kLeastColumnsAlongK : kLeastColumns);
  result.rows = problem.blockRows;
  auto tiles = [&] {
    return *countTiles(problem, result.rows, result.columns);
  };
  int64_t leastRows = leastRowsOfFewColumns(problem, target);
  while (result.rows % (2 * kLeastRows) == 0 && result.rows > leastRows &&
         tiles() < target.smCount - target.smCount / 16)
    result.rows /= 2;
  result.depth = defaultDepth(problem, target);
  int64_t fewDepth = kFewDepthBytes / problem.elementBytes;
  bool isLow = result.rows < kWgmmaRows || result.rows == leastRows;
  if (isLow && problem.blockColumns % fewDepth == 0)
    result.depth = fewDepth;
  if (widestColumns(problem, result.rows, result.depth, target) <
      result.columns)
    return std::nullopt;
  if (result.rows <= 2 * kLeastRows && problem.blockRows <= 2 * kLeastRows)
    result.warps = result.rows / kLeastRows;
  if (!target.hasClusters)
    return result;
  int64_t steps = *problem.k / result.depth *
                  (100 - problem.sparsity.value_or(kUnknownSparsity)) / 100;
  // A tile of a whole wgmma's rows loads enough ahead by itself.
  int64_t most = result.rows < kWgmmaRows ? kFewCTAsPerSM * target.smCount / 2
                                          : target.smCount;
  bool isShared =
      steps >= kSharedSteps && tiles() <= most &&
      (problem.alongK || *problem.n > kShortRow || result.rows < kWgmmaRows);
  result.splitK = isShared ? 2 : 1;
  return result;
}

/// Columns below which wgmma's tiles are not made narrower for a long row: with
/// 64 a step takes as long.
static constexpr int64_t kLeastUnequalColumns = 128;
/// How much longer than the shortest a wider tile may take for such rows.
static constexpr double kNear = 1.1;

/// One block row per tile, as wide as possible: with blocks of 64 and 128, L2
/// bandwidth or the MMAs bound the rate.
static Parameters defaultForWgmma(const Problem &problem,
                                  const Target &target) {
  if (std::optional<Parameters> few = defaultForFewColumns(problem, target))
    return *few;
  Parameters result;
  result.depth = defaultDepth(problem, target);
  Parameters alone = result;
  int64_t groups = countBlockRows(problem, target);
  result.rows = groups * problem.blockRows;
  if (groups > 2 && result.depth > kGroupedDepth)
    result.depth = std::gcd(result.depth, kGroupedDepth);
  result.columns = target.maxColumns;
  if (groups == 1) {
    result.columns = chooseWidest(problem, result, target);
    result = narrowTile(problem, target, result);
  }
  if (hasUnequalRows(problem)) {
    // One block row, and half as many columns each time, for a long row's sake.
    llvm::SmallVector<Parameters> tiles = {result};
    alone.rows = problem.blockRows;
    alone.columns = chooseWidest(problem, alone, target);
    int64_t least = problem.blockRows % kWgmmaRows == 0 ? kLeastUnequalColumns
                                                        : target.columnMultiple;
    for (; alone.columns >= least; alone.columns = alone.columns / 2)
      if (alone.columns <= result.columns &&
          alone.columns % target.columnMultiple == 0)
        tiles.push_back(alone);
    return takeShortest(
        tiles,
        [&](const Parameters &tile) {
          return estimateCycles(problem, tile, target);
        },
        kNear);
  }
  // Small-M tiles load more of B than of A: CTAs that work on the same columns
  // share it. Measured on an H200, 3 to 10% against four columns. Where rows
  // are unequal it loses 7 to 20%: long tiles run alone.
  if (result.rows < kGroupedRows)
    result.rasterGroup = 1;
  return result;
}

/// Stages with which a tile that has an SM for itself does not wait for its
/// loads.
static constexpr int64_t kLoneStages = 3;

/// One block row per tile. Above 32 rows 128 columns, so that two CTAs of four
/// warps share an SM and one computes while the other waits; small-M tiles take
/// 256, which they need to load less of B for each MMA. So do tiles of 128
/// rows, for which two CTAs do not have the registers (code of sm_80 on an
/// H200: 1.2 to 1.3 times the rate of 128 columns).
static Parameters defaultForMmaSync(const Problem &problem,
                                    const Target &target) {
  if (std::optional<Parameters> few = defaultForFewColumns(problem, target))
    return *few;
  Parameters result;
  result.rows = problem.blockRows;
  result.depth = defaultDepth(problem, target);
  int64_t most = chooseWidest(problem, result, target);
  bool isAlone = result.rows == 128 &&
                 sattn::resources::countStages(
                     {result.rows, most, result.depth, problem.elementBytes},
                     target) >= kLoneStages;
  if (result.rows > 32 && !isAlone)
    most = std::min<int64_t>(most, 128);
  result.columns = narrowColumns(problem, target, result.rows, most);
  return result;
}

/// The narrowest tile of a whole block's columns.
static constexpr int64_t kLeastWhole = 32;

static bool fitsRing(const Problem &problem, const Parameters &tile,
                     const Target &target) {
  return sattn::resources::fitsRing(
      {tile.rows, tile.columns, tile.depth, problem.elementBytes}, target);
}

/// Makes a ring of the tiles fit, which it does but for K tiles of a whole
/// block whose columns no power of two divides: by fewer columns or, for high
/// tiles, by a shorter K tile.
static Parameters fitRing(const Problem &problem, Parameters tile,
                          const Target &target) {
  Parameters narrow = tile;
  while (!fitsRing(problem, narrow, target) &&
         narrow.columns / 2 >= kLeastWhole)
    narrow.columns /= 2;
  if (fitsRing(problem, narrow, target))
    return narrow;
  while (!fitsRing(problem, tile, target)) {
    std::optional<int64_t> depth =
        longestDivisor(problem.blockColumns, tile.depth - 8);
    if (!depth)
      break;
    tile.depth = *depth;
  }
  return tile;
}

/// Columns of a tile on the CPU below which the cost does not fall.
static constexpr int64_t kLeastCPUColumns = 16;

/// One block row per tile; the accumulator and the packed operands stay within
/// the second-level cache. A tile's cost follows from its width, even beyond N.
static Parameters defaultForCPU(const Problem &problem, const Target &target) {
  Parameters result;
  result.rows = problem.blockRows;
  result.depth = defaultDepth(problem, target);
  result.columns = result.rows <= 64 ? 128 : 64;
  if (problem.n)
    result.columns = llvm::PowerOf2Ceil(
        std::clamp(*problem.n, kLeastCPUColumns, result.columns));
  return result;
}

Parameters sattn::tuning::bsr_addmm::defaultParameters(const Problem &problem,
                                                       const Target &target) {
  switch (target.kind) {
  case TargetKind::CPU:
    return defaultForCPU(problem, target);
  case TargetKind::MmaSync:
    return fitRing(problem, defaultForMmaSync(problem, target), target);
  case TargetKind::Wgmma:
    return defaultForWgmma(problem, target);
  }
  llvm_unreachable("not a kind of target");
}
