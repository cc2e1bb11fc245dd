//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Definition and verification of sattn.bsr_attention. The constraint numbers
// are those of the op's description.

#include "Parts.h"

#include "../Dropout.h"

#include "sattn/Dialect/SAttn/IR/BsrAttention/BsrAttentionOp.h"
#include "sattn/Dialect/SAttn/IR/BsrEncoding.h"
#include "sattn/Tuning/Attention.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sattn;

#define GET_OP_CLASSES
#include "sattn/Dialect/SAttn/IR/BsrAttention/BsrAttentionOp.cpp.inc"

/// Most columns of Q, K, V and the result.
static constexpr int64_t kMaxHeadDim = 512;
/// Numbers that sizes of tiles and blocks are multiples of: the first, and
/// along keys the second, the depth of an MMA; the largest size of a tile.
static constexpr int64_t kMultiple = 8, kKeyMultiple = 16, kMaxTile = 1024;

MutableOperandRange BsrAttentionOp::getDpsInitsMutable() {
  return getOutsMutable();
}

static LogicalResult verifyElementTypes(BsrAttentionOp op) {
  Type index = op.getCrow().getType().getElementType();
  if (!index.isSignlessInteger(32) && !index.isSignlessInteger(64)) // (C2)
    return op.emitOpError()
           << "expected element type i32 or i64 of 'crow', but got " << index;
  Type element = op.getQ().getType().getElementType();
  if (failed(verifyFloat(op, "q", element))) // (C3)
    return failure();
  std::tuple<StringRef, Value, Type> expected[] = {
      {"col", op.getCol(), index},
      {"k", op.getK(), element},
      {"v", op.getV(), element},
      {"out", op.getOut(), element}};
  for (auto [name, tensor, type] : expected) // (C2), (C3)
    if (Type actual = getElementTypeOrSelf(tensor); actual != type)
      return op.emitOpError() << "expected element type " << type << " of '"
                              << name << "', but got " << actual;
  return success();
}

/// Verifies (C6), (C7).
static LogicalResult verifyExtents(BsrAttentionOp op, const NamedOperand &crow,
                                   const NamedOperand &q, const NamedOperand &k,
                                   const NamedOperand &v,
                                   const NamedOperand &out) {
  int64_t offsets = crow.size(0), rows = ShapedType::kDynamic;
  if (!ShapedType::isDynamic(offsets)) {
    if (offsets < 1)
      return op.emitOpError()
             << "expected 'crow' of at least one entry, but got "
             << op.getCrow().getType();
    if (llvm::MulOverflow(offsets - 1, op.getBlockRows(), rows))
      return op.emitOpError()
             << "expected 'crow' of less than 2^63 rows, but got "
             << op.getCrow().getType() << " and blocks of " << op.getBlockRows()
             << " rows";
  }
  if (failed(verifySize(op, q, 0, "M", rows)))
    return failure();
  std::tuple<const NamedOperand *, StringRef, int64_t, StringRef> multiples[] =
      {{&q, "M", op.getBlockRows(), "rows"},
       {&k, "N", op.getBlockColumns(), "columns"}};
  for (auto [operand, name, factor, of] : multiples)
    if (int64_t size = operand->size(0);
        !ShapedType::isDynamic(size) && size % factor != 0)
      return op.emitOpError() << "expected " << name << " of '" << operand->name
                              << "' to be a multiple of the block's " << factor
                              << " " << of << ", but got " << size;
  if (failed(verifySize(op, k, 1, "D", op.getHeadDim())) ||
      failed(verifySize(op, v, 0, "N", k.size(0))))
    return failure();
  if (op.isTile())
    return success();
  if (failed(verifySize(op, out, 0, "M", q.size(0))))
    return failure();
  return verifySize(op, out, 1, "E", op.getValueDim());
}

/// Verifies (C17).
static LogicalResult verifyParts(BsrAttentionOp op) {
  if (!op.hasParts())
    return success();
  if (op.getQ().getType().getElementType().isF64())
    return op.emitOpError("expected no 'partial' with operands of f64");
  NamedOperand partial{"partial", op.getPartial(), 2},
      lse{"lse", op.getLse(), 1};
  if (failed(sattn::verifyPartTypes(op, partial, lse, op.getBatchRank())))
    return failure();
  if (op.isTile())
    return success();
  ArrayRef<int64_t> batch = op.getOut().getType().getShape().drop_back(2);
  if (failed(verifyPartBatches(op, {partial, lse}, batch)))
    return failure();
  return verifyPartExtents(op, partial, lse, op.getBlockRows(),
                           op.getValueDim());
}

/// Verifies (C18).
static LogicalResult verifyLse(BsrAttentionOp op) {
  if (!op.hasLse())
    return success();
  NamedOperand lse{"lse", op.getLse(), 1};
  if (lse.batchRank() != op.getBatchRank())
    return op.emitOpError()
           << "expected 'lse' of rank " << op.getBatchRank() + 1 << ", but got "
           << op.getLse().getType();
  if (Type type = op.getScale().getType(); lse.elementType() != type)
    return op.emitOpError() << "expected element type " << type
                            << " of 'lse', but got " << lse.elementType();
  if (op.isTile())
    return success();
  ArrayRef<int64_t> batch = op.getOut().getType().getShape().drop_back(2);
  if (failed(verifyPartBatches(op, lse, batch)))
    return failure();
  return verifySize(op, lse, 0, "M", op.getQ().getType().getShape().end()[-2]);
}

/// Verifies (C11).
static LogicalResult verifyMeta(BsrAttentionOp op) {
  MetaAttr meta = op.getMetaAttr();
  if (!meta)
    return success();
  ArrayRef<int64_t> tile = meta.getTile();
  int64_t columns =
      llvm::alignTo(op.getValueDim(), tuning::attention::kPaddedColumns);
  if (tile[1] % kMultiple != 0 || tile[1] > columns)
    return op.emitOpError()
           << "expected N of the tile to be a multiple of 8 from 8 to "
           << columns << ", the columns of 'v' and their padding, but got "
           << tile[1];
  std::tuple<StringRef, int64_t, int64_t, int64_t> sizes[] = {
      {"M", tile[0], kMultiple, op.getBlockRows()},
      {"K", tile[2], kKeyMultiple, op.getBlockColumns()}};
  for (auto [name, size, multiple, block] : sizes) {
    if (size % multiple != 0 || size > kMaxTile)
      return op.emitOpError()
             << "expected " << name << " of the tile to be a multiple of "
             << multiple << " and at most " << kMaxTile << ", but got " << size;
    if (block % size != 0)
      return op.emitOpError()
             << "expected " << name << " of the tile to divide the block's "
             << block << ", but got " << size;
  }
  return success();
}

LogicalResult BsrAttentionOp::verify() {
  if (getOuts().empty() || getOuts().size() > 3) // (C17), (C18)
    return emitOpError() << "expected 'out', 'out' and 'lse', or 'out', "
                            "'partial' and 'lse' in 'outs', but got "
                         << getOuts().size() << " tensors";
  for (Value operand : getOperands()) // (C14)
    if (isSparseEncoded(operand.getType()))
      return emitOpError() << "expected no operand in an encoding, but got "
                           << operand.getType();
  NamedOperand crow{"crow", getCrow(), 1}, col{"col", getCol(), 1},
      q{"q", getQ(), 2}, k{"k", getK(), 2}, v{"v", getV(), 2},
      out{"out", getOut(), 2};
  SmallVector<NamedOperand> operands = {crow, col, q, k, v, out};
  if (getBatchRank() < 0) // (C1)
    return emitOpError() << "expected 'out' of rank at least 2, but got "
                         << getOut().getType();
  if (failed(verifyBatchRanks(*this, operands, getBatchRank())) || // (C1)
      failed(verifyElementTypes(*this)) ||
      failed(verifyBytes(*this, operands)) || // (C15)
      failed(verifyParts(*this)) || failed(verifyLse(*this)))
    return failure();
  if (getRandom() && failed(verifyRandom(*this, getRandom().getType()))) // (C9)
    return failure();
  for (auto [name, size, operand] :
       {std::tuple("D", getHeadDim(), &q), {"E", getValueDim(), &v}})
    if (ShapedType::isDynamic(size) || size < 1 || size > kMaxHeadDim) // (C4)
      return emitOpError() << "expected " << name << " to be static and from "
                           << "1 to " << kMaxHeadDim << ", but got "
                           << operand->value.getType();
  ArrayRef<int64_t> block = getBlockSize(); // (C5)
  if (block.size() != 2 || block[0] <= 0 || block[0] % kMultiple != 0 ||
      block[1] <= 0 || block[1] % kKeyMultiple != 0)
    return emitOpError() << "expected 'block_size' of a positive multiple of 8 "
                            "and one of 16, but got ["
                         << block << "]";
  if (isTile() && // (C12)
      static_cast<int64_t>(getOrigin().size()) != getNumOrigins())
    return emitOpError() << "expected " << getNumOrigins()
                         << " numbers in 'origin', but got "
                         << getOrigin().size();
  if (failed(verifyExtents(*this, crow, q, k, v, out)))
    return failure();
  for (const NamedOperand &operand : operands)
    if (!isTile() &&                       // Only results are cut.
        failed(verifyBatch(*this, operand, // (C8)
                           getOut().getType().getShape().drop_back(2))))
      return failure();
  if (getResultTypes() != TypeRange(getOuts())) // (C10)
    return emitOpError() << "expected results of the types of 'outs', "
                         << TypeRange(getOuts()) << ", but got "
                         << getResultTypes();
  if (failed(verifyPrecision(*this, getPrecision(), q.elementType(), // (C13)
                             "elements")))
    return failure();
  return verifyMeta(*this);
}
