//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Definition and verification of sattn.scatter_mm. The constraint numbers are
// those of the op's description.

#include "../OperandChecks.h"

#include "sattn/Dialect/SAttn/IR/BsrEncoding.h"
#include "sattn/Dialect/SAttn/IR/ScatterMm/ScatterMmOp.h"
#include "sattn/Tuning/ScatterMm.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sattn;

#define GET_OP_CLASSES
#include "sattn/Dialect/SAttn/IR/ScatterMm/ScatterMmOp.cpp.inc"

MutableOperandRange ScatterMmOp::getDpsInitsMutable() {
  return getOutMutable();
}

static SmallVector<NamedOperand> getLists(ScatterMmOp op) {
  SmallVector<NamedOperand> lists = {{"offsets", op.getOffsets(), 1},
                                     {"q", op.getQ(), 1}};
  if (op.getP())
    lists.push_back({"p", op.getP(), 1});
  if (op.getR())
    lists.push_back({"r", op.getR(), 1});
  return lists;
}

/// Verifies (C1).
static LogicalResult verifyRanks(ScatterMmOp op, ArrayRef<NamedOperand> lists,
                                 const NamedOperand &blocks) {
  for (const NamedOperand &operand : lists)
    if (int64_t rank = operand.value.getType().getRank(); rank != 1)
      return op.emitOpError()
             << "expected '" << operand.name << "' of rank 1, but got "
             << operand.value.getType();
  if (blocks.batchRank() != 0)
    return op.emitOpError()
           << "expected 'blocks' of rank 3, but got " << blocks.value.getType();
  int64_t rank = op.getOut().getType().getRank();
  if (op.getR() ? rank < 4 : rank != 3)
    return op.emitOpError()
           << "expected 'out' of rank " << (op.getR() ? "4 or more" : "3")
           << ", but got " << op.getOut().getType();
  if (op.getOthers().getType().getRank() != rank)
    return op.emitOpError()
           << "expected 'others' of rank " << rank
           << ", that of 'out', but got " << op.getOthers().getType();
  return success();
}

static LogicalResult verifyElementTypes(ScatterMmOp op,
                                        ArrayRef<NamedOperand> lists) {
  for (const NamedOperand &list : lists)
    if (Type index = list.elementType();
        !index.isSignlessInteger(32) && !index.isSignlessInteger(64)) // (C2)
      return op.emitOpError() << "expected element type i32 or i64 of '"
                              << list.name << "', but got " << index;
  Type multiplied = op.getBlocks().getType().getElementType();
  if (failed(verifyFloat(op, "blocks", multiplied)) || // (C4)
      failed(verifyResultType(op, "blocks", multiplied,
                              op.getOut().getType().getElementType())))
    return failure();
  if (Type other = op.getOthers().getType().getElementType(); // (C3)
      other != multiplied)
    return op.emitOpError() << "expected element type " << multiplied
                            << " of 'others', but got " << other;
  return success();
}

/// Verifies (C5), (C6), (C7), (C9), (C10).
static LogicalResult verifyShapes(ScatterMmOp op) {
  int64_t rank = op.getOut().getType().getRank(), batches = op.getBatchRank();
  NamedOperand others{"others", op.getOthers(), rank},
      out{"out", op.getOut(), rank};
  if (failed(verifySize(op, others, rank - 2, "the block's columns",
                        op.getBlockColumns()))) // (C5)
    return failure();
  // Only `out` is cut.
  if (op.isTile())
    return success();
  if (failed(verifySize(op, out, rank - 2, "the block's rows",
                        op.getBlockRows())) ||
      failed(verifySize(op, others, rank - 1, "N", out.size(rank - 1)))) // (C6)
    return failure();
  for (int64_t dim = 0; dim < batches; ++dim) // (C7)
    if (failed(verifySize(op, others, dim, "the batch", out.size(dim))))
      return failure();
  int64_t across = out.size(rank - 3);
  if (op.getR() &&
      failed(verifySize(op, others, rank - 3, "the matrices of a row", across)))
    return failure();
  NamedOperand offsets{"offsets", op.getOffsets(), 1}, q{"q", op.getQ(), 1};
  int64_t lists = op.getP() && op.getR() ? op.getR().getType().getDimSize(0)
                                         : out.size(batches);
  if (!ShapedType::isDynamic(lists) &&
      failed(verifySize(op, offsets, 0, "the size", lists + 1))) // (C9)
    return failure();
  if (op.getOverwrite() && op.getR()) { // (C18)
    int64_t rows = out.size(rank - 4),
            entries = op.getR().getType().getDimSize(0);
    if (!ShapedType::isDynamic(rows) && !ShapedType::isDynamic(across) &&
        !ShapedType::isDynamic(entries)) {
      int64_t matrices = 0;
      if (llvm::MulOverflow(rows, across, matrices) || entries != matrices)
        return op.emitOpError()
               << "expected an entry of 'r' for each of " << rows << " x "
               << across << " matrices that are overwritten, but got "
               << entries;
    }
  }
  if (op.getP())
    return verifySize(op, {"p", op.getP(), 1}, 0, "the pairs", q.size(0));
  int64_t blocks = op.getBlocks().getType().getDimSize(0), least;
  if (ShapedType::isDynamic(blocks) || ShapedType::isDynamic(across) ||
      ShapedType::isDynamic(q.size(0)))
    return success();
  if (llvm::MulOverflow(across, blocks, least) || q.size(0) < least)
    return op.emitOpError() // (C10)
           << "expected 'q' of " << across << " x " << blocks
           << " entries or more, those of a row times the blocks, but got "
           << op.getQ().getType();
  return success();
}

/// Verifies (C17).
static LogicalResult verifySteps(ScatterMmOp op) {
  if (!op.getCounts() != !op.getSteps())
    return op.emitOpError() << "expected both 'counts' and 'steps', or neither";
  if (!op.getSteps())
    return success();
  for (auto [name, value, rank] :
       {std::tuple(StringRef("counts"), op.getCounts(), 1),
        std::tuple(StringRef("steps"), op.getSteps(), 2)}) {
    RankedTensorType type = value.getType();
    if (type.getRank() != rank || !(type.getElementType().isInteger(32) ||
                                    type.getElementType().isInteger(64)))
      return op.emitOpError() << "expected '" << name << "' of i32 or i64 and "
                              << "rank " << rank << ", but got " << type;
  }
  int64_t pairs = op.getQ().getType().getDimSize(0);
  if (!mayMatch(op.getSteps().getType().getDimSize(0), pairs))
    return op.emitOpError()
           << "expected 'steps' of " << pairs << " rows, as 'q', but got "
           << op.getSteps().getType();
  int64_t lists = op.getMetaAttr() ? op.getListsPerTile() : 1;
  if (op.getSteps().getType().getDimSize(1) != 1 + lists || lists == 1)
    return op.emitOpError()
           << "expected 'steps' of the lists that share the tile of 'meta', "
           << lists << ", but got " << op.getSteps().getType();
  return success();
}

/// Verifies (C12).
static LogicalResult verifyTile(ScatterMmOp op) {
  MetaAttr meta = op.getMetaAttr();
  if (!meta)
    return success();
  ArrayRef<int64_t> tile = meta.getTile();
  for (auto [size, name] : llvm::zip_equal(tile, StringRef("MNK")))
    if (size > kMaxTileSize)
      return op.emitOpError()
             << "expected the tile's " << name << " to be at most "
             << kMaxTileSize << ", but got " << size;
  if (tile[1] % 8 != 0)
    return op.emitOpError()
           << "expected the tile's N to be a multiple of 8, but got "
           << tile[1];
  std::pair<int64_t, int64_t> parts[] = {{tile[0], op.getBlockRows()},
                                         {tile[2], op.getBlockColumns()}};
  for (auto [part, name] : llvm::zip_equal(parts, StringRef("MK")))
    if (!tuning::scatter_mm::isPart(part.first, part.second) &&
        !(name == 'M' && op.getListsPerTile() > 1))
      return op.emitOpError()
             << "expected the tile's " << name << " to divide the block's "
             << part.second
             << ", or to be a multiple of 8 below, or the next of 8 or 16, but "
                "got "
             << part.first;
  if (std::max({tile[0] * tile[1], tile[0] * tile[2], tile[2] * tile[1]}) >
      kMaxTileElements)
    return op.emitOpError()
           << "expected the tile's M x N, M x K and K x N to be at most "
           << kMaxTileElements << " elements, but got " << tile[0] << " x "
           << tile[1] << " x " << tile[2];
  return success();
}

LogicalResult ScatterMmOp::verify() {
  for (Value operand : getOperands()) // (C15)
    if (isSparseEncoded(operand.getType()))
      return emitOpError() << "expected no operand in an encoding, but got "
                           << operand.getType();
  SmallVector<NamedOperand> lists = getLists(*this), operands = lists;
  NamedOperand blocks{"blocks", getBlocks(), 3};
  operands.append({blocks,
                   {"others", getOthers(), 2 + getGridRank()},
                   {"out", getOut(), 2 + getGridRank()}});
  if (!getP() && !getR()) // (C8)
    return emitOpError("expected 'p' or 'r', but got neither");
  if (failed(verifyRanks(*this, lists, blocks)) || // (C1)
      failed(verifyElementTypes(*this, lists)) ||
      failed(verifyBytes(*this, operands))) // (C16)
    return failure();
  for (int64_t size : {getBlockRows(), getBlockColumns()}) // (C5)
    if (ShapedType::isDynamic(size) || size < 1)
      return emitOpError() << "expected blocks of static, positive size, but "
                              "got "
                           << getBlocks().getType();
  if (int64_t loops = getBatchRank() + 3;
      isTile() && static_cast<int64_t>(getOrigin().size()) != loops) // (C14)
    return emitOpError() << "expected " << loops
                         << " numbers in 'origin', but got "
                         << getOrigin().size();
  if (failed(verifyShapes(*this)))
    return failure();
  if (getResult().getType() != getOut().getType()) // (C11)
    return emitOpError() << "expected the result to have the type of 'out', "
                         << getOut().getType() << ", but got "
                         << getResult().getType();
  if (failed(verifyPrecision(*this, getPrecision(), // (C13)
                             blocks.elementType(), "blocks")))
    return failure();
  if (failed(verifyTile(*this)))
    return failure();
  return verifySteps(*this);
}

int64_t ScatterMmOp::getListsPerTile() {
  return tuning::scatter_mm::countLists(getMetaAttr().getTile()[0],
                                        getBlockRows());
}

int64_t ScatterMmOp::getTileRows() {
  return getMetaAttr().getTile()[0] / getListsPerTile();
}
