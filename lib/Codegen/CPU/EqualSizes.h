//===- EqualSizes.h - Sizes that are the same -------------------*- C++ -*-===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LIB_CODEGEN_CPU_EQUALSIZES_H
#define SATTN_LIB_CODEGEN_CPU_EQUALSIZES_H

#include "mlir/IR/OpDefinition.h"

namespace sattn {

/// Whether two sizes are the same: as values, as the same function of sizes
/// that are the same, or as extents of arguments that the function's contracts
/// require to be equal.
bool areEqualSizes(mlir::OpFoldResult first, mlir::OpFoldResult second);

} // namespace sattn

#endif // SATTN_LIB_CODEGEN_CPU_EQUALSIZES_H
