//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Checks that verifiers of ops over the scores of attention share. The
// constraint numbers are those of the ops' descriptions.

#ifndef LIB_DIALECT_SATTN_IR_FLEXATTENTION_SCORECHECKS_H
#define LIB_DIALECT_SATTN_IR_FLEXATTENTION_SCORECHECKS_H

#include "sattn/Dialect/SAttn/IR/SAttnDialect.h"

namespace sattn::flex_attention {

/// An operand, its name, the rank it must have and what elements.
struct NamedOperand {
  llvm::StringRef name;
  mlir::RankedTensorType type;
  int64_t rank;
  mlir::Type element;
};

/// The operands that the ops have in common.
llvm::SmallVector<NamedOperand> nameOperands(ScoreOpInterface op);
/// Verifies (C1), (C2), of these operands and the captures.
llvm::LogicalResult verifyTypes(ScoreOpInterface op,
                                llvm::ArrayRef<NamedOperand> operands);
/// Verifies (C3), (C4), (C5), (C7), (C8), (C10), and (C11) where heads are
/// packed.
llvm::LogicalResult verifyScores(ScoreOpInterface op);
/// Verifies an extent of a tensor; a dimension below 0 counts from the end.
llvm::LogicalResult verifyExtent(ScoreOpInterface op, llvm::StringRef name,
                                 mlir::Value tensor, int64_t dim,
                                 llvm::StringRef what, int64_t expected,
                                 bool mayBeOne = false);
/// Verifies (C4), the leading dimensions and the rows of a tensor, as those of
/// q.
llvm::LogicalResult verifyRows(ScoreOpInterface op, llvm::StringRef name,
                               mlir::Value tensor);

/// Verifies (C9).
llvm::LogicalResult verifyOrigin(ScoreOpInterface op, int64_t loops);

} // namespace sattn::flex_attention

#endif // LIB_DIALECT_SATTN_IR_FLEXATTENTION_SCORECHECKS_H
