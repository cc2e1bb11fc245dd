//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tune.h"

#include "CudaExecution.h"
#include "SampleProgram.h"

#include "sattn/MetaTable/TableFile.h"
#include "sattn/Runtime/Device.h"
#include "sattn/Tuner/Journal.h"
#include "sattn/Tuner/ProcessMeasurer.h"
#include "sattn/Tuning/Ops.h"
#include "sattn/Version.h"

#include "llvm/Support/Chrono.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <cstdlib>

using namespace sattn;
using namespace sattn::tune;
using llvm::formatv;
using tuner::Problem;
using tuning::Parameters;
namespace fs = llvm::sys::fs;

/// Seconds for one problem where no budget is given.
static double secondsOf(tuner::Effort effort) {
  switch (effort) {
  case tuner::Effort::Quick:
    return 10;
  case tuner::Effort::Normal:
    return 60;
  case tuner::Effort::Full:
    return 300;
  }
  llvm_unreachable("an effort");
}

static llvm::StringRef nameOf(tuner::Effort effort) {
  switch (effort) {
  case tuner::Effort::Quick:
    return "quick";
  case tuner::Effort::Normal:
    return "normal";
  case tuner::Effort::Full:
    return "full";
  }
  llvm_unreachable("an effort");
}

/// The marker file that tells a folder of this tool from another one of its
/// name.
static constexpr char kMarker[] = "/made-by-sparse-tune";

/// Makes the folder of compiled candidates, or finds one of this tool's.
static llvm::Error makeWorkFolder(const std::string &folder) {
  auto refuse = [&](const llvm::Twine &reason) {
    return llvm::createStringError("'" + folder +
                                   "': expected no file, or the folder of an "
                                   "interrupted run, but got: " +
                                   reason);
  };
  fs::file_status status;
  if (!fs::status(folder, status, /*follow=*/false)) {
    if (fs::is_directory(status) && fs::exists(folder + kMarker))
      return llvm::Error::success();
    return refuse("another file or folder");
  }
  if (std::error_code error =
          fs::create_directory(folder, /*IgnoreExisting=*/false, fs::owner_all))
    return refuse(error.message());
  int marker;
  if (std::error_code error = fs::openFileForWrite(folder + kMarker, marker))
    return refuse(error.message());
  fs::closeFile(marker);
  return llvm::Error::success();
}

/// Removes what this tool has put into the folder, and the folder if there is
/// nothing else.
static void removeWorkFolder(const std::string &folder) {
  fs::remove_directories(folder + "/cache");
  fs::remove(folder + "/program.mlir");
  fs::remove(folder + kMarker);
  fs::remove(folder);
}

static double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

namespace {
/// Where problems are tuned.
struct Place {
  tuning::Target target;
  /// The name of the device whose rows are written.
  std::string device;
};
} // namespace

static llvm::Expected<Place> findPlace(const TuneOptions &options) {
  if (!options.isCuda)
    return Place{tuning::findHostTarget(), tuning::getHostDevice()};
  runtime::ErrorOr<std::unique_ptr<runtime::Device>> device =
      runtime::Device::open(static_cast<int>(options.device));
  if (!device)
    return llvm::createStringError(device.takeError().message());
  std::optional<tuning::Target> target = tuning::findTarget((**device).chip());
  if (!target)
    return llvm::createStringError("expected a device that there is code for, "
                                   "but got " +
                                   (*device)->describe());
  return Place{*target, (*device)->name()};
}

/// "tile_m=64 tile_n=128": the parameters of a space, those that are given.
static std::string describe(const tuning::Space &space,
                            const Parameters &parameters) {
  std::string text;
  for (const tuning::TunedParameter &tuned : space.parameters)
    if (int64_t value = tuning::getParameter(parameters, tuned.name))
      text += (text.empty() ? "" : " ") + tuned.name.str() + "=" +
              std::to_string(value);
  return text;
}

namespace {
class Run {
public:
  Run(const TuneOptions &options, Place place, tuner::Journal journal)
      : options(options), place(std::move(place)), journal(std::move(journal)),
        start(now()) {}

  llvm::Expected<int64_t> run();
  std::string folder;

private:
  /// An error of the problem. One of the table or the journal stops the run.
  llvm::Error tuneOne(const Problem &problem, size_t index);
  llvm::Error keep(const meta::Query &query, const tuning::Space &space,
                   const Parameters &parameters, bool isTrial = false);
  void report(const Problem &problem, const tuning::Space &space,
              const tuner::SearchResult &result);

  const TuneOptions &options;
  Place place;
  tuner::Journal journal;
  double start;
  /// Why the run cannot go on; empty where it can.
  std::string stopReason;
};
} // namespace

/// Writes a result into the table, or only says whether that is possible.
llvm::Error Run::keep(const meta::Query &query, const tuning::Space &space,
                      const Parameters &parameters, bool isTrial) {
  llvm::SmallVector<std::string> entries;
  for (const tuning::TunedParameter &tuned : space.parameters)
    entries.push_back(
        (tuned.name + "=" +
         llvm::Twine(tuning::getParameter(parameters, tuned.name)))
            .str());
  llvm::Expected<meta::Section> section = meta::makeSection(query, entries);
  if (!section)
    return section.takeError();
  return meta::updateTable(
      options.table, tuning::allSchemas(), [&](meta::Table &table) {
        meta::Table other = table;
        return meta::mergeSection(isTrial ? other : table, *section);
      });
}

/// The parameters of a space that are given, by name.
static llvm::json::Object printParameters(const tuning::Space &space,
                                          const Parameters &parameters) {
  llvm::json::Object object;
  for (const tuning::TunedParameter &tuned : space.parameters)
    if (int64_t value = tuning::getParameter(parameters, tuned.name))
      object[tuned.name] = value;
  return object;
}

void Run::report(const Problem &problem, const tuning::Space &space,
                 const tuner::SearchResult &result) {
  double ratio = result.defaultMilliseconds > 0
                     ? result.milliseconds / result.defaultMilliseconds
                     : 1;
  if (options.isJson) {
    llvm::json::Array trials;
    for (const tuner::Trial &trial : result.trials)
      if (trial.reason.empty())
        trials.push_back(llvm::json::Object{
            {"parameters", printParameters(space, trial.parameters)},
            {"ratio", trial.ratio}});
    llvm::outs() << llvm::json::Value(llvm::json::Object{
                        {"problem", problem.describe()},
                        {"device", place.device},
                        {"is_default", result.isDefault},
                        {"parameters",
                         printParameters(space, result.parameters)},
                        {"milliseconds", result.milliseconds},
                        {"default_milliseconds", result.defaultMilliseconds},
                        {"noise", result.noise},
                        {"tried", result.tried},
                        {"failed", result.failed},
                        {"trials", std::move(trials)}})
                 << "\n";
  } else if (result.isDefault) {
    llvm::outs() << formatv("{0}: the default is kept ({1}; {2:f4} ms; {3} "
                            "tried, {4} of them failed)\n",
                            problem.describe(),
                            describe(space, result.parameters),
                            result.milliseconds, result.tried, result.failed);
  } else {
    llvm::outs() << formatv(
        "{0}: {1} takes {2:f3} of the default's {3:f4} ms (noise {4:f3}; {5} "
        "tried, {6} of them failed)\n",
        problem.describe(), describe(space, result.parameters), ratio,
        result.defaultMilliseconds, result.noise, result.tried, result.failed);
  }
  llvm::outs().flush();
}

llvm::Error Run::tuneOne(const Problem &problem, size_t index) {
  std::vector<tuning::NamedFact> facts = problem.getNamedFacts();
  llvm::Expected<tuning::Space> space =
      tuning::getSpace(problem.op, facts, place.target);
  if (!space)
    return space.takeError();
  llvm::Expected<std::optional<meta::Query>> query = tuning::getQuery(
      problem.op, facts, tuning::Search{place.target, place.device});
  if (!query)
    return query.takeError();
  if (!*query)
    return llvm::createStringError(
        "expected all facts of a row's key (docs/MetaTable.md), but one is "
        "missing");
  // Rows that the table does not take are found before anything is measured.
  if (llvm::Error error = keep(**query, *space, space->defaults,
                               /*isTrial=*/true))
    return error;
  llvm::Expected<SampleProgram> sample = makeSampleProgram(problem);
  if (!sample)
    return sample.takeError();
  std::string path = folder + "/program.mlir";
  {
    std::error_code error;
    llvm::raw_fd_ostream file(path, error);
    file << sample->text;
    file.close();
    if (file.error())
      error = file.error();
    file.clear_error();
    if (error) {
      stopReason = "'" + path + "': expected room for a program, but got: " +
                   error.message();
      return llvm::Error::success();
    }
  }
  std::vector<std::string> command = {
      options.executable, "worker",
      formatv("--target={0}", options.isCuda ? "cuda" : "cpu")};
  if (options.isCuda)
    command.push_back(formatv("--device={0}", options.device));
  else if (options.threads)
    command.push_back(formatv("--threads={0}", options.threads));
  tuner::ProcessMeasurer measurer(command, {path, sample->arguments},
                                  options.jobs);
  tuner::SearchOptions search;
  search.effort = options.effort;
  size_t left = options.problems.size() - index;
  search.seconds = options.seconds
                       ? std::max(0.0, *options.seconds - (now() - start)) /
                             static_cast<double>(left)
                       : secondsOf(options.effort);
  std::string name = problem.describe();
  search.earlier = journal.getTrials(name);
  search.onTrial = [&](const tuner::Trial &trial) {
    if (llvm::Error error = journal.add(name, trial))
      stopReason = llvm::toString(std::move(error));
  };
  search.onProgress = [&](int64_t tried, double best, double secondsLeft) {
    double later = options.seconds
                       ? *options.seconds - (now() - start)
                       : secondsLeft + static_cast<double>(left - 1) *
                                           secondsOf(options.effort);
    llvm::errs() << formatv("[{0}/{1}] {2}: {3} tried, best {4:f3} of the "
                            "default's time, at most {5:f0} s left, of all "
                            "{6:f0}\n",
                            index + 1, options.problems.size(), name, tried,
                            best, std::max(0.0, secondsLeft),
                            std::max(0.0, later));
  };
  llvm::Expected<tuner::SearchResult> result =
      tuner::search(*space, measurer, search);
  if (!result)
    return result.takeError();
  if (!result->isDefault)
    if (llvm::Error error = keep(**query, *space, result->parameters)) {
      stopReason = llvm::toString(std::move(error));
      return llvm::Error::success();
    }
  report(problem, *space, *result);
  if (llvm::Error error = journal.addDone(name, nameOf(options.effort)))
    stopReason = llvm::toString(std::move(error));
  return llvm::Error::success();
}

llvm::Expected<int64_t> Run::run() {
  int64_t failed = 0;
  for (auto [index, problem] : llvm::enumerate(options.problems)) {
    if (journal.isDone(problem.describe(), nameOf(options.effort)))
      continue;
    if (llvm::Error error = tuneOne(problem, index)) {
      ++failed;
      llvm::errs() << "sparse-tune: error: " << problem.describe() << ": "
                   << llvm::toString(std::move(error)) << "\n";
    }
    if (!stopReason.empty())
      return llvm::createStringError(
          stopReason + "; measurements are kept, and the same command "
                       "continues from them");
  }
  // Failed problems are not retried. The journal goes last, since other
  // processes wait for it.
  removeWorkFolder(folder);
  journal.remove();
  return failed;
}

llvm::Expected<int64_t> sattn::tune::tune(const TuneOptions &options) {
  llvm::Expected<Place> place = findPlace(options);
  if (!place)
    return place.takeError();
  // A table that cannot be changed is found before anything is measured.
  if (llvm::Error error = meta::updateTable(
          options.table, tuning::allSchemas(),
          [](meta::Table &) { return llvm::Error::success(); }))
    return error;
  fs::file_status build;
  if (std::error_code error = fs::status(options.executable, build))
    return llvm::createStringError("'" + options.executable +
                                   "': " + error.message());
  // Times of another build, or with another number of threads, are others.
  std::string identity =
      formatv("{0}, {1} threads, {2}, {3} bytes of {4}", place->device,
              options.threads, versionText("sparse-tune"), build.getSize(),
              llvm::sys::toTimeT(build.getLastModificationTime()));
  std::string path = meta::resolveTablePath(options.table);
  llvm::Expected<tuner::Journal> journal =
      tuner::Journal::open(path + ".journal", identity);
  if (!journal)
    return journal.takeError();
  std::string folder = path + ".tuning";
  if (llvm::Error error = makeWorkFolder(folder))
    return error;
  // Code of candidates is of no use to anybody else.
  std::string cache = folder + "/cache";
  setenv("SATTN_CACHE_DIR", cache.c_str(), 1);
  unsetenv("SATTN_CACHE");
  unsetenv("SATTN_MISSES");
  Run run(options, std::move(*place), std::move(*journal));
  run.folder = folder;
  return run.run();
}
