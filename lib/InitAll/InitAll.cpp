//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/InitAll.h"

#include "sattn/Codegen/Passes.h"
#include "sattn/Conversion/Passes.h"
#include "sattn/Dialect/SAttn/IR/SAttn.h"
#include "sattn/Dialect/SAttn/Transforms/BufferizableOpInterfaceImpl.h"
#include "sattn/Dialect/SAttn/Transforms/ExtentConstraintOpInterfaceImpl.h"
#include "sattn/Dialect/SAttn/Transforms/Passes.h"
#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Dialect/WGTile/Transforms/Epilogue/Passes.h"
#include "sattn/Dialect/WGTile/Transforms/Kernels/Passes.h"
#include "sattn/Dialect/WGTile/Transforms/Schedule/Passes.h"
#include "sattn/Pipelines/SAttnToCPU.h"
#include "sattn/Pipelines/SAttnToGPU.h"
#include "sattn/Target/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/TensorTilingInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/SubsetInsertionOpInterfaceImpl.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Vector/Transforms/SubsetOpInterfaceImpl.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void sattn::registerAllDialects(DialectRegistry &registry) {
  registry.insert<SAttnDialect, wgtile::WGTileDialect, affine::AffineDialect,
                  arith::ArithDialect, bufferization::BufferizationDialect,
                  cf::ControlFlowDialect, func::FuncDialect, gpu::GPUDialect,
                  linalg::LinalgDialect, LLVM::LLVMDialect, math::MathDialect,
                  memref::MemRefDialect, NVVM::NVVMDialect, scf::SCFDialect,
                  sparse_tensor::SparseTensorDialect, tensor::TensorDialect,
                  ub::UBDialect, vector::VectorDialect>();
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(
      registry);
  func::registerInlinerExtension(registry);
  linalg::registerBufferizableOpInterfaceExternalModels(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerInferTypeOpInterfaceExternalModels(registry);
  tensor::registerSubsetOpInterfaceExternalModels(registry);
  tensor::registerTilingInterfaceExternalModels(registry);
  vector::registerBufferizableOpInterfaceExternalModels(registry);
  vector::registerSubsetOpInterfaceExternalModels(registry);
  registerBufferizableOpInterfaceExternalModels(registry);
  registerExtentConstraintOpInterfaceExternalModels(registry);
  registerSAttnToCPUDialects(registry);
}

void sattn::registerAllPasses() {
  registerSAttnCodegenPasses();
  registerSAttnConversionPasses();
  registerSAttnPasses();
  registerSAttnTargetPasses();
  wgtile::registerWGTileEpiloguePasses();
  wgtile::registerWGTileKernelsPasses();
  wgtile::registerWGTileSchedulePasses();
  registerTransformsPasses();
  bufferization::registerBufferizationPasses();
  memref::registerMemRefPasses();
  // The rest of what the GPU pipelines consist of, so that a dumped pipeline
  // can be run again.
  arith::registerArithExpandOpsPass();
  registerConvertNVVMToLLVMPass();
  registerLowerAffinePass();
  math::registerMathExtendToSupportedTypes();
  registerReconcileUnrealizedCastsPass();
  registerSCFToControlFlowPass();
  registerSAttnToCPUPipeline();
  registerSAttnToGPUPipelines();
}
