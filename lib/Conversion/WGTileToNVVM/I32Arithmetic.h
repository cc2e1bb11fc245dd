//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_LIB_CONVERSION_WGTILETONVVM_I32ARITHMETIC_H
#define SATTN_LIB_CONVERSION_WGTILETONVVM_I32ARITHMETIC_H

#include "TileRegisters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace wgtile {

/// Unsigned integer arithmetic on i32.
struct I32Arithmetic {
  mlir::OpBuilder &b;
  mlir::Location loc;

  mlir::Value i32(int64_t value) { return createI32(b, loc, value); }
  mlir::Value add(mlir::Value lhs, mlir::Value rhs) {
    return mlir::arith::AddIOp::create(b, loc, lhs, rhs);
  }
  mlir::Value mul(mlir::Value lhs, int64_t rhs) {
    return mlir::arith::MulIOp::create(b, loc, lhs, i32(rhs));
  }
  mlir::Value div(mlir::Value lhs, int64_t rhs) {
    return mlir::arith::DivUIOp::create(b, loc, lhs, i32(rhs));
  }
  mlir::Value rem(mlir::Value lhs, int64_t rhs) {
    return mlir::arith::RemUIOp::create(b, loc, lhs, i32(rhs));
  }
  mlir::Value xOr(mlir::Value lhs, mlir::Value rhs) {
    return mlir::arith::XOrIOp::create(b, loc, lhs, rhs);
  }
};

} // namespace wgtile

#endif // SATTN_LIB_CONVERSION_WGTILETONVVM_I32ARITHMETIC_H
