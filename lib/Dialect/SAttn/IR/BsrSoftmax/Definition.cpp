//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Definition and verification of sattn.bsr_softmax. The constraint numbers are
// those of the op's description.

#include "../OperandChecks.h"

#include "sattn/Dialect/SAttn/IR/BsrEncoding.h"
#include "sattn/Dialect/SAttn/IR/BsrSoftmax/BsrSoftmaxOp.h"
#include "sattn/Tuning/BsrSoftmax.h"

using namespace mlir;
using namespace sattn;

#define GET_OP_CLASSES
#include "sattn/Dialect/SAttn/IR/BsrSoftmax/BsrSoftmaxOp.cpp.inc"

/// Tiles have a multiple of so many rows and columns, if not a block's.
static constexpr int64_t kMultiple = 8;
/// Most parts of a step.
static constexpr int64_t kMaxParts = tuning::bsr_softmax::kBlocksAtOnce *
                                     tuning::bsr_softmax::kMaxWarps *
                                     tuning::bsr_softmax::kMaxMatrices;

MutableOperandRange BsrSoftmaxOp::getDpsInitsMutable() {
  return getOutMutable();
}

/// (C1), (C2), (C6), (C7)
static LogicalResult verifyIndices(BsrSoftmaxOp op) {
  int64_t batches = op.getBatchRank();
  ArrayRef<int64_t> shape = op.getValues().getType().getShape();
  Type element = op.getCrow().getType().getElementType();
  if (!element.isSignlessInteger(32) && !element.isSignlessInteger(64))
    return op.emitOpError()
           << "expected element type i32 or i64 of 'crow', but got " << element;
  if (Type other = op.getCol().getType().getElementType(); other != element)
    return op.emitOpError() << "expected element type " << element
                            << " of 'col', but got " << other;
  std::pair<StringRef, RankedTensorType> operands[] = {
      {"crow", op.getCrow().getType()}, {"col", op.getCol().getType()}};
  for (auto [name, type] : operands) {
    if (type.getRank() < 1 || type.getRank() > 1 + batches)
      return op.emitOpError() << "expected '" << name << "' of rank 1 to "
                              << 1 + batches << ", but got " << type;
    for (int64_t i = 0; i < type.getRank() - 1; ++i) {
      int64_t expected = shape[batches + 1 - type.getRank() + i];
      if (type.getDimSize(i) != 1 && !mayMatch(type.getDimSize(i), expected))
        return op.emitOpError() << "expected batch dimension " << i << " of '"
                                << name << "' to be 1 or " << expected
                                << ", but got " << type.getDimSize(i);
    }
  }
  int64_t blocks = op.getCol().getType().getShape().back();
  if (!mayMatch(blocks, shape[batches]))
    return op.emitOpError()
           << "expected 'col' of " << shape[batches]
           << " entries, the blocks of 'values', but got " << blocks;
  return success();
}

/// (C9)
static LogicalResult verifyMeta(BsrSoftmaxOp op) {
  MetaAttr meta = op.getMetaAttr();
  if (!meta)
    return success();
  ArrayRef<int64_t> tile = meta.getTile();
  int64_t rows = op.getBlockRows(), columns = op.getBlockColumns();
  if (rows % tile[0] != 0)
    return op.emitOpError() << "expected the tile's M to divide the block's "
                            << rows << " rows, but got " << tile[0];
  int64_t most = llvm::alignTo(columns, kMultiple);
  if (tile[1] != columns && (tile[1] % kMultiple != 0 || tile[1] > most))
    return op.emitOpError()
           << "expected the tile's N to be the block's " << columns
           << " columns or a multiple of " << kMultiple << " up to " << most
           << ", but got " << tile[1];
  if (tile[2] % tile[1] != 0 || tile[2] / tile[1] > kMaxParts)
    return op.emitOpError()
           << "expected the tile's K to be 1 to " << kMaxParts
           << " times its N, " << tile[1] << ", but got " << tile[2];
  int64_t warps = meta.getWarps().value_or(1);
  if (!llvm::isPowerOf2_64(warps) || warps > tuning::bsr_softmax::kMaxWarps)
    return op.emitOpError()
           << "expected 'warps' to be a power of two up to "
           << tuning::bsr_softmax::kMaxWarps << ", but got " << warps;
  return success();
}

int64_t BsrSoftmaxOp::getBlocksAtOnce() {
  ArrayRef<int64_t> tile = getMetaAttr().getTile();
  int64_t warps = getMetaAttr().getWarps().value_or(1);
  if (tile[0] != 1)
    return 1;
  int64_t atOnce = tuning::bsr_softmax::countBlocksAtOnce(
      tile[1], getValues().getType().getElementTypeBitWidth() / 8, warps);
  return tile[2] / tile[1] % atOnce == 0 ? atOnce : 1;
}

int64_t BsrSoftmaxOp::getStepsInRegisters() {
  return getBlocksAtOnce() == 1 ? 0 : getMetaAttr().getStages().value_or(0);
}

LogicalResult BsrSoftmaxOp::verify() {
  RankedTensorType values = getValues().getType(), out = getOut().getType();
  for (Value operand : getOperands()) // (C1)
    if (isSparseEncoded(cast<RankedTensorType>(operand.getType())))
      return emitOpError()
             << "expected operands that are in no encoding, but got "
             << operand.getType();
  if (values.getRank() < 3) // (C1)
    return emitOpError() << "expected 'values' of rank 3 or more, but got "
                         << values;
  Type element = values.getElementType();
  if (failed(verifyFloat(*this, "values", element))) // (C3)
    return failure();
  for (int64_t size : {getBlockRows(), getBlockColumns()}) // (C4)
    if (ShapedType::isDynamic(size) || size < 1)
      return emitOpError() << "expected blocks of static, positive size, but "
                              "got 'values' of type "
                           << values;
  if (out.getElementType() != element || // (C5)
      failed(verifyCompatibleShape(out.getShape(), values.getShape())) ||
      out.getShape().take_back(2) != values.getShape().take_back(2))
    return emitOpError() << "expected 'out' of the type of 'values', " << values
                         << ", but got " << out;
  if (getResult().getType() != out) // (C8)
    return emitOpError() << "expected the result to have the type of 'out', "
                         << out << ", but got " << getResult().getType();
  if (failed(verifyIndices(*this)))
    return failure();
  return verifyMeta(*this);
}
