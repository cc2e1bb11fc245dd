//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Definition and verification of sattn.sampled_addmm. The constraint numbers
// are those of the op's description.

#include "../BsrOperands.h"
#include "../OperandChecks.h"
#include "../ProductTypes.h"

#include "sattn/Dialect/SAttn/IR/BsrEncoding.h"
#include "sattn/Dialect/SAttn/IR/SampledAddmm/SampledAddmmOp.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sattn;

#define GET_OP_CLASSES
#include "sattn/Dialect/SAttn/IR/SampledAddmm/SampledAddmmOp.cpp.inc"

MutableOperandRange SampledAddmmOp::getDpsInitsMutable() {
  return getOutMutable();
}

/// A block's size in dimension 0 (rows) or 1 (columns).
static int64_t getSizeOfBlock(SampledAddmmOp op, unsigned dim) {
  if (std::optional<ArrayRef<int64_t>> size = op.getBlockSize())
    return (*size)[dim];
  RankedTensorType out = op.getOut().getType();
  if (!op.isEncoded())
    return out.getShape().take_back(2)[dim];
  FailureOr<BsrStorage> storage = getBsrStorage(out);
  return dim == 0 ? storage->blockRows : storage->blockColumns;
}

int64_t SampledAddmmOp::getBlockRows() { return getSizeOfBlock(*this, 0); }

int64_t SampledAddmmOp::getBlockColumns() { return getSizeOfBlock(*this, 1); }

int64_t SampledAddmmOp::getBlocksPerTile() {
  return std::max<int64_t>(getMetaAttr().getTile()[1] / getBlockColumns(), 1);
}

int64_t SampledAddmmOp::getTileColumns() {
  return std::min(getMetaAttr().getTile()[1], getBlockColumns());
}

static LogicalResult verifyElementTypes(SampledAddmmOp op) {
  Type index =
      op.isEncoded() ? Type() : op.getCrow().getType().getElementType();
  if (index && !index.isSignlessInteger(32) && !index.isSignlessInteger(64))
    return op.emitOpError() // (C2)
           << "expected element type i32 or i64 of 'crow', but got " << index;
  Type multiplied = op.getMat1().getType().getElementType();
  Type out = op.getOut().getType().getElementType();
  if (failed(verifyProductTypes(op, "mat1", multiplied, out))) // (C4)
    return failure();
  auto require = [&](StringRef name, Value tensor,
                     Type expected) -> LogicalResult {
    Type actual = getElementTypeOrSelf(tensor);
    if (actual == expected)
      return success();
    return op.emitOpError() << "expected element type " << expected << " of '"
                            << name << "', but got " << actual;
  };
  if ((index && failed(require("col", op.getCol(), index))) || // (C2)
      failed(verifyOtherFactor(op, "mat2", multiplied,
                               op.getMat2().getType().getElementType())) ||
      (op.getInput() &&
       failed(require("input", op.getInput(), getAddedType(multiplied, out)))))
    return failure(); // (C3)
  return success();
}

/// Verifies (C15).
static LogicalResult verifyEncoding(SampledAddmmOp op) {
  if (!op.getCrow() != !op.getCol())
    return op.emitOpError("expected 'crow' and 'col' together");
  for (OpOperand &operand : op->getOpOperands())
    if (isSparseEncoded(operand.get().getType()) &&
        !(op.isEncoded() && op.isDpsInit(&operand)))
      return op.emitOpError()
             << "expected an encoding of no operand but 'out' without 'crow' "
                "and 'col', but got "
             << operand.get().getType();
  if (!op.isEncoded())
    return success();
  std::string reason;
  FailureOr<BsrStorage> storage = getBsrStorage(op.getOut().getType(), &reason);
  if (failed(storage))
    return op.emitOpError()
           << "expected 'out' to be a matrix of blocks: " << reason << ", in "
           << op.getOut().getType();
  if (storage->isStacked)
    return op.emitOpError() << "expected batch levels of 'out' that are all "
                               "'batch', but got "
                            << op.getOut().getType();
  if (op.getInput() || op.isTile())
    return op.emitOpError()
           << "expected no 'input' and no 'origin' without 'crow' and 'col'";
  return success();
}

/// Verifies (C14).
static LogicalResult verifyOrigin(SampledAddmmOp op) {
  if (op.isTile() != op.getBlockSize().has_value())
    return op.emitOpError("expected 'origin' and 'block_size' together");
  if (!op.isTile())
    return success();
  int64_t rank = op.getOut().getType().getRank();
  if (static_cast<int64_t>(op.getOrigin().size()) != rank)
    return op.emitOpError()
           << "expected " << rank << " numbers in 'origin', but got "
           << op.getOrigin().size();
  if (op.getBlockSize()->size() != 2)
    return op.emitOpError() << "expected 2 numbers in 'block_size', but got "
                            << op.getBlockSize()->size();
  return success();
}

/// Verifies (C12).
static LogicalResult verifyTile(SampledAddmmOp op) {
  MetaAttr meta = op.getMetaAttr();
  if (!meta)
    return success();
  ArrayRef<int64_t> tile = meta.getTile();
  for (auto [size, name] : llvm::zip_equal(tile, StringRef("MNK")))
    if (size > kMaxTileSize || size % 8 != 0)
      return op.emitOpError() << "expected the tile's " << name
                              << " to be a multiple of 8 and at most "
                              << kMaxTileSize << ", but got " << size;
  if (op.getBlockRows() % tile[0] != 0)
    return op.emitOpError()
           << "expected the tile's M to divide the block's "
           << op.getBlockRows() << " rows, but got " << tile[0];
  int64_t columns = op.getBlockColumns();
  if (columns % tile[1] != 0 &&
      (tile[1] % columns != 0 || tile[1] / columns > kMaxBlocksPerTile))
    return op.emitOpError()
           << "expected the tile's N to divide the block's " << columns
           << " columns or to be up to " << kMaxBlocksPerTile
           << " times as many, but got " << tile[1];
  if (std::max({tile[0] * tile[1], tile[0] * tile[2], tile[2] * tile[1]}) >
      kMaxTileElements)
    return op.emitOpError()
           << "expected the tile's M x N, M x K and K x N to be at most "
           << kMaxTileElements << " elements, but got " << tile[0] << " x "
           << tile[1] << " x " << tile[2];
  return success();
}

/// Verifies (C6), (C7), (C8).
static LogicalResult verifyMatrices(SampledAddmmOp op, const NamedOperand &mat1,
                                    const NamedOperand &mat2) {
  int64_t blockRows = op.getBlockRows(), blockColumns = op.getBlockColumns();
  int64_t rows = ShapedType::kDynamic, columns = ShapedType::kDynamic;
  int64_t offsets = ShapedType::kDynamic;
  if (op.isEncoded()) {
    ArrayRef<int64_t> matrix = op.getOut().getType().getShape().take_back(2);
    rows = matrix[0];
    columns = matrix[1];
  } else {
    offsets = op.getCrow().getType().getShape().back();
  }
  if (!ShapedType::isDynamic(offsets)) {
    if (offsets < 1)
      return op.emitOpError()
             << "expected 'crow' of at least one entry, but got "
             << op.getCrow().getType();
    if (llvm::MulOverflow(offsets - 1, blockRows, rows))
      return op.emitOpError()
             << "expected 'crow' of less than 2^63 rows, but got "
             << op.getCrow().getType() << " and blocks of " << blockRows
             << " rows";
  }
  int64_t rowDim = 2 + op.getRowDim();
  if (failed(verifySize(op, mat1, rowDim, "M", rows)))
    return failure();
  int64_t columnDim = 2 + op.getColumnDim();
  auto requireMultiple = [&](const NamedOperand &operand, int64_t dim,
                             StringRef name, int64_t factor,
                             StringRef of) -> LogicalResult {
    int64_t size = operand.size(dim);
    if (ShapedType::isDynamic(size) || size % factor == 0)
      return success();
    return op.emitOpError()
           << "expected " << name << " of '" << operand.name << "' (dimension "
           << operand.batchRank() + dim << ") to be a multiple of the block's "
           << factor << " " << of << ", but got " << size;
  };
  if (failed(requireMultiple(mat1, rowDim, "M", blockRows, "rows")) ||
      failed(verifySize(op, mat2, columnDim, "N", columns)) ||
      failed(requireMultiple(mat2, columnDim, "N", blockColumns, "columns")))
    return failure();
  return verifySize(op, mat2, 2 + op.getReducedDim(), "K",
                    mat1.size(2 + op.getDepthDim()));
}

LogicalResult SampledAddmmOp::verify() {
  if (failed(verifyEncoding(*this)))
    return failure();
  int64_t outRank = isEncoded() ? 2 : 3;
  NamedOperand mat1{"mat1", getMat1(), 2}, mat2{"mat2", getMat2(), 2},
      out{"out", getOut(), outRank};
  SmallVector<NamedOperand> operands = {mat1, mat2, out};
  if (!isEncoded())
    operands.insert(operands.begin(),
                    {{"crow", getCrow(), 1}, {"col", getCol(), 1}});
  if (getInput())
    operands.push_back({"input", getInput(), 3});
  if (getBatchRank() < 0) // (C1)
    return emitOpError() << "expected 'out' of rank at least 3, but got "
                         << getOut().getType();
  if (failed(verifyBatchRanks(*this, operands, getBatchRank())) || // (C1)
      failed(verifyElementTypes(*this)) ||
      failed(verifyBytes(*this, operands)) || // (C16)
      failed(verifyOrigin(*this)))
    return failure();
  // (C5)
  int64_t blockRows = getBlockRows(), blockColumns = getBlockColumns();
  for (int64_t size : {blockRows, blockColumns})
    if (ShapedType::isDynamic(size) || size <= 0 || size % 8 != 0)
      return emitOpError() << "expected static block sizes that are positive "
                              "multiples of 8, but got "
                           << getOut().getType();
  if (failed(verifyMatrices(*this, mat1, mat2)))
    return failure();
  for (const NamedOperand &operand : operands) {
    // Only `out` is cut.
    if (!isTile() &&
        failed(verifyBatch(*this, operand, // (C10)
                           getOut().getType().getShape().drop_back(outRank))))
      return failure();
    // (C9)
    if (!isTile() && (operand.name == "col" || operand.name == "input") &&
        failed(verifySize(*this, operand, 0, "nnz", out.size(0))))
      return failure();
    if (operand.name == "input" &&
        (failed(verifySize(*this, operand, 1, "the block's rows", blockRows)) ||
         failed(verifySize(*this, operand, 2, "the block's columns",
                           blockColumns))))
      return failure();
  }
  if (getResult().getType() != getOut().getType()) // (C11)
    return emitOpError() << "expected the result to have the type of 'out', "
                         << getOut().getType() << ", but got "
                         << getResult().getType();
  if (failed(verifyPrecision(*this, getPrecision(), // (C13)
                             mat1.elementType(), "matrices")))
    return failure();
  return verifyTile(*this);
}
