//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Codegen/Passes.h"
#include "sattn/Support/TileLoopAttributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace sattn {
#define GEN_PASS_DEF_SATTNCPURECORDTHREADS
#define GEN_PASS_DEF_SATTNCPUSCHEDULETHREADS
#include "sattn/Codegen/Passes.h.inc"
} // namespace sattn

/// Gives each parallel region the most threads that its loop is to have.
static void limitThreads(func::FuncOp function, ArrayRef<int64_t> threads) {
  SmallVector<omp::ParallelOp> regions;
  function.walk<WalkOrder::PreOrder>(
      [&](omp::ParallelOp op) { regions.push_back(op); });
  if (regions.size() != threads.size())
    return;
  for (auto [op, most] : llvm::zip(regions, threads)) {
    if (most == 0)
      continue;
    OpBuilder builder(op);
    Value number =
        LLVM::ConstantOp::create(builder, op.getLoc(), builder.getI32Type(),
                                 builder.getI32IntegerAttr(most));
    op.getNumThreadsMutable().assign(number);
  }
}

namespace {
struct CPURecordThreadsPass
    : public sattn::impl::SAttnCPURecordThreadsBase<CPURecordThreadsPass> {
  void runOnOperation() override {
    SmallVector<int64_t> threads;
    getOperation().walk<WalkOrder::PreOrder>([&](scf::ForallOp loop) {
      auto hint = loop->getAttrOfType<IntegerAttr>(sattn::kTileThreadsAttrName);
      threads.push_back(hint ? hint.getInt() : 0);
    });
    if (llvm::any_of(threads, [](int64_t most) { return most != 0; }))
      getOperation()->setAttr(sattn::kLoopThreadsAttrName,
                              DenseI64ArrayAttr::get(&getContext(), threads));
  }
};

struct CPUScheduleThreadsPass
    : public sattn::impl::SAttnCPUScheduleThreadsBase<CPUScheduleThreadsPass> {
  void runOnOperation() override {
    getOperation().walk([](omp::WsloopOp op) {
      if (!op.getScheduleKind())
        op.setScheduleKind(omp::ClauseScheduleKind::Dynamic);
    });
    if (auto threads = getOperation()->getAttrOfType<DenseI64ArrayAttr>(
            sattn::kLoopThreadsAttrName)) {
      limitThreads(getOperation(), threads.asArrayRef());
      getOperation()->removeAttr(sattn::kLoopThreadsAttrName);
    }
  }
};
} // namespace
