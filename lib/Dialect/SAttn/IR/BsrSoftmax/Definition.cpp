//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Definition and verification of sattn.bsr_softmax and
// sattn.bsr_softmax_backward. The constraint numbers are those of the ops'
// descriptions.

#include "StoredRows.h"

#include "sattn/Dialect/SAttn/IR/BsrEncoding.h"
#include "sattn/Dialect/SAttn/IR/BsrSoftmax/BsrSoftmaxBackwardOp.h"
#include "sattn/Dialect/SAttn/IR/BsrSoftmax/BsrSoftmaxOp.h"
#include "sattn/Tuning/BsrSoftmax.h"

using namespace mlir;
using namespace sattn;

#define GET_OP_CLASSES
#include "sattn/Dialect/SAttn/IR/BsrSoftmax/BsrSoftmaxBackwardOp.cpp.inc"
#define GET_OP_CLASSES
#include "sattn/Dialect/SAttn/IR/BsrSoftmax/BsrSoftmaxOp.cpp.inc"

/// The number that a tile's rows and columns are a multiple of, if they are not
/// a block's.
static constexpr int64_t kMultiple = 8;
/// Most parts of a step.
static constexpr int64_t kMaxParts = tuning::bsr_softmax::kBlocksAtOnce *
                                     tuning::bsr_softmax::kMaxWarps *
                                     tuning::bsr_softmax::kMaxMatrices;

StoredRows::StoredRows(BsrSoftmaxOp op)
    : op(op), crow{"crow", op.getCrow(), 1}, col{"col", op.getCol(), 1},
      inputs{{"values", op.getValues(), 3}}, out{"out", op.getOut(), 3},
      meta(op.getMetaAttr()) {}

StoredRows::StoredRows(BsrSoftmaxBackwardOp op)
    : op(op), crow{"crow", op.getCrow(), 1}, col{"col", op.getCol(), 1},
      inputs{{"output", op.getOutput(), 3}, {"grad_out", op.getGradOut(), 3}},
      out{"grad_in", op.getGradIn(), 3}, meta(op.getMetaAttr()) {}

MutableOperandRange BsrSoftmaxOp::getDpsInitsMutable() {
  return getOutMutable();
}

MutableOperandRange BsrSoftmaxBackwardOp::getDpsInitsMutable() {
  return getGradInMutable();
}

/// Verifies (C1), (C2), (C6), (C7).
static LogicalResult verifyIndices(const StoredRows &rows) {
  Operation *op = rows.op;
  ArrayRef<int64_t> shape = rows.getType().getShape();
  Type element = rows.crow.elementType();
  if (!element.isSignlessInteger(32) && !element.isSignlessInteger(64))
    return op->emitOpError()
           << "expected element type i32 or i64 of 'crow', but got " << element;
  if (Type other = rows.col.elementType(); other != element)
    return op->emitOpError() << "expected element type " << element
                             << " of 'col', but got " << other;
  ArrayRef<int64_t> batch = shape.drop_back(3);
  if (failed(verifyBatchRanks(op, {rows.crow, rows.col}, batch.size())) ||
      failed(verifyBatch(op, rows.crow, batch)) ||
      failed(verifyBatch(op, rows.col, batch)))
    return failure();
  if (int64_t blocks = rows.col.size(0); !mayMatch(blocks, shape.end()[-3]))
    return op->emitOpError() << "expected 'col' of " << shape.end()[-3]
                             << " entries, the blocks of '"
                             << rows.values().name << "', but got " << blocks;
  return success();
}

/// Verifies (C9).
static LogicalResult verifyMeta(const StoredRows &rows) {
  if (!rows.meta)
    return success();
  Operation *op = rows.op;
  ArrayRef<int64_t> tile = rows.meta.getTile();
  int64_t height = rows.getBlockRows(), columns = rows.getBlockColumns();
  if (height % tile[0] != 0)
    return op->emitOpError() << "expected the tile's M to divide the block's "
                             << height << " rows, but got " << tile[0];
  int64_t most = llvm::alignTo(columns, kMultiple);
  if (tile[1] != columns && (tile[1] % kMultiple != 0 || tile[1] > most))
    return op->emitOpError()
           << "expected the tile's N to be the block's " << columns
           << " columns or a multiple of " << kMultiple << " up to " << most
           << ", but got " << tile[1];
  if (tile[2] % tile[1] != 0 || tile[2] / tile[1] > kMaxParts)
    return op->emitOpError()
           << "expected the tile's K to be 1 to " << kMaxParts
           << " times its N, " << tile[1] << ", but got " << tile[2];
  int64_t warps = rows.meta.getWarps().value_or(1);
  if (!llvm::isPowerOf2_64(warps) || warps > tuning::bsr_softmax::kMaxWarps)
    return op->emitOpError()
           << "expected 'warps' to be a power of two up to "
           << tuning::bsr_softmax::kMaxWarps << ", but got " << warps;
  return success();
}

int64_t StoredRows::getBlocksAtOnce() const {
  ArrayRef<int64_t> tile = meta.getTile();
  if (tile[0] != 1)
    return 1;
  int64_t atOnce = tuning::bsr_softmax::countBlocksAtOnce(
      tile[1], getElementType().getIntOrFloatBitWidth() / 8,
      meta.getWarps().value_or(1));
  return tile[2] / tile[1] % atOnce == 0 ? atOnce : 1;
}

int64_t StoredRows::getStepsInRegisters() const {
  return getBlocksAtOnce() == 1 ? 0 : meta.getStages().value_or(0);
}

static LogicalResult verifyRows(const StoredRows &rows) {
  Operation *op = rows.op;
  RankedTensorType type = rows.getType();
  StringRef name = rows.values().name;
  for (Type operand : op->getOperandTypes()) // (C1)
    if (isSparseEncoded(cast<RankedTensorType>(operand)))
      return op->emitOpError()
             << "expected operands that are in no encoding, but got "
             << operand;
  if (type.getRank() < 3) // (C1)
    return op->emitOpError()
           << "expected '" << name << "' of rank 3 or more, but got " << type;
  Type element = type.getElementType();
  if (failed(verifyFloat(op, name, element))) // (C3)
    return failure();
  for (int64_t size : {rows.getBlockRows(), rows.getBlockColumns()}) // (C4)
    if (ShapedType::isDynamic(size) || size < 1)
      return op->emitOpError() << "expected blocks of static, positive size, "
                                  "but got '"
                               << name << "' of type " << type;
  SmallVector<NamedOperand> others(llvm::drop_begin(rows.inputs));
  others.push_back(rows.out);
  for (const NamedOperand &other : others) { // (C5)
    RankedTensorType own = other.value.getType();
    if (own.getElementType() != element ||
        failed(verifyCompatibleShape(own.getShape(), type.getShape())) ||
        own.getShape().take_back(2) != type.getShape().take_back(2))
      return op->emitOpError()
             << "expected '" << other.name << "' of the type of '" << name
             << "', " << type << ", but got " << own;
  }
  RankedTensorType out = rows.out.value.getType();
  if (Type result = op->getResult(0).getType(); result != out) // (C8)
    return op->emitOpError()
           << "expected the result to have the type of '" << rows.out.name
           << "', " << out << ", but got " << result;
  if (failed(verifyIndices(rows)))
    return failure();
  return verifyMeta(rows);
}

LogicalResult BsrSoftmaxOp::verify() { return verifyRows(*this); }

LogicalResult BsrSoftmaxBackwardOp::verify() { return verifyRows(*this); }
