//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "gtest/gtest.h"

#include "FakeMeasurer.h"

#include <cmath>

using namespace sattn;
using namespace sattn::tuner;
using tuning::Parameters;
using Key = FakeMeasurer::Key;

/// Least at 128 columns and 4 stages, where it takes half of the default's.
static double valley(const Parameters &parameters) {
  double columns = std::abs(std::log2(parameters.columns / 128.0));
  return 1 + 0.5 * columns + 0.25 * std::abs(*parameters.stages - 4.0);
}

static SearchResult searchFor(FakeMeasurer &machine,
                              const SearchOptions &options = {}) {
  llvm::Expected<SearchResult> result = search(makeSpace(), machine, options);
  EXPECT_TRUE(bool(result));
  return std::move(*result);
}

TEST(SearchTest, FindsTheBestAlongEachParameter) {
  FakeMeasurer machine;
  machine.cost = valley;
  SearchResult result = searchFor(machine);
  EXPECT_FALSE(result.isDefault);
  EXPECT_EQ(FakeMeasurer::keyOf(result.parameters), Key(128, 4));
  EXPECT_NEAR(result.milliseconds / result.defaultMilliseconds, 0.5, 1e-6);
}

TEST(SearchTest, QuickTriesNeighboursOnly) {
  FakeMeasurer machine;
  machine.cost = valley;
  SearchOptions options;
  options.effort = Effort::Quick;
  SearchResult result = searchFor(machine, options);
  EXPECT_EQ(FakeMeasurer::keyOf(result.parameters), Key(128, 4));
  EXPECT_FALSE(machine.compiled.count(Key(16, 2)));
}

/// Only a step of both parameters is faster.
TEST(SearchTest, PairsTakeFullEffort) {
  auto diagonal = [](const Parameters &parameters) {
    bool isBest = parameters.columns == 128 && parameters.stages == 3;
    bool isDefault = parameters.columns == 64 && parameters.stages == 2;
    return isBest ? 0.5 : isDefault ? 1.0 : 2.0;
  };
  FakeMeasurer normal, full;
  normal.cost = full.cost = diagonal;
  EXPECT_TRUE(searchFor(normal).isDefault);
  SearchOptions options;
  options.effort = Effort::Full;
  EXPECT_EQ(FakeMeasurer::keyOf(searchFor(full, options).parameters),
            Key(128, 3));
}

TEST(SearchTest, ImpossibleCandidatesAreNotCompiled) {
  FakeMeasurer machine;
  machine.cost = [](const Parameters &parameters) {
    return 1.0 / static_cast<double>(parameters.columns * *parameters.stages);
  };
  SearchResult result = searchFor(machine);
  EXPECT_FALSE(machine.compiled.count(Key(256, 5)));
  EXPECT_LE(result.parameters.columns * *result.parameters.stages, 1024);
}

TEST(SearchTest, CandidatesThatFailHangLieOrCrashCostOnlyThemselves) {
  FakeMeasurer machine;
  machine.cost = [](const Parameters &parameters) {
    return parameters.columns == 64 ? 1.0 : 0.1 + 0.2 * *parameters.stages;
  };
  machine.failing = {Key(16, 2)};
  machine.hanging = {Key(32, 2)};
  machine.lying = {Key(128, 2)};
  machine.crashing = {Key(256, 2)};
  SearchResult result = searchFor(machine);
  EXPECT_EQ(result.failed, 4);
  EXPECT_TRUE(result.isDefault);
  EXPECT_EQ(machine.runs.count(Key(128, 2)), 0u);
}

TEST(SearchTest, DefaultThatDoesNotRunIsAnError) {
  FakeMeasurer machine;
  machine.cost = valley;
  machine.failing = {Key(64, 2)};
  llvm::Expected<SearchResult> result = search(makeSpace(), machine, {});
  ASSERT_FALSE(bool(result));
  EXPECT_EQ(llvm::toString(result.takeError()),
            "the default parameters do not run: it cannot be");
}

/// All candidates take the same, but for noise.
TEST(SearchTest, NoiseIsNoGain) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    FakeMeasurer machine;
    machine.cost = [](const Parameters &) { return 1.0; };
    machine.noise = 0.2;
    machine.state = seed;
    SearchOptions options;
    options.effort = seed % 2 ? Effort::Quick : Effort::Normal;
    EXPECT_TRUE(searchFor(machine, options).isDefault) << seed;
  }
}

TEST(SearchTest, GainBeyondNoiseIsFound) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    FakeMeasurer machine;
    machine.cost = valley;
    machine.noise = 0.05;
    machine.state = seed;
    SearchResult result = searchFor(machine);
    EXPECT_EQ(FakeMeasurer::keyOf(result.parameters), Key(128, 4)) << seed;
  }
}

TEST(SearchTest, ClearLosersHaveFewRuns) {
  FakeMeasurer machine;
  machine.cost = valley;
  searchFor(machine);
  EXPECT_EQ(machine.runs.at(Key(16, 2)), 3);
  EXPECT_GT(machine.runs.at(Key(128, 4)), 14);
}

TEST(SearchTest, NothingIsCompiledAfterTheBudget) {
  FakeMeasurer machine;
  machine.cost = valley;
  machine.compileSeconds = 10;
  SearchOptions options;
  options.seconds = 15;
  SearchResult result = searchFor(machine, options);
  // The default, and one batch that had begun.
  EXPECT_LE(machine.compiled.size(), 1u + 4u);
  EXPECT_FALSE(result.isDefault);
}

TEST(SearchTest, TimeoutOfCompilationsFollowsThoseBefore) {
  FakeMeasurer machine;
  machine.cost = valley;
  machine.compileSeconds = 4;
  SearchOptions options;
  options.seconds = 1000;
  searchFor(machine, options);
  EXPECT_EQ(machine.timeouts.front(), 120);
  EXPECT_EQ(machine.timeouts.back(), 20);
}

/// A search does not repeat the trials of an interrupted one, and begins at the
/// best of them.
TEST(SearchTest, GoesOnFromEarlierTrials) {
  std::vector<Trial> trials;
  SearchOptions options;
  options.onTrial = [&](const Trial &trial) { trials.push_back(trial); };
  options.seconds = 2;
  FakeMeasurer first;
  first.cost = valley;
  searchFor(first, options);
  size_t before = trials.size();
  ASSERT_GT(before, 1u);

  FakeMeasurer second;
  second.cost = valley;
  options.earlier = trials;
  options.seconds = 60;
  SearchResult result = searchFor(second, options);
  EXPECT_EQ(FakeMeasurer::keyOf(result.parameters), Key(128, 4));
  for (size_t i = 0; i < before; ++i)
    for (size_t j = before; j < trials.size(); ++j)
      EXPECT_NE(FakeMeasurer::keyOf(trials[i].parameters),
                FakeMeasurer::keyOf(trials[j].parameters));
}
