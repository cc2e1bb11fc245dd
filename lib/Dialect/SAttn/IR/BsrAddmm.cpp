//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Definition and verification of sattn.bsr_addmm. The constraint numbers are
// those of the op's description.

#include "sattn/Dialect/SAttn/IR/SAttn.h"

using namespace mlir;
using namespace sattn;

MutableOperandRange BsrAddmmOp::getDpsInitsMutable() { return getOutMutable(); }

namespace {
using Tensor = TypedValue<RankedTensorType>;

/// An operand, its name, and its rank without batch dimensions.
struct NamedOperand {
  StringRef name;
  Tensor value;
  int64_t baseRank;

  Type elementType() const { return value.getType().getElementType(); }
  int64_t batchRank() const { return value.getType().getRank() - baseRank; }
  /// Size of a dimension after the batch dimensions.
  int64_t size(int64_t dim) const {
    return value.getType().getDimSize(batchRank() + dim);
  }
};
} // namespace

static bool isSmallFloat(Type type) {
  return type.isF16() || type.isBF16() || type.isF32();
}

/// Two sizes that may be equal: one of them is dynamic, or they agree.
static bool mayMatch(int64_t a, int64_t b) {
  return ShapedType::isDynamic(a) || ShapedType::isDynamic(b) || a == b;
}

static LogicalResult verifySize(BsrAddmmOp op, const NamedOperand &operand,
                                int64_t dim, StringRef dimName,
                                int64_t expected) {
  int64_t actual = operand.size(dim);
  if (mayMatch(actual, expected))
    return success();
  return op.emitOpError() << "expected " << dimName << " of '" << operand.name
                          << "' (dimension " << operand.batchRank() + dim
                          << ") to be " << expected << ", but got " << actual;
}

static LogicalResult verifyElementTypes(BsrAddmmOp op,
                                        ArrayRef<NamedOperand> operands) {
  Type index = op.getCrow().getType().getElementType();
  Type value = op.getValues().getType().getElementType();
  // (C2), (C4): checked first, so that the rest can refer to them.
  if (!index.isInteger(32) && !index.isInteger(64))
    return op.emitOpError()
           << "expected element type i32 or i64 of 'crow', but got " << index;
  for (const NamedOperand &operand : operands) {
    Type actual = operand.elementType();
    if (operand.name == "values" || operand.name == "out") {
      if (!isSmallFloat(actual))
        return op.emitOpError() << "expected element type f16, bf16 or f32 of '"
                                << operand.name << "', but got " << actual;
      continue;
    }
    bool isScale = operand.name == "left" || operand.name == "right";
    if (isScale && actual.isF32()) // (C5)
      continue;
    bool isIndex = operand.name == "crow" || operand.name == "col";
    Type expected = isIndex ? index : value; // (C2), (C3), (C5)
    if (actual == expected)
      continue;
    auto diag = op.emitOpError() << "expected element type " << expected;
    if (isScale && !expected.isF32())
      diag << " or f32";
    return diag << " of '" << operand.name << "', but got " << actual;
  }
  return success();
}

/// (C14)
static LogicalResult verifyPlan(BsrAddmmOp op) {
  if (!op.getPanels() && !op.getSteps())
    return success();
  if (!op.getPanels() || !op.getSteps())
    return op.emitOpError("expected 'panels' and 'steps' together");
  int64_t batchRank = op.getCrow().getType().getRank() - 1;
  for (const NamedOperand &operand :
       {NamedOperand{"panels", op.getPanels(), 2},
        NamedOperand{"steps", op.getSteps(), 2}}) {
    if (operand.batchRank() != batchRank)
      return op.emitOpError()
             << "expected '" << operand.name << "' of rank " << batchRank + 2
             << ", but got " << operand.value.getType();
    if (!operand.elementType().isInteger(32))
      return op.emitOpError()
             << "expected element type i32 of '" << operand.name
             << "', but got " << operand.elementType();
  }
  NamedOperand panels{"panels", op.getPanels(), 2};
  NamedOperand steps{"steps", op.getSteps(), 2};
  if (panels.size(1) != 2)
    return op.emitOpError() << "expected 2 columns of 'panels', but got "
                            << op.getPanels().getType();
  if (ShapedType::isDynamic(steps.size(1)) || steps.size(1) < 2)
    return op.emitOpError() << "expected a static number of at least 2 columns "
                               "of 'steps', but got "
                            << op.getSteps().getType();
  int64_t crowSize = op.getCrow().getType().getShape().back();
  if (!ShapedType::isDynamic(crowSize) &&
      failed(verifySize(op, panels, 0, "panels",
                        llvm::divideCeil(crowSize - 1, steps.size(1) - 1))))
    return failure();
  return verifySize(op, steps, 0, "nnz",
                    op.getCol().getType().getShape().back());
}

LogicalResult BsrAddmmOp::verify() {
  SmallVector<NamedOperand> operands = {{"crow", getCrow(), 1},
                                        {"col", getCol(), 1},
                                        {"values", getValues(), 3},
                                        {"b", getB(), 2}};
  if (getInput())
    operands.push_back({"input", getInput(), 2});
  if (getLeft())
    operands.push_back({"left", getLeft(), 1});
  if (getRight())
    operands.push_back({"right", getRight(), 1});
  operands.push_back({"out", getOut(), 2});

  // (C1)
  int64_t batchRank = getBatchRank();
  if (batchRank < 0)
    return emitOpError() << "expected 'out' of rank at least 2, but got "
                         << getOut().getType();
  for (const NamedOperand &operand : operands) {
    int64_t rank = operand.value.getType().getRank();
    if (rank < operand.baseRank || rank > operand.baseRank + batchRank)
      return emitOpError() << "expected '" << operand.name << "' of rank "
                           << operand.baseRank << " to "
                           << operand.baseRank + batchRank << ", but got "
                           << operand.value.getType();
  }
  for (const NamedOperand &operand : ArrayRef(operands).slice(1, 2))
    if (operand.batchRank() != operands.front().batchRank())
      return emitOpError() << "expected '" << operand.name
                           << "' to have the batch rank of 'crow', "
                           << operands.front().batchRank() << ", but got "
                           << operand.batchRank();

  if (failed(verifyElementTypes(*this, operands)))
    return failure();

  // (C6)
  int64_t blockRows = getBlockRows(), blockColumns = getBlockColumns();
  for (int64_t size : {blockRows, blockColumns})
    if (ShapedType::isDynamic(size) || size <= 0 || size % 8 != 0)
      return emitOpError() << "expected static block sizes that are positive "
                              "multiples of 8, but got "
                           << getValues().getType();

  // (C7)
  ArrayRef<int64_t> outShape = getOut().getType().getShape();
  int64_t m = outShape[batchRank], n = outShape[batchRank + 1];
  int64_t crowSize = operands.front().size(0);
  if (!ShapedType::isDynamic(crowSize)) {
    if (crowSize < 1)
      return emitOpError() << "expected 'crow' of at least one entry, but got "
                           << getCrow().getType();
    int64_t rows = (crowSize - 1) * blockRows;
    if (!mayMatch(m, rows))
      return emitOpError() << "expected M of 'out' (dimension " << batchRank
                           << ") to be " << rows << ", but got " << m;
    m = rows;
  }
  if (!ShapedType::isDynamic(m) && m % blockRows != 0)
    return emitOpError() << "expected M of 'out' to be a multiple of the "
                            "block's "
                         << blockRows << " rows, but got " << m;
  for (const NamedOperand &operand : operands) {
    if ((operand.name == "input" || operand.name == "left") &&
        failed(verifySize(*this, operand, 0, "M", m)))
      return failure();
    // (C8)
    if ((operand.name == "b" || operand.name == "input") &&
        failed(verifySize(*this, operand, 1, "N", n)))
      return failure();
    if (operand.name == "right" &&
        failed(verifySize(*this, operand, 0, "N", n)))
      return failure();
    // (C9)
    if (operand.name == "b" && !ShapedType::isDynamic(operand.size(0)) &&
        operand.size(0) % blockColumns != 0)
      return emitOpError() << "expected K of 'b' (dimension "
                           << operand.batchRank()
                           << ") to be a multiple of the block's "
                           << blockColumns << " columns, but got "
                           << operand.size(0);
    // (C10)
    if (operand.name == "values" &&
        failed(verifySize(*this, operand, 0, "nnz", operands[1].size(0))))
      return failure();
    // (C11)
    int64_t skipped = batchRank - operand.batchRank();
    for (int64_t i = 0; i < operand.batchRank(); ++i) {
      int64_t size = operand.value.getType().getDimSize(i);
      int64_t expected = outShape[skipped + i];
      if (size != 1 && !mayMatch(size, expected))
        return emitOpError()
               << "expected batch dimension " << i << " of '" << operand.name
               << "' to be 1 or " << expected << ", but got " << size;
    }
  }

  // (C12)
  if (getResult().getType() != getOut().getType())
    return emitOpError() << "expected the result to have the type of 'out', "
                         << getOut().getType() << ", but got "
                         << getResult().getType();

  if (failed(verifyPlan(*this)))
    return failure();

  // (C15)
  StringRef precision = getPrecision();
  bool isF32 = getValues().getType().getElementType().isF32();
  if (precision != "ieee" && (precision != "tf32" || !isF32))
    return emitOpError() << "expected precision \"ieee\""
                         << (isF32 ? " or \"tf32\"" : "") << ", but got \""
                         << precision << "\" for values of "
                         << getValues().getType().getElementType();

  // (C13)
  if (MetaAttr meta = getMetaAttr()) {
    ArrayRef<int64_t> tile = meta.getTile();
    if (tile[0] % blockRows != 0)
      return emitOpError() << "expected the tile's M to be a multiple of the "
                              "block's "
                           << blockRows << " rows, but got " << tile[0];
    if (tile[1] % 8 != 0)
      return emitOpError()
             << "expected the tile's N to be a multiple of 8, but got "
             << tile[1];
    if (blockColumns % tile[2] != 0)
      return emitOpError() << "expected the tile's K to divide the block's "
                           << blockColumns << " columns, but got " << tile[2];
  }
  return success();
}
