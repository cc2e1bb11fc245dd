//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TOOLS_SPARSERUN_CPUEXECUTION_H
#define SATTN_TOOLS_SPARSERUN_CPUEXECUTION_H

#include "sattn/Runtime/HostCall.h"
#include "sattn/Runtime/Manifest.h"

#include "mlir/IR/BuiltinOps.h"

#include <memory>
#include <string>

namespace llvm::orc {
class ExecutionSession;
class ObjectLinkingLayer;
} // namespace llvm::orc

namespace sattn::run {

/// Machine code for the CPU that this process runs on, before it is linked.
struct CpuCode {
  /// An object file.
  std::string object;
  /// Its function that takes an array of pointers to the arguments.
  std::string symbol;
};

/// More threads than machines have cores.
inline constexpr int64_t kMaxThreads = 1024;

/// Prepares the process for programs on this many threads, and returns the
/// number: with more than one LLVM's OpenMP runtime is loaded; `threads` of 0
/// asks for as many as it offers and the system gives, and for one where there
/// is no such runtime. An error where there are more than kMaxThreads, or than
/// the system gives: OpenMP then ends the process.
runtime::ErrorOr<int64_t> startThreads(int64_t threads);

/// The vector width and the features of this CPU, by which code is generated.
std::string describeHostCPU();

/// Compiles the manifest's function of the module, which is lowered in place,
/// under another name, for one thread or for several.
runtime::ErrorOr<CpuCode> generateCpuCode(mlir::ModuleOp module,
                                          const runtime::Manifest &manifest,
                                          bool usesThreads);

/// A function linked into this process.
class CpuProgram {
public:
  static runtime::ErrorOr<std::unique_ptr<CpuProgram>>
  load(const CpuCode &code);

  /// The manifest's function of the module, which may be lowered in place, for
  /// `threads` threads: from the disk cache, or compiled. `remarks` says
  /// whether the context passes remarks on.
  static runtime::ErrorOr<std::unique_ptr<CpuProgram>>
  compile(mlir::ModuleOp module, const runtime::Manifest &manifest,
          int64_t threads, bool remarks);

  ~CpuProgram();

  /// For runtime::callHost; valid as long as the program.
  runtime::HostEntry entryPoint() const { return function; }

private:
  CpuProgram();

  std::unique_ptr<llvm::orc::ExecutionSession> session;
  std::unique_ptr<llvm::orc::ObjectLinkingLayer> linker;
  runtime::HostEntry function = nullptr;
};

} // namespace sattn::run

#endif // SATTN_TOOLS_SPARSERUN_CPUEXECUTION_H
