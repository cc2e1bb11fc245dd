//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Pipelines/SAttnToCPU.h"

#include "sattn/Codegen/Passes.h"
#include "sattn/Dialect/SAttn/Transforms/Passes.h"
#include "sattn/Pipelines/SAttnEntry.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

/// Adds passes to tile programs on tensors, then on vectors in registers.
static void addTilePasses(OpPassManager &pm,
                          const sattn::SAttnToCPUOptions &options) {
  sattn::buildSAttnEntryPipeline(pm);
  // An op that has nothing to compute, as without a stored block, is not tiled.
  pm.addPass(createCanonicalizerPass());
  sattn::SAttnInjectMetaOptions metaOptions;
  metaOptions.vectorBits = options.vectorBits;
  pm.addPass(sattn::createSAttnInjectMeta(metaOptions));
  pm.addNestedPass<func::FuncOp>(sattn::createSAttnTile());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());

  pm.addNestedPass<func::FuncOp>(sattn::createSAttnCPUExpandScans());
  pm.addNestedPass<func::FuncOp>(sattn::createSAttnCPUClipTiles());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  sattn::SAttnCPUPackPanelsOptions panelOptions;
  panelOptions.vectorBits = options.vectorBits;
  panelOptions.registerTile = llvm::to_vector(options.registerTile);
  pm.addNestedPass<func::FuncOp>(sattn::createSAttnCPUPackPanels(panelOptions));
  pm.addNestedPass<func::FuncOp>(sattn::createSAttnCPUPackOperands());
  sattn::SAttnCPURegisterTileOptions tileOptions;
  tileOptions.vectorBits = options.vectorBits;
  tileOptions.registerTile = llvm::to_vector(options.registerTile);
  pm.addNestedPass<func::FuncOp>(
      sattn::createSAttnCPURegisterTile(tileOptions));
  pm.addPass(createCanonicalizerPass());
  // From here each scratch tile is a value of its own: CSE must not merge two.
  pm.addPass(bufferization::createEmptyTensorToAllocTensorPass());

  pm.addNestedPass<func::FuncOp>(sattn::createSAttnCPUVectorize());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createLoopInvariantCodeMotionPass());
  pm.addPass(createLoopInvariantSubsetHoistingPass());
}

static void addBufferizationPasses(OpPassManager &pm) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  bufferization::OneShotBufferizePassOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::FullyDynamicLayoutMap;
  pm.addPass(bufferization::createOneShotBufferizePass(options));
  // In this order: canonicalizing first leaves a copy of a buffer to itself.
  pm.addPass(createCSEPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(sattn::createSAttnCPUDropResults());
  pm.addNestedPass<func::FuncOp>(bufferization::createBufferLoopHoistingPass());
  bufferization::buildBufferDeallocationPipeline(pm);
  pm.addNestedPass<func::FuncOp>(sattn::createSAttnCPUVersionStrides());
  pm.addNestedPass<func::FuncOp>(sattn::createSAttnCPUUnrollProducts());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
}

static void addThreadPasses(OpPassManager &pm, sattn::CPUThreads threads) {
  if (threads == sattn::CPUThreads::OpenMP)
    pm.addNestedPass<func::FuncOp>(sattn::createSAttnCPURecordThreads());
  pm.addPass(createForallToParallelLoopPass());
  if (threads == sattn::CPUThreads::OpenMP) {
    pm.addPass(createConvertSCFToOpenMPPass());
    pm.addNestedPass<func::FuncOp>(sattn::createSAttnCPUScheduleThreads());
  }
  pm.addPass(createCanonicalizerPass());
}

static void addLLVMPasses(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(sattn::createSAttnCPUExpandMemRefOps());
  pm.addNestedPass<func::FuncOp>(createConvertLinalgToLoopsPass());
  pm.addPass(math::createMathExtendToSupportedTypes());
  pm.addPass(sattn::createSAttnApproximateMath());
  pm.addNestedPass<func::FuncOp>(LLVM::createLLVMRequestCWrappersPass());
  pm.addNestedPass<func::FuncOp>(sattn::createSAttnCPUTransposeByShuffles());
  pm.addNestedPass<func::FuncOp>(createConvertVectorToSCFPass(
      VectorTransferToSCFOptions().enableFullUnroll()));
  pm.addPass(sattn::createSAttnCPUExpandFloat8());
  // Not every CPU computes in bf16, and LLVM would call a library for it.
  arith::ArithEmulateUnsupportedFloatsOptions emulateOptions;
  emulateOptions.sourceTypeStrs = {"bf16"};
  emulateOptions.targetTypeStr = "f32";
  pm.addPass(arith::createArithEmulateUnsupportedFloats(emulateOptions));
  arith::ArithExpandOpsPassOptions expandOptions;
  expandOptions.includeBf16 = true;
  pm.addPass(arith::createArithExpandOpsPass(expandOptions));
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createSCFToControlFlowPass());
  ConvertVectorToLLVMPassOptions vectorOptions;
  vectorOptions.vectorContractLowering =
      vector::VectorContractLowering::OuterProduct;
  vectorOptions.vectorTransposeLowering =
      vector::VectorTransposeLowering::Shuffle1D;
  // Reductions of linalg have no order.
  vectorOptions.reassociateFPReductions = true;
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertVectorToLLVMPass(vectorOptions));
  pm.addPass(createConvertOpenMPToLLVMPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createUBToLLVMConversionPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addNestedPass<LLVM::LLVMFuncOp>(sattn::createSAttnCPUBFloat16Bits());
  pm.addNestedPass<LLVM::LLVMFuncOp>(
      sattn::createSAttnCPUDisableElementUnrolling());
}

void sattn::buildSAttnToCPUPipeline(OpPassManager &pm,
                                    const SAttnToCPUOptions &options) {
  addTilePasses(pm, options);
  addBufferizationPasses(pm);
  addThreadPasses(pm, options.threads);
  addLLVMPasses(pm);
}

void sattn::registerSAttnToCPUPipeline() {
  PassPipelineRegistration<SAttnToCPUOptions>(
      "sattn-to-cpu", "Lower sattn ops on tensors to LLVM for the CPU",
      buildSAttnToCPUPipeline);
}
