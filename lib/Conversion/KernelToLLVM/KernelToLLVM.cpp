//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Conversion/Passes.h"

#include "sattn/Dialect/WGTile/IR/WGTile.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace sattn {
#define GEN_PASS_DEF_CONVERTKERNELTOLLVM
#include "sattn/Conversion/Passes.h.inc"
} // namespace sattn

/// Bytes of a CUtensorMap, and the alignment that it needs (CUDA driver API).
static constexpr int64_t kTensorMapBytes = 128;
static constexpr int64_t kTensorMapAlignment = 64;

namespace {
/// Lowers a gpu.func and carries the attributes of a tensor map over to the
/// lowered argument, which upstream's lowering cannot.
struct KernelLowering : ConvertOpToLLVMPattern<gpu::GPUFuncOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(gpu::GPUFuncOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.isKernel())
      return rewriter.notifyMatchFailure(op, "not a kernel");
    const LLVMTypeConverter &converter = *getTypeConverter();
    TypeConverter::SignatureConversion signature(op.getNumArguments());
    Type type = converter.convertFunctionSignature(
        op.getFunctionType(), /*isVariadic=*/false,
        /*useBarePtrCallConv=*/false, signature);
    if (!type)
      return rewriter.notifyMatchFailure(op, "arguments cannot be converted");
    auto function =
        LLVM::LLVMFuncOp::create(rewriter, op.getLoc(), op.getName(), type);
    function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                      rewriter.getUnitAttr());
    // The module's translation knows kernels by this name.
    function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                      rewriter.getUnitAttr());
    if (DenseI32ArrayAttr threads = op.getKnownBlockSizeAttr())
      function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(), threads);
    if (DenseI32ArrayAttr blocks = op.getKnownClusterSizeAttr())
      function->setAttr(NVVM::NVVMDialect::getClusterDimAttrName(), blocks);
    for (StringRef name : {NVVM::NVVMDialect::getMaxnregAttrName(),
                           NVVM::NVVMDialect::getMinctasmAttrName()})
      if (Attribute attr = op->getAttr(name))
        function->setAttr(name, attr);
    if (Attribute bytes = op->getAttr(wgtile::kSharedBytesAttrName))
      function->setAttr(wgtile::kSharedBytesAttrName, bytes);

    for (auto [index, argument] : llvm::enumerate(op.getArgumentTypes())) {
      if (!isa<wgtile::TensorMapType>(argument))
        continue;
      unsigned position = signature.getInputMapping(index)->inputNo;
      function.setArgAttr(position, LLVM::LLVMDialect::getByValAttrName(),
                          TypeAttr::get(LLVM::LLVMArrayType::get(
                              rewriter.getI8Type(), kTensorMapBytes)));
      function.setArgAttr(position, LLVM::LLVMDialect::getAlignAttrName(),
                          rewriter.getI64IntegerAttr(kTensorMapAlignment));
      function.setArgAttr(position,
                          NVVM::NVVMDialect::getGridConstantAttrName(),
                          rewriter.getUnitAttr());
    }
    rewriter.inlineRegionBefore(op.getBody(), function.getBody(),
                                function.end());
    if (failed(rewriter.convertRegionTypes(&function.getBody(), converter,
                                           &signature)))
      return failure();
    rewriter.eraseOp(op);
    return success();
  }
};

struct ReturnLowering : ConvertOpToLLVMPattern<gpu::ReturnOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(gpu::ReturnOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::ReturnOp>(op, ValueRange());
    return success();
  }
};

template <typename Op, typename X>
struct IndexLowering : ConvertOpToLLVMPattern<Op> {
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getDimension() != gpu::Dimension::x)
      return rewriter.notifyMatchFailure(op, "CTAs are 1-D");
    Value id = X::create(rewriter, op.getLoc(), rewriter.getI32Type());
    rewriter.replaceOpWithNewOp<LLVM::ZExtOp>(op, rewriter.getI64Type(), id);
    return success();
  }
};

/// Functions of f32 that the special-function unit computes, if the op's flags
/// allow approximations (`afn`). Subnormal numbers become zero.
template <typename Op> struct ApproximateLowering : ConvertOpToLLVMPattern<Op> {
  ApproximateLowering(const LLVMTypeConverter &converter, StringRef intrinsic)
      : ConvertOpToLLVMPattern<Op>(converter, /*benefit=*/2),
        intrinsic(intrinsic) {}

  LogicalResult
  matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getType().isF32() ||
        !bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn))
      return rewriter.notifyMatchFailure(op, "not of f32 with afn");
    rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(
        op, op.getType(), rewriter.getStringAttr(intrinsic),
        adaptor.getOperands());
    return success();
  }

private:
  StringRef intrinsic;
};

struct BarrierLowering : ConvertOpToLLVMPattern<gpu::BarrierOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(gpu::BarrierOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::Barrier0Op>(op);
    return success();
  }
};

struct ConvertKernelToLLVMPass
    : public sattn::impl::ConvertKernelToLLVMBase<ConvertKernelToLLVMPass> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    // Not all of arith-expand: it turns a maximum, which is one instruction,
    // into a comparison and two selections.
    RewritePatternSet divisions(context);
    arith::populateCeilFloorDivExpandOpsPatterns(divisions);
    walkAndApplyPatterns(getOperation(), std::move(divisions));
    LLVMTypeConverter converter(context, LowerToLLVMOptions(context));
    converter.addConversion([](wgtile::TensorMapType type) -> Type {
      return LLVM::LLVMPointerType::get(type.getContext());
    });
    LLVMConversionTarget target(*context);
    target.addLegalDialect<NVVM::NVVMDialect>();
    target.addLegalOp<gpu::GPUModuleOp>();
    RewritePatternSet patterns(context);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
    populateMathToLLVMConversionPatterns(converter, patterns);
    populateVectorToLLVMConversionPatterns(converter, patterns);
    patterns.add<ApproximateLowering<math::Exp2Op>>(
        converter, "llvm.nvvm.ex2.approx.ftz.f");
    patterns.add<ApproximateLowering<math::Log2Op>>(
        converter, "llvm.nvvm.lg2.approx.ftz.f");
    patterns
        .add<BarrierLowering, KernelLowering, ReturnLowering,
             IndexLowering<gpu::BlockIdOp, NVVM::BlockIdXOp>,
             IndexLowering<gpu::ClusterBlockIdOp, NVVM::BlockInClusterIdXOp>,
             IndexLowering<gpu::ClusterIdOp, NVVM::ClusterIdXOp>,
             IndexLowering<gpu::GridDimOp, NVVM::GridDimXOp>,
             IndexLowering<gpu::ThreadIdOp, NVVM::ThreadIdXOp>>(converter);
    // Folding would leave constants that nothing converts.
    ConversionConfig config;
    config.foldingMode = DialectConversionFoldingMode::Never;
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace
