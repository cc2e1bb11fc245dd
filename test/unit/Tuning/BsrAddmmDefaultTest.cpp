//===- BsrAddmmDefaultTest.cpp - The computed default ---------------------===//

#include "sattn/Tuning/BsrAddmm.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"

#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <set>

using namespace sattn::tuning;
using namespace sattn::tuning::bsr_addmm;

/// "64 x 256 x 64" for blocks of `block` on `target`.
static std::string tile(llvm::StringRef target, Problem problem) {
  Target limits = *findTarget(target);
  limits.sharedBytes = llvm::StringSwitch<int64_t>(target)
                           .Case("cpu", 0)
                           .Case("sm_80", 163 << 10)
                           .Case("sm_90a", 227 << 10)
                           .Default(99 << 10);
  Parameters result = defaultParameters(problem, limits);
  EXPECT_FALSE(result.stages || result.warps);
  // Small-M tiles on Hopper take one column of tiles after the other, unless
  // some are long.
  bool isSmallM =
      target == "sm_90a" && result.rows < 128 && !hasUnequalRows(problem);
  EXPECT_EQ(result.rasterGroup,
            isSmallM ? std::optional<int64_t>(1) : std::nullopt);
  return std::to_string(result.rows) + " x " + std::to_string(result.columns) +
         " x " + std::to_string(result.depth);
}

static Problem problem(int64_t block, std::optional<int64_t> m = std::nullopt,
                       std::optional<int64_t> n = std::nullopt) {
  Problem result;
  result.m = m;
  result.n = n;
  result.blockRows = result.blockColumns = block;
  return result;
}

TEST(DefaultParametersTest, AsWideAsRegistersAllow) {
  EXPECT_EQ(tile("sm_90a", problem(64)), "128 x 256 x 64");
  EXPECT_EQ(tile("sm_90a", problem(128)), "128 x 256 x 64");
  EXPECT_EQ(tile("sm_90a", problem(256)), "256 x 128 x 64");
  EXPECT_EQ(tile("sm_80", problem(64)), "64 x 128 x 64");
  EXPECT_EQ(tile("sm_80", problem(48)), "48 x 128 x 48");
  // Three stages of 128 x 256 fit on the one, not on the other.
  EXPECT_EQ(tile("sm_80", problem(128)), "128 x 256 x 64");
  EXPECT_EQ(tile("sm_86", problem(128)), "128 x 128 x 64");
  EXPECT_EQ(tile("sm_80", problem(256)), "256 x 64 x 64");
  EXPECT_EQ(tile("sm_86", problem(16)), "16 x 256 x 16");
  EXPECT_EQ(tile("cpu", problem(64)), "64 x 128 x 64");
  EXPECT_EQ(tile("cpu", problem(128)), "128 x 64 x 64");
}

/// The tile at a sparsity in hundredths.
static std::string sparseTile(Problem problem, int64_t sparsity) {
  problem.sparsity = sparsity;
  return tile("sm_90a", problem);
}

TEST(DefaultParametersTest, RowBlockGroupsWhereTheyPay) {
  EXPECT_EQ(sparseTile(problem(64), 70), "128 x 256 x 64");
  EXPECT_EQ(sparseTile(problem(64), 71), "64 x 256 x 64");
  EXPECT_EQ(tile("sm_90a", problem(32)), "32 x 256 x 32");
  EXPECT_EQ(sparseTile(problem(32), 60), "128 x 256 x 32");
  EXPECT_EQ(sparseTile(problem(32), 61), "32 x 256 x 32");
  EXPECT_EQ(sparseTile(problem(16), 0), "16 x 256 x 16");
  // Tiles of 128 x 256: 64 of them, fewer than SMs.
  EXPECT_EQ(sparseTile(problem(32, 4096, 256), 50), "32 x 128 x 32");
  EXPECT_EQ(sparseTile(problem(32, 8192, 8192), 50), "128 x 256 x 32");
  // A stage of blocks of 32 rows takes no more than 32 columns of a block.
  Problem wide = problem(32);
  wide.blockColumns = 128;
  EXPECT_EQ(sparseTile(wide, 50), "128 x 256 x 32");
  wide.blockColumns = 48;
  EXPECT_EQ(sparseTile(wide, 50), "128 x 256 x 16");
  // Padding, which TMA cannot load.
  wide.blockColumns = 24;
  EXPECT_EQ(sparseTile(wide, 50), "32 x 256 x 24");
  wide.elementBytes = 4;
  EXPECT_EQ(sparseTile(wide, 50), "128 x 256 x 24");
  Problem rowsOnly = problem(64);
  rowsOnly.takesRowBlockGroups = false;
  EXPECT_EQ(sparseTile(rowsOnly, 50), "64 x 256 x 64");
  EXPECT_EQ(sparseTile(problem(48), 50), "48 x 256 x 48");
}

TEST(DefaultParametersTest, NoTileIsNarrowerThanTheTargetTakes) {
  EXPECT_EQ(tile("sm_90a", problem(1024)), "1024 x 64 x 64");
  EXPECT_EQ(tile("sm_90a", problem(64, 4096, 1)), "64 x 64 x 64");
  EXPECT_EQ(tile("cpu", problem(64, 4096, 1)), "64 x 16 x 64");
  EXPECT_EQ(tile("cpu", problem(64, 4096, 0)), "64 x 16 x 64");
}

TEST(DefaultParametersTest, NoWiderThanN) {
  EXPECT_EQ(tile("sm_90a", problem(64, 65536, 128)), "64 x 128 x 64");
  EXPECT_EQ(tile("sm_90a", problem(64, 65536, 136)), "128 x 256 x 64");
  // 512 columns, or 384.
  EXPECT_EQ(tile("sm_90a", problem(64, 65536, 320)), "64 x 128 x 64");
  // Rows that are not aligned are padded.
  EXPECT_EQ(tile("sm_90a", problem(64, 65536, 1001)), "128 x 256 x 64");
  EXPECT_EQ(tile("sm_90a", problem(16, 65536, 1001)), "16 x 256 x 16");
  EXPECT_EQ(tile("sm_90a", problem(64, std::nullopt, 64)), "64 x 64 x 64");
  EXPECT_EQ(tile("cpu", problem(64, 4096, 40)), "64 x 64 x 64");
}

TEST(DefaultParametersTest, AnyN) {
  int64_t most = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(tile("cpu", problem(64, std::nullopt, most)), "64 x 128 x 64");
  EXPECT_EQ(tile("cpu", problem(64, std::nullopt, 0)), "64 x 16 x 64");
}

TEST(DefaultParametersTest, NarrowerWhereTilesAreFew) {
  EXPECT_EQ(tile("sm_90a", problem(64, 8192, 8192)), "128 x 256 x 64");
  // 64 tiles of 256 columns, 128 of 128, 256 of 64, for 132 SMs.
  EXPECT_EQ(tile("sm_90a", problem(64, 4096, 256)), "64 x 64 x 64");
  // 132 tiles.
  EXPECT_EQ(tile("sm_90a", problem(64, 64 * 132, 256)), "64 x 256 x 64");
  EXPECT_EQ(tile("sm_90a", problem(64, 64 * 131, 256)), "64 x 128 x 64");
  // 192 columns, which no tile has.
  EXPECT_EQ(tile("sm_90a", problem(64, 64 * 100, 192)), "64 x 128 x 64");
  Problem batched = problem(64, 4096, 256);
  batched.batches = 8;
  EXPECT_EQ(tile("sm_90a", batched), "128 x 256 x 64");
}

TEST(DefaultParametersTest, MoreTilesThanANumberHolds) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(tile("sm_90a", problem(64, kMost, kMost - 63)), "128 x 256 x 64");
  Problem batched = problem(64, int64_t(1) << 32, int64_t(1) << 32);
  batched.batches = int64_t(1) << 32;
  EXPECT_EQ(tile("sm_80", batched), "64 x 128 x 64");
}

TEST(DefaultParametersTest, DepthDividesTheBlock) {
  EXPECT_EQ(tile("sm_90a", problem(192)), "192 x 128 x 64");
  EXPECT_EQ(tile("sm_90a", problem(96)), "96 x 256 x 96");
  EXPECT_EQ(tile("sm_90a", problem(72)), "72 x 256 x 72");
  EXPECT_EQ(tile("sm_90a", problem(40)), "40 x 256 x 40");
  EXPECT_EQ(tile("sm_80", problem(96)), "96 x 128 x 96");
  EXPECT_EQ(tile("sm_86", problem(208)), "208 x 64 x 16");
  EXPECT_EQ(tile("sm_90a", problem(136)), "136 x 192 x 136");
  // More than a stage should hold: the longest divisor in eights.
  EXPECT_EQ(tile("sm_90a", problem(200)), "200 x 128 x 40");
  EXPECT_EQ(tile("sm_80", problem(248)), "248 x 64 x 8");
  Problem f32 = problem(64);
  f32.elementBytes = 4;
  EXPECT_EQ(tile("sm_80", f32), "64 x 128 x 32");
  Problem f32Odd = problem(104);
  f32Odd.elementBytes = 4;
  EXPECT_EQ(tile("sm_80", f32Odd), "104 x 128 x 8");
  EXPECT_EQ(tile("cpu", f32), "64 x 128 x 64");
}

TEST(DefaultParametersTest, FourTilesServeAllSizes) {
  for (llvm::StringRef name : targetNames())
    for (int64_t block : {8, 16, 24, 32, 64, 96, 128})
      for (int64_t blockRows : {1, 5, 64, 133, 1024}) {
        std::set<std::string> tiles;
        for (int64_t n = 1; n < 3000; n += 13)
          for (int64_t sparsity = 0; sparsity <= 100; sparsity += 10) {
            Problem sized = problem(block, block * blockRows, n);
            sized.sparsity = sparsity;
            tiles.insert(tile(name, sized));
          }
        EXPECT_LE(tiles.size(), 4u)
            << name.str() << ", " << block << ", " << blockRows;
      }
}

TEST(DefaultParametersTest, Targets) {
  for (llvm::StringRef name : targetNames())
    EXPECT_EQ(findTarget(name)->name, name);
  EXPECT_FALSE(findTarget("sm_70"));
}

/// The default for few columns of 4096 x 4096 on Hopper, where columns of b are
/// contiguous: "32 x 16 x 128, 2 parts".
static std::string fewTile(int64_t block, int64_t n, int64_t sparsity,
                           int64_t m = 4096, llvm::StringRef target = "sm_90a",
                           int64_t elementBytes = 2, bool alongK = true) {
  Problem few = problem(block, m, n);
  few.k = 4096;
  few.sparsity = sparsity;
  few.elementBytes = elementBytes;
  few.alongK = alongK;
  Parameters result = defaultParameters(few, *findTarget(target));
  EXPECT_EQ(result.warps.has_value(), block < 64);
  return std::to_string(result.rows) + " x " + std::to_string(result.columns) +
         " x " + std::to_string(result.depth) + ", " +
         std::to_string(result.splitK.value_or(0)) + " parts";
}

TEST(DefaultParametersTest, FewColumns) {
  EXPECT_EQ(fewTile(128, 16, 50), "32 x 16 x 128, 2 parts");
  EXPECT_EQ(fewTile(128, 16, 90), "32 x 16 x 128, 1 parts");
  EXPECT_EQ(fewTile(128, 33, 50), "64 x 64 x 128, 2 parts");
  EXPECT_EQ(fewTile(128, 33, 90), "64 x 64 x 128, 1 parts");
  EXPECT_EQ(fewTile(128, 1, 50), "32 x 8 x 128, 2 parts");
  EXPECT_EQ(fewTile(64, 16, 50), "32 x 16 x 64, 2 parts");
  EXPECT_EQ(fewTile(64, 64, 50), "32 x 64 x 64, 2 parts");
  EXPECT_EQ(fewTile(32, 8, 50), "32 x 8 x 32, 2 parts");
  EXPECT_EQ(fewTile(16, 16, 50), "16 x 16 x 16, 2 parts");
  // More rows leave more tiles, and no room for two CTAs of each.
  EXPECT_EQ(fewTile(128, 16, 50, 14336), "64 x 16 x 64, 1 parts");
  EXPECT_EQ(fewTile(64, 16, 50, 14336), "64 x 16 x 64, 1 parts");
  EXPECT_EQ(fewTile(64, 16, 50, 8192), "64 x 16 x 64, 2 parts");
  EXPECT_EQ(fewTile(64, 16, 50, 65536), "64 x 16 x 64, 1 parts");
}

TEST(DefaultParametersTest, FewColumnsOfContiguousRows) {
  auto fewTileOfRows = [](int64_t block, int64_t n, int64_t sparsity) {
    return fewTile(block, n, sparsity, 4096, "sm_90a", 2, /*alongK=*/false);
  };
  EXPECT_EQ(fewTileOfRows(128, 8, 50), "64 x 16 x 128, 1 parts");
  EXPECT_EQ(fewTileOfRows(64, 16, 90), "64 x 16 x 64, 1 parts");
  EXPECT_EQ(fewTileOfRows(128, 64, 50), "64 x 64 x 128, 2 parts");
  EXPECT_EQ(fewTileOfRows(64, 64, 50), "32 x 64 x 64, 2 parts");
  EXPECT_EQ(fewTileOfRows(32, 8, 50), "32 x 16 x 32, 2 parts");
}

TEST(DefaultParametersTest, FewColumnsOfTF32) {
  // A K tile has as many bytes as one of 16-bit elements.
  EXPECT_EQ(fewTile(128, 16, 50, 4096, "sm_90a", 4), "32 x 16 x 64, 2 parts");
  EXPECT_EQ(fewTile(64, 16, 50, 4096, "sm_90a", 4), "32 x 16 x 64, 2 parts");
  EXPECT_EQ(fewTile(32, 8, 50, 4096, "sm_90a", 4), "32 x 8 x 32, 2 parts");
  EXPECT_EQ(fewTile(128, 16, 50, 4096, "sm_80", 4), "32 x 16 x 64, 0 parts");
}

TEST(DefaultParametersTest, FewColumnsWithoutClusters) {
  // A tile's reduction is not shared.
  EXPECT_EQ(fewTile(128, 16, 50, 4096, "sm_80"), "32 x 16 x 128, 0 parts");
  EXPECT_EQ(fewTile(64, 33, 50, 4096, "sm_80"), "32 x 64 x 64, 0 parts");
  EXPECT_EQ(fewTile(16, 1, 90, 4096, "sm_86"), "16 x 8 x 16, 0 parts");
  EXPECT_EQ(fewTile(64, 16, 50, 14336, "sm_89"), "64 x 16 x 64, 0 parts");
}

/// Bytes of so many rows and columns in shared memory, with the padding of
/// fragments.
static int64_t sharedBytes(int64_t rows, int64_t columns, int64_t bytes) {
  return int64_t(llvm::alignTo(rows, 16)) *
         int64_t(llvm::alignTo(columns * bytes, 32));
}

TEST(DefaultParametersTest, TwoStagesFitEveryChip) {
  // Numbers of tiles and the like.
  constexpr int64_t kOther = 256;
  for (llvm::StringRef name : {"sm_80", "sm_86", "sm_89", "sm_90a"})
    for (int64_t rows : {8, 16, 24, 32, 48, 64, 72, 96, 128, 136, 200, 256})
      for (int64_t columns : {8, 16, 24, 32, 40, 64, 96, 128, 136, 192, 256})
        for (int64_t bytes : {2, 4})
          for (int64_t n : {1, 8, 16, 33, 64, 65, 256, 2047, 8192})
            for (int64_t m : {int64_t(1), int64_t(64), int64_t(512)}) {
              Problem some;
              some.blockRows = rows;
              some.blockColumns = columns;
              some.m = rows * m;
              some.k = columns * 64;
              some.n = n;
              some.elementBytes = bytes;
              Target target = *findTarget(name);
              Parameters tile = defaultParameters(some, target);
              int64_t left = sharedBytes(tile.rows, tile.depth, bytes);
              // In either layout.
              int64_t right =
                  std::max(sharedBytes(tile.depth, tile.columns, bytes),
                           sharedBytes(tile.columns, tile.depth, bytes));
              EXPECT_LE(2 * (left + right) + kOther, target.sharedBytes)
                  << name.str() << ", blocks of " << rows << " x " << columns
                  << ", " << bytes << " bytes, N = " << n << ": " << tile.rows
                  << " x " << tile.columns << " x " << tile.depth;
              EXPECT_EQ(columns % tile.depth, 0);
            }
}

TEST(DefaultParametersTest, FewColumnsOfUnknownSizesAreLikeOthers) {
  EXPECT_EQ(tile("sm_90a", problem(64, 4096, 16)), "64 x 64 x 64");
}

/// Lengths of rows that fall by a power law, in all `total` at most.
static std::vector<int64_t> powerLaw(int64_t rows, int64_t columns,
                                     double total) {
  std::vector<double> exact(rows);
  double low = 0, high = columns * std::pow(rows, 1.2);
  for (int turn = 0; turn < 100; ++turn) {
    double middle = (low + high) / 2, sum = 0;
    for (int64_t row = 0; row < rows; ++row)
      sum += exact[row] =
          std::min<double>(columns, middle * std::pow(row + 1, -1.2));
    (sum < total ? low : high) = middle;
  }
  return std::vector<int64_t>(exact.begin(), exact.end());
}

/// Cycles until SMs that take tiles one by one, the longest first, are done:
/// tiles of one block row, with the time of a step of the estimate.
static double schedule(const Problem &problem, const Parameters &tile,
                       const Target &target, std::vector<int64_t> lengths) {
  llvm::sort(lengths, std::greater<>());
  double bytes = 2.0 * double(tile.rows + tile.columns) * tile.depth;
  double operations = 2.0 * double(std::max<int64_t>(tile.rows, 64)) *
                      tile.columns * tile.depth;
  double step = std::max(bytes / 64, operations / 4096) + 60;
  double cycles = step * double(problem.blockColumns / tile.depth);
  std::priority_queue<double, std::vector<double>, std::greater<>> ends;
  for (int64_t sm = 0; sm < target.smCount; ++sm)
    ends.push(0);
  double last = 0;
  for (int64_t length : lengths)
    for (int64_t i = 0; i < (*problem.n + tile.columns - 1) / tile.columns;
         ++i) {
      double end = ends.top() + double(length) * cycles + 600;
      ends.pop();
      ends.push(end);
      last = std::max(last, end);
    }
  return last;
}

TEST(DefaultParametersTest, RowsOfPowerLawLength) {
  Target target = *findTarget("sm_90a");
  target.sharedBytes = 227 << 10;
  for (int64_t n : {128, 256, 512, 1024, 2048, 8192})
    for (int64_t block : {32, 64, 128})
      for (int64_t sparsity : {80, 90, 97}) {
        Problem given = problem(block, 8192, n);
        given.k = 8192;
        given.sparsity = sparsity;
        int64_t columns = 8192 / block;
        std::vector<int64_t> lengths =
            powerLaw(columns, columns,
                     double(columns * columns * (100 - sparsity)) / 100);
        given.longestRow = *llvm::max_element(lengths);
        Parameters chosen = defaultParameters(given, target);
        EXPECT_EQ(chosen.rows, block);
        double best = std::numeric_limits<double>::max();
        for (Parameters tile = chosen; tile.columns <= 256; tile.columns *= 2)
          best = std::min(best, schedule(given, tile, target, lengths));
        // Narrower ones of wgmma take as long a step.
        int64_t least = block < 64 ? 64 : 128;
        for (Parameters tile = chosen; tile.columns >= least; tile.columns /= 2)
          best = std::min(best, schedule(given, tile, target, lengths));
        EXPECT_LE(schedule(given, chosen, target, lengths), 1.25 * best)
            << "N " << n << ", blocks of " << block << ", sparsity " << sparsity
            << ": " << chosen.columns << " columns";
      }
}

TEST(DefaultParametersTest, RowsOfUnequalLength) {
  auto columns = [](int64_t n, std::optional<int64_t> longest) {
    Problem given = problem(64, 8192, n);
    given.k = 8192;
    given.sparsity = 90;
    given.longestRow = longest;
    return tile("sm_90a", given);
  };
  // The matrix has 128 block rows with 12.8 blocks on average.
  EXPECT_EQ(columns(512, std::nullopt), "64 x 256 x 64");
  EXPECT_EQ(columns(512, 24), columns(512, std::nullopt));
  EXPECT_EQ(columns(512, 128), "64 x 128 x 64");
  // Enough other work.
  EXPECT_EQ(columns(16384, 128), "64 x 256 x 64");
  // A row-block group has as many steps as the longest row's blocks.
  Problem dense = problem(64, 8192, 1024);
  dense.k = 8192;
  dense.sparsity = 70;
  dense.longestRow = 128;
  EXPECT_EQ(tile("sm_90a", dense), "128 x 256 x 64");
}
