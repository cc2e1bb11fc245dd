//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Ops of the host side. The constraint numbers are those of the ops'
// descriptions.

#include "sattn/Dialect/WGTile/IR/WGTile.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace wgtile;

LogicalResult TensorMapOp::verify() {
  // (C1)
  auto source = cast<MemRefType>(getSource().getType());
  TensorMapType map = getMap().getType();
  if (static_cast<int64_t>(map.getBox().size()) != source.getRank() ||
      map.getElementType() != source.getElementType())
    return emitOpError() << "expected a box of rank " << source.getRank()
                         << " and element type " << source.getElementType()
                         << ", but got " << map;
  return success();
}

LogicalResult LaunchOp::verify() {
  // (C2)
  if (getHint() && !getPreprocess())
    return emitOpError("expected 'preprocess' with 'hint'");
  return success();
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // (C1)
  Operation *symbol = symbols.lookupNearestSymbolFrom(*this, getKernelAttr());
  if (auto kernel = dyn_cast_or_null<gpu::GPUFuncOp>(symbol);
      kernel && kernel.isKernel()) {
    if (llvm::to_vector(kernel.getArgumentTypes()) !=
        llvm::to_vector(getArgs().getTypes()))
      return emitOpError() << "expected arguments of types "
                           << kernel.getArgumentTypes() << ", but got "
                           << getArgs().getTypes();
    return success();
  }
  // A lowered kernel has other types; a compiled one has no symbol.
  if (isa_and_nonnull<LLVM::LLVMFuncOp>(symbol) ||
      symbols.lookupNearestSymbolFrom<gpu::BinaryOp>(
          *this, getKernelAttr().getRootReference()))
    return success();
  return emitOpError() << "expected a kernel, but found none named "
                       << getKernelAttr();
}
