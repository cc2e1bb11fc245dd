//===- SourceOp.h - The op that code was made of ----------------*- C++ -*-===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The op of the user's that a tile program was made from. The location of the
// program, down to its kernel, names it, so that late passes can refuse it in
// the user's words.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_SUPPORT_SOURCEOP_H
#define SATTN_SUPPORT_SOURCEOP_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"

namespace sattn {

/// The op's location with its name, for the ops that are made of it.
inline mlir::Location getSourceLocation(mlir::Operation *op) {
  mlir::MLIRContext *context = op->getContext();
  return mlir::FusedLoc::get(
      context, {op->getLoc()},
      mlir::StringAttr::get(context, op->getName().getStringRef()));
}

/// Emits an error at the user's op that the op at `loc` was made from, with its
/// name if that is known.
inline mlir::InFlightDiagnostic emitSourceError(mlir::Location loc) {
  using SourceLoc = mlir::FusedLocWith<mlir::StringAttr>;
  mlir::InFlightDiagnostic diag = mlir::emitError(loc);
  if (auto source = loc->findInstanceOf<SourceLoc>())
    diag << "'" << source.getMetadata().getValue() << "' op ";
  return diag;
}

} // namespace sattn

#endif // SATTN_SUPPORT_SOURCEOP_H
