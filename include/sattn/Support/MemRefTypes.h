//===- MemRefTypes.h - Types of memrefs -------------------------*- C++ -*-===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_SUPPORT_MEMREFTYPES_H
#define SATTN_SUPPORT_MEMREFTYPES_H

#include "mlir/IR/BuiltinTypes.h"

namespace sattn {

/// The type with an innermost stride of 1; null where its innermost stride is
/// known.
inline mlir::MemRefType withUnitStride(mlir::MemRefType type) {
  llvm::SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) || strides.empty() ||
      !mlir::ShapedType::isDynamic(strides.back()))
    return {};
  strides.back() = 1;
  return mlir::MemRefType::get(
      type.getShape(), type.getElementType(),
      mlir::StridedLayoutAttr::get(type.getContext(), offset, strides),
      type.getMemorySpace());
}

} // namespace sattn

#endif // SATTN_SUPPORT_MEMREFTYPES_H
