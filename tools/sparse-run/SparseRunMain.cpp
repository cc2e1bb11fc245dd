//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SparseRunMain.h"

#include "Arguments.h"
#include "Check.h"
#include "CommandLine.h"
#include "CpuExecution.h"
#include "CudaExecution.h"
#include "ProgramSource.h"
#include "Report.h"
#include "ToolOutput.h"

#include "sattn/InitAll.h"
#include "sattn/Reference/Compare.h"
#include "sattn/Reference/Op.h"
#include "sattn/Remarks.h"
#include "sattn/Runtime/Contract.h"
#include "sattn/Version.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <chrono>

using namespace sattn;
using namespace sattn::run;
using runtime::Error;
using runtime::ErrorOr;
using runtime::Manifest;
using runtime::TensorView;

static double now() {
  using namespace std::chrono;
  return duration<double, std::milli>(steady_clock::now().time_since_epoch())
      .count();
}

/// The operands of a contract, factors in the types in which the program gets
/// them, and attributes of its op.
static reference::NamedOperands
getOperands(const Manifest &manifest, const runtime::Contract &contract,
            const std::vector<std::string> &attributes,
            const std::vector<runtime::Argument> &values) {
  reference::NamedOperands operands;
  for (const runtime::ContractOperand &operand : contract.operands) {
    if (!operand.argument) {
      operands.push_back({operand.name, operand.name, operand.constant});
      continue;
    }
    runtime::Argument value = values[*operand.argument];
    if (double *number = std::get_if<double>(&value);
        number &&
        manifest.arguments[*operand.argument].type == runtime::DType::F32)
      *number = static_cast<float>(*number);
    operands.push_back(
        {operand.name, manifest.describeArgument(*operand.argument), value});
  }
  operands.addAttributes(attributes);
  return operands;
}

/// Runs on the CPU: once into the arguments themselves, then into a copy of
/// the result, so that it does not change any more.
static Error runOnCpu(const CommandLine &line, mlir::ModuleOp module,
                      const Manifest &manifest, Arguments &arguments,
                      size_t out, Report &report) {
  double start = now();
  ErrorOr<int64_t> threads = startThreads(line.threads);
  if (!threads)
    return threads.takeError();
  ErrorOr<std::unique_ptr<CpuProgram>> program =
      CpuProgram::compile(module, manifest, *threads, line.remarks);
  if (!program)
    return program.takeError();
  report.compileMilliseconds = now() - start;
  report.device = "cpu";
  report.threads = *threads;
  runtime::HostEntry entry = (*program)->entryPoint();
  callHost(entry, manifest, arguments.values);
  if (line.timedRuns == 0)
    return Error::success();
  ErrorOr<runtime::NpyArray> copy = copyArray(*arguments.arrays[out]);
  if (!copy)
    return copy.takeError();
  std::vector<runtime::Argument> values = arguments.values;
  values[out] = copy->view();
  for (int64_t i = 0; i < line.timedRuns; ++i) {
    start = now();
    callHost(entry, manifest, values);
    report.times.push_back(now() - start);
  }
  return Error::success();
}

/// Runs again and again from the same contents of the result, `before`, and
/// compares all bytes of each result with those of the first run, `first`.
static Error relaunch(CudaProgram &program, int64_t launches, size_t out,
                      const runtime::NpyArray &before,
                      const runtime::NpyArray &first) {
  ErrorOr<runtime::NpyArray> again = copyArray(before);
  if (!again)
    return again.takeError();
  for (int64_t launch = 2; launch <= launches; ++launch) {
    if (Error error = program.upload(out, before))
      return error;
    ErrorOr<double> time = program.run();
    if (!time)
      return time.takeError();
    if (Error error = program.download(out, *again))
      return error;
    auto *now = static_cast<const std::byte *>(again->view().data);
    auto *then = static_cast<const std::byte *>(first.view().data);
    auto [differs, _] = std::mismatch(now, now + first.byteSize(), then);
    if (differs != now + first.byteSize())
      return Error(llvm::formatv("expected the same result from each launch, "
                                 "but launch {0} of {1} differs at byte {2}",
                                 launch, launches, differs - now)
                       .str());
  }
  return Error::success();
}

static Problem getTuningProblem(const Report &report) {
  if (!report.description)
    return {{0, 0, 0}, -1};
  return {report.description->sizes, report.description->sparsity};
}

static Error runOnCuda(const CommandLine &line, mlir::ModuleOp module,
                       const Manifest &manifest, Arguments &arguments,
                       size_t out, Report &report) {
  double start = now();
  ErrorOr<std::unique_ptr<CudaProgram>> program = CudaProgram::compile(
      module, manifest.name, line.cuda, getTuningProblem(report), line.remarks);
  if (!program)
    return program.takeError();
  report.compileMilliseconds = now() - start;
  report.device = (*program)->deviceName();
  if (Error error = (*program)->upload(arguments))
    return error;
  const runtime::NpyArray &result = *arguments.arrays[out];
  ErrorOr<runtime::NpyArray> before = copyArray(result);
  if (!before)
    return before.takeError();
  ErrorOr<double> first = (*program)->run();
  if (!first)
    return first.takeError();
  for (size_t i = 0; i < manifest.arguments.size(); ++i)
    if (manifest.arguments[i].isTensor &&
        manifest.arguments[i].access != runtime::Access::Read)
      if (Error error = (*program)->download(i, *arguments.arrays[i]))
        return error;
  if (Error error = relaunch(**program, line.launches, out, *before, result))
    return error;
  for (int64_t i = 0; i < line.timedRuns; ++i) {
    ErrorOr<double> time = (*program)->run();
    if (!time)
      return time.takeError();
    report.times.push_back(*time);
  }
  return Error::success();
}

/// Compares a result with the reference; an error if it is too far off.
static Error checkResult(const CommandLine &line,
                         const reference::Result &expected,
                         const TensorView &actual, Report &report) {
  ErrorOr<reference::ErrorReport> distance =
      reference::compare(expected.elements, actual);
  if (!distance)
    return distance.takeError();
  bool isFirst = report.checks.empty();
  double tolerance = line.tolerance.value_or(
      isFirst ? defaultTolerance(actual.dtype) : kFurtherTolerance);
  bool isWithin = distance->within(tolerance);
  report.checks.push_back(
      {expected.operand, distance->relFrobenius, tolerance, isWithin});
  if (isWithin)
    return Error::success();
  std::string where =
      isFirst ? "" : " in '" + std::string(expected.operand) + "'";
  if (distance->nonFiniteMismatches)
    return Error(llvm::formatv("expected the reference's infinities and NaNs"
                               "{2}, but got {0} elements that differ, first "
                               "at {1}",
                               distance->nonFiniteMismatches,
                               distance->worstElement, where)
                     .str());
  return Error(llvm::formatv("expected a relative error of at most {0:e1}{2}, "
                             "but got {1:e1}",
                             tolerance, distance->relFrobenius, where)
                   .str());
}

/// Compares all results, and then what lies between their elements; the first
/// error.
static Error checkResults(const CommandLine &line,
                          const runtime::Contract &contract,
                          llvm::ArrayRef<reference::Result> expected,
                          const Arguments &arguments, Report &report) {
  Error failure = Error::success();
  for (const reference::Result &result : expected) {
    const runtime::NpyArray &array =
        *arguments.arrays[*contract.find(result.operand)->argument];
    Error error = checkResult(line, result, array.view(), report);
    if (!error)
      error = checkGaps(array);
    if (!failure)
      failure = std::move(error);
  }
  return failure;
}

/// The array that the program's last result is computed in, or else the last
/// that it may write.
static std::optional<size_t> findResult(ProgramSource &program,
                                        const Manifest &manifest) {
  if (std::optional<size_t> argument = findResultArgument(program))
    return argument;
  for (size_t i = manifest.arguments.size(); i-- > 0;)
    if (manifest.arguments[i].isTensor &&
        manifest.arguments[i].access != runtime::Access::Read)
      return i;
  return std::nullopt;
}

static Error runProgram(const CommandLine &line) {
  if (!line.out.empty()) {
    if (llvm::sys::fs::equivalent(line.out, line.program))
      return Error("option '--out': expected another file than the program, "
                   "but got '" +
                   line.out + "'");
    if (Error error = runtime::checkNpyPath(line.out))
      return error;
  }
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry);
  if (line.remarks)
    enableRemarks(context);
  ErrorOr<ProgramSource> program = loadProgram(
      &context, line.program, line.entry, line.remarks, line.cuda.precision);
  if (!program)
    return program.takeError();
  bool isCpu = line.target == Target::Cpu;
  ErrorOr<Manifest> manifest = describeProgram(*program);
  if (!manifest)
    return manifest.takeError();
  const runtime::Contract *contract = findContract(*manifest);
  const reference::Op *op =
      contract ? reference::findOp(contract->op) : nullptr;
  if (line.check && !op)
    return Error(llvm::formatv("option '--check': expected one op of the sattn "
                               "dialect on the arguments of function '{0}', "
                               "but it computes something else",
                               manifest->name)
                     .str());
  const runtime::ContractOperand *first =
      op ? contract->find(op->result) : nullptr;
  std::optional<size_t> written =
      first ? first->argument : findResult(*program, *manifest);
  if (!written)
    return Error(llvm::formatv("function '{0}': expected an argument that it "
                               "writes, but it writes none",
                               manifest->name)
                     .str());
  size_t out = *written;

  std::vector<std::string> attributes;
  if (op)
    attributes = getUnitAttributes(*program, contract->op);
  std::vector<std::vector<int64_t>> declared = getDeclaredShapes(*program);
  ErrorOr<Arguments> arguments =
      loadArguments(*manifest, declared, line.arguments, attributes);
  if (!arguments)
    return arguments.takeError();
  if (Error error = runtime::checkContracts(*manifest, arguments->values,
                                            line.verifyContents
                                                ? runtime::ContentCheck::On
                                                : runtime::ContentCheck::Off))
    return error;
  if (Error error = checkDeclaredShapes(*manifest, declared, *arguments))
    return error;
  if (Error error = runtime::checkCall(*manifest, arguments->values,
                                       runtime::ContentCheck::Off))
    return error;

  Report report;
  report.entry = manifest->name;
  report.target = isCpu ? "cpu" : "cuda";
  if (op) {
    report.op = contract->op;
    report.description = op->describe(
        getOperands(*manifest, *contract, attributes, arguments->values));
  }
  std::vector<reference::Result> expected;
  if (line.check) {
    reference::NamedOperands operands =
        getOperands(*manifest, *contract, attributes, arguments->values);
    auto inOption = [](Error error) {
      return Error("option '--check': " + error.message());
    };
    if (Error error =
            addFunctions(*program, contract->op, arguments->values, operands))
      return inOption(std::move(error));
    ErrorOr<std::vector<reference::Result>> results = op->compute(operands);
    if (!results)
      return results.takeError();
    expected = std::move(*results);
    if (contract->fused)
      if (Error error = applyConsumers(
              *program, contract->op, arguments->values,
              arguments->arrays[out]->shape(), expected.front().elements))
        return inOption(std::move(error));
  }
  if (Error error = (isCpu ? runOnCpu : runOnCuda)(
          line, *program->module, *manifest, *arguments, out, report))
    return error;

  const TensorView &result = arguments->arrays[out]->view();
  Error failure = Error::success();
  if (line.check)
    failure = checkResults(line, *contract, expected, *arguments, report);
  if (!failure && !line.out.empty())
    if (Error error = runtime::writeNpy(line.out, result))
      return error;
  llvm::outs() << (line.json ? formatJson(report) : formatText(report));
  return failure;
}

static int runCommand(int argc, char **argv) {
  ErrorOr<CommandLine> line = parseCommandLine(argc, argv);
  if (line && line->help) {
    llvm::outs() << kUsage;
    return 0;
  }
  if (line && line->version) {
    llvm::outs() << versionText("sparse-run");
    return 0;
  }
  Error error = line ? runProgram(*line) : line.takeError();
  if (!error)
    return 0;
  llvm::errs() << "sparse-run: error: " << error.message() << "\n";
  return 1;
}

int sattn::sparseRunMain(int argc, char **argv) {
  int status = runCommand(argc, argv);
  bool isWritten =
      mlir::succeeded(flushOutput("sparse-run", llvm::outs(), "-"));
  return isWritten ? status : 1;
}
