//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SparseTuneMain.h"

#include "ProgramProblems.h"
#include "TableCommands.h"
#include "ToolOutput.h"
#include "Tune.h"
#include "Worker.h"

#include "sattn/MetaTable/Tables.h"
#include "sattn/Version.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <fcntl.h>
#include <unistd.h>

using namespace sattn;
using namespace sattn::tune;
namespace cl = llvm::cl;

static constexpr char kOverview[] =
    R"(Finds fast parameters of ops on this machine.

  sparse-tune tune --op=OP FACT=VALUE...
  sparse-tune tune --program=layers.mlir
  sparse-tune tune --problems=misses.jsonl

tunes an op for the facts that docs/MetaTable.md lists, the ops of a program, or
the problems of a file, which processes write if SATTN_MISSES names it. Results
are kept in a table, by default the user's own, where they are faster than the
computed default by more than noise. A run that is interrupted goes on where it
stopped, when the same command is given again.
)";

namespace {
/// The commands and their options.
struct Options {
  cl::SubCommand tune{"tune", "Tune problems"};
  cl::SubCommand show{"show", "Print the rows of a table"};
  cl::SubCommand diff{"diff", "Print rows that two tables have not in common"};
  cl::SubCommand merge{"merge", "Put the rows of tables into one"};
  cl::SubCommand import{"import", "Put PyTorch's tuned rows into a table"};
  cl::SubCommand worker{"worker",
                        "Compile and run candidates (sparse-tune starts it)"};

  cl::opt<std::string> op{"op", cl::desc("The op (tune), or rows of it (show)"),
                          cl::sub(tune), cl::sub(show)};
  cl::opt<std::string> problems{"problems",
                                cl::desc("A file with a problem in each line"),
                                cl::value_desc("file"), cl::sub(tune)};
  cl::opt<std::string> program{
      "program",
      cl::desc("An MLIR file, whose ops with parameters are tuned by their "
               "types"),
      cl::value_desc("file"), cl::sub(tune)};
  cl::list<int64_t> sizes{
      "sizes", cl::desc("M, N and K where the types of --program are dynamic"),
      cl::value_desc("M,N,K"), cl::CommaSeparated, cl::sub(tune)};
  cl::opt<double> sparsity{
      "sparsity",
      cl::desc("Part of the blocks of --program that is not stored, where its "
               "types do not say"),
      cl::value_desc("part"), cl::sub(tune)};
  cl::opt<std::string> target{"target", cl::desc("cpu (default) or cuda"),
                              cl::init("cpu"), cl::sub(tune), cl::sub(worker)};
  cl::opt<int> device{"device", cl::desc("CUDA device (default: 0)"),
                      cl::sub(tune), cl::sub(worker)};
  cl::opt<int> threads{"threads", cl::desc("Threads on the CPU (default: all)"),
                       cl::sub(tune), cl::sub(worker)};
  cl::opt<int> jobs{
      "jobs", cl::desc("Candidates that compile at one time (default: 2)"),
      cl::init(2), cl::sub(tune)};
  cl::opt<tuner::Effort> effort{
      "effort", cl::desc("Effort of the search:"),
      cl::values(clEnumValN(tuner::Effort::Quick, "quick",
                            "neighbours of the best values, 10 s a problem"),
                 clEnumValN(tuner::Effort::Normal, "normal",
                            "all values of each parameter, 60 s (default)"),
                 clEnumValN(tuner::Effort::Full, "full",
                            "pairs of parameters as well, 300 s")),
      cl::init(tuner::Effort::Normal), cl::sub(tune)};
  cl::opt<double> budget{"budget",
                         cl::desc("Seconds for all problems together"),
                         cl::value_desc("seconds"), cl::sub(tune)};
  cl::opt<bool> json{"json", cl::desc("Print each result as a line of JSON"),
                     cl::sub(tune)};
  cl::opt<std::string> table{
      "table",
      cl::desc(
          "The table (default: the user's, which docs/MetaTable.md names)"),
      cl::value_desc("file"),
      cl::sub(tune),
      cl::sub(show),
      cl::sub(import)};
  cl::list<std::string> facts{cl::Positional, cl::desc("<fact=value>..."),
                              cl::sub(tune)};
  cl::list<std::string> files{cl::Positional, cl::desc("<file>..."),
                              cl::sub(diff), cl::sub(merge), cl::sub(import)};
};
} // namespace

static llvm::Error usageError(const llvm::Twine &message) {
  return llvm::createStringError(message + " (see --help)");
}

static llvm::Expected<std::string> tableOf(const Options &options) {
  if (options.table.getNumOccurrences()) {
    if (options.table.empty() || !llvm::json::isUTF8(options.table))
      return usageError("option '--table': expected a path of UTF-8");
    return options.table.getValue();
  }
  std::string path = meta::userTablePath();
  if (path.empty())
    return usageError("expected '--table', since there is no home folder");
  return path;
}

static llvm::Expected<bool> isCuda(const Options &options) {
  if (options.target == "cpu" || options.target == "cuda")
    return options.target == "cuda";
  return usageError("option '--target': expected 'cpu' or 'cuda', but got '" +
                    options.target + "'");
}

static llvm::Expected<int> runTune(const Options &options,
                                   std::string executable) {
  TuneOptions wanted;
  llvm::Expected<bool> cuda = isCuda(options);
  if (!cuda)
    return cuda.takeError();
  if (!options.op.empty() + !options.problems.empty() +
          !options.program.empty() !=
      1)
    return usageError("expected one of '--op', '--problems' and '--program'");
  if (options.op.empty() && !options.facts.empty())
    return usageError("expected facts with '--op' alone");
  if (options.jobs < 1 || options.jobs > 256)
    return usageError("option '--jobs': expected from 1 to 256, but got " +
                      llvm::Twine(options.jobs));
  if (options.threads < 0)
    return usageError("option '--threads': expected at least 0, but got " +
                      llvm::Twine(options.threads));
  if (options.device < 0)
    return usageError("option '--device': expected at least 0, but got " +
                      llvm::Twine(options.device));
  if (options.device.getNumOccurrences() && !*cuda)
    return usageError("option '--device' is for --target=cuda only");
  if (options.threads.getNumOccurrences() && *cuda)
    return usageError("option '--threads' is for --target=cpu only");
  if (options.budget.getNumOccurrences() && !(options.budget > 0))
    return usageError("option '--budget': expected more than 0 seconds, but "
                      "got " +
                      llvm::formatv("{0}", options.budget.getValue()).str());
  if (!options.problems.empty()) {
    llvm::Expected<std::vector<tuner::Problem>> read =
        tuner::readProblems(options.problems);
    if (!read)
      return read.takeError();
    wanted.problems = std::move(*read);
  } else if (!options.program.empty()) {
    if (!options.sizes.empty() && options.sizes.size() != 3)
      return usageError("option '--sizes': expected three sizes, M,N,K, but "
                        "got " +
                        llvm::Twine(options.sizes.size()));
    std::optional<int64_t> sparsity;
    if (options.sparsity.getNumOccurrences()) {
      if (!(options.sparsity >= 0 && options.sparsity <= 1))
        return usageError(
            "option '--sparsity': expected a part from 0 to 1, but got " +
            llvm::formatv("{0}", options.sparsity.getValue()).str());
      sparsity = std::lround(100 * options.sparsity);
    }
    llvm::Expected<std::vector<tuner::Problem>> read = readProgramProblems(
        options.program, llvm::to_vector(options.sizes), sparsity);
    if (!read)
      return read.takeError();
    wanted.problems = std::move(*read);
  } else {
    llvm::Expected<tuner::Problem> problem =
        tuner::parseProblem(options.op, options.facts);
    if (!problem)
      return problem.takeError();
    wanted.problems.push_back(std::move(*problem));
  }
  llvm::Expected<std::string> table = tableOf(options);
  if (!table)
    return table.takeError();
  if (wanted.problems.empty())
    llvm::errs() << "sparse-tune: warning: no problem is left to tune\n";
  wanted.table = *table;
  wanted.isCuda = *cuda;
  wanted.device = options.device;
  wanted.threads = options.threads;
  wanted.jobs = options.jobs;
  wanted.effort = options.effort;
  if (options.budget.getNumOccurrences())
    wanted.seconds = options.budget;
  wanted.isJson = options.json;
  wanted.executable = std::move(executable);
  llvm::Expected<int64_t> failed = tune::tune(wanted);
  if (!failed)
    return failed.takeError();
  return *failed ? 1 : 0;
}

static llvm::Expected<int> runCommand(const Options &options,
                                      const std::string &executable) {
  auto requireFiles = [&](size_t least, size_t most) -> llvm::Error {
    size_t count = options.files.size();
    if (count >= least && count <= most)
      return llvm::Error::success();
    return usageError("expected " +
                      (least == most ? llvm::Twine(least)
                                     : "at least " + llvm::Twine(least)) +
                      " files, but got " + llvm::Twine(count));
  };
  if (options.worker) {
    llvm::Expected<bool> cuda = isCuda(options);
    if (!cuda)
      return cuda.takeError();
    return runWorker(*cuda ? run::Target::Cuda : run::Target::Cpu,
                     options.device, options.threads);
  }
  if (options.tune)
    return runTune(options, executable);
  auto statusOf = [](llvm::Error error) -> llvm::Expected<int> {
    if (error)
      return std::move(error);
    return 0;
  };
  if (options.show || options.import) {
    llvm::Expected<std::string> table = tableOf(options);
    if (!table)
      return table.takeError();
    if (options.show)
      return statusOf(showTable(*table, options.op));
    if (llvm::Error wrong = requireFiles(1, 1))
      return std::move(wrong);
    return statusOf(importTable(options.files.front(), *table));
  }
  if (options.diff) {
    if (llvm::Error wrong = requireFiles(2, 2))
      return std::move(wrong);
    llvm::Expected<bool> differ =
        diffTables(options.files[0], options.files[1]);
    if (!differ)
      return differ.takeError();
    return *differ ? 1 : 0;
  }
  if (options.merge) {
    if (llvm::Error wrong = requireFiles(2, SIZE_MAX))
      return std::move(wrong);
    return statusOf(
        mergeTables(options.files.front(),
                    std::vector<std::string>(options.files.begin() + 1,
                                             options.files.end())));
  }
  return usageError("expected a command: tune, show, diff, merge or import");
}

int sattn::sparseTuneMain(int argc, char **argv) {
  // Files that are opened must not take the place of closed ones.
  bool isClosed = fcntl(STDOUT_FILENO, F_GETFD) < 0;
  if (llvm::sys::Process::FixupStandardFileDescriptors() || isClosed) {
    llvm::errs() << "sparse-tune: error: expected an open standard output\n";
    return 2;
  }
  Options options;
  cl::SetVersionPrinter(
      [](llvm::raw_ostream &os) { os << versionText("sparse-tune"); });
  cl::ParseCommandLineOptions(argc, argv, kOverview);
  std::string executable = llvm::sys::fs::getMainExecutable(
      argv[0], reinterpret_cast<void *>(&sparseTuneMain));
  llvm::Expected<int> status = runCommand(options, executable);
  if (!status) {
    llvm::errs() << "sparse-tune: error: " << llvm::toString(status.takeError())
                 << "\n";
    return 2;
  }
  bool isWritten =
      mlir::succeeded(flushOutput("sparse-tune", llvm::outs(), "-"));
  return isWritten ? *status : 2;
}
