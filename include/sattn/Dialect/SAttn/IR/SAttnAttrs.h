//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_IR_SATTNATTRS_H
#define SATTN_DIALECT_SATTN_IR_SATTNATTRS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"

#include "sattn/Dialect/SAttn/IR/SAttnDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "sattn/Dialect/SAttn/IR/SAttnAttrs.h.inc"

#endif // SATTN_DIALECT_SATTN_IR_SATTNATTRS_H
