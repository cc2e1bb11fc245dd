//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Worker.h"

#include "Arguments.h"
#include "CpuExecution.h"
#include "CudaExecution.h"
#include "ProgramSource.h"
#include "Report.h"

#include "sattn/Dialect/SAttn/IR/SAttn.h"
#include "sattn/Dialect/SAttn/IR/TuningOpInterface.h"
#include "sattn/InitAll.h"
#include "sattn/Reference/Compare.h"
#include "sattn/Reference/ElementConversion.h"
#include "sattn/Runtime/Contract.h"
#include "sattn/Support/Json.h"
#include "sattn/Tuning/Space.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <iostream>
#include <map>

using namespace sattn;
using namespace sattn::tune;
using runtime::Error;
using runtime::ErrorOr;
namespace json = llvm::json;

/// A sample of a run takes at least so many milliseconds, and has at most so
/// many launches; before the first of a request a card computes so long.
static constexpr double kSampleMilliseconds = 2, kHeatMilliseconds = 50;
static constexpr int64_t kMostLaunches = 200;
/// The error of a candidate may be that of the reference twice.
static constexpr double kToleranceFactor = 2;

/// The values of a candidate's parameters.
using Meta = std::vector<int64_t>;

static double now() {
  using namespace std::chrono;
  return duration<double, std::milli>(steady_clock::now().time_since_epoch())
      .count();
}

namespace {
/// A candidate, with arguments of its own.
struct Candidate {
  run::Arguments arguments;
  std::unique_ptr<run::CpuProgram> cpu;
  std::unique_ptr<run::CudaProgram> cuda;
  double milliseconds = 0;
};

class Worker {
public:
  Worker(run::Target target, int64_t device, int64_t threads)
      : target(target), threads(threads), context([] {
          mlir::DialectRegistry registry;
          registerAllDialects(registry);
          return registry;
        }()) {
    options.device = device;
    // Plans of tiles are made once, as for weights that stay.
    options.prepare = true;
  }

  json::Object answer(const json::Object &request);
  /// Whether the device's context is of no use any more, after a fault.
  bool isLost = false;

private:
  ErrorOr<json::Object> handle(const json::Object &request);
  Error open(const json::Object &request);
  ErrorOr<run::ProgramSource> parse(const Meta &meta);
  Error compile(const Meta &meta, Candidate &candidate);
  ErrorOr<run::Arguments> makeArguments();
  Error load(const Meta &meta, Candidate &candidate);
  Error checkResults(Candidate &candidate);
  ErrorOr<double> run(Candidate &candidate, int64_t launches);
  ErrorOr<json::Object> time(const json::Array &metas, int64_t turns);

  run::Target target;
  int64_t threads;
  run::CudaOptions options;
  mlir::MLIRContext context;
  std::string program;
  std::vector<std::string> words;
  /// The manifest and the shapes of arguments, the same for all candidates.
  std::optional<runtime::Manifest> manifest;
  std::vector<std::vector<int64_t>> declared;
  std::map<Meta, Candidate> candidates;
  /// The results of the first candidate, of each argument that is written.
  std::map<size_t, std::vector<double>> expected;
};
} // namespace

static ErrorOr<Meta> readMeta(const json::Value *value) {
  Meta meta;
  if (const json::Array *numbers = value ? value->getAsArray() : nullptr)
    for (const json::Value &number : *numbers)
      meta.push_back(number.getAsInteger().value_or(0));
  if (size_t count = tuning::getParameterNames().size(); meta.size() != count)
    return Error("expected " + std::to_string(count) +
                 " numbers as a candidate");
  return meta;
}

/// The program with the candidate's parameters on its op.
ErrorOr<run::ProgramSource> Worker::parse(const Meta &meta) {
  ErrorOr<run::ProgramSource> source =
      run::loadProgram(&context, program, "", /*remarks=*/false, "ieee");
  if (!source)
    return source;
  llvm::SmallVector<TuningOpInterface> ops;
  source->module->walk([&](TuningOpInterface op) { ops.push_back(op); });
  if (ops.size() != 1)
    return Error(
        "expected a program with one op that has parameters, but got " +
        std::to_string(ops.size()));
  tuning::Parameters given = tuning::makeParameters(meta);
  ops.front().setTileParameters(MetaAttr::get(
      &context, {given.rows, given.columns, given.depth},
      TileSchedule{given.stages, given.warps, given.rasterGroup, given.splitK,
                   given.registerRows, given.registerVectors, given.threads}));
  if (mlir::failed(mlir::verify(*source->module)))
    return Error("the op does not take the parameters");
  return source;
}

Error Worker::open(const json::Object &request) {
  std::optional<llvm::StringRef> path = request.getString("program");
  const json::Array *given = request.getArray("arguments");
  if (!path || !given)
    return Error("expected a program and its arguments");
  program = path->str();
  for (const json::Value &word : *given)
    words.push_back(word.getAsString().value_or("").str());
  if (target == run::Target::Cpu) {
    ErrorOr<int64_t> started = run::startThreads(threads);
    if (!started)
      return started.takeError();
    threads = *started;
  }
  return Error::success();
}

Error Worker::compile(const Meta &meta, Candidate &candidate) {
  ErrorOr<run::ProgramSource> source = parse(meta);
  if (!source)
    return source.takeError();
  ErrorOr<runtime::Manifest> described = run::describeProgram(*source);
  if (!described)
    return described.takeError();
  manifest = std::move(*described);
  declared = run::getDeclaredShapes(*source);
  // The compiler's message on a candidate that it refuses.
  std::string reason;
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        if (reason.empty() &&
            diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
          reason = diagnostic.str();
        return mlir::success();
      });
  auto explain = [&](Error error) {
    return reason.empty() ? std::move(error) : Error(reason);
  };
  if (target == run::Target::Cpu) {
    ErrorOr<std::unique_ptr<run::CpuProgram>> code = run::CpuProgram::compile(
        *source->module, *manifest, threads, /*remarks=*/false);
    if (!code)
      return explain(code.takeError());
    candidate.cpu = std::move(*code);
  } else {
    ErrorOr<std::unique_ptr<run::CudaProgram>> code =
        run::CudaProgram::compile(*source->module, manifest->name, options,
                                  {{0, 0, 0}, -1}, /*remarks=*/false);
    if (!code)
      return explain(code.takeError());
    candidate.cuda = std::move(*code);
  }
  return Error::success();
}

ErrorOr<run::Arguments> Worker::makeArguments() {
  ErrorOr<run::Arguments> arguments =
      run::loadArguments(*manifest, declared, words, {});
  if (!arguments)
    return arguments;
  if (Error error = runtime::checkContracts(*manifest, arguments->values,
                                            runtime::ContentCheck::On))
    return error;
  return arguments;
}

ErrorOr<double> Worker::run(Candidate &candidate, int64_t launches) {
  if (candidate.cuda) {
    ErrorOr<double> milliseconds = candidate.cuda->run(launches);
    isLost |= !milliseconds;
    return milliseconds;
  }
  double start = now();
  for (int64_t i = 0; i < launches; ++i)
    runtime::callHost(candidate.cpu->entryPoint(), *manifest,
                      candidate.arguments.values);
  return (now() - start) / static_cast<double>(launches);
}

/// Compares what the candidate wrote with what the first one did.
Error Worker::checkResults(Candidate &candidate) {
  bool isFirst = expected.empty();
  std::map<size_t, std::vector<double>> found;
  for (size_t i = 0; i < manifest->arguments.size(); ++i) {
    const runtime::ArgumentSpec &spec = manifest->arguments[i];
    if (!spec.isTensor || spec.access == runtime::Access::Read)
      continue;
    const runtime::NpyArray &array = *candidate.arguments.arrays[i];
    if (candidate.cuda)
      if (Error error = candidate.cuda->download(i, array)) {
        isLost = true;
        return error;
      }
    if (isFirst) {
      std::vector<double> &elements = found[i];
      const runtime::TensorView &view = array.view();
      for (int64_t element = 0; element < view.numElements(); ++element)
        elements.push_back(reference::loadElement(view, element));
      continue;
    }
    ErrorOr<reference::ErrorReport> distance =
        reference::compare(expected[i], array.view());
    if (!distance)
      return distance.takeError();
    double tolerance =
        kToleranceFactor * run::defaultTolerance(array.view().dtype);
    if (!distance->within(tolerance))
      return Error("expected the results of the default parameters, but got a "
                   "relative error of " +
                   std::to_string(distance->relFrobenius));
  }
  if (isFirst)
    expected = std::move(found);
  return Error::success();
}

Error Worker::load(const Meta &meta, Candidate &candidate) {
  if (Error error = compile(meta, candidate))
    return error;
  ErrorOr<run::Arguments> arguments = makeArguments();
  if (!arguments)
    return arguments.takeError();
  candidate.arguments = std::move(*arguments);
  if (candidate.cuda)
    if (Error error = candidate.cuda->upload(candidate.arguments))
      return error;
  ErrorOr<double> first = run(candidate, 1);
  if (!first)
    return first.takeError();
  if (Error error = checkResults(candidate))
    return error;
  ErrorOr<double> second = run(candidate, 1);
  if (!second)
    return second.takeError();
  candidate.milliseconds = *second;
  return Error::success();
}

ErrorOr<json::Object> Worker::time(const json::Array &metas, int64_t turns) {
  std::vector<Candidate *> timed;
  for (const json::Value &value : metas) {
    ErrorOr<Meta> meta = readMeta(&value);
    if (!meta)
      return meta.takeError();
    auto place = candidates.find(*meta);
    if (place == candidates.end())
      return Error("expected candidates that are loaded");
    timed.push_back(&place->second);
  }
  if (timed.empty())
    return Error("expected candidates");
  auto launchesOf = [](const Candidate &candidate, double milliseconds) {
    double count = milliseconds / std::max(candidate.milliseconds, 1e-3);
    return std::clamp<int64_t>(static_cast<int64_t>(count) + 1, 1,
                               kMostLaunches);
  };
  if (timed.front()->cuda) {
    ErrorOr<double> heat =
        run(*timed.front(), launchesOf(*timed.front(), kHeatMilliseconds));
    if (!heat)
      return heat.takeError();
  }
  std::vector<json::Array> times(timed.size());
  for (int64_t turn = 0; turn < turns; ++turn)
    for (auto [candidate, own] : llvm::zip(timed, times)) {
      // Once for the caches.
      if (ErrorOr<double> warm = run(*candidate, 1); !warm)
        return warm.takeError();
      ErrorOr<double> time =
          run(*candidate, launchesOf(*candidate, kSampleMilliseconds));
      if (!time)
        return time.takeError();
      own.push_back(*time);
    }
  json::Array all;
  for (json::Array &own : times)
    all.push_back(std::move(own));
  return json::Object{{"times", std::move(all)}};
}

ErrorOr<json::Object> Worker::handle(const json::Object &request) {
  llvm::StringRef what = request.getString("do").value_or("");
  if (what == "open") {
    if (Error error = open(request))
      return error;
    return json::Object();
  }
  if (what == "time") {
    const json::Array *metas = request.getArray("metas");
    if (!metas)
      return Error("expected candidates");
    return time(*metas, request.getInteger("turns").value_or(1));
  }
  ErrorOr<Meta> meta = readMeta(request.get("meta"));
  if (!meta)
    return meta.takeError();
  if (what == "drop") {
    candidates.erase(*meta);
    return json::Object();
  }
  double start = now();
  if (what == "compile") {
    Candidate candidate;
    if (Error error = compile(*meta, candidate))
      return error;
    return json::Object{{"seconds", (now() - start) / 1000}};
  }
  if (what == "load") {
    Candidate candidate;
    if (Error error = load(*meta, candidate))
      return error;
    double milliseconds = candidate.milliseconds;
    candidates[*meta] = std::move(candidate);
    return json::Object{{"milliseconds", milliseconds}};
  }
  return Error("expected open, compile, load, drop or time, but got '" +
               what.str() + "'");
}

json::Object Worker::answer(const json::Object &request) {
  ErrorOr<json::Object> result = handle(request);
  if (!result)
    return json::Object{{"error", json::fixUTF8(result.error().message())},
                        {"is_lost", isLost}};
  return std::move(*result);
}

int sattn::tune::runWorker(run::Target target, int64_t device,
                           int64_t threads) {
  Worker worker(target, device, threads);
  std::string line;
  while (std::getline(std::cin, line)) {
    llvm::Expected<json::Value> request = parseJson(line);
    json::Object answer;
    if (request && request->getAsObject())
      answer = worker.answer(*request->getAsObject());
    else
      answer = json::Object{{"error", "expected an object of JSON"}};
    llvm::consumeError(request.takeError());
    llvm::outs() << json::Value(std::move(answer)) << "\n";
    llvm::outs().flush();
  }
  return 0;
}
