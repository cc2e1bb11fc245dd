//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Conversion/Passes.h"

#include "PlanKernels.h"

#include "sattn/Dialect/WGTile/IR/WGTile.h"
#include "sattn/Dialect/WGTile/Utils/KernelBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace sattn {
#define GEN_PASS_DEF_CONVERTSATTNPLANTOGPU
#include "sattn/Conversion/Passes.h.inc"
} // namespace sattn

using namespace sattn;

/// Launches a kernel of the module when the operand is prepared.
static void launch(OpBuilder &b, gpu::GPUFuncOp kernel, gpu::GPUModuleOp module,
                   Value grid, ValueRange arguments) {
  wgtile::LaunchOp::create(
      b, kernel.getLoc(),
      SymbolRefAttr::get(module.getNameAttr(),
                         {FlatSymbolRefAttr::get(kernel.getNameAttr())}),
      grid, arguments)
      .setPreprocess(true);
}

/// Replaces the op by two kernels and their launches.
static void convert(PlanOp plan, gpu::GPUModuleOp module,
                    SymbolTable &symbols) {
  std::string name =
      wgtile::getKernelName(plan->getParentOfType<func::FuncOp>().getName());
  OpBuilder b(plan);
  Location loc = plan.getLoc();
  auto dim = [&](Value memref, int64_t i) {
    return b.createOrFold<memref::DimOp>(loc, memref, i);
  };
  int64_t batchRank = cast<MemRefType>(plan.getCrow().getType()).getRank() - 1;
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Value rows = b.createOrFold<arith::SubIOp>(
      loc, dim(plan.getCrow(), batchRank), constant(1));
  Value windows = b.createOrFold<arith::CeilDivSIOp>(
      loc, rows, constant(getGroupRowsWindow(plan)));
  Value rowBlockGroups = dim(plan.getRowBlockGroups(), batchRank);
  for (int64_t i = 0; i < batchRank; ++i) {
    Value size = dim(plan.getCrow(), i);
    windows = b.createOrFold<arith::MulIOp>(loc, size, windows);
    rowBlockGroups = b.createOrFold<arith::MulIOp>(loc, size, rowBlockGroups);
  }
  launch(b, buildGroupRowsKernel(plan, name + "_group", module, symbols),
         module, windows,
         {plan.getCrow(), plan.getCol(), plan.getRowBlockGroups()});
  launch(b, buildPlanStepsKernel(plan, name + "_plan", module, symbols), module,
         rowBlockGroups,
         {plan.getCrow(), plan.getCol(), plan.getRowBlockGroups(),
          plan.getSteps(), plan.getColumns()});
  plan.erase();
}

/// Replaces the op by a kernel and its launch.
static void convert(MergeOp merge, gpu::GPUModuleOp module,
                    SymbolTable &symbols) {
  std::string name =
      wgtile::getKernelName(merge->getParentOfType<func::FuncOp>().getName());
  OpBuilder b(merge);
  Value groups = b.createOrFold<memref::DimOp>(merge.getLoc(),
                                               merge.getCounts(), int64_t(0));
  SmallVector<Value> arguments = merge.getRead();
  arguments.append({merge.getCounts(), merge.getSteps(), merge.getWidth(),
                    merge.getAcross()});
  launch(b, buildMergeKernel(merge, name + "_merge", module, symbols), module,
         groups, arguments);
  merge.erase();
}

/// The ops of a kind, each in a host function and on memrefs.
template <typename Op>
static LogicalResult collect(ModuleOp module, SmallVectorImpl<Op> &ops) {
  module.walk([&](Op op) { ops.push_back(op); });
  for (Op op : ops) {
    if (!op->template getParentOfType<func::FuncOp>())
      return op.emitOpError("expected to be in a host function");
    if (!op.getResults().empty())
      return op.emitOpError("expected memrefs, but got tensors");
  }
  return success();
}

namespace {
struct ConvertSAttnPlanToGPUPass
    : public sattn::impl::ConvertSAttnPlanToGPUBase<ConvertSAttnPlanToGPUPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<PlanOp> plans;
    SmallVector<MergeOp> merges;
    if (failed(collect(module, plans)) || failed(collect(module, merges)))
      return signalPassFailure();
    if (plans.empty() && merges.empty())
      return;
    gpu::GPUModuleOp kernels = wgtile::getOrCreateKernelModule(module);
    SymbolTable symbols(kernels);
    for (PlanOp plan : plans)
      convert(plan, kernels, symbols);
    for (MergeOp merge : merges)
      convert(merge, kernels, symbols);
  }
};
} // namespace
