//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TUNER_SEARCH_H
#define SATTN_TUNER_SEARCH_H

#include "sattn/Tuner/Measurer.h"
#include "sattn/Tuning/Space.h"

#include <functional>

namespace sattn::tuner {

/// How much of a space is tried: neighbours of the best candidate along each
/// parameter; all values of each parameter; pairs of parameters as well.
enum class Effort { Quick, Normal, Full };

/// The result of trying one candidate.
struct Trial {
  tuning::Parameters parameters;
  /// Why it is not to be used; empty where it ran.
  std::string reason;
  /// The candidate's time over the default's; 0 if it did not run.
  double ratio = 0;
};

struct SearchOptions {
  Effort effort = Effort::Normal;
  /// The time after which no further candidate is compiled. The last comparison
  /// of the best ones comes on top.
  double seconds = 60;
  /// The part of the default's time that a result gains at least, beside
  /// noise.
  double leastGain = 0.01;
  /// Trials of an earlier, interrupted search of the same problem.
  std::vector<Trial> earlier = {};
  /// Called after each trial, before the next.
  std::function<void(const Trial &trial)> onTrial = [](const Trial &) {};
  /// Called before each batch of candidates, with the number of those tried,
  /// the least ratio so far, and the seconds left.
  std::function<void(int64_t tried, double best, double secondsLeft)>
      onProgress = [](int64_t, double, double) {};
};

struct SearchResult {
  /// The best parameters: the default's, unless others are faster by more than
  /// noise.
  tuning::Parameters parameters;
  bool isDefault = true;
  /// Milliseconds of the result and of the default in the last comparison.
  double milliseconds = 0, defaultMilliseconds = 0;
  /// The noise of the rounds in which one candidate was compared alone: their
  /// median distance from their median, relative to it.
  double noise = 0;
  /// Candidates that were tried, and those of them that did not run.
  int64_t tried = 0, failed = 0;
  /// All that were tried, the default among them.
  std::vector<Trial> trials;
};

/// Finds fast parameters of a problem. Candidates are tried along one parameter
/// at a time, from the default on, while the best one changes; each is
/// compiled, then checked, then timed in turns with the default. Those that are
/// clearly slower get few runs. The best few are compared again in rounds, in
/// another order each. The result is the fastest of those that are faster than
/// the default in seven rounds of eight, by 1% and by twice the spread of their
/// rounds, if it is so again, alone; else the default. An error where the
/// default itself does not run.
llvm::Expected<SearchResult> search(const tuning::Space &space,
                                    Measurer &measurer,
                                    const SearchOptions &options);

} // namespace sattn::tuner

#endif // SATTN_TUNER_SEARCH_H
