//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LIB_TARGET_EXTENTCHECKS_H
#define SATTN_LIB_TARGET_EXTENTCHECKS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/JSON.h"

namespace sattn {

/// Writes `sattn.extent_checks` of a function as checks of its manifest, and
/// the values that they are about. `names`: of the arguments.
void writeExtentChecks(mlir::func::FuncOp function,
                       llvm::ArrayRef<std::string> names,
                       llvm::json::Array &values, llvm::json::Array &checks);

} // namespace sattn

#endif // SATTN_LIB_TARGET_EXTENTCHECKS_H
