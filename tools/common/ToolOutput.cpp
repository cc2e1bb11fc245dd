//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToolOutput.h"

#include "sattn/UnreadableText.h"

#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

using namespace mlir;

/// The system's error on opening the file to write it, except for errors that
/// depend on the contents.
static std::error_code checkWritable(StringRef path) {
  namespace fs = llvm::sys::fs;
  if (fs::is_directory(path))
    return std::make_error_code(std::errc::is_a_directory);
  if (fs::exists(path))
    return fs::access(path, fs::AccessMode::Write);
  StringRef folder = llvm::sys::path::parent_path(path);
  if (folder.empty())
    folder = ".";
  if (fs::exists(folder) && !fs::is_directory(folder))
    return std::make_error_code(std::errc::not_a_directory);
  return fs::access(folder, fs::AccessMode::Write);
}

LogicalResult sattn::checkOutput(StringRef tool, StringRef output,
                                 StringRef input) {
  if (output == "-")
    return success();
  if (input != "-" && llvm::sys::fs::equivalent(input, output)) {
    llvm::errs() << tool << ": error: expected another file for the output "
                 << "than that of the program, but got '" << output << "'\n";
    return failure();
  }
  if (std::error_code error = checkWritable(output)) {
    llvm::errs() << tool << ": error: cannot open output file '" << output
                 << "': " << error.message() << "\n";
    return failure();
  }
  return success();
}

LogicalResult sattn::flushOutput(StringRef tool, llvm::raw_fd_ostream &os,
                                 StringRef file) {
  os.flush();
  if (!os.has_error())
    return success();
  llvm::errs() << tool << ": error: cannot write '"
               << (file == "-" ? "<stdout>" : file)
               << "': " << os.error().message() << "\n";
  os.clear_error();
  return failure();
}

LogicalResult sattn::keepOutput(StringRef tool, llvm::ToolOutputFile &output) {
  if (failed(flushOutput(tool, output.os(), output.getFilename())))
    return failure();
  output.keep();
  return success();
}

LogicalResult sattn::checkText(StringRef file, StringRef text) {
  std::optional<std::string> reason = findUnreadable(text);
  if (!reason)
    return success();
  llvm::errs() << (file == "-" ? "<stdin>" : file) << ":" << *reason << "\n";
  return failure();
}

static LogicalResult runOpt(StringRef tool, StringRef inputName,
                            StringRef outputName, DialectRegistry &registry) {
  if (failed(sattn::checkOutput(tool, outputName, inputName)))
    return failure();
  if (inputName == "-" &&
      llvm::sys::Process::FileDescriptorIsDisplayed(fileno(stdin)))
    llvm::errs() << "(processing input from stdin now, hit ctrl-c/ctrl-d to "
                    "interrupt)\n";
  std::string error;
  auto input = openInputFile(inputName, &error);
  auto output = input ? openOutputFile(outputName, &error) : nullptr;
  if (!output) {
    llvm::errs() << error << "\n";
    return failure();
  }
  if (failed(sattn::checkText(inputName, input->getBuffer())))
    return failure();
  LogicalResult result = MlirOptMain(output->os(), std::move(input), registry,
                                     MlirOptMainConfig::createFromCLOptions());
  if (failed(result)) {
    // Earlier output is of no use, whether it could be written or not.
    (void)sattn::flushOutput(tool, output->os(), outputName);
    return failure();
  }
  return sattn::keepOutput(tool, *output);
}

int sattn::optMain(int argc, char **argv, StringRef tool, StringRef overview,
                   DialectRegistry &registry) {
  auto [inputName, outputName] =
      registerAndParseCLIOptions(argc, argv, overview, registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  // Lists of dialects and passes, on stdout.
  if (config.shouldShowDialects() || config.shouldListPasses())
    return asMainReturnCode(
        MlirOptMain(argc, argv, inputName, outputName, registry));
  llvm::InitLLVM init(argc, argv);
  return asMainReturnCode(runOpt(tool, inputName, outputName, registry));
}
