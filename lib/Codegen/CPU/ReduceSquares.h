//===- ReduceSquares.h - Reductions of several rows -------------*- C++ -*-===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LIB_CODEGEN_CPU_REDUCESQUARES_H
#define SATTN_LIB_CODEGEN_CPU_REDUCESQUARES_H

#include "mlir/IR/PatternMatch.h"

namespace sattn {

/// Adds patterns that reduce the rows of several squares side by side: they add
/// up the squares, transpose their sum, and add up its rows. One row alone
/// takes a shuffle and an operation of a whole vector for each halving of its
/// length.
void populateReduceSquaresPatterns(mlir::RewritePatternSet &patterns);

} // namespace sattn

#endif // SATTN_LIB_CODEGEN_CPU_REDUCESQUARES_H
