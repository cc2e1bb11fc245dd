//===- Rules.h - Cotangents of operands, for each op ------------*- C++ -*-===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Formulas and subgradients are those of PyTorch's derivatives.yaml and
// FunctionsManual.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef LIB_DIFFERENTIATION_RULES_H
#define LIB_DIFFERENTIATION_RULES_H

#include "RuleBuilder.h"

namespace sattn {

/// Add what an op contributes to the cotangents of its operands. They fail
/// where the dialect's op has no rule, and report nothing.
llvm::LogicalResult applyArithRule(RuleBuilder &b, mlir::Operation &op);
llvm::LogicalResult applyMathRule(RuleBuilder &b, mlir::Operation &op);

} // namespace sattn

#endif // LIB_DIFFERENTIATION_RULES_H
