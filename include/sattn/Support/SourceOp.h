//===- SourceOp.h - The op that code was made of ----------------*- C++ -*-===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a tile program becomes, down to its kernel, knows by its location which
// op of the user's it was made of, so that late passes can refuse it in the
// user's words.
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

/// An error at the op that what is at the location was made of, with its name
/// where that is known.
inline mlir::InFlightDiagnostic emitSourceError(mlir::Location loc) {
  using SourceLoc = mlir::FusedLocWith<mlir::StringAttr>;
  mlir::InFlightDiagnostic diag = mlir::emitError(loc);
  if (auto source = loc->findInstanceOf<SourceLoc>())
    diag << "'" << source.getMetadata().getValue() << "' op ";
  return diag;
}

} // namespace sattn

#endif // SATTN_SUPPORT_SOURCEOP_H
