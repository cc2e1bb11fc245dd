//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The element types that MMAs multiply.

#ifndef SATTN_DIALECT_WGTILE_IR_MMATYPES_H
#define SATTN_DIALECT_WGTILE_IR_MMATYPES_H

#include "mlir/IR/Types.h"

namespace wgtile {

/// PTX's name of an element type that MMAs multiply, such as "bf16", "tf32" or
/// "s8"; "" of any other.
llvm::StringRef getMmaName(mlir::Type element);
/// The element type in which an MMA of such elements accumulates.
mlir::Type getMmaAccumulator(mlir::Type element);
/// Whether one MMA multiplies elements of two types.
bool canMultiply(mlir::Type a, mlir::Type b);

} // namespace wgtile

#endif // SATTN_DIALECT_WGTILE_IR_MMATYPES_H
