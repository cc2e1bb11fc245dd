//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Target/NVPTX.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace sattn;

static std::string findAssembler(StringRef ptxas) {
  if (!ptxas.empty())
    return ptxas.str();
  if (std::optional<std::string> path =
          llvm::sys::Process::GetEnv("SATTN_PTXAS"))
    return *path;
  llvm::ErrorOr<std::string> path = llvm::sys::findProgramByName("ptxas");
  return path ? *path : std::string();
}

static std::string readFile(StringRef path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer =
      llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

FailureOr<std::string>
sattn::assemble(StringRef ptx, const Chip &chip, StringRef ptxas,
                function_ref<InFlightDiagnostic()> emitError) {
  std::string program = findAssembler(ptxas);
  if (program.empty() || !llvm::sys::fs::can_execute(program))
    return emitError() << "expected ptxas at "
                       << (program.empty() ? "PATH or SATTN_PTXAS"
                                           : StringRef(program))
                       << ", but found none; it comes with CUDA, or from PyPI "
                          "as nvidia-cuda-nvcc";

  SmallString<128> inputPath, outputPath, logPath;
  int inputFile;
  if (llvm::sys::fs::createTemporaryFile("sattn", "ptx", inputFile,
                                         inputPath) ||
      llvm::sys::fs::createTemporaryFile("sattn", "cubin", outputPath) ||
      llvm::sys::fs::createTemporaryFile("sattn", "log", logPath))
    return emitError() << "expected to write temporary files, but could not";
  llvm::FileRemover removeInput(inputPath), removeOutput(outputPath),
      removeLog(logPath);
  {
    llvm::raw_fd_ostream os(inputFile, /*shouldClose=*/true);
    os << ptx;
  }

  std::string arch = ("-arch=" + chip.name).str();
  // Its kernels in threads; the option is in every ptxas since CUDA 12.1.
  StringRef arguments[] = {program,   arch, "-v",      "--split-compile=0",
                           inputPath, "-o", outputPath};
  std::optional<StringRef> redirects[] = {std::nullopt, logPath.str(),
                                          logPath.str()};
  std::string error;
  int status = llvm::sys::ExecuteAndWait(program, arguments,
                                         /*Env=*/std::nullopt, redirects,
                                         /*SecondsToWait=*/0,
                                         /*MemoryLimit=*/0, &error);
  std::string log = readFile(logPath);
  if (status != 0)
    return emitError() << "ptxas refused the kernel: " << error << log;
  // "N bytes spill stores, M bytes spill loads"
  if (llvm::Regex("[1-9][0-9]* bytes spill").match(log))
    return emitError() << "registers spill; choose smaller tiles: " << log;
  if (StringRef(log).contains("serialized"))
    return emitError() << "ptxas serialized wgmma: " << log;
  return readFile(outputPath);
}
