//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_IR_SATTNDIALECT_H
#define SATTN_DIALECT_SATTN_IR_SATTNDIALECT_H

#include "sattn/Dialect/SAttn/IR/ContractOpInterface.h"
#include "sattn/Dialect/SAttn/IR/ExtentConstraints.h"
#include "sattn/Dialect/SAttn/IR/RaiseOpInterface.h"
#include "sattn/Dialect/SAttn/IR/SAttnAttrs.h"
#include "sattn/Dialect/SAttn/IR/ScoreOpInterface.h"
#include "sattn/Dialect/SAttn/IR/StorageOpInterface.h"
#include "sattn/Dialect/SAttn/IR/TuningOpInterface.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SparseTensor/IR/SparseTensor.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/TilingInterface.h"

namespace sattn {
/// The type of an op's scalars, and of its sums of floats, where it multiplies
/// elements of `tensor`, or of a type: f64 of f64, else f32.
mlir::Type getScalarType(mlir::Type tensor);
} // namespace sattn

#include "sattn/Dialect/SAttn/IR/SAttnInterfaces.h.inc"

#endif // SATTN_DIALECT_SATTN_IR_SATTNDIALECT_H
