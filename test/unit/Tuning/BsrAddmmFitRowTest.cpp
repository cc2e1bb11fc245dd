//===- BsrAddmmFitRowTest.cpp - Rows made to fit a target -----------------===//

#include "TestTable.h"

#include "sattn/Tuning/BsrAddmm.h"

using namespace sattn::meta;
using namespace sattn::tuning;
using namespace sattn::tuning::bsr_addmm;

namespace {
struct Fitted {
  Parameters parameters;
  std::string error;
};

/// A case: parameters of a row for N columns on a target.
struct FitCase {
  const char *target = "sm_90a";
  int64_t sharedBytes = 227 * 1024;
  int64_t n = 4096;
  int64_t block = 64;
  const char *names = kParameters;

  Fitted fit(const std::string &values) const {
    SectionText section{("[[4096, 4096, " + llvm::Twine(n) + ", " +
                         llvm::Twine(block) + ", " + llvm::Twine(block) +
                         ", true, false, true], [" + values + "]]")
                            .str()};
    section.parameters = names;
    Table table = makeTable({section.str()});
    if (table.sections.empty() || table.sections[0].rows.empty())
      return {};
    Target limits = *findTarget(target);
    limits.sharedBytes = sharedBytes;
    Problem problem;
    problem.m = 4096;
    problem.n = n;
    problem.blockRows = problem.blockColumns = block;
    llvm::Expected<Parameters> result =
        fitRow(table.sections[0], table.sections[0].rows[0], problem, limits);
    if (!result)
      return {{}, llvm::toString(result.takeError())};
    return {*result, ""};
  }
};
} // namespace

TEST(FitRowTest, SplitGivesTheColumns) {
  FitCase wide;
  EXPECT_EQ(wide.fit("1, 32, 3, 4").parameters.columns, 128);
  EXPECT_EQ(wide.fit("1, 128, 3, 4").parameters.columns, 64); // 32, rounded up
  EXPECT_EQ(wide.fit("1, 1, 3, 4").parameters.columns, 256); // one wgmma's most
  EXPECT_EQ(wide.fit("1, 32, 3, 4").parameters.rows, 64);
  EXPECT_EQ(wide.fit("1, 32, 3, 4").parameters.depth, 64);
}

TEST(FitRowTest, AccumulatorStaysInRegisters) {
  FitCase tall;
  tall.block = 256;
  EXPECT_EQ(tall.fit("1, 16, 3, 4").parameters.columns, 128);
  tall.target = "sm_80";
  EXPECT_EQ(tall.fit("1, 16, 3, 4").parameters.columns, 64);
  tall.block = 512;
  EXPECT_EQ(tall.fit("1, 16, 3, 4").error,
            "expected a tile of at most 256 rows on sm_80, but got 512");
}

TEST(FitRowTest, TwoStagesFitSharedMemory) {
  FitCase narrow;
  narrow.sharedBytes = 2 * (64 + 192) * 64 * 2;
  EXPECT_EQ(narrow.fit("1, 16, 3, 4").parameters.columns, 192);
  narrow.sharedBytes = 2 * (64 + 64) * 64 * 2 - 1;
  EXPECT_EQ(narrow.fit("1, 16, 3, 4").error,
            "expected at most 16383 bytes a stage on sm_90a, but got 16384 for "
            "a tile of 64 x 64 x 64");
}

TEST(FitRowTest, StagesFromTwoToWhatFits) {
  FitCase fit;
  fit.sharedBytes = 5 * (64 + 128) * 64 * 2;
  EXPECT_EQ(fit.fit("1, 32, 1, 4").parameters.stages, 2);
  EXPECT_EQ(fit.fit("1, 32, 4, 4").parameters.stages, 4);
  EXPECT_EQ(fit.fit("1, 32, 9, 4").parameters.stages, 5);
}

TEST(FitRowTest, WarpsOfMmaSync) {
  FitCase fit;
  fit.target = "sm_80";
  fit.sharedBytes = 163 * 1024;
  EXPECT_EQ(fit.fit("1, 32, 3, 4").parameters.warps, 4);  // 64 x 128
  EXPECT_EQ(fit.fit("1, 32, 3, 1").parameters.warps, 4);  // 64 of a thread
  EXPECT_EQ(fit.fit("1, 64, 3, 1").parameters.warps, 2);  // 64 x 64
  EXPECT_EQ(fit.fit("1, 32, 3, 32").parameters.warps, 8); // the most
  fit.block = 8;
  EXPECT_EQ(fit.fit("1, 64, 3, 8").parameters.warps, 2); // 8 of a thread
}

TEST(FitRowTest, WarpsOfWgmmaFollowFromTheRows) {
  FitCase fit;
  EXPECT_EQ(fit.fit("1, 32, 3, 32").parameters.warps, 4);
  fit.block = 128;
  EXPECT_EQ(fit.fit("1, 32, 3, 1").parameters.warps, 8);
}

TEST(FitRowTest, GroupWithinTheColumnsOfTiles) {
  FitCase fit;
  fit.n = 512;
  EXPECT_EQ(fit.fit("3, 4, 3, 4").parameters.rasterGroup, 3);
  EXPECT_EQ(fit.fit("9, 4, 3, 4").parameters.rasterGroup, 4);
}

TEST(FitRowTest, OurOwnTiles) {
  FitCase fit;
  fit.names =
      R"(["tile_m", "tile_n", "tile_k", "stages", "warps", "raster_group"])";
  Parameters tile = fit.fit("128, 256, 32, 3, 8, 2").parameters;
  EXPECT_EQ(tile.rows, 128);
  EXPECT_EQ(tile.columns, 256);
  EXPECT_EQ(tile.depth, 32);
  EXPECT_EQ(tile.stages, 3);
  EXPECT_EQ(tile.warps, 8);
  EXPECT_EQ(tile.rasterGroup, 2);
}

TEST(FitRowTest, WhatARowDoesNotGiveIsLeftOut) {
  FitCase fit;
  fit.names = R"(["tile_n"])";
  Parameters tile = fit.fit("128").parameters;
  EXPECT_EQ(tile.rows, 64);
  EXPECT_EQ(tile.columns, 128);
  EXPECT_EQ(tile.stages, std::nullopt);
  EXPECT_EQ(tile.warps, std::nullopt);
  EXPECT_EQ(tile.rasterGroup, std::nullopt);
}

TEST(FitRowTest, TheCPUTakesTheTileAlone) {
  FitCase fit;
  fit.target = "cpu";
  fit.n = 1000;
  fit.sharedBytes = 0;
  Parameters tile = fit.fit("3, 2, 3, 4").parameters;
  EXPECT_EQ(tile.columns, 504); // 500, rounded up
  EXPECT_EQ(tile.stages, std::nullopt);
  EXPECT_EQ(tile.warps, std::nullopt);
  EXPECT_EQ(tile.rasterGroup, std::nullopt);
}
