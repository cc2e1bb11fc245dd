//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Tuner/ProcessMeasurer.h"

#include "sattn/Support/Json.h"
#include "sattn/Tuner/ChildProcess.h"
#include "sattn/Tuning/Space.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <deque>
#include <map>

using namespace sattn;
using namespace sattn::tuner;
using tuning::Parameters;
namespace json = llvm::json;

/// Seconds that a process has to start and to read the program, to run a
/// candidate for the first time, and beyond what runs are expected to take.
static constexpr double kOpenSeconds = 120, kLoadSeconds = 120,
                        kExtraSeconds = 30;
/// The least seconds of a sample, and the factor by which runs may vary.
static constexpr double kLeastSample = 0.01, kSlack = 10;
/// Candidates that stay loaded.
static constexpr size_t kMostLoaded = 10;

using Key = std::vector<int64_t>;

static Key keyOf(const Parameters &parameters) {
  llvm::SmallVector<int64_t, 10> values = tuning::listValues(parameters);
  return Key(values.begin(), values.end());
}

static std::string print(json::Object object) {
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(std::move(object));
  return text;
}

namespace {
/// The answer to a request.
struct Answer {
  json::Object object;
  /// Why there is no result; empty where there is one.
  std::string reason;
  /// Whether the process has gone.
  bool isLost = false;
};
} // namespace

static Answer parseAnswer(llvm::StringRef line) {
  Answer answer;
  llvm::Expected<json::Value> value = parseJson(line);
  if (!value) {
    llvm::consumeError(value.takeError());
    answer.reason = "expected an answer in JSON, but got '" +
                    line.take_front(60).str() + "'";
    return answer;
  }
  if (json::Object *object = value->getAsObject())
    answer.object = std::move(*object);
  if (std::optional<llvm::StringRef> error = answer.object.getString("error"))
    answer.reason = error->str();
  return answer;
}

struct ProcessMeasurer::State {
  std::vector<std::string> command;
  Measured measured;
  std::vector<std::unique_ptr<ChildProcess>> compilers;
  std::unique_ptr<ChildProcess> runner;
  /// How many processes were started.
  int64_t starts = 0;
  /// The candidate whose results are those of all.
  std::optional<Parameters> first;
  /// Loaded ones, the most recently used last, and milliseconds of a run.
  std::deque<Key> loaded;
  std::map<Key, double> milliseconds;

  double now() const {
    return std::chrono::duration<double>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

  Answer wait(std::unique_ptr<ChildProcess> &process, double deadline);
  Answer ask(std::unique_ptr<ChildProcess> &process, json::Object request,
             double seconds);
  std::string ensure(std::unique_ptr<ChildProcess> &process);
  std::string load(const Parameters &candidate);
  std::string ensureLoaded(const Parameters &candidate);
  Answer timeAll(llvm::ArrayRef<Parameters> candidates, int turns);
};

/// The next answer of a process, which is stopped where there is none in time.
Answer ProcessMeasurer::State::wait(std::unique_ptr<ChildProcess> &process,
                                    double deadline) {
  for (;;) {
    if (std::optional<std::string> line = process->read())
      return parseAnswer(*line);
    double left = deadline - now();
    Answer lost;
    lost.isLost = true;
    if (process->isEnded()) {
      lost.reason = "its process ended with " + process->stop();
      process.reset();
      return lost;
    }
    if (left <= 0) {
      process->stop();
      process.reset();
      lost.reason = "it did not answer in time";
      return lost;
    }
    waitForAny(process.get(), left);
  }
}

Answer ProcessMeasurer::State::ask(std::unique_ptr<ChildProcess> &process,
                                   json::Object request, double seconds) {
  process->write(print(std::move(request)));
  Answer answer = wait(process, now() + seconds);
  if (answer.object.getBoolean("is_lost").value_or(false)) {
    process.reset();
    answer.isLost = true;
  }
  return answer;
}

/// Starts a process if there is none, and has it read the program. Returns why
/// that failed, or an empty text.
std::string
ProcessMeasurer::State::ensure(std::unique_ptr<ChildProcess> &process) {
  // One that has ended since its last answer is nobody's fault.
  if (process && !process->read() && process->isEnded())
    process.reset();
  if (process)
    return "";
  llvm::Expected<std::unique_ptr<ChildProcess>> started =
      ChildProcess::start(command);
  if (!started)
    return llvm::toString(started.takeError());
  process = std::move(*started);
  ++starts;
  Answer answer =
      ask(process,
          json::Object{{"do", "open"},
                       {"program", measured.program},
                       {"arguments", json::Array(measured.arguments)}},
          kOpenSeconds);
  if (!answer.reason.empty())
    process.reset();
  return answer.reason;
}

std::string ProcessMeasurer::State::load(const Parameters &candidate) {
  Key key = keyOf(candidate);
  while (loaded.size() >= kMostLoaded) {
    Answer dropped =
        ask(runner,
            json::Object{{"do", "drop"}, {"meta", json::Array(loaded.front())}},
            kLoadSeconds);
    loaded.pop_front();
    if (dropped.isLost)
      return dropped.reason;
  }
  Answer answer =
      ask(runner, json::Object{{"do", "load"}, {"meta", json::Array(key)}},
          kLoadSeconds);
  if (!answer.reason.empty())
    return answer.reason;
  milliseconds[key] = answer.object.getNumber("milliseconds").value_or(0);
  loaded.push_back(key);
  return "";
}

/// Has the runner hold a candidate, after the one whose results all have.
std::string ProcessMeasurer::State::ensureLoaded(const Parameters &candidate) {
  int64_t before = starts;
  if (std::string reason = ensure(runner); !reason.empty())
    return reason;
  if (starts != before) {
    loaded.clear();
    if (first && keyOf(*first) != keyOf(candidate))
      if (std::string reason = load(*first); !reason.empty()) {
        // Else another candidate's results would be those of all.
        runner.reset();
        return reason;
      }
  }
  Key key = keyOf(candidate);
  if (auto place = llvm::find(loaded, key); place != loaded.end()) {
    loaded.erase(place);
    loaded.push_back(key);
    return "";
  }
  return load(candidate);
}

Answer ProcessMeasurer::State::timeAll(llvm::ArrayRef<Parameters> candidates,
                                       int turns) {
  double expected = 0;
  json::Array metas;
  for (const Parameters &candidate : candidates) {
    Answer failed;
    failed.reason = ensureLoaded(candidate);
    failed.isLost = !runner;
    if (!failed.reason.empty())
      return failed;
    Key key = keyOf(candidate);
    expected += std::max(kLeastSample, milliseconds[key] / 1000);
    metas.push_back(json::Array(key));
  }
  return ask(runner,
             json::Object{
                 {"do", "time"}, {"metas", std::move(metas)}, {"turns", turns}},
             kExtraSeconds + kSlack * turns * expected);
}

ProcessMeasurer::ProcessMeasurer(std::vector<std::string> command,
                                 Measured measured, int64_t jobs)
    : state(std::make_unique<State>()) {
  state->command = std::move(command);
  state->measured = std::move(measured);
  state->compilers.resize(jobs);
}

ProcessMeasurer::~ProcessMeasurer() = default;

double ProcessMeasurer::now() { return state->now(); }

std::vector<Compiled>
ProcessMeasurer::compile(llvm::ArrayRef<Parameters> candidates,
                         double seconds) {
  std::vector<Compiled> results(candidates.size());
  /// The candidate of a process, and until when it has time.
  std::vector<std::optional<std::pair<size_t, double>>> work(
      state->compilers.size());
  size_t next = 0, done = 0;
  while (done < candidates.size()) {
    for (auto [process, own] : llvm::zip(state->compilers, work)) {
      if (own || next == candidates.size())
        continue;
      if (std::string reason = state->ensure(process); !reason.empty()) {
        results[next++].reason = reason;
        ++done;
        continue;
      }
      process->write(print(json::Object{
          {"do", "compile"}, {"meta", json::Array(keyOf(candidates[next]))}}));
      own.emplace(next++, now() + seconds);
    }
    llvm::SmallVector<ChildProcess *> busy;
    double deadline = now() + seconds;
    for (auto [process, own] : llvm::zip(state->compilers, work))
      if (own) {
        busy.push_back(process.get());
        deadline = std::min(deadline, own->second);
      }
    if (busy.empty())
      continue;
    waitForAny(busy, deadline - now());
    for (auto [process, own] : llvm::zip(state->compilers, work)) {
      if (!own)
        continue;
      Compiled &result = results[own->first];
      if (std::optional<std::string> line = process->read()) {
        Answer answer = parseAnswer(*line);
        result.reason = answer.reason;
        result.seconds = answer.object.getNumber("seconds").value_or(0);
      } else if (process->isEnded()) {
        result.reason =
            "the process that compiled it ended with " + process->stop();
        process.reset();
      } else if (now() >= own->second) {
        process->stop();
        process.reset();
        result.reason = "it was not compiled in time";
      } else {
        continue;
      }
      ++done;
      own.reset();
    }
  }
  return results;
}

std::string ProcessMeasurer::check(const Parameters &candidate) {
  std::string reason = state->ensureLoaded(candidate);
  if (reason.empty() && !state->first)
    state->first = candidate;
  return reason;
}

std::vector<std::vector<double>>
ProcessMeasurer::time(llvm::ArrayRef<Parameters> candidates, int turns) {
  Answer answer = state->timeAll(candidates, turns);
  std::vector<std::vector<double>> times(candidates.size());
  if (!answer.reason.empty()) {
    // One of them is to blame: each alone.
    if (candidates.size() > 1)
      for (auto [candidate, own] : llvm::zip(candidates, times))
        own = time(candidate, turns).front();
    return times;
  }
  const json::Array *all = answer.object.getArray("times");
  if (!all || all->size() != candidates.size())
    return times;
  for (auto [own, result] : llvm::zip(*all, times))
    if (const json::Array *runs = own.getAsArray())
      for (const json::Value &run : *runs)
        result.push_back(run.getAsNumber().value_or(0));
  return times;
}
