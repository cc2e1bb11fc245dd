//===- ClipReductions.h - Products without their zeros ----------*- C++ -*-===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LIB_CODEGEN_CPU_CLIPREDUCTIONS_H
#define SATTN_LIB_CODEGEN_CPU_CLIPREDUCTIONS_H

#include "mlir/IR/PatternMatch.h"

namespace sattn {

/// Adds patterns that clip matrix products: two operands that end at the same
/// place and are padded with zeros from there on are multiplied only as far as
/// they go.
void populateClipReductionPatterns(mlir::RewritePatternSet &patterns);

} // namespace sattn

#endif // SATTN_LIB_CODEGEN_CPU_CLIPREDUCTIONS_H
