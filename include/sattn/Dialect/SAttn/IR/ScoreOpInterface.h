//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_IR_SCOREOPINTERFACE_H
#define SATTN_DIALECT_SATTN_IR_SCOREOPINTERFACE_H

#include "sattn/Dialect/SAttn/IR/SAttnAttrs.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"

#include "sattn/Dialect/SAttn/IR/ScoreOpInterface.h.inc"

#endif // SATTN_DIALECT_SATTN_IR_SCOREOPINTERFACE_H
