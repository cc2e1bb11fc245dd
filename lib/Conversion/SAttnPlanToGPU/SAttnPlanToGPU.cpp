//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Conversion/Passes.h"

#include "PlanKernel.h"

#include "sattn/Dialect/WGTile/IR/WGTile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace sattn {
#define GEN_PASS_DEF_CONVERTSATTNPLANTOGPU
#include "sattn/Conversion/Passes.h.inc"
} // namespace sattn

using namespace sattn;

static constexpr StringLiteral kModuleName = "kernels";

/// Replaces the op by a kernel and its launch.
static void convert(PlanOp plan, gpu::GPUModuleOp module,
                    SymbolTable &symbols) {
  auto function = plan->getParentOfType<func::FuncOp>();
  gpu::GPUFuncOp kernel = buildPlanKernel(
      plan, (function.getName() + "_plan").str(), module, symbols);

  OpBuilder b(plan);
  Location loc = plan.getLoc();
  Value grid;
  int64_t rank = cast<MemRefType>(plan.getPanels().getType()).getRank();
  for (int64_t i = 0; i < rank - 1; ++i) {
    Value size = b.createOrFold<memref::DimOp>(loc, plan.getPanels(), i);
    grid = grid ? b.createOrFold<arith::MulIOp>(loc, grid, size) : size;
  }
  auto launch = wgtile::LaunchOp::create(
      b, loc,
      SymbolRefAttr::get(module.getNameAttr(),
                         {FlatSymbolRefAttr::get(kernel.getNameAttr())}),
      grid,
      ValueRange{plan.getCrow(), plan.getCol(), plan.getPanels(),
                 plan.getSteps(), plan.getColumns()});
  launch.setPrepare(true);
  plan.erase();
}

namespace {
struct ConvertSAttnPlanToGPUPass
    : public sattn::impl::ConvertSAttnPlanToGPUBase<ConvertSAttnPlanToGPUPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<PlanOp> plans;
    module.walk([&](PlanOp plan) { plans.push_back(plan); });
    if (plans.empty())
      return;
    for (PlanOp plan : plans) {
      if (!plan->getParentOfType<func::FuncOp>()) {
        plan.emitOpError("expected to be in a host function");
        return signalPassFailure();
      }
      if (!plan.getResults().empty()) {
        plan.emitOpError("expected memrefs, but got tensors");
        return signalPassFailure();
      }
    }
    auto kernels = module.lookupSymbol<gpu::GPUModuleOp>(kModuleName);
    if (!kernels) {
      OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
      kernels = gpu::GPUModuleOp::create(b, module.getLoc(), kModuleName);
      module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                      b.getUnitAttr());
    }
    SymbolTable symbols(kernels);
    for (PlanOp plan : plans)
      convert(plan, kernels, symbols);
  }
};
} // namespace
