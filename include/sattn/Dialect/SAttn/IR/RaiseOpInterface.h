//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_IR_RAISEOPINTERFACE_H
#define SATTN_DIALECT_SATTN_IR_RAISEOPINTERFACE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OpDefinition.h"

#include "sattn/Dialect/SAttn/IR/RaiseOpInterface.h.inc"

#endif // SATTN_DIALECT_SATTN_IR_RAISEOPINTERFACE_H
