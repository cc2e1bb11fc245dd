//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Definition and verification of sattn.bsr_addmm. The constraint numbers are
// those of the op's description.

#include "../BsrOperands.h"
#include "../OperandChecks.h"
#include "../ProductTypes.h"

#include "sattn/Dialect/SAttn/IR/BsrAddmm/BsrAddmmOp.h"
#include "sattn/Dialect/SAttn/IR/BsrEncoding.h"

using namespace mlir;
using namespace sattn;

#define GET_OP_CLASSES
#include "sattn/Dialect/SAttn/IR/BsrAddmm/BsrAddmmOp.cpp.inc"

MutableOperandRange BsrAddmmOp::getDpsInitsMutable() { return getOutMutable(); }

/// A stored block's size in dimension 0 (rows) or 1 (columns).
static int64_t getBlockSize(BsrAddmmOp op, unsigned dim) {
  RankedTensorType values = op.getValues().getType();
  if (!op.isEncoded())
    return values.getDimSize(values.getRank() - 2 +
                             (op.getTransposeA() ? 1 - dim : dim));
  FailureOr<BsrStorage> storage = getBsrStorage(values);
  return dim == 0 ? storage->blockRows : storage->blockColumns;
}

int64_t BsrAddmmOp::getTileRows() {
  MetaAttr meta = getMetaAttr();
  return meta ? std::min(meta.getTile()[0], getBlockRows()) : getBlockRows();
}

int64_t BsrAddmmOp::getBlockRows() { return getBlockSize(*this, 0); }

int64_t BsrAddmmOp::getBlockColumns() { return getBlockSize(*this, 1); }

static LogicalResult verifyElementTypes(BsrAddmmOp op,
                                        ArrayRef<NamedOperand> operands) {
  Type index =
      op.isEncoded() ? Type() : op.getCrow().getType().getElementType();
  Type value = op.getValues().getType().getElementType();
  // (C2), (C4): checked first, so that the rest can refer to them.
  if (index && !index.isSignlessInteger(32) && !index.isSignlessInteger(64))
    return op.emitOpError()
           << "expected element type i32 or i64 of 'crow', but got " << index;
  Type out = op.getOut().getType().getElementType(),
       f32 = Float32Type::get(op.getContext());
  if (failed(verifyProductTypes(op, "values", value, out)))
    return failure();
  for (const NamedOperand &operand : operands) {
    Type actual = operand.elementType();
    if (operand.name == "values" || operand.name == "out")
      continue;
    bool scales = operand.name == "left" || operand.name == "right";
    if (scales && actual.isF32()) // (C5)
      continue;
    if (operand.name == "b") { // (C3)
      if (failed(verifyOtherFactor(op, "b", value, actual)))
        return failure();
      continue;
    }
    Type expected = value; // (C5)
    if (operand.name == "crow" || operand.name == "col")
      expected = index; // (C2)
    else if (operand.name == "input")
      expected = getAddedType(value, out); // (C3)
    else if (scales && !isScale(value))
      expected = f32;
    if (actual == expected)
      continue;
    auto diag = op.emitOpError() << "expected element type " << expected;
    if (scales && !expected.isF32())
      diag << " or f32";
    return diag << " of '" << operand.name << "', but got " << actual;
  }
  return success();
}

/// Verifies (C14).
static LogicalResult verifyPlan(BsrAddmmOp op) {
  if (!op.getRowBlockGroups() && !op.getSteps())
    return success();
  if (!op.getRowBlockGroups() || !op.getSteps())
    return op.emitOpError("expected 'row_block_groups' and 'steps' together");
  int64_t batchRank = op.getCrow().getType().getRank() - 1;
  for (const NamedOperand &operand :
       {NamedOperand{"row_block_groups", op.getRowBlockGroups(), 2},
        NamedOperand{"steps", op.getSteps(), 2}}) {
    if (operand.batchRank() != batchRank)
      return op.emitOpError()
             << "expected '" << operand.name << "' of rank " << batchRank + 2
             << ", but got " << operand.value.getType();
    if (!operand.elementType().isSignlessInteger(32))
      return op.emitOpError()
             << "expected element type i32 of '" << operand.name
             << "', but got " << operand.elementType();
  }
  NamedOperand rowBlockGroups{"row_block_groups", op.getRowBlockGroups(), 2};
  NamedOperand steps{"steps", op.getSteps(), 2};
  if (ShapedType::isDynamic(steps.size(1)) || steps.size(1) < 2)
    return op.emitOpError() << "expected a static number of at least 2 columns "
                               "of 'steps', but got "
                            << op.getSteps().getType();
  if (rowBlockGroups.size(1) != 1 + steps.size(1))
    return op.emitOpError()
           << "expected " << 1 + steps.size(1)
           << " columns of 'row_block_groups', one more than of "
              "'steps', but got "
           << op.getRowBlockGroups().getType();
  int64_t crowSize = op.getCrow().getType().getShape().back();
  if (!ShapedType::isDynamic(crowSize) &&
      failed(verifySize(op, rowBlockGroups, 0, "row_block_groups",
                        llvm::divideCeil(crowSize - 1, steps.size(1) - 1))))
    return failure();
  return verifySize(op, steps, 0, "nnz",
                    op.getCol().getType().getShape().back());
}

/// Verifies (C16).
static LogicalResult verifyEncoding(BsrAddmmOp op) {
  if (!op.getCrow() != !op.getCol())
    return op.emitOpError("expected 'crow' and 'col' together");
  if (!op.getCrow() && (op.getOrder() || op.getTransposeA())) // (C19)
    return op.emitOpError("expected neither 'order' nor 'transpose_a' of a "
                          "matrix in an encoding");
  if (op.getOrder() && op.getOrder().getType() != op.getCol().getType())
    return op.emitOpError()
           << "expected 'order' to have the type of 'col', "
           << op.getCol().getType() << ", but got " << op.getOrder().getType();
  for (OpOperand &operand : op->getOpOperands())
    if (isSparseEncoded(operand.get().getType()) &&
        !(op.isEncoded() && operand.get() == op.getValues()))
      return op.emitOpError()
             << "expected an encoding of no operand but 'values' without "
                "'crow' and 'col', but got "
             << operand.get().getType();
  if (!op.isEncoded())
    return success();
  std::string reason;
  if (failed(getBsrStorage(op.getValues().getType(), &reason)))
    return op.emitOpError()
           << "expected 'values' to be a matrix of blocks: " << reason
           << ", in " << op.getValues().getType();
  if (op.getRowBlockGroups() || op.getSteps())
    return op.emitOpError("expected no plan without 'crow' and 'col'");
  return success();
}

/// Verifies (C1).
static LogicalResult verifyRanks(BsrAddmmOp op,
                                 ArrayRef<NamedOperand> operands) {
  int64_t batchRank = op.getBatchRank();
  if (batchRank < 0)
    return op.emitOpError() << "expected 'out' of rank at least 2, but got "
                            << op.getOut().getType();
  if (failed(verifyBatchRanks(op, operands, batchRank)))
    return failure();
  if (op.isEncoded())
    return success();
  // Without batches, col and values serve all those of crow.
  int64_t expected = operands.front().batchRank();
  if (operands[1].batchRank() == 0 && operands[2].batchRank() == 0)
    return success();
  for (const NamedOperand &operand : operands.slice(1, 2))
    if (operand.batchRank() != expected)
      return op.emitOpError()
             << "expected '" << operand.name
             << "' to have the batch rank of 'crow', " << expected
             << ", but got " << operand.batchRank();
  return success();
}

LogicalResult BsrAddmmOp::verify() {
  if (failed(verifyEncoding(*this)))
    return failure();
  SmallVector<NamedOperand> operands;
  if (!isEncoded()) {
    operands.push_back({"crow", getCrow(), 1});
    operands.push_back({"col", getCol(), 1});
  }
  operands.push_back({"values", getValues(), isEncoded() ? 2 : 3});
  operands.push_back({"b", getB(), 2});
  if (getInput())
    operands.push_back({"input", getInput(), 2});
  if (getLeft())
    operands.push_back({"left", getLeft(), 1});
  if (getRight())
    operands.push_back({"right", getRight(), 1});
  operands.push_back({"out", getOut(), 2});

  if (failed(verifyRanks(*this, operands)) ||
      failed(verifyElementTypes(*this, operands)) ||
      failed(verifyBytes(*this, operands))) // (C17)
    return failure();

  // (C6)
  int64_t blockRows = getBlockRows(), blockColumns = getBlockColumns();
  for (int64_t size : {blockRows, blockColumns})
    if (ShapedType::isDynamic(size) || size <= 0 || size % 8 != 0)
      return emitOpError() << "expected static block sizes that are positive "
                              "multiples of 8, but got "
                           << getValues().getType();

  // (C7)
  int64_t batchRank = getBatchRank();
  ArrayRef<int64_t> outShape = getOut().getType().getShape();
  // Dimensions of matrices (*, M, N), and of b.
  int64_t rowDim = 2 + getRowDim(), columnDim = 2 + getColumnDim();
  int64_t bRowDim = 2 + getBRowDim(), bColumnDim = 2 + getBColumnDim();
  int64_t m = outShape[batchRank + rowDim], n = outShape[batchRank + columnDim];
  int64_t rows = ShapedType::kDynamic, k = ShapedType::kDynamic;
  if (isEncoded()) {
    rows = operands.front().size(0);
    k = operands.front().size(1);
  } else if (int64_t crowSize = operands.front().size(0);
             !ShapedType::isDynamic(crowSize)) {
    if (crowSize < 1)
      return emitOpError() << "expected 'crow' of at least one entry, but got "
                           << getCrow().getType();
    if (llvm::MulOverflow(crowSize - 1, blockRows, rows))
      return emitOpError() << "expected 'crow' of less than 2^63 rows, but got "
                           << getCrow().getType() << " and blocks of "
                           << blockRows << " rows";
  }
  if (!ShapedType::isDynamic(rows)) {
    if (!mayMatch(m, rows))
      return emitOpError() << "expected M of 'out' (dimension "
                           << batchRank + rowDim << ") to be " << rows
                           << ", but got " << m;
    m = rows;
  }
  if (!ShapedType::isDynamic(m) && m % blockRows != 0)
    return emitOpError() << "expected M of 'out' to be a multiple of the "
                            "block's "
                         << blockRows << " rows, but got " << m;
  for (const NamedOperand &operand : operands) {
    bool isInput = operand.name == "input", isB = operand.name == "b";
    if ((isInput || operand.name == "left") &&
        failed(verifySize(*this, operand, isInput ? rowDim : 0, "M", m)))
      return failure();
    // (C8)
    if ((isB || isInput) &&
        failed(
            verifySize(*this, operand, isB ? bColumnDim : columnDim, "N", n)))
      return failure();
    if (operand.name == "right" &&
        failed(verifySize(*this, operand, 0, "N", n)))
      return failure();
    // (C9)
    if (isB) {
      if (failed(verifySize(*this, operand, bRowDim, "K", k)))
        return failure();
      if (int64_t size = operand.size(bRowDim);
          !ShapedType::isDynamic(size) && size % blockColumns != 0)
        return emitOpError() << "expected K of 'b' (dimension "
                             << operand.batchRank() + bRowDim
                             << ") to be a multiple of the block's "
                             << blockColumns << " columns, but got " << size;
    }
    // (C10)
    if (operand.name == "values" && !isEncoded() &&
        failed(verifySize(*this, operand, 0, "nnz", operands[1].size(0))))
      return failure();
    // (C11)
    if (failed(verifyBatch(*this, operand, outShape.take_front(batchRank))))
      return failure();
  }

  // (C12)
  if (getResult().getType() != getOut().getType())
    return emitOpError() << "expected the result to have the type of 'out', "
                         << getOut().getType() << ", but got "
                         << getResult().getType();

  if (failed(verifyPlan(*this)))
    return failure();

  // (C15)
  if (failed(verifyPrecision(*this, getPrecision(),
                             getValues().getType().getElementType(), "values")))
    return failure();

  // (C13)
  if (MetaAttr meta = getMetaAttr()) {
    ArrayRef<int64_t> tile = meta.getTile();
    for (auto [size, name] : llvm::zip_equal(tile, StringRef("MNK")))
      if (size > kMaxTileSize)
        return emitOpError()
               << "expected the tile's " << name << " to be at most "
               << kMaxTileSize << ", but got " << size;
    if (std::max(tile[0], tile[2]) * tile[1] > kMaxTileElements)
      return emitOpError() << "expected the tile's M x N and K x N to be at "
                              "most "
                           << kMaxTileElements << " elements, but got "
                           << tile[0] << " x " << tile[1] << " and " << tile[2]
                           << " x " << tile[1];
    if (tile[0] % blockRows != 0 &&
        (blockRows % tile[0] != 0 || tile[0] % 8 != 0))
      return emitOpError() << "expected the tile's M to be a multiple of the "
                              "block's "
                           << blockRows
                           << " rows or, as a multiple of 8, a divisor of "
                              "them, but got "
                           << tile[0];
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
