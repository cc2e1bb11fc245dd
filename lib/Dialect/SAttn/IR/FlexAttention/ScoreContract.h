//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The requirements that ops over the scores of attention share, on extents and
// on a program's arguments. The constraint numbers are those of the ops'
// descriptions.

#ifndef LIB_DIALECT_SATTN_IR_FLEXATTENTION_SCORECONTRACT_H
#define LIB_DIALECT_SATTN_IR_FLEXATTENTION_SCORECONTRACT_H

#include "sattn/Dialect/SAttn/IR/SAttnDialect.h"

namespace sattn::flex_attention {

/// Requires what the ops have in common.
void constrainScores(ScoreOpInterface op, ExtentConstraints &constraints);
/// Requires the leading dimensions and the rows of a tensor to be q's.
void constrainRows(ScoreOpInterface op, mlir::Value tensor,
                   ExtentConstraints &constraints);

/// Adds the operands and checks of one op to a contract.
class ScoreContract {
public:
  ScoreContract(ScoreOpInterface op, Contract &contract)
      : op(op), contract(contract), lead(op.getLeadRank()) {}

  /// Adds scale, q, k, v, lists, key lengths and captures.
  llvm::LogicalResult addOperands();
  /// Adds numbers for the reference, which knows an op by its operands.
  void addNumbers();
  /// Adds a result with q's rank and elements.
  llvm::LogicalResult addResult(llvm::StringRef name, mlir::Value result);
  /// Adds numbers of queries, in the type of scores.
  llvm::LogicalResult addRows(llvm::StringRef name, mlir::Value rows);

  /// Checks what the ops have in common.
  void addChecks();
  /// Requires the leading dimensions and the rows of a tensor to be q's.
  void requireRows(mlir::Value tensor);
  void requireEqual(mlir::Value tensor, int64_t dimension, llvm::StringRef name,
                    mlir::Value other, int64_t otherDimension);
  /// Requires results to overlap neither each other nor the operands that are
  /// read, `others` among them.
  void addApart(llvm::ArrayRef<mlir::Value> others);

private:
  mlir::DictionaryAttr extent(mlir::Value tensor, int64_t dimension) {
    return contract.getExtent(tensor, dimension);
  }
  mlir::DictionaryAttr keys() { return extent(op.getK(), -2); }
  llvm::LogicalResult addIndices(llvm::StringRef name, mlir::Value tensor,
                                 int64_t rank);
  llvm::StringRef nameOf(int64_t dimension);
  void requireBroadcast(mlir::Value tensor, int64_t dimension);
  void addListChecks(mlir::Value counts, mlir::Value indices, bool isFull);
  void addStoredChecks();

  ScoreOpInterface op;
  Contract &contract;
  int64_t lead;
};

} // namespace sattn::flex_attention

#endif // LIB_DIALECT_SATTN_IR_FLEXATTENTION_SCORECONTRACT_H
