//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_PIPELINES_SATTNTOCPU_H
#define SATTN_PIPELINES_SATTNTOCPU_H

#include "mlir/Pass/PassOptions.h"

namespace mlir {
class DialectRegistry;
class OpPassManager;
} // namespace mlir

namespace sattn {

/// How output tiles are spread over the cores.
enum class CPUThreads {
  /// Tiles one after the other; the code needs no run-time library.
  Sequential,
  /// Threads by calls to LLVM's OpenMP runtime (libomp), which the program that
  /// runs the code provides.
  OpenMP
};

/// Options of the pipeline `sattn-to-cpu`.
struct SAttnToCPUOptions : mlir::PassPipelineOptions<SAttnToCPUOptions> {
  Option<CPUThreads> threads{
      *this, "threads",
      llvm::cl::desc("How output tiles are spread over the cores"),
      llvm::cl::init(CPUThreads::Sequential),
      llvm::cl::values(
          clEnumValN(CPUThreads::Sequential, "sequential",
                     "one after the other; needs no run-time library"),
          clEnumValN(CPUThreads::OpenMP, "openmp",
                     "by LLVM's OpenMP runtime (libomp)"))};
  Option<int64_t> vectorBits{
      *this, "vector-bits",
      llvm::cl::desc("Width of the target's vector registers in bits"),
      llvm::cl::init(512)};
  ListOption<int64_t> registerTile{
      *this, "register-tile",
      llvm::cl::desc("Rows and columns of the accumulator that is kept in "
                     "registers (default: from vector-bits)")};
};

/// From `sattn` ops on tensors to the LLVM dialect. A function
///
///   func.func @f(%x: f32, %a: tensor<?x?xf32>, %out: tensor<?x?xf32>)
///     -> tensor<?x?xf32>
///
/// whose result is computed in place of %out becomes one without results, with
/// a C interface `_mlir_ciface_f(float, memref *, memref *)` on MLIR's memref
/// descriptors. Tensors may have any strides. The context needs
/// `registerSAttnToCPUDialects`.
void buildSAttnToCPUPipeline(mlir::OpPassManager &pm,
                             const SAttnToCPUOptions &options);

/// Registers the pipeline as `sattn-to-cpu`.
void registerSAttnToCPUPipeline();

/// Registers the dialects and interfaces that the upstream passes of the
/// pipeline need beyond those of the `sattn` dialect's own passes.
void registerSAttnToCPUDialects(mlir::DialectRegistry &registry);

} // namespace sattn

#endif // SATTN_PIPELINES_SATTNTOCPU_H
