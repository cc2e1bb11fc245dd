//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_IR_CONTRACTOPINTERFACE_H
#define SATTN_DIALECT_SATTN_IR_CONTRACTOPINTERFACE_H

#include "sattn/Dialect/SAttn/IR/Contract.h"

#include "mlir/IR/OpDefinition.h"

#include "sattn/Dialect/SAttn/IR/ContractOpInterface.h.inc"

#endif // SATTN_DIALECT_SATTN_IR_CONTRACTOPINTERFACE_H
