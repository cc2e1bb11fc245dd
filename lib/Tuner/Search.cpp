//===- Search.cpp - The search for fast parameters ------------------------===//
//
// Along one parameter at a time, by a Measurer.
//
//===----------------------------------------------------------------------===//

#include "sattn/Tuner/Search.h"

#include "sattn/Tuner/Statistics.h"

#include <map>

using namespace sattn;
using namespace sattn::tuner;
using tuning::Parameters;

/// Seconds that a compilation has while none has been timed, and at least.
static constexpr double kFirstTimeout = 120, kLeastTimeout = 10;
/// The time limit of later candidates: this factor times a quantile of the
/// times before.
static constexpr double kTimeoutQuantile = 0.9, kTimeoutFactor = 5;
/// Runs of a candidate at first, and of a candidate that is not clearly slower
/// than the best; and the ratio of times from which it is.
static constexpr int kFewRuns = 3, kManyRuns = 11;
static constexpr double kClearlySlower = 1.15;
/// The last comparison: candidates within a part of the best, at most so many,
/// and the runs of one in a round.
static constexpr double kWithinBest = 1.05;
static constexpr size_t kMostFinalists = 4;
static constexpr int kRunsInRound = 7;
/// Part of the rounds that a result has to win, and spreads that it gains.
static constexpr double kRoundsToWin = 0.875, kSpreads = 2;
/// Candidates that are compiled before any of them is timed, at most, so that a
/// search that is stopped has results.
static constexpr size_t kBatch = 8;

namespace {
/// A candidate beside the default, in rounds.
struct Compared {
  double milliseconds = 0, defaultMilliseconds = 0, noise = 0;
  /// Whether the candidate wins in most rounds, and by more than noise.
  bool isFaster = false;
};

class Searcher {
public:
  Searcher(const tuning::Space &space, Measurer &measurer,
           const SearchOptions &options)
      : space(space), measurer(measurer), options(options),
        start(measurer.now()) {}

  llvm::Expected<SearchResult> run();

private:
  using Key = std::vector<int64_t>;

  Key keyOf(const Parameters &parameters) const;
  double secondsLeft() const {
    return options.seconds - (measurer.now() - start);
  }
  double getTimeout() const;
  void record(const Parameters &parameters, std::string reason, double ratio);
  /// Adds a candidate unless it was tried, is impossible, or is there.
  void add(const Parameters &candidate, std::vector<Parameters> &to) const;
  /// Values of a parameter that are tried from one of its values on.
  llvm::SmallVector<int64_t> valuesAround(const tuning::TunedParameter &tuned,
                                          int64_t value) const;
  std::vector<Parameters> neighbours(size_t parameter) const;
  std::vector<Parameters> pairs() const;
  bool makeReady(const Parameters &candidate);
  void tryBatch(llvm::ArrayRef<Parameters> batch);
  /// Tries candidates; false if no time is left.
  bool tryAll(llvm::ArrayRef<Parameters> candidates);
  /// Times of checked candidates in turns over the default's.
  std::vector<double> race(llvm::ArrayRef<Parameters> candidates, int turns);
  std::vector<Parameters> findFinalists();
  std::vector<Compared> compare(llvm::ArrayRef<Parameters> candidates);
  SearchResult compareBest();

  const tuning::Space &space;
  Measurer &measurer;
  const SearchOptions &options;
  double start;
  std::map<Key, Trial> trials;
  /// Candidates that this search has checked; one from an earlier search must
  /// be checked again.
  std::map<Key, bool> isReady;
  Parameters best;
  double bestRatio = 1;
  std::vector<double> compileSeconds;
};
} // namespace

Searcher::Key Searcher::keyOf(const Parameters &parameters) const {
  Key key;
  for (const tuning::TunedParameter &tuned : space.parameters)
    key.push_back(tuning::getParameter(parameters, tuned.name));
  return key;
}

double Searcher::getTimeout() const {
  if (compileSeconds.empty())
    return kFirstTimeout;
  return std::max(kLeastTimeout,
                  kTimeoutFactor * quantile(compileSeconds, kTimeoutQuantile));
}

void Searcher::record(const Parameters &parameters, std::string reason,
                      double ratio) {
  Trial trial{parameters, std::move(reason), ratio};
  if (trial.reason.empty() && ratio < bestRatio) {
    best = parameters;
    bestRatio = ratio;
  }
  options.onTrial(trial);
  trials[keyOf(parameters)] = std::move(trial);
}

void Searcher::add(const Parameters &candidate,
                   std::vector<Parameters> &to) const {
  Key key = keyOf(candidate);
  bool isKnown =
      trials.count(key) || llvm::any_of(to, [&](const Parameters &other) {
        return keyOf(other) == key;
      });
  if (!isKnown && space.problem(candidate).empty())
    to.push_back(candidate);
}

llvm::SmallVector<int64_t>
Searcher::valuesAround(const tuning::TunedParameter &tuned,
                       int64_t value) const {
  llvm::SmallVector<int64_t> values;
  for (int64_t other : tuned.values)
    if (other != value)
      values.push_back(other);
  if (options.effort != Effort::Quick)
    return values;
  // The next lower and the next higher one.
  auto above = llvm::upper_bound(values, value);
  llvm::SmallVector<int64_t> near;
  if (above != values.begin())
    near.push_back(*std::prev(above));
  if (above != values.end())
    near.push_back(*above);
  return near;
}

std::vector<Parameters> Searcher::neighbours(size_t parameter) const {
  const tuning::TunedParameter &tuned = space.parameters[parameter];
  std::vector<Parameters> all;
  for (int64_t value :
       valuesAround(tuned, tuning::getParameter(best, tuned.name))) {
    Parameters candidate = best;
    tuning::setParameter(candidate, tuned.name, value);
    add(candidate, all);
  }
  return all;
}

std::vector<Parameters> Searcher::pairs() const {
  std::vector<Parameters> all;
  for (size_t i = 0; i < space.parameters.size(); ++i)
    for (size_t j = i + 1; j < space.parameters.size(); ++j) {
      const tuning::TunedParameter &a = space.parameters[i];
      const tuning::TunedParameter &b = space.parameters[j];
      for (int64_t first : valuesAround(a, getParameter(best, a.name)))
        for (int64_t second : valuesAround(b, getParameter(best, b.name))) {
          Parameters candidate = best;
          tuning::setParameter(candidate, a.name, first);
          tuning::setParameter(candidate, b.name, second);
          add(candidate, all);
        }
    }
  return all;
}

/// Compiles and checks a candidate of an earlier search; false where it does
/// not run any more.
bool Searcher::makeReady(const Parameters &candidate) {
  auto [place, isNew] = isReady.try_emplace(keyOf(candidate), false);
  if (!isNew)
    return place->second;
  Compiled compiled = measurer.compile(candidate, getTimeout()).front();
  place->second = compiled.reason.empty() && measurer.check(candidate).empty();
  return place->second;
}

std::vector<double> Searcher::race(llvm::ArrayRef<Parameters> candidates,
                                   int turns) {
  std::vector<Parameters> all = {space.defaults};
  llvm::append_range(all, candidates);
  std::vector<std::vector<double>> times = measurer.time(all, turns);
  double unit = median(times.front());
  std::vector<double> ratios;
  for (const std::vector<double> &own : llvm::drop_begin(times))
    ratios.push_back(unit == 0 || own.empty() ? 0 : median(own) / unit);
  return ratios;
}

void Searcher::tryBatch(llvm::ArrayRef<Parameters> batch) {
  std::vector<Compiled> compiled = measurer.compile(batch, getTimeout());
  std::vector<Parameters> ready;
  for (auto [candidate, code] : llvm::zip(batch, compiled)) {
    std::string reason = code.reason;
    if (reason.empty()) {
      compileSeconds.push_back(code.seconds);
      reason = measurer.check(candidate);
    }
    isReady[keyOf(candidate)] = reason.empty();
    if (reason.empty())
      ready.push_back(candidate);
    else
      record(candidate, reason, 0);
  }
  if (ready.empty())
    return;
  std::vector<double> ratios = race(ready, kFewRuns);
  double limit = kClearlySlower * bestRatio;
  std::vector<Parameters> close;
  for (auto [candidate, ratio] : llvm::zip(ready, ratios)) {
    if (ratio > 0 && ratio <= limit)
      close.push_back(candidate);
    else
      record(candidate, ratio > 0 ? "" : "it failed while it was timed", ratio);
  }
  if (close.empty())
    return;
  for (auto [candidate, ratio] : llvm::zip(close, race(close, kManyRuns)))
    record(candidate, ratio > 0 ? "" : "it failed while it was timed", ratio);
}

bool Searcher::tryAll(llvm::ArrayRef<Parameters> candidates) {
  while (!candidates.empty()) {
    if (secondsLeft() <= 0)
      return false;
    options.onProgress(static_cast<int64_t>(trials.size()), bestRatio,
                       secondsLeft());
    size_t count = std::min(candidates.size(), kBatch);
    tryBatch(candidates.take_front(count));
    candidates = candidates.drop_front(count);
  }
  return true;
}

std::vector<Parameters> Searcher::findFinalists() {
  std::vector<const Trial *> ranked;
  for (const auto &[key, trial] : trials)
    if (trial.reason.empty() && trial.ratio > 0)
      ranked.push_back(&trial);
  llvm::stable_sort(ranked, [](const Trial *a, const Trial *b) {
    return a->ratio < b->ratio;
  });
  std::vector<Parameters> finalists;
  double least = 0;
  for (const Trial *trial : ranked) {
    if (finalists.size() == kMostFinalists ||
        (least > 0 && trial->ratio > kWithinBest * least))
      break;
    if (keyOf(trial->parameters) == keyOf(space.defaults) ||
        !makeReady(trial->parameters))
      continue;
    if (finalists.empty())
      least = trial->ratio;
    finalists.push_back(trial->parameters);
  }
  return finalists;
}

/// Compares candidates with the default in rounds, every other one backwards
/// and from another one on.
std::vector<Compared> Searcher::compare(llvm::ArrayRef<Parameters> candidates) {
  std::vector<Parameters> all = {space.defaults};
  llvm::append_range(all, candidates);
  size_t count = all.size();
  std::vector<std::vector<double>> medians(count);
  int rounds = options.effort == Effort::Full ? 16 : 8;
  for (int round = 0; round < rounds; ++round) {
    std::vector<size_t> order;
    for (size_t i = 0; i < count; ++i)
      order.push_back((i + round / 2) % count);
    if (round % 2)
      std::reverse(order.begin(), order.end());
    std::vector<Parameters> turn;
    for (size_t i : order)
      turn.push_back(all[i]);
    std::vector<std::vector<double>> times = measurer.time(turn, kRunsInRound);
    for (auto [place, own] : llvm::zip(order, times))
      medians[place].push_back(own.empty() ? 0 : median(own));
  }
  std::vector<Compared> results;
  for (const std::vector<double> &own : llvm::drop_begin(medians)) {
    Compared result;
    result.milliseconds = median(own);
    result.defaultMilliseconds = median(medians.front());
    std::vector<double> ratios;
    for (auto [mine, unit] : llvm::zip(own, medians.front()))
      if (mine > 0 && unit > 0)
        ratios.push_back(mine / unit);
    result.noise = spread(ratios);
    auto won = llvm::count_if(ratios, [](double ratio) { return ratio < 1; });
    // One that failed in a round has less of them.
    result.isFaster = ratios.size() == own.size() &&
                      static_cast<double>(won) >=
                          kRoundsToWin * static_cast<double>(ratios.size()) &&
                      median(ratios) < 1 - std::max(options.leastGain,
                                                    kSpreads * result.noise);
    results.push_back(result);
  }
  return results;
}

SearchResult Searcher::compareBest() {
  SearchResult result;
  result.parameters = space.defaults;
  result.tried = static_cast<int64_t>(trials.size());
  for (const auto &[key, trial] : trials) {
    result.failed += !trial.reason.empty();
    result.trials.push_back(trial);
  }
  std::vector<Parameters> finalists = findFinalists();
  if (finalists.empty()) {
    std::vector<std::vector<double>> times =
        measurer.time(space.defaults, kRunsInRound);
    result.milliseconds = result.defaultMilliseconds = median(times.front());
    return result;
  }
  std::vector<Compared> compared = compare(finalists);
  result.milliseconds = result.defaultMilliseconds =
      compared.front().defaultMilliseconds;
  std::optional<size_t> chosen;
  for (auto [index, one] : llvm::enumerate(compared))
    if (one.isFaster &&
        (!chosen || one.milliseconds < compared[*chosen].milliseconds))
      chosen = index;
  if (!chosen)
    return result;
  // The best of several may owe it to chance.
  Compared alone = compare(finalists[*chosen]).front();
  result.defaultMilliseconds = alone.defaultMilliseconds;
  result.noise = alone.noise;
  result.isDefault = !alone.isFaster;
  result.milliseconds =
      alone.isFaster ? alone.milliseconds : alone.defaultMilliseconds;
  if (alone.isFaster)
    result.parameters = finalists[*chosen];
  return result;
}

llvm::Expected<SearchResult> Searcher::run() {
  best = space.defaults;
  options.onProgress(static_cast<int64_t>(options.earlier.size()), bestRatio,
                     secondsLeft());
  Compiled compiled = measurer.compile(space.defaults, getTimeout()).front();
  std::string reason = compiled.reason.empty() ? measurer.check(space.defaults)
                                               : compiled.reason;
  if (!reason.empty())
    return llvm::createStringError("the default parameters do not run: " +
                                   reason);
  compileSeconds.push_back(compiled.seconds);
  isReady[keyOf(space.defaults)] = true;
  for (const Trial &trial : options.earlier) {
    trials[keyOf(trial.parameters)] = trial;
    if (trial.reason.empty() && trial.ratio > 0 && trial.ratio < bestRatio) {
      best = trial.parameters;
      bestRatio = trial.ratio;
    }
  }
  if (!trials.count(keyOf(space.defaults)))
    record(space.defaults, "", 1);

  bool hasTime = true;
  for (bool changed = true; changed && hasTime;) {
    double before = bestRatio;
    for (size_t i = 0; i < space.parameters.size() && hasTime; ++i)
      hasTime = tryAll(neighbours(i));
    if (hasTime && options.effort == Effort::Full && bestRatio == before)
      hasTime = tryAll(pairs());
    changed = bestRatio < before;
  }
  return compareBest();
}

llvm::Expected<SearchResult>
sattn::tuner::search(const tuning::Space &space, Measurer &measurer,
                     const SearchOptions &options) {
  return Searcher(space, measurer, options).run();
}
