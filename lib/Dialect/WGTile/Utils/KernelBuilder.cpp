//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sattn/Dialect/WGTile/Utils/KernelBuilder.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace wgtile;

static constexpr StringLiteral kModuleName = "kernels";
/// LLVM's address space of shared memory.
static constexpr unsigned kShared = 3;
static constexpr int64_t kSharedAlignment = 16;

gpu::GPUModuleOp wgtile::getOrCreateKernelModule(ModuleOp program) {
  auto modules = program.getOps<gpu::GPUModuleOp>();
  if (!modules.empty())
    return *modules.begin();
  OpBuilder b(program.getContext());
  auto kernels = gpu::GPUModuleOp::create(b, program.getLoc(), kModuleName);
  SymbolTable(program).insert(kernels, program.getBody()->begin());
  program->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                   b.getUnitAttr());
  return kernels;
}

std::string wgtile::getKernelName(StringRef function) {
  std::string name;
  for (char c : function)
    name += llvm::isAlnum(c) ? c : '_';
  // PTX reads an underscore alone and WARP_SZ otherwise; LLVM the others.
  StringRef text = name;
  bool isTaken = text.empty() || llvm::isDigit(text.front()) || text == "_" ||
                 text == "WARP_SZ" || text.starts_with("__nvvm") ||
                 text.starts_with("wgtile_");
  return isTaken ? "kernel_" + name : name;
}

gpu::GPUFuncOp KernelBuilder::createKernel(StringRef name, TypeRange arguments,
                                           int threads) {
  auto kernel =
      gpu::GPUFuncOp::create(b, name, b.getFunctionType(arguments, {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  kernel.setKnownBlockSizeAttr(b.getDenseI32ArrayAttr({threads, 1, 1}));
  symbols.insert(kernel);
  b.setInsertionPointToEnd(&kernel.getBody().front());
  return kernel;
}

Value KernelBuilder::clamp(Value value, Value low, Value high) {
  return arith::MinSIOp::create(b, arith::MaxSIOp::create(b, value, low), high);
}

Value KernelBuilder::load(Value memref, ValueRange indices) {
  return memref::LoadOp::create(b, memref, indices);
}

void KernelBuilder::store(Value value, Value memref, ValueRange indices) {
  memref::StoreOp::create(b, value, memref, indices);
}

Value KernelBuilder::atomic(arith::AtomicRMWKind kind, Value value,
                            Value memref, ValueRange indices) {
  return memref::AtomicRMWOp::create(b, value.getType(), kind, value, memref,
                                     indices);
}

SmallVector<Value> KernelBuilder::findPlane(Value memref, Value plane) {
  int64_t rank = cast<MemRefType>(memref.getType()).getRank();
  SmallVector<Value> indices(std::max<int64_t>(rank - 2, 0));
  for (int64_t dim = rank - 3; dim >= 0; --dim) {
    Value size = toI32(memref::DimOp::create(b, memref, dim));
    indices[dim] = toIndex(dim > 0 ? rem(plane, size) : plane);
    plane = div(plane, size);
  }
  return indices;
}

Value KernelBuilder::shared(StringRef name, ArrayRef<int64_t> shape,
                            Type element) {
  auto type = MemRefType::get(shape, element ? element : b.getI32Type(),
                              MemRefLayoutAttrInterface(),
                              b.getI64IntegerAttr(kShared));
  OpBuilder atStart = OpBuilder::atBlockBegin(module.getBody());
  auto global = memref::GlobalOp::create(
      atStart, b.getLoc(), name, atStart.getStringAttr("private"), type,
      /*initial_value=*/atStart.getUnitAttr(), /*constant=*/false,
      element ? atStart.getI64IntegerAttr(kSharedAlignment) : IntegerAttr());
  symbols.insert(global);
  return memref::GetGlobalOp::create(b, type, global.getSymName());
}

void KernelBuilder::ifThen(Value condition, function_ref<void()> body) {
  scf::IfOp::create(b, condition, [&](OpBuilder &, Location) {
    body();
    scf::YieldOp::create(b);
  });
}

SmallVector<Value> KernelBuilder::loop(Value lower, Value upper, Value step,
                                       ValueRange inits, Body body) {
  auto op = scf::ForOp::create(
      b, lower, upper, step, inits,
      [&](OpBuilder &, Location, Value iv, ValueRange carried) {
        SmallVector<Value> results = body(iv, carried);
        scf::YieldOp::create(b, results);
      });
  return llvm::to_vector_of<Value>(op.getResults());
}

Value KernelBuilder::prefixSum(Value value, Value thread, Value sums) {
  int64_t threads = cast<MemRefType>(sums.getType()).getNumElements();
  Value zero = index(0);
  store(value, sums, thread);
  for (int64_t distance = 1; distance < threads; distance *= 2) {
    barrier();
    Value from = sub(thread, index(distance));
    Value has = compare(arith::CmpIPredicate::sge, from, zero);
    Value other = load(sums, clamp(from, zero, thread));
    value = add(value, arith::SelectOp::create(b, has, other, i32(0)));
    barrier();
    store(value, sums, thread);
  }
  return value;
}
