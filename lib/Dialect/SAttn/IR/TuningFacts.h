//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The facts that ops give of themselves for the choice of their parameters.

#ifndef SATTN_LIB_DIALECT_SATTN_IR_TUNINGFACTS_H
#define SATTN_LIB_DIALECT_SATTN_IR_TUNINGFACTS_H

#include "sattn/Tuning/NamedFacts.h"

#include "mlir/IR/BuiltinTypes.h"

namespace sattn {

/// Facts by name. A fact that is not known is left out.
class TuningFacts {
public:
  void add(llvm::StringLiteral name, int64_t number);
  void add(llvm::StringLiteral name, std::optional<int64_t> number);
  void addNumber(llvm::StringLiteral name, double number);
  /// A fact that is 0 or 1; 0 is left out.
  void addFlag(llvm::StringLiteral name, bool isSet);
  /// A size of a type, or where that is dynamic the hint.
  void addSize(llvm::StringLiteral name, int64_t size,
               std::optional<int64_t> hint = {});
  /// The product of sizes of a type; left out where one is dynamic.
  void addProduct(llvm::StringLiteral name, llvm::ArrayRef<int64_t> sizes);
  /// An element type: "bf16", "f8E4M3FN".
  void addType(llvm::StringLiteral name, mlir::Type type);

  llvm::SmallVector<tuning::NamedFact> take() { return std::move(facts); }

private:
  llvm::SmallVector<tuning::NamedFact> facts;
};

} // namespace sattn

#endif // SATTN_LIB_DIALECT_SATTN_IR_TUNINGFACTS_H
