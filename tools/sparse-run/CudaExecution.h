//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TOOLS_SPARSERUN_CUDAEXECUTION_H
#define SATTN_TOOLS_SPARSERUN_CUDAEXECUTION_H

#include "Arguments.h"
#include "CommandLine.h"

#include "mlir/IR/BuiltinOps.h"

#include <array>
#include <memory>

namespace sattn::runtime {
class Device;
} // namespace sattn::runtime

namespace sattn::run {

/// The problem that tile parameters are chosen for: M, N, K, and the fraction
/// of blocks that are not stored.
struct Problem {
  std::array<int64_t, 3> sizes;
  double sparsity;
};

/// A function compiled for a CUDA device, with its arguments in the device's
/// memory.
class CudaProgram {
public:
  /// Opens the device, compiles `entry` of the module for it (the module is
  /// lowered in place) and loads the result. `remarks` says whether the context
  /// passes remarks on.
  static runtime::ErrorOr<std::unique_ptr<CudaProgram>>
  compile(mlir::ModuleOp module, const std::string &entry,
          const CudaOptions &options, const Problem &problem, bool remarks);

  ~CudaProgram();

  const std::string &deviceName() const;

  /// Copies the arguments to the device, gaps between rows included.
  runtime::Error upload(const Arguments &arguments);

  /// Copies an argument's memory to the device again.
  runtime::Error upload(size_t argument, const runtime::NpyArray &from);

  /// Launches `launches` times, waits, and returns the milliseconds that the
  /// device took for one.
  runtime::ErrorOr<double> run(int64_t launches = 1);

  /// Copies an argument's memory back.
  runtime::Error download(size_t argument, const runtime::NpyArray &to) const;

private:
  CudaProgram();

  struct State;
  std::unique_ptr<State> state;
};

} // namespace sattn::run

#endif // SATTN_TOOLS_SPARSERUN_CUDAEXECUTION_H
