//===- AttributeRules.h - What discardable attributes are -------*- C++ -*-===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dialect lists its discardable attributes, each with its kind and the ops
// that have it, and verifies them by the list.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_SUPPORT_ATTRIBUTERULES_H
#define SATTN_SUPPORT_ATTRIBUTERULES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace sattn {

struct AttributeRule {
  llvm::StringLiteral name;
  bool (*isValid)(mlir::Attribute);
  llvm::StringLiteral kind;
  bool (*isPlace)(mlir::Operation *);
  llvm::StringLiteral place;
};

template <typename... T> bool isAttribute(mlir::Attribute attr) {
  return llvm::isa<T...>(attr);
}
template <typename... T> bool isOp(mlir::Operation *op) {
  return llvm::isa<T...>(op);
}

/// Whether an attribute is an array of elements of one kind.
template <typename T> bool isArrayOf(mlir::Attribute attr) {
  auto array = llvm::dyn_cast<mlir::ArrayAttr>(attr);
  return array && llvm::all_of(array, llvm::IsaPred<T>);
}

/// Checks an attribute by the rule of its name, if there is one.
inline llvm::LogicalResult
verifyAttribute(mlir::Operation *op, mlir::NamedAttribute attr,
                llvm::ArrayRef<AttributeRule> rules) {
  for (const AttributeRule &rule : rules)
    if (rule.name == attr.getName() &&
        !(rule.isPlace(op) && rule.isValid(attr.getValue())))
      return op->emitOpError()
             << "expected '" << rule.name << "' to be " << rule.kind << " of "
             << rule.place << ", but got " << attr.getValue();
  return llvm::success();
}

} // namespace sattn

#endif // SATTN_SUPPORT_ATTRIBUTERULES_H
