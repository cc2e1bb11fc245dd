//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"

#include "CpuExecution.h"

#include "llvm/ADT/StringSet.h"

#include <charconv>

using namespace sattn;
using namespace sattn::run;
using llvm::StringRef;
using runtime::Error;
using runtime::ErrorOr;

const char *const sattn::run::kUsage =
    R"(usage: sparse-run [options] PROGRAM.mlir ARG...

Runs a function of an MLIR file on arrays. PROGRAM.mlir may be - for standard
input. There is one ARG for each argument of the function, in its order:
  2.0               a number, for a scalar
  FILE.npy          an array; elements of two-byte void are bf16
  zeros, nan, random:SEED
                    an array with these contents, from -1 to 1 if random.
                    Followed by :shape=4x64 it has that shape; without, an
                    operand that an op writes has the shape that the others
                    imply
  crow:SEED:grid=RxC:nnz=N, col:SEED:grid=RxC:nnz=N
                    offsets and block columns of a random pattern of N stored
                    blocks, out of R block rows and C block columns; both with
                    the same numbers. Followed by :longest=L one block row has L
                    blocks, and by :batch=B each of B batches has the pattern;
                    :batch=BxH is two dimensions. :part=first is the first block
                    of each row alone, :part=rest all others, and :transposed
                    has block columns for rows
  counts:SEED:grid=RxC:nnz=N, indices:SEED:grid=RxC:nnz=N
                    block lists of such a pattern: the number of each row's
                    blocks, and their columns, padded by zeros
An array followed by :ld=LD gets rows LD elements apart; the gaps hold NaN. No
file is ever changed.

options:
  --entry=NAME          the function (default: the only public one)
  --target=cpu|cuda     where it runs (default: cpu)
  --check               compare with the reference, sums of which have double
                        precision or more; fail above
                        the tolerance
  --tolerance=X         largest relative Frobenius error that --check accepts
                        (default: 1e-13 for f64, 1e-5 for f32, 2e-3 for f16,
                        1e-2 for bf16, 1e-4 for further results, such as lse); implies --check
  --time=N              run N times more and print the median
  --threads=N           threads on the CPU (default: all that it may use)
  --device=N            CUDA device (default: 0)
  --schedule=plain|specialized
                        how a CTA of the GPU works: all threads
                        together, or producer and consumers (default)
  --chip=CHIP           code for CHIP instead of the device's own, such as sm_80
  --precision=ieee|tf32
                        how f32 products of linalg ops are rounded (default:
                        ieee, which GPUs have no MMA for)
  --meta-table=FILE     tuned parameters of the device that are searched first
  --prepare             plan the sparse operand once, before the runs
  --launches=N          launch N times on the same arguments; fail unless every
                        result has the same bits
  --delays=NS           delay the threads at random by up to NS nanoseconds
                        wherever they synchronize
  --remarks             print what the compiler remarks, such as which row of a
                        table gave the parameters
  --json                print one line of JSON
  --out=PATH            write the result as .npy
  --no-verify-contents  do not look into the index arrays
  --help                print this text
  --version             print the versions of sattn and of LLVM
)";

static Error badValue(StringRef option, StringRef expected, StringRef value) {
  return Error("option '" + option.str() + "': expected " + expected.str() +
               ", but got '" + value.str() + "'");
}

static ErrorOr<int64_t> parseInteger(StringRef option, StringRef value,
                                     int64_t least, int64_t most) {
  int64_t number;
  if (value.getAsInteger(10, number) || number < least || number > most)
    return badValue(option,
                    "an integer from " + std::to_string(least) + " to " +
                        std::to_string(most),
                    value);
  return number;
}

std::optional<double> sattn::run::parseNumber(StringRef text) {
  double number;
  auto [end, error] = std::from_chars(text.begin(), text.end(), number);
  if (error != std::errc() || end != text.end() || text.contains('('))
    return std::nullopt;
  return number;
}

/// Handles one option that takes a value.
static Error parseValue(CommandLine &line, StringRef option, StringRef value) {
  auto setInteger = [&](int64_t &field, int64_t least,
                        int64_t most = INT32_MAX) {
    ErrorOr<int64_t> number = parseInteger(option, value, least, most);
    if (!number)
      return number.takeError();
    field = *number;
    return Error::success();
  };
  if (option == "--time")
    return setInteger(line.timedRuns, 1);
  if (option == "--threads")
    return setInteger(line.threads, 1, kMaxThreads);
  if (option == "--device")
    return setInteger(line.cuda.device, 0);
  if (option == "--launches")
    return setInteger(line.launches, 1);
  if (option == "--delays")
    return setInteger(line.cuda.delays, 1);
  if (option == "--chip") {
    if (value.empty())
      return badValue(option, "a chip", value);
    line.cuda.chip = value.str();
    return Error::success();
  }
  if (option == "--entry" || option == "--out" || option == "--meta-table") {
    if (value.empty())
      return badValue(option, option == "--entry" ? "a name" : "a path", value);
    (option == "--entry" ? line.entry
     : option == "--out" ? line.out
                         : line.cuda.metaTable) = value.str();
    return Error::success();
  }
  if (option == "--target") {
    if (value != "cpu" && value != "cuda")
      return badValue(option, "'cpu' or 'cuda'", value);
    line.target = value == "cpu" ? Target::Cpu : Target::Cuda;
    return Error::success();
  }
  if (option == "--schedule") {
    if (value != "plain" && value != "specialized")
      return badValue(option, "'plain' or 'specialized'", value);
    line.cuda.plainSchedule = value == "plain";
    return Error::success();
  }
  if (option == "--precision") {
    if (value != "ieee" && value != "tf32")
      return badValue(option, "'ieee' or 'tf32'", value);
    line.cuda.precision = value.str();
    return Error::success();
  }
  if (option == "--tolerance") {
    std::optional<double> tolerance = parseNumber(value);
    if (!tolerance || !(*tolerance >= 0))
      return badValue(option, "a number that is not negative", value);
    line.tolerance = tolerance;
    line.check = true;
    return Error::success();
  }
  return Error("unknown option '" + option.str() + "' (see --help)");
}

/// Handles one option that takes none; false if there is no such option.
static bool parseFlag(CommandLine &line, StringRef option) {
  if (option == "--check")
    line.check = true;
  else if (option == "--json")
    line.json = true;
  else if (option == "--remarks")
    line.remarks = true;
  else if (option == "--prepare")
    line.cuda.prepare = true;
  else if (option == "--no-verify-contents")
    line.verifyContents = false;
  else if (option == "--help")
    line.help = true;
  else if (option == "--version")
    line.version = true;
  else
    return false;
  return true;
}

ErrorOr<CommandLine> sattn::run::parseCommandLine(int argc, char **argv) {
  CommandLine line;
  bool hasProgram = false;
  llvm::StringSet<> seen;
  for (int i = 1; i < argc; ++i) {
    StringRef word = argv[i];
    if (word.starts_with("--")) {
      auto [option, value] = word.split('=');
      bool hasValue = option.size() != word.size();
      if (!seen.insert(option).second)
        return Error("expected option '" + option.str() +
                     "' once, but got it twice");
      if (!hasValue && parseFlag(line, option))
        continue;
      CommandLine ignored;
      if (hasValue && parseFlag(ignored, option))
        return Error("option '" + option.str() + "' takes no value");
      if (!hasValue) {
        // A known option without its value is told from an unknown one.
        Error unknown = parseValue(ignored, option, "");
        if (llvm::StringRef(unknown.message()).starts_with("unknown"))
          return unknown;
        return Error("option '" + option.str() +
                     "' needs a value: " + option.str() + "=VALUE");
      }
      if (Error error = parseValue(line, option, value))
        return error;
    } else if (!hasProgram) {
      line.program = word.str();
      hasProgram = true;
    } else {
      line.arguments.push_back(word.str());
    }
  }
  if (!hasProgram && !line.help && !line.version)
    return Error("expected an MLIR file (see --help)");
  if (line.target == Target::Cpu) {
    const CudaOptions &cuda = line.cuda;
    const std::pair<bool, const char *> given[] = {
        {cuda.plainSchedule, "--schedule"},
        {!cuda.chip.empty(), "--chip"},
        {cuda.delays != 0, "--delays"},
        {cuda.prepare, "--prepare"},
        {cuda.device != 0, "--device"},
        {line.launches > 1, "--launches"},
        {cuda.precision != "ieee", "--precision"},
        {!cuda.metaTable.empty(), "--meta-table"}};
    for (auto [isGiven, name] : given)
      if (isGiven)
        return Error("option '" + std::string(name) +
                     "' is for --target=cuda only");
  }
  if (line.threads && line.target == Target::Cuda)
    return Error("option '--threads' is for --target=cpu only");
  return line;
}
