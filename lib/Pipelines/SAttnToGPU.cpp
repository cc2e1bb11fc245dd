//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Pipelines/SAttnToGPU.h"

#include "sattn/Codegen/Passes.h"
#include "sattn/Conversion/Passes.h"
#include "sattn/Dialect/SAttn/Transforms/Passes.h"
#include "sattn/Dialect/WGTile/Transforms/Epilogue/Passes.h"
#include "sattn/Dialect/WGTile/Transforms/Kernels/Passes.h"
#include "sattn/Dialect/WGTile/Transforms/Schedule/Passes.h"
#include "sattn/Pipelines/SAttnEntry.h"
#include "sattn/Target/Chip.h"
#include "sattn/Target/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace sattn;

/// Where tile parameters are searched. A chip that is not known is refused
/// later, by name.
static SAttnInjectMetaOptions metaOptions(const SAttnToGPUOptions &options) {
  SAttnInjectMetaOptions meta;
  Chip chip = findChip(options.chip).value_or(*findChip("sm_90a"));
  meta.target = chip.name.str();
  meta.device = options.device;
  meta.table = options.metaTable;
  meta.sizes = llvm::to_vector(options.sizes);
  meta.sparsity = options.sparsity;
  meta.recordOrigins = true;
  return meta;
}

/// Adds passes to whole tiles as vectors between reads and writes of the
/// arguments' memory.
static void addTileAndBufferize(OpPassManager &pm,
                                const SAttnToGPUOptions &options) {
  buildSAttnEntryPipeline(pm, options.precision);
  // An op that has nothing to compute, as without a stored block, is not tiled.
  pm.addPass(createCanonicalizerPass());
  SAttnInjectMetaOptions meta = metaOptions(options);
  pm.addPass(createSAttnInjectMeta(meta));
  pm.addNestedPass<func::FuncOp>(createSAttnPlanRowBlockGroups());
  pm.addNestedPass<func::FuncOp>(createSAttnTile({meta.target}));
  SAttnTileLinalgOptions linalg;
  linalg.precision = options.precision;
  pm.addNestedPass<func::FuncOp>(createSAttnTileLinalg(linalg));
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addNestedPass<func::FuncOp>(createSAttnVectorizeTiles());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::FullyDynamicLayoutMap;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  // In this order: canonicalization first would leave copies of a buffer to
  // itself.
  pm.addPass(createCSEPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(memref::createFoldMemRefAliasOpsPass());
  pm.addPass(createCSEPass());
  pm.addPass(createCanonicalizerPass());
}

void sattn::buildSAttnToNVVMPipeline(OpPassManager &pm,
                                     const SAttnToGPUOptions &options) {
  addTileAndBufferize(pm, options);
  pm.addPass(wgtile::createWGTileOutlineKernels());
  pm.addPass(wgtile::createWGTileAttachTarget({options.chip}));
  // The rest on the host has to be arithmetic, and sizes of reshaped views have
  // to be sizes of their sources.
  pm.addPass(memref::createResolveRankedShapeTypeResultDimsPass());
  pm.addNestedPass<func::FuncOp>(createLowerAffinePass());
  pm.addPass(createCSEPass());
  pm.addNestedPass<gpu::GPUModuleOp>(createConvertVectorToWGTile());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addNestedPass<gpu::GPUModuleOp>(wgtile::createWGTileReassociate());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(wgtile::createWGTileVersionKernels({options.maxPadding}));
  // A chip that is not known is refused later, by name.
  Chip chip = findChip(options.chip).value_or(*findChip("sm_90a"));
  pm.addPass(createSAttnSelectVersions({options.versions}));
  pm.addNestedPass<gpu::GPUModuleOp>(wgtile::createWGTileSubtileEpilogue());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addNestedPass<gpu::GPUModuleOp>(wgtile::createWGTileAssignLayouts());
  if (options.schedule == GPUSchedule::Specialized && chip.hasTMA)
    pm.addPass(wgtile::createWGTilePlaceEpilogueLoads());
  if (chip.hasTMA)
    pm.addPass(wgtile::createWGTileCreateTensorMaps());
  if (options.schedule == GPUSchedule::Specialized && chip.hasTMA)
    pm.addPass(wgtile::createWGTileStageStores());
  if (options.schedule == GPUSchedule::Specialized) {
    pm.addPass(wgtile::createWGTileSchedule());
    pm.addPass(wgtile::createWGTileSplitK());
    pm.addNestedPass<gpu::GPUModuleOp>(wgtile::createWGTilePrefetchEarly());
    pm.addNestedPass<gpu::GPUModuleOp>(wgtile::createWGTileDeferReductions());
    pm.addNestedPass<gpu::GPUModuleOp>(
        wgtile::createWGTileOverlap({options.late}));
    pm.addNestedPass<gpu::GPUModuleOp>(wgtile::createWGTilePackConditions());
    pm.addNestedPass<gpu::GPUModuleOp>(wgtile::createWGTileSplitRange());
    pm.addNestedPass<gpu::GPUModuleOp>(wgtile::createWGTilePlaceWaits());
    pm.addNestedPass<gpu::GPUModuleOp>(wgtile::createWGTileSpecialize());
    pm.addNestedPass<gpu::GPUModuleOp>(wgtile::createWGTileOrderWarpgroups());
    pm.addNestedPass<gpu::GPUModuleOp>(wgtile::createWGTilePipeline());
    pm.addPass(wgtile::createWGTilePersist());
    pm.addPass(wgtile::createWGTileOverlapLaunches());
  }
  pm.addNestedPass<gpu::GPUModuleOp>(wgtile::createWGTileAllocateShared());
  // After the passes on tiles: the kernels of copies and plans have none.
  // Specializations for TMA alone have none for arguments that have to be
  // copied.
  bool omitsCopies = options.versions == KernelVersions::TMA;
  pm.addPass(wgtile::createWGTileOutlineCopies({omitsCopies}));
  pm.addPass(createConvertSAttnPlanToGPU());

  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  kernels.addPass(wgtile::createWGTilePlaceFences());
  kernels.addPass(wgtile::createWGTileVerifySync());
  if (options.delays > 0)
    kernels.addPass(wgtile::createWGTileInsertDelays({options.delays}));
  kernels.addPass(wgtile::createWGTileAssignStages());
  kernels.addPass(createConvertWGTileToNVVM());
  // Views that kernels make of their arguments.
  kernels.addPass(memref::createExpandStridedMetadataPass());
  kernels.addPass(math::createMathExtendToSupportedTypes());
  kernels.addPass(createSAttnApproximateMath({/*keepAfn=*/true}));
  kernels.addPass(createLowerAffinePass());
  // Not canonicalized: LLVM does the same in less time.
  kernels.addPass(createCSEPass());
  kernels.addPass(createSCFToControlFlowPass());
  kernels.addPass(createConvertKernelToLLVM());
  kernels.addPass(createConvertNVVMToLLVMPass());
  kernels.addPass(createReconcileUnrealizedCastsPass());
}

static void addSerialization(OpPassManager &pm,
                             const SAttnToGPUOptions &options,
                             StringRef format) {
  buildSAttnToNVVMPipeline(pm, options);
  SAttnEmitManifestsOptions manifests;
  manifests.target = options.chip;
  pm.addPass(createSAttnEmitManifests(manifests));
  SAttnSerializeKernelsOptions serialize;
  serialize.chip = options.chip;
  serialize.format = format.str();
  serialize.ptxas = options.ptxas;
  serialize.refuseSpills = options.refuseSpills;
  pm.addPass(createSAttnSerializeKernels(serialize));
}

void sattn::buildSAttnToPTXPipeline(OpPassManager &pm,
                                    const SAttnToGPUOptions &options) {
  addSerialization(pm, options, "ptx");
}

void sattn::buildSAttnToCubinPipeline(OpPassManager &pm,
                                      const SAttnToGPUOptions &options) {
  addSerialization(pm, options, "cubin");
}

void sattn::registerSAttnToGPUPipelines() {
  PassPipelineRegistration<SAttnToGPUOptions>(
      "sattn-to-nvvm",
      "Lower sattn to a host function and kernels in LLVM and NVVM",
      buildSAttnToNVVMPipeline);
  PassPipelineRegistration<SAttnToGPUOptions>(
      "sattn-to-ptx", "Lower sattn to a host function, its manifest and PTX",
      buildSAttnToPTXPipeline);
  PassPipelineRegistration<SAttnToGPUOptions>(
      "sattn-to-cubin",
      "Lower sattn to a host function, its manifest and a cubin",
      buildSAttnToCubinPipeline);
}
