//===- BsrAddmmCandidatesTest.cpp - What a tuner tries --------------------===//

#include "sattn/Tuning/BsrAddmm.h"

#include "gtest/gtest.h"

#include <set>
#include <tuple>

using namespace sattn::tuning;
using namespace sattn::tuning::bsr_addmm;

static auto asTuple(const Parameters &tile) {
  return std::make_tuple(tile.rows, tile.columns, tile.depth, tile.stages,
                         tile.warps, tile.rasterGroup);
}

TEST(BsrAddmmCandidatesTest, DefaultFirstAllDifferentAndWithinLimits) {
  for (llvm::StringRef name : targetNames())
    for (int64_t block : {8, 16, 32, 48, 64, 128}) {
      Target target = *findTarget(name);
      target.sharedBytes = name == "cpu" ? 0 : 99 << 10;
      Problem problem;
      problem.m = problem.n = 4096;
      problem.blockRows = problem.blockColumns = block;
      std::vector<Parameters> all = candidates(problem, target);
      ASSERT_GT(all.size(), 2u) << name.str() << " " << block;
      EXPECT_EQ(asTuple(all[0]), asTuple(defaultParameters(problem, target)));
      std::set<decltype(asTuple(all[0]))> seen;
      for (const Parameters &tile : all) {
        EXPECT_TRUE(seen.insert(asTuple(tile)).second);
        EXPECT_EQ(tile.rows % block, 0);
        EXPECT_EQ(block % tile.depth, 0);
        EXPECT_EQ(tile.columns % target.columnMultiple, 0);
        if (name != "cpu")
          EXPECT_LE(tile.columns,
                    widestColumns(problem, tile.rows, tile.depth, target));
      }
    }
}

TEST(BsrAddmmCandidatesTest, RowBlockGroupsWhereTheyMayBe) {
  Problem problem;
  problem.blockRows = problem.blockColumns = 32;
  Target target = *findTarget("sm_90a");
  target.sharedBytes = 227 << 10;
  auto tallest = [&] {
    int64_t rows = 0;
    for (const Parameters &tile : candidates(problem, target))
      rows = std::max(rows, tile.rows);
    return rows;
  };
  EXPECT_EQ(tallest(), 128);
  problem.takesRowBlockGroups = false;
  EXPECT_EQ(tallest(), 32);
}
