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

namespace mlir {
class ExecutionEngine;
} // namespace mlir

namespace sattn::run {

/// A function compiled for the CPU that this process runs on.
class CpuProgram {
public:
  /// Compiles the manifest's function of the module, which is lowered in place,
  /// under another name. With more than
  /// one thread LLVM's OpenMP runtime is loaded; `threads` of 0 asks for as
  /// many as it offers, and for one where there is no such runtime.
  static runtime::ErrorOr<std::unique_ptr<CpuProgram>>
  compile(mlir::ModuleOp module, const runtime::Manifest &manifest,
          int64_t threads);

  ~CpuProgram();

  int64_t threads() const { return numThreads; }

  /// For runtime::callHost; valid as long as the program.
  runtime::HostEntry entryPoint() const { return function; }

private:
  CpuProgram();

  std::unique_ptr<mlir::ExecutionEngine> engine;
  runtime::HostEntry function = nullptr;
  int64_t numThreads = 1;
};

} // namespace sattn::run

#endif // SATTN_TOOLS_SPARSERUN_CPUEXECUTION_H
