//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_PIPELINES_SATTNTOGPU_H
#define SATTN_PIPELINES_SATTNTOGPU_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace sattn {

/// Options of the pipelines `sattn-to-ptx` and `sattn-to-cubin`.
struct SAttnToGPUOptions : public mlir::PassPipelineOptions<SAttnToGPUOptions> {
  PassOptions::Option<std::string> chip{*this, "chip",
                                        llvm::cl::desc("Chip to compile for"),
                                        llvm::cl::init("sm_90a")};
  PassOptions::Option<std::string> ptxas{
      *this, "ptxas",
      llvm::cl::desc("Path of ptxas; empty: searched on PATH (cubin only)"),
      llvm::cl::init("")};
};

/// Passes from `sattn` on tensors to a host function and a `gpu.module` of
/// kernels in the LLVM and NVVM dialects. The chip must be a known one
/// (`lookupChip`); an unknown one makes the pipeline fail when it runs.
void buildSAttnToNVVMPipeline(mlir::OpPassManager &pm,
                              const SAttnToGPUOptions &options);

/// The same, then manifests on the host functions and a `gpu.binary` of PTX.
void buildSAttnToPTXPipeline(mlir::OpPassManager &pm,
                             const SAttnToGPUOptions &options);

/// The same with a cubin in the place of PTX.
void buildSAttnToCubinPipeline(mlir::OpPassManager &pm,
                               const SAttnToGPUOptions &options);

/// Registers `sattn-to-nvvm`, `sattn-to-ptx` and `sattn-to-cubin`.
void registerSAttnToGPUPipelines();

} // namespace sattn

#endif // SATTN_PIPELINES_SATTNTOGPU_H
