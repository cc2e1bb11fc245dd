//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gtest/gtest.h"

#include "sattn/Tuner/ProcessMeasurer.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace sattn::tuner;
using sattn::tuning::Parameters;
namespace fs = llvm::sys::fs;

/// A worker in shell: candidates with tile_n of 1 fail, of 2 hang, of 3 end the
/// process when they are compiled, of 4 when they are timed, and of 5 lie.
static constexpr char kWorker[] = R"(
while read -r line; do
  case $line in
  *'"do":"compile"'*'[8,1,'*) echo '{"error": "it cannot be"}' ;;
  *'"do":"compile"'*'[8,2,'*) sleep 100 ;;
  *'"do":"compile"'*'[8,3,'*) kill -SEGV $$ ;;
  *'"do":"compile"'*) echo '{"seconds": 0.25}' ;;
  *'"do":"load"'*'[8,5,'*) echo '{"error": "expected the results of the default"}' ;;
  *'"do":"load"'*) echo '{"milliseconds": 1.5}' ;;
  *'"do":"time"'*'[8,4,'*) exit 3 ;;
  *'"do":"time"'*'],['*) echo '{"times": [[1, 2, 3], [4, 5, 6]]}' ;;
  *'"do":"time"'*) echo '{"times": [[1, 2, 3]]}' ;;
  *) echo '{}' ;;
  esac
done
)";

namespace {
class ProcessMeasurerTest : public testing::Test {
protected:
  void SetUp() override {
    int file;
    ASSERT_FALSE(fs::createTemporaryFile("worker", "sh", file, path));
    llvm::raw_fd_ostream(file, /*shouldClose=*/true) << kWorker;
    measurer = std::make_unique<ProcessMeasurer>(
        std::vector<std::string>{"/bin/sh", std::string(path)},
        Measured{"program.mlir", {"zeros"}}, 2);
  }
  void TearDown() override { fs::remove(path); }

  llvm::SmallString<128> path;
  std::unique_ptr<ProcessMeasurer> measurer;
};
} // namespace

static Parameters tileOf(int64_t columns) {
  Parameters tile;
  tile.rows = 8;
  tile.columns = columns;
  tile.depth = 16;
  return tile;
}

TEST_F(ProcessMeasurerTest, CompilesWhateverCandidatesDo) {
  std::vector<Compiled> results = measurer->compile(
      {tileOf(16), tileOf(1), tileOf(2), tileOf(3), tileOf(32), tileOf(64)}, 1);
  ASSERT_EQ(results.size(), 6u);
  EXPECT_EQ(results[0].reason, "");
  EXPECT_EQ(results[0].seconds, 0.25);
  EXPECT_EQ(results[1].reason, "it cannot be");
  EXPECT_EQ(results[2].reason, "it was not compiled in time");
  EXPECT_EQ(results[3].reason,
            "the process that compiled it ended with signal 11");
  EXPECT_EQ(results[4].reason, "");
  EXPECT_EQ(results[5].reason, "");
}

TEST_F(ProcessMeasurerTest, ChecksAndTimes) {
  EXPECT_EQ(measurer->check(tileOf(16)), "");
  EXPECT_EQ(measurer->check(tileOf(5)), "expected the results of the default");
  EXPECT_EQ(measurer->check(tileOf(32)), "");
  std::vector<std::vector<double>> times =
      measurer->time({tileOf(16), tileOf(32)}, 3);
  EXPECT_EQ(times[0], (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(times[1], (std::vector<double>{4, 5, 6}));
}

/// The one that ends the process has no times; the other is timed again, alone.
TEST_F(ProcessMeasurerTest, CandidateThatEndsTheRunnerIsFound) {
  EXPECT_EQ(measurer->check(tileOf(16)), "");
  EXPECT_EQ(measurer->check(tileOf(4)), "");
  std::vector<std::vector<double>> times =
      measurer->time({tileOf(16), tileOf(4)}, 3);
  EXPECT_EQ(times[0], (std::vector<double>{1, 2, 3}));
  EXPECT_TRUE(times[1].empty());
  EXPECT_EQ(measurer->time(tileOf(16), 3)[0], (std::vector<double>{1, 2, 3}));
}

TEST_F(ProcessMeasurerTest, ProgramThatIsMissingIsAReason) {
  ProcessMeasurer none({"/no/such/worker"}, {"program.mlir", {}}, 1);
  EXPECT_EQ(none.compile(tileOf(16), 1)[0].reason,
            "its process ended with exit code 127");
  EXPECT_EQ(none.check(tileOf(16)), "its process ended with exit code 127");
  EXPECT_TRUE(none.time(tileOf(16), 1)[0].empty());
}
