//===- BsrAddmmDefaultTest.cpp - The computed default ---------------------===//

#include "sattn/Tuning/BsrAddmm.h"

#include "llvm/ADT/StringSwitch.h"
#include "gtest/gtest.h"

#include <limits>
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
  // Flat tiles of Hopper take one column of tiles after the other.
  bool isFlat = target == "sm_90a" && result.rows < 128;
  EXPECT_EQ(result.rasterGroup,
            isFlat ? std::optional<int64_t>(1) : std::nullopt);
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

TEST(DefaultParametersTest, PanelsWhereTheyPay) {
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
  rowsOnly.takesPanels = false;
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

/// The default for few columns of 4096 x 4096 on Hopper: "32 x 16 x 128, 2
/// parts".
static std::string fewTile(int64_t block, int64_t n, int64_t sparsity,
                           int64_t m = 4096) {
  Problem few = problem(block, m, n);
  few.k = 4096;
  few.sparsity = sparsity;
  Target limits = *findTarget("sm_90a");
  limits.sharedBytes = 227 << 10;
  Parameters result = defaultParameters(few, limits);
  EXPECT_EQ(result.warps.has_value(), block < 64);
  return std::to_string(result.rows) + " x " + std::to_string(result.columns) +
         " x " + std::to_string(result.depth) + ", " +
         std::to_string(result.splitK.value_or(0)) + " parts";
}

TEST(DefaultParametersTest, FewColumns) {
  EXPECT_EQ(fewTile(128, 16, 50), "32 x 16 x 128, 2 parts");
  EXPECT_EQ(fewTile(128, 16, 90), "32 x 16 x 128, 1 parts");
  EXPECT_EQ(fewTile(128, 33, 50), "32 x 64 x 128, 2 parts");
  EXPECT_EQ(fewTile(128, 1, 50), "32 x 16 x 128, 2 parts");
  EXPECT_EQ(fewTile(64, 16, 50), "32 x 16 x 64, 2 parts");
  EXPECT_EQ(fewTile(32, 8, 50), "32 x 16 x 32, 2 parts");
  EXPECT_EQ(fewTile(16, 16, 50), "16 x 16 x 16, 2 parts");
  // More rows leave more tiles, and no room for two thread blocks of each.
  EXPECT_EQ(fewTile(128, 16, 50, 14336), "64 x 16 x 128, 2 parts");
  EXPECT_EQ(fewTile(64, 16, 50, 65536), "64 x 16 x 64, 1 parts");
}

TEST(DefaultParametersTest, FewColumnsOfUnknownSizesAreLikeOthers) {
  EXPECT_EQ(tile("sm_90a", problem(64, 4096, 16)), "64 x 64 x 64");
}
