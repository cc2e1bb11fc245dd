//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Codegen/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"

using namespace mlir;

namespace sattn {
#define GEN_PASS_DEF_SATTNCPUSCHEDULETHREADS
#include "sattn/Codegen/Passes.h.inc"
} // namespace sattn

namespace {
struct CPUScheduleThreadsPass
    : public sattn::impl::SAttnCPUScheduleThreadsBase<CPUScheduleThreadsPass> {
  void runOnOperation() override {
    getOperation().walk([](omp::WsloopOp op) {
      if (!op.getScheduleKind())
        op.setScheduleKind(omp::ClauseScheduleKind::Dynamic);
    });
  }
};
} // namespace
