//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Operands of products with a matrix in BSR storage, as ops print them.

#ifndef LIB_DIALECT_SATTN_IR_BSROPERANDS_H
#define LIB_DIALECT_SATTN_IR_BSROPERANDS_H

#include "mlir/IR/OpImplementation.h"

namespace sattn {

/// `crow, col, values, b : types`, or `values, b : types` where A is encoded.
mlir::ParseResult
parseBsrOperands(mlir::OpAsmParser &parser,
                 std::optional<mlir::OpAsmParser::UnresolvedOperand> &crow,
                 std::optional<mlir::OpAsmParser::UnresolvedOperand> &col,
                 mlir::OpAsmParser::UnresolvedOperand &values,
                 mlir::OpAsmParser::UnresolvedOperand &b, mlir::Type &crowType,
                 mlir::Type &colType, mlir::Type &valuesType,
                 mlir::Type &bType);
void printBsrOperands(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                      mlir::Value crow, mlir::Value col, mlir::Value values,
                      mlir::Value b, mlir::Type crowType, mlir::Type colType,
                      mlir::Type valuesType, mlir::Type bType);

} // namespace sattn

#endif // LIB_DIALECT_SATTN_IR_BSROPERANDS_H
