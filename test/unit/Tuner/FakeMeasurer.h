//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TEST_UNIT_TUNER_FAKEMEASURER_H
#define SATTN_TEST_UNIT_TUNER_FAKEMEASURER_H

#include "sattn/Tuner/Search.h"

#include <map>
#include <set>

namespace sattn::tuner {

/// A machine whose clock goes on by what its calls take. The time of a
/// candidate is `cost` of its tile_n and stages.
class FakeMeasurer final : public Measurer {
public:
  using Key = std::pair<int64_t, int64_t>;

  static Key keyOf(const tuning::Parameters &parameters) {
    return {parameters.columns, parameters.stages.value_or(0)};
  }

  std::vector<Compiled> compile(llvm::ArrayRef<tuning::Parameters> candidates,
                                double seconds) override {
    std::vector<Compiled> results;
    for (const tuning::Parameters &candidate : candidates) {
      timeouts.push_back(seconds);
      compiled.insert(keyOf(candidate));
      if (hanging.count(keyOf(candidate))) {
        clock += seconds;
        results.push_back({"it was not compiled in time", seconds});
      } else if (failing.count(keyOf(candidate))) {
        clock += compileSeconds;
        results.push_back({"it cannot be", compileSeconds});
      } else {
        clock += compileSeconds;
        results.push_back({"", compileSeconds});
      }
    }
    return results;
  }

  std::string check(const tuning::Parameters &candidate) override {
    checked.insert(keyOf(candidate));
    return lying.count(keyOf(candidate)) ? "expected other results" : "";
  }

  std::vector<std::vector<double>>
  time(llvm::ArrayRef<tuning::Parameters> candidates, int turns) override {
    std::vector<std::vector<double>> times(candidates.size());
    for (int turn = 0; turn < turns; ++turn)
      for (auto [candidate, own] : llvm::zip(candidates, times)) {
        EXPECT_TRUE(checked.count(keyOf(candidate)));
        if (crashing.count(keyOf(candidate)))
          continue;
        // The same numbers in each run: noise between -1 and 1.
        state = state * 6364136223846793005u + 1442695040888963407u;
        double random = static_cast<double>(state >> 40) / (1 << 23) - 1;
        double milliseconds = cost(candidate) * (1 + noise * random);
        clock += milliseconds / 1000;
        ++runs[keyOf(candidate)];
        own.push_back(milliseconds);
      }
    return times;
  }

  double now() override { return clock; }

  std::function<double(const tuning::Parameters &)> cost;
  double noise = 0, compileSeconds = 0.5, clock = 1000;
  std::set<Key> failing, hanging, lying, crashing;
  std::set<Key> compiled, checked;
  std::map<Key, int64_t> runs;
  std::vector<double> timeouts;
  uint64_t state = 1;
};

/// tile_n from 16 to 256 and stages from 2 to 5; 64 and 2 are the default.
inline tuning::Space makeSpace() {
  tuning::Space space;
  space.parameters = {{"tile_n", {16, 32, 64, 128, 256}},
                      {"stages", {2, 3, 4, 5}}};
  space.defaults.rows = 64;
  space.defaults.columns = 64;
  space.defaults.depth = 64;
  space.defaults.stages = 2;
  space.problem = [](const tuning::Parameters &candidate) {
    return std::string(candidate.columns * *candidate.stages > 1024
                           ? "expected room for its stages"
                           : "");
  };
  return space;
}

} // namespace sattn::tuner

#endif // SATTN_TEST_UNIT_TUNER_FAKEMEASURER_H
