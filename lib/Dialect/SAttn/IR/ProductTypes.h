//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The element types of matrix products: which are multiplied, in which they are
// added up, and which results they have. Verifiers, contracts and tile programs
// of all products read this one table.

#ifndef LIB_DIALECT_SATTN_IR_PRODUCTTYPES_H
#define LIB_DIALECT_SATTN_IR_PRODUCTTYPES_H

#include "mlir/IR/Builders.h"

namespace sattn {

/// Names of the element types of ops that take floats alone.
llvm::ArrayRef<llvm::StringRef> getFloatNames();

/// Names of the element types that are multiplied.
llvm::ArrayRef<llvm::StringRef> getFactorNames();

/// Names of the element types that `factor`, one of the above, is multiplied
/// with.
llvm::ArrayRef<llvm::StringRef> getOtherFactorNames(mlir::Type factor);

/// Names of the element types of products of `factor`, which is one of the
/// above.
llvm::ArrayRef<llvm::StringRef> getResultNames(mlir::Type factor);

/// Whether the type has one of the names.
bool isNamed(mlir::Type type, llvm::ArrayRef<llvm::StringRef> names);

/// A text such as "f16, bf16 or f32".
std::string listNames(llvm::ArrayRef<llvm::StringRef> names);

/// The element type of what is added to a product, of `factor` and in `out`.
mlir::Type getAddedType(mlir::Type factor, mlir::Type out);

/// Whether rows and columns may be scaled by elements of the type of `factor`;
/// by f32 they always may.
bool isScale(mlir::Type factor);

/// The element type in which products of `factor` are added up.
mlir::Type getSumType(mlir::Type factor);

/// The element type of the arithmetic from a sum to an element of `out`:
/// `isScaled` says whether anything is multiplied, `isAdded` whether anything
/// is added.
mlir::Type getEpilogueType(mlir::Type out, bool isScaled, bool isAdded);

/// A number in another type. To an integer it is rounded to nearest, ties to
/// even, and saturated; a NaN becomes the least integer.
mlir::Value convertNumber(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::Value number, mlir::Type type);

/// x * y and x + y, of floats or integers.
mlir::Value multiply(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                     mlir::Value y);
mlir::Value add(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x,
                mlir::Value y);

/// Whether the MMAs of GPUs take `factor` only where both operands lie along K
/// in memory.
bool needsKMajor(mlir::Type factor);

/// A copy of the matrices whose last two dimensions are swapped.
mlir::Value createTransposed(mlir::OpBuilder &b, mlir::Location loc,
                             mlir::Value matrices);

} // namespace sattn

#endif // LIB_DIALECT_SATTN_IR_PRODUCTTYPES_H
