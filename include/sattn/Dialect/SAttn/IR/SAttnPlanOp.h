//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_IR_SATTNPLANOP_H
#define SATTN_DIALECT_SATTN_IR_SATTNPLANOP_H

#include "sattn/Dialect/SAttn/IR/SAttnDialect.h"

#define GET_OP_CLASSES
#include "sattn/Dialect/SAttn/IR/SAttnPlanOp.h.inc"

namespace sattn {
/// Requires the extents of a plan of a matrix: row-block groups, and steps of
/// the stored blocks.
void constrainPlanExtents(ExtentConstraints &constraints, mlir::Value crow,
                          mlir::Value col, mlir::Value rowBlockGroups,
                          mlir::Value steps);

} // namespace sattn

#endif // SATTN_DIALECT_SATTN_IR_SATTNPLANOP_H
