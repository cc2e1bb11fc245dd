//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_WGTILE_UTILS_KERNELBUILDER_H
#define SATTN_DIALECT_WGTILE_UTILS_KERNELBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"

namespace wgtile {

/// The module of kernels of a program, made at its start where there is none.
mlir::gpu::GPUModuleOp getOrCreateKernelModule(mlir::ModuleOp program);

/// Name of a kernel of a host function, of any bytes: an identifier of PTX that
/// no symbol of the lowering has. Two functions may have the same.
std::string getKernelName(llvm::StringRef function);

/// Builds kernels of plain integer code: threads, shared memory and loops in
/// upstream's dialects.
class KernelBuilder {
public:
  KernelBuilder(mlir::Location loc, mlir::gpu::GPUModuleOp module,
                mlir::SymbolTable &symbols)
      : b(loc, loc.getContext()), module(module), symbols(symbols) {}

protected:
  mlir::ImplicitLocOpBuilder b;
  mlir::gpu::GPUModuleOp module;
  mlir::SymbolTable &symbols;

  /// A kernel of `threads` threads in the module; building goes on in its body.
  mlir::gpu::GPUFuncOp createKernel(llvm::StringRef name,
                                    mlir::TypeRange arguments, int threads);

  mlir::Value index(int64_t value) {
    return mlir::arith::ConstantIndexOp::create(b, value);
  }
  mlir::Value i32(int64_t value) {
    return mlir::arith::ConstantIntOp::create(b, value, 32);
  }
  mlir::Value toIndex(mlir::Value value) {
    return mlir::arith::IndexCastOp::create(b, b.getIndexType(), value);
  }
  mlir::Value toI32(mlir::Value value) {
    return mlir::arith::IndexCastOp::create(b, b.getI32Type(), value);
  }
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value lhs,
                      mlir::Value rhs) {
    return mlir::arith::CmpIOp::create(b, predicate, lhs, rhs);
  }
  mlir::Value add(mlir::Value lhs, mlir::Value rhs) {
    return mlir::arith::AddIOp::create(b, lhs, rhs);
  }
  mlir::Value sub(mlir::Value lhs, mlir::Value rhs) {
    return mlir::arith::SubIOp::create(b, lhs, rhs);
  }
  mlir::Value mul(mlir::Value lhs, mlir::Value rhs) {
    return mlir::arith::MulIOp::create(b, lhs, rhs);
  }
  mlir::Value rem(mlir::Value lhs, mlir::Value rhs) {
    return mlir::arith::RemUIOp::create(b, lhs, rhs);
  }
  mlir::Value div(mlir::Value lhs, mlir::Value rhs) {
    return mlir::arith::DivUIOp::create(b, lhs, rhs);
  }
  mlir::Value clamp(mlir::Value value, mlir::Value low, mlir::Value high);
  mlir::Value load(mlir::Value memref, mlir::ValueRange indices);
  void store(mlir::Value value, mlir::Value memref, mlir::ValueRange indices);
  /// Returns the old value.
  mlir::Value atomic(mlir::arith::AtomicRMWKind kind, mlir::Value value,
                     mlir::Value memref, mlir::ValueRange indices);
  void barrier() { mlir::gpu::BarrierOp::create(b); }

  /// The indices before the last two of plane number `plane` (i32) of a memref.
  llvm::SmallVector<mlir::Value> findPlane(mlir::Value memref,
                                           mlir::Value plane);

  /// An array in shared memory: of i32, or of `element` at a multiple of 16
  /// bytes.
  mlir::Value shared(llvm::StringRef name, llvm::ArrayRef<int64_t> shape,
                     mlir::Type element = {});

  void ifThen(mlir::Value condition, llvm::function_ref<void()> body);

  using Body = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::Value, mlir::ValueRange)>;
  /// Builds a loop; the body gives the carried values of the next iteration.
  llvm::SmallVector<mlir::Value> loop(mlir::Value lower, mlir::Value upper,
                                      mlir::Value step, mlir::ValueRange inits,
                                      Body body);

  /// The sum of the values (i32) of this thread and those before it. `sums`, an
  /// array of one element a thread, holds all of them after the next barrier.
  mlir::Value prefixSum(mlir::Value value, mlir::Value thread,
                        mlir::Value sums);
};

} // namespace wgtile

#endif // SATTN_DIALECT_WGTILE_UTILS_KERNELBUILDER_H
