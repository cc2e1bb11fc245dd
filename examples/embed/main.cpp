//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compiler that embeds sattn: builds out = A @ b, with A in blocks of 16x16,
// and prints its PTX for a chip, or runs it on this CPU.
//
//   embed sm_90a
//   embed cpu
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/SAttn/IR/SAttn.h"
#include "sattn/InitAll.h"
#include "sattn/Pipelines/SAttnToCPU.h"
#include "sattn/Pipelines/SAttnToGPU.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/MemRefUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

static constexpr int64_t kBlock = 16;

/// func.func @product(crow, col, values, b, out) -> out
static OwningOpRef<ModuleOp> buildProduct(MLIRContext &context, Type element) {
  OpBuilder builder(&context);
  Location loc = builder.getUnknownLoc();
  constexpr int64_t any = ShapedType::kDynamic;
  auto indices = RankedTensorType::get({any}, builder.getI32Type());
  auto values = RankedTensorType::get({any, kBlock, kBlock}, element);
  auto dense = RankedTensorType::get({any, any}, element);

  OwningOpRef<ModuleOp> module(ModuleOp::create(loc));
  builder.setInsertionPointToEnd(module->getBody());
  auto function = func::FuncOp::create(
      builder, loc, "product",
      builder.getFunctionType({indices, indices, values, dense, dense}, dense));
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  Value alpha =
      arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(1));
  Value beta =
      arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(0));
  Value product = sattn::BsrAddmmOp::create(
      builder, loc, alpha, beta, /*crow=*/body->getArgument(0),
      /*col=*/body->getArgument(1), /*values=*/body->getArgument(2),
      /*b=*/body->getArgument(3), /*out=*/body->getArgument(4));
  func::ReturnOp::create(builder, loc, product);
  return module;
}

static LogicalResult printPTX(MLIRContext &context, StringRef chip) {
  OwningOpRef<ModuleOp> module =
      buildProduct(context, BFloat16Type::get(&context));
  sattn::SAttnToGPUOptions options;
  options.chip = chip.str();
  PassManager pm(&context);
  sattn::buildSAttnToPTXPipeline(pm, options);
  if (failed(pm.run(*module)))
    return failure();
  for (auto binary : module->getOps<gpu::BinaryOp>())
    llvm::outs()
        << cast<gpu::ObjectAttr>(binary.getObjects()[0]).getObject().getValue();
  return success();
}

/// A has two block rows: [0 I; 2I 0]. Prints the first column of A @ b where
/// b[i, j] = i.
static LogicalResult runOnCPU(MLIRContext &context) {
  OwningOpRef<ModuleOp> module =
      buildProduct(context, Float32Type::get(&context));
  PassManager pm(&context);
  sattn::buildSAttnToCPUPipeline(pm, sattn::SAttnToCPUOptions());
  if (failed(pm.run(*module)))
    return failure();

  registerBuiltinDialectTranslation(context);
  registerLLVMDialectTranslation(context);
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto engine = ExecutionEngine::create(*module);
  if (!engine) {
    llvm::errs() << llvm::toString(engine.takeError()) << "\n";
    return failure();
  }
  using Index = ArrayRef<int64_t>;
  OwningMemRef<int32_t, 1> crow(
      {3}, {}, [](int32_t &element, Index i) { element = i[0]; });
  OwningMemRef<int32_t, 1> col(
      {2}, {}, [](int32_t &element, Index i) { element = 1 - i[0]; });
  OwningMemRef<float, 3> values(
      {2, kBlock, kBlock}, {}, [](float &element, Index i) {
        element = i[1] == i[2] ? static_cast<float>(i[0] + 1) : 0;
      });
  OwningMemRef<float, 2> b({2 * kBlock, 8}, {}, [](float &element, Index i) {
    element = static_cast<float>(i[0]);
  });
  OwningMemRef<float, 2> out({2 * kBlock, 8}, {});
  if (llvm::Error error =
          (*engine)->invoke("product", &*crow, &*col, &*values, &*b, &*out)) {
    llvm::errs() << llvm::toString(std::move(error)) << "\n";
    return failure();
  }
  for (int64_t row = 0; row < 2 * kBlock; ++row)
    llvm::outs() << llvm::format("%g ", out[{row, 0}]);
  llvm::outs() << "\n";
  return success();
}

int main(int argc, char **argv) {
  if (argc != 2) {
    llvm::errs() << "usage: embed CHIP|cpu\n";
    return 1;
  }
  DialectRegistry registry;
  sattn::registerAllDialects(registry);
  MLIRContext context(registry);
  context.loadDialect<arith::ArithDialect, func::FuncDialect,
                      sattn::SAttnDialect>();
  StringRef target = argv[1];
  return failed(target == "cpu" ? runOnCPU(context)
                                : printPTX(context, target));
}
