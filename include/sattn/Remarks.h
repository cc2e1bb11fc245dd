//===- Remarks.h - What passes say when asked -------------------*- C++ -*-===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_REMARKS_H
#define SATTN_REMARKS_H

#include "mlir/IR/MLIRContext.h"

namespace sattn {

/// Gives the optimization remarks of sattn's passes (mlir/IR/Remarks.h), such
/// as where tile parameters come from, to the context's diagnostic handlers as
/// remarks. Without it nobody hears them. Call it once a context.
void enableRemarks(mlir::MLIRContext &context);

} // namespace sattn

#endif // SATTN_REMARKS_H
