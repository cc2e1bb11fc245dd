//===- Differentiation.h - Reverse mode over scalar ops ---------*- C++ -*-===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cotangents of the values of a block of scalar ops of arith and math, with the
// subgradients of PyTorch. The cotangent of a value v is d loss / d v.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIFFERENTIATION_DIFFERENTIATION_H
#define SATTN_DIFFERENTIATION_DIFFERENTIATION_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/IRMapping.h"

namespace sattn {

/// The type of the cotangent of a value of this type: f32 of narrower floats,
/// so that sums of cotangents are rounded once, else the type itself.
mlir::FloatType getCotangentType(mlir::FloatType type);

/// Builds the cotangents of `wanted` at the builder's insertion point.
///
/// `block` is a block of scalar ops whose terminator has one operand, a float;
/// `cotangent` is that operand's, of its cotangent type. `wanted` are floats:
/// arguments of the block, or results of its ops, such as elements that a
/// `tensor.extract` reads; a value that is no float has no cotangent, and
/// nothing passes through one. `values` has what stands at the insertion point
/// for the arguments of the block, and may have more of its values; ops whose
/// results it lacks are cloned where a derivative reads them.
///
/// Returns a value for each of `wanted`, 0 where the result does not depend on
/// it. Fails with an error at an op on the way that has no rule.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
buildCotangents(mlir::OpBuilder &b, mlir::Block &block, mlir::ValueRange wanted,
                mlir::Value cotangent, mlir::IRMapping values);

} // namespace sattn

#endif // SATTN_DIFFERENTIATION_DIFFERENTIATION_H
