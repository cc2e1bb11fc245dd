//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_PIPELINES_SATTNTOGPU_H
#define SATTN_PIPELINES_SATTNTOGPU_H

#include "sattn/Target/KernelVersions.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace sattn {

/// How a CTA works through a tile program.
enum class GPUSchedule {
  /// All threads together: every load and every MMA is waited for.
  Plain,
  /// Producer and consumers around a ring of stages, CTAs that walk
  /// many tiles.
  Specialized
};

/// Options of the pipelines `sattn-to-ptx` and `sattn-to-cubin`.
struct SAttnToGPUOptions : public mlir::PassPipelineOptions<SAttnToGPUOptions> {
  PassOptions::Option<std::string> chip{*this, "chip",
                                        llvm::cl::desc("Chip to compile for"),
                                        llvm::cl::init("sm_90a")};
  PassOptions::Option<std::string> ptxas{
      *this, "ptxas",
      llvm::cl::desc("Path of ptxas; empty: searched on PATH (cubin only)"),
      llvm::cl::init("")};
  PassOptions::Option<bool> refuseSpills{
      *this, "refuse-spills",
      llvm::cl::desc("Refuse a cubin whose registers spill (cubin only)"),
      llvm::cl::init(false)};
  PassOptions::Option<GPUSchedule> schedule{
      *this, "schedule", llvm::cl::desc("Schedule of a CTA"),
      llvm::cl::init(GPUSchedule::Specialized),
      llvm::cl::values(
          clEnumValN(GPUSchedule::Plain, "plain",
                     "all threads together, synchronous"),
          clEnumValN(GPUSchedule::Specialized, "specialized",
                     "producer and consumers around a ring of stages"))};
  PassOptions::Option<KernelVersions> versions{
      *this, "versions", llvm::cl::desc("Kernel specializations to compile"),
      llvm::cl::init(KernelVersions::All), getKernelVersionsValues()};
  PassOptions::Option<bool> late{
      *this, "late",
      llvm::cl::desc("Delay ops used only by the last MMAs until the next "
                     "block's first MMAs are issued, in kernels without "
                     "warpgroup ordering"),
      llvm::cl::init(true)};
  PassOptions::Option<int64_t> maxPadding{
      *this, "max-padding",
      llvm::cl::desc("Most bytes of a copy of an argument whose rows TMA "
                     "cannot take; 0: no argument is copied"),
      llvm::cl::init(int64_t(1) << 30)};
  PassOptions::Option<int64_t> delays{
      *this, "delays",
      llvm::cl::desc("For tests: nanoseconds up to which kernels are delayed "
                     "at random wherever they synchronize; 0: no delays"),
      llvm::cl::init(0)};
  PassOptions::Option<std::string> device{
      *this, "device",
      llvm::cl::desc("Device whose tuned parameters are searched for, as its "
                     "driver names it; empty: the computed default"),
      llvm::cl::init("")};
  PassOptions::Option<std::string> metaTable{
      *this, "meta-table",
      llvm::cl::desc("File of tuned parameters that is searched first"),
      llvm::cl::init("")};
  PassOptions::Option<std::string> precision{
      *this, "precision",
      llvm::cl::desc(
          "Precision of f32 products of linalg ops: ieee, which GPUs have no "
          "MMA for, or tf32"),
      llvm::cl::init("ieee")};
  PassOptions::ListOption<int64_t> sizes{
      *this, "sizes",
      llvm::cl::desc("M, N and K for the choice of parameters where types "
                     "leave them open; 0: not known")};
  PassOptions::Option<double> sparsity{
      *this, "sparsity",
      llvm::cl::desc("Part of the blocks that is not stored, 0 to 1, for "
                     "the choice of parameters"),
      llvm::cl::init(-1.0)};
};

/// Passes from `sattn` on tensors to a host function and a `gpu.module` of
/// kernels in the LLVM and NVVM dialects. The chip gives the limit of shared
/// memory; serialization refuses one that is not known (`lookupChip`).
void buildSAttnToNVVMPipeline(mlir::OpPassManager &pm,
                              const SAttnToGPUOptions &options);

/// Passes of buildSAttnToNVVMPipeline, then manifests on the host functions and
/// a `gpu.binary` of PTX.
void buildSAttnToPTXPipeline(mlir::OpPassManager &pm,
                             const SAttnToGPUOptions &options);

/// Passes of buildSAttnToPTXPipeline, with a cubin in the place of PTX.
void buildSAttnToCubinPipeline(mlir::OpPassManager &pm,
                               const SAttnToGPUOptions &options);

/// Registers `sattn-to-nvvm`, `sattn-to-ptx` and `sattn-to-cubin`.
void registerSAttnToGPUPipelines();

} // namespace sattn

#endif // SATTN_PIPELINES_SATTNTOGPU_H
