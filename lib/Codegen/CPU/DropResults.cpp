//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Codegen/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace sattn {
#define GEN_PASS_DEF_SATTNCPUDROPRESULTS
#include "sattn/Codegen/Passes.h.inc"
} // namespace sattn

/// Whether `value` is an argument of the function, perhaps cast.
static bool isArgumentOf(func::FuncOp function, Value value) {
  while (auto cast = value.getDefiningOp<memref::CastOp>())
    value = cast.getSource();
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner() == &function.getBody().front() &&
         isa<BaseMemRefType>(argument.getType());
}

static void dropResults(func::FuncOp function) {
  SmallVector<func::ReturnOp> returns(function.getOps<func::ReturnOp>());
  llvm::BitVector dropped(function.getNumResults());
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (llvm::all_of(returns, [&](func::ReturnOp op) {
          return isArgumentOf(function, op.getOperand(i));
        }))
      dropped.set(i);
  if (dropped.none() || failed(function.eraseResults(dropped)))
    return;
  for (func::ReturnOp op : returns)
    op->eraseOperands(dropped);
}

namespace {
struct CPUDropResultsPass
    : public sattn::impl::SAttnCPUDropResultsBase<CPUDropResultsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (auto function : module.getOps<func::FuncOp>())
      if (!function.isExternal() &&
          SymbolTable::symbolKnownUseEmpty(function, module))
        dropResults(function);
  }
};
} // namespace
