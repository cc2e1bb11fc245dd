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

#include "sattn/Dialect/SAttn/IR/SAttn.h"

using namespace mlir;
using namespace sattn;

MutableOperandRange BlockListsOp::getDpsInitsMutable() {
  unsigned first = getNumbersMutable().getOperandNumber();
  return MutableOperandRange(*this, first, 2);
}

LogicalResult BlockListsOp::verify() {
  NamedOperand counts{"counts", getCounts(), 4},
      heights{"heights", getHeights(), 1}, widths{"widths", getWidths(), 1},
      numbers{"numbers", getNumbers(), 4}, columns{"columns", getColumns(), 5};
  for (const NamedOperand &operand :
       {counts, heights, widths, numbers, columns}) // (C1)
    if (operand.batchRank() != 0 ||
        !operand.elementType().isSignlessInteger(32))
      return emitOpError() << "expected '" << operand.name << "' of rank "
                           << operand.baseRank
                           << " and element type i32, but got "
                           << operand.value.getType();
  for (auto [result, out] :
       llvm::zip_equal(getResultTypes(), getDpsInits())) // (C1)
    if (result != out.getType())
      return emitOpError() << "expected a result of type " << out.getType()
                           << ", but got " << result;
  if (!getOrigin().empty() && getOrigin().size() != 4) // (C4)
    return emitOpError() << "expected 4 numbers in 'origin', but got "
                         << getOrigin().size();
  if (failed(verifySize(*this, widths, 0, "C", counts.size(3))) || // (C3)
      failed(verifySize(*this, columns, 4, "C", counts.size(3))) ||
      failed(verifySize(*this, heights, 0, "R", counts.size(2))))
    return failure();
  // Only the results are cut.
  if (!getOrigin().empty())
    return success();
  for (const NamedOperand &out : {numbers, columns}) {
    if (failed(verifySize(*this, out, 0, "K", getNumKinds()))) // (C2)
      return failure();
    static constexpr StringRef kNames[] = {"B", "H", "R"};
    for (auto [dim, name] : llvm::enumerate(kNames)) // (C3)
      if (failed(verifySize(*this, out, dim + 1, name, counts.size(dim))))
        return failure();
  }
  return success();
}
