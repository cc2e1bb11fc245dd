//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Definition and verification of sattn.block_lists. The constraint numbers are
// those of the op's description.

#include "../OperandChecks.h"

#include "sattn/Dialect/SAttn/IR/BlockLists/BlockListsOp.h"

using namespace mlir;
using namespace sattn;

#define GET_OP_CLASSES
#include "sattn/Dialect/SAttn/IR/BlockLists/BlockListsOp.cpp.inc"

MutableOperandRange BlockListsOp::getDpsInitsMutable() {
  return getOutsMutable();
}

/// Verifies (C1).
static LogicalResult verifyTypes(BlockListsOp op,
                                 ArrayRef<NamedOperand> operands) {
  for (const NamedOperand &operand : operands)
    if (operand.batchRank() != 0 ||
        !operand.elementType().isSignlessInteger(32))
      return op.emitOpError()
             << "expected '" << operand.name << "' of rank " << operand.baseRank
             << " and element type i32, but got " << operand.value.getType();
  return success();
}

LogicalResult BlockListsOp::verify() {
  if (getOuts().size() != 2 && getOuts().size() != 4) // (C1)
    return emitOpError() << "expected two or four 'outs', but got "
                         << getOuts().size();
  if (getResultTypes() != getOuts().getTypes()) // (C1)
    return emitOpError() << "expected the results to have the types of 'outs'";
  if (!getOrigin().empty() && getOrigin().size() != 3) // (C3)
    return emitOpError() << "expected 3 numbers in 'origin', but got "
                         << getOrigin().size();
  NamedOperand counts{"counts", getCounts(), 4},
      heights{"heights", getHeights(), 1}, widths{"widths", getWidths(), 1};
  if (failed(verifyTypes(*this, {counts, heights, widths})) ||
      failed(verifySize(*this, heights, 0, "R", counts.size(2))) || // (C2)
      failed(verifySize(*this, widths, 0, "C", counts.size(3))))
    return failure();
  static constexpr StringRef kNames[][2] = {{"numbers", "columns"},
                                            {"full_numbers", "full_columns"}};
  for (unsigned kind = 0; kind < getNumKinds(); ++kind) {
    auto typed = [](Value value) {
      return cast<TypedValue<RankedTensorType>>(value);
    };
    NamedOperand numbers{kNames[kind][0], typed(getNumbers(kind)), 3},
        columns{kNames[kind][1], typed(getColumns(kind)), 4};
    if (failed(verifyTypes(*this, {numbers, columns})) ||
        failed(verifySize(*this, columns, 3, "C", counts.size(3)))) // (C2)
      return failure();
    // Only the results are cut.
    if (!getOrigin().empty())
      continue;
    static constexpr StringRef kDims[] = {"B", "H", "R"};
    for (const NamedOperand &out : {numbers, columns})
      for (auto [dim, name] : llvm::enumerate(kDims)) // (C2)
        if (failed(verifySize(*this, out, dim, name, counts.size(dim))))
          return failure();
  }
  return success();
}
