//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Target/NVPTX.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"

#include <cerrno>
#include <csignal>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

using namespace mlir;
using namespace sattn;

std::string sattn::findAssembler(StringRef ptxas) {
  if (!ptxas.empty())
    return ptxas.str();
  if (std::optional<std::string> path =
          llvm::sys::Process::GetEnv("SATTN_PTXAS"))
    return *path;
  llvm::ErrorOr<std::string> path = llvm::sys::findProgramByName("ptxas");
  return path ? *path : std::string();
}

namespace {
/// A file in memory, which child processes open by its path. It disappears when
/// this process ends, in any way.
class MemoryFile {
public:
  MemoryFile() : descriptor(memfd_create("sattn", MFD_CLOEXEC)) {}
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;
  ~MemoryFile() {
    if (descriptor >= 0)
      close(descriptor);
  }

  bool isOpen() const { return descriptor >= 0; }
  int number() const { return descriptor; }
  std::string path() const {
    return llvm::formatv("/proc/{0}/fd/{1}", getpid(), descriptor);
  }

  std::error_code write(StringRef text) {
    llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/false);
    os << text;
    os.flush();
    std::error_code error = os.error();
    os.clear_error();
    return error;
  }

  std::string read() const {
    llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer =
        llvm::MemoryBuffer::getFile(path());
    return buffer ? (*buffer)->getBuffer().str() : std::string();
  }

private:
  int descriptor;
};
} // namespace

/// Runs a program whose output and errors go to the file `log`, until its end.
/// The system ends it with this thread, whatever ends that, which LLVM's own
/// function does not ask for. Returns as llvm::sys::ExecuteAndWait.
static int runToItsEnd(ArrayRef<std::string> command, int log,
                       std::string &error) {
  SmallVector<char *> arguments;
  for (const std::string &word : command)
    arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t parent = getpid();
  pid_t child = fork();
  if (child < 0) {
    error = std::error_code(errno, std::generic_category()).message();
    return -1;
  }
  if (child == 0) {
    // Only what is safe beside other threads of the parent.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent && dup2(log, STDOUT_FILENO) >= 0 &&
        dup2(log, STDERR_FILENO) >= 0)
      execv(arguments.front(), arguments.data());
    // As llvm::sys::Wait understands it.
    _exit(errno == ENOENT ? 127 : 126);
  }
  llvm::sys::ProcessInfo process;
  process.Pid = process.Process = child;
  return llvm::sys::Wait(process, /*SecondsToWait=*/std::nullopt, &error)
      .ReturnCode;
}

/// The kernel that ptxas named last before a position in its output, or none.
static StringRef findKernel(StringRef log, size_t place) {
  StringRef before = log.take_front(log.find('\n', place));
  constexpr llvm::StringLiteral word = "unction ";
  size_t last = before.rfind(word);
  if (last == StringRef::npos)
    return "";
  StringRef name = before.substr(last + word.size());
  name.consume_front("properties for ");
  name.consume_front("'");
  return name.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
}

FailureOr<std::string> sattn::assemble(
    StringRef ptx, const Chip &chip, StringRef ptxas, bool refusesSpills,
    function_ref<InFlightDiagnostic(StringRef kernel, bool isWarning)> emitAt) {
  auto emitErrorAt = [&](StringRef kernel) {
    return emitAt(kernel, /*isWarning=*/false);
  };
  auto emitError = [&] { return emitErrorAt(""); };
  std::string program = findAssembler(ptxas);
  if (program.empty() || !llvm::sys::fs::can_execute(program))
    return emitError() << "expected ptxas at "
                       << (program.empty() ? "PATH or SATTN_PTXAS"
                                           : StringRef(program))
                       << ", but found none; it comes with CUDA, or from PyPI "
                          "as nvidia-cuda-nvcc";

  MemoryFile input, output, messages;
  if (!input.isOpen() || !output.isOpen() || !messages.isOpen())
    return emitError()
           << "expected files in memory for ptxas, but got: "
           << std::error_code(errno, std::generic_category()).message();
  if (std::error_code error = input.write(ptx))
    return emitError() << "expected memory for the PTX, but got: "
                       << error.message();

  std::string arch = ("-arch=" + chip.name).str();
  // Its kernels in threads; the option is in every ptxas since CUDA 12.1.
  std::string command[] = {
      program,      arch, "-v",         "--split-compile=0",
      input.path(), "-o", output.path()};
  std::string error;
  int status = runToItsEnd(command, messages.number(), error);
  std::string log = messages.read();
  if (status != 0) {
    if (error.empty() && log.empty())
      error = llvm::formatv("no words, but exit code {0}", status);
    return emitErrorAt(findKernel(log, log.size()))
           << "ptxas refused the kernel: " << error << log;
  }
  // "N bytes spill stores, M bytes spill loads"
  SmallVector<StringRef, 1> spill;
  if (llvm::Regex("[1-9][0-9]* bytes spill").match(log, &spill)) {
    InFlightDiagnostic diagnostic =
        emitAt(findKernel(log, spill[0].data() - log.data()), !refusesSpills)
        << "registers spill; choose smaller tiles: " << log;
    if (refusesSpills)
      return diagnostic;
  }
  if (size_t place = log.find("serialized"); place != std::string::npos)
    return emitErrorAt(findKernel(log, place))
           << "ptxas serialized wgmma: " << log;
  std::string cubin = output.read();
  if (cubin.empty())
    return emitError() << "expected a cubin from " << program
                       << ", but got nothing";
  return cubin;
}
