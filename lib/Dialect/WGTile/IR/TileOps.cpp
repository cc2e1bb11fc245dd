//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Ops of a tile's program. The constraint numbers are those of the ops'
// descriptions.

#include "sattn/Dialect/WGTile/IR/WGTile.h"

#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace wgtile;

//===----------------------------------------------------------------------===//
// ForEachTileOp
//===----------------------------------------------------------------------===//

void ForEachTileOp::build(OpBuilder &b, OperationState &state,
                          ValueRange counts) {
  state.addOperands(counts);
  Region *body = state.addRegion();
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Type> types(counts.size(), b.getIndexType());
  SmallVector<Location> locs(counts.size(), state.location);
  b.createBlock(body, {}, types, locs);
  ensureTerminator(*body, b, state.location);
}

ParseResult ForEachTileOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> indices;
  SmallVector<OpAsmParser::UnresolvedOperand> counts;
  Type indexType = parser.getBuilder().getIndexType();
  if (parser.parseArgumentList(indices, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("in") ||
      parser.parseOperandList(counts, OpAsmParser::Delimiter::Paren) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.resolveOperands(counts, indexType, result.operands))
    return failure();
  for (OpAsmParser::Argument &index : indices)
    index.type = indexType;
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, indices))
    return failure();
  ensureTerminator(*body, parser.getBuilder(), result.location);
  return success();
}

void ForEachTileOp::print(OpAsmPrinter &printer) {
  printer << " (" << getBody().getArguments() << ") in (" << getCounts() << ")";
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer << " ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/false);
}

LogicalResult ForEachTileOp::verify() {
  // (C1)
  if (getBody().getNumArguments() != getCounts().size() ||
      !llvm::all_of(getBody().getArgumentTypes(),
                    [](Type type) { return type.isIndex(); }))
    return emitOpError() << "expected " << getCounts().size()
                         << " index arguments of the body, but got "
                         << getBody().getArgumentTypes();
  // (C2)
  if (std::optional<int64_t> columns = getPersistent();
      columns && (*columns < 1 || getCounts().size() < 2))
    return emitOpError() << "expected 'persistent' to be positive, of at least "
                            "two counts, but got "
                         << *columns << " of " << getCounts().size();
  return success();
}

//===----------------------------------------------------------------------===//
// Accesses of global memory
//===----------------------------------------------------------------------===//

static LogicalResult verifyIndices(Operation *op, int64_t rank,
                                   ValueRange indices) {
  if (static_cast<int64_t>(indices.size()) == rank)
    return success();
  return op->emitOpError() << "expected " << rank << " indices, but got "
                           << indices.size();
}

static LogicalResult verifyElementTypes(Operation *op, Type expected,
                                        Type actual) {
  if (expected == actual)
    return success();
  return op->emitOpError() << "expected a tile of element type " << expected
                           << ", but got " << actual;
}

/// (C1), (C2), (C3) of read and store.
static LogicalResult verifyRegisterAccess(Operation *op, MemRefType memref,
                                          ValueRange indices,
                                          RankedTensorType tile,
                                          ArrayRef<bool> inBounds,
                                          int64_t minRank) {
  if (failed(verifyIndices(op, memref.getRank(), indices)) ||
      failed(verifyElementTypes(op, memref.getElementType(),
                                tile.getElementType())))
    return failure();
  int64_t maxRank = std::min<int64_t>(2, memref.getRank());
  if (tile.getRank() < minRank || tile.getRank() > maxRank ||
      !tile.hasStaticShape())
    return op->emitOpError()
           << "expected a tile of static sizes and rank " << minRank << " to "
           << maxRank << ", but got " << tile;
  if (static_cast<int64_t>(inBounds.size()) != tile.getRank())
    return op->emitOpError()
           << "expected " << tile.getRank() << " entries of in_bounds, but got "
           << inBounds.size();
  return success();
}

LogicalResult LoadOp::verify() {
  Type elementType;
  int64_t rank;
  if (auto map = dyn_cast<TensorMapType>(getSource().getType())) {
    elementType = map.getElementType();
    rank = map.getBox().size();
  } else {
    auto memref = cast<MemRefType>(getSource().getType());
    elementType = memref.getElementType();
    rank = memref.getRank();
    // (C3)
    SmallVector<int64_t> strides;
    int64_t offset;
    if (failed(memref.getStridesAndOffset(strides, offset)))
      return emitOpError() << "expected a strided source, but got " << memref;
    if (!strides.empty() && !ShapedType::isDynamic(strides.back()) &&
        strides.back() != 1)
      return emitOpError() << "expected a source of innermost stride 1, but "
                              "got "
                           << memref;
  }
  // (C1)
  if (rank < 2)
    return emitOpError() << "expected a source of rank at least 2, but got "
                         << getSource().getType();
  if (failed(verifyIndices(*this, rank, getIndices())))
    return failure();
  // (C2)
  if (failed(verifyElementTypes(*this, elementType,
                                getTile().getType().getElementType())))
    return failure();
  // (C4)
  if (getOffset().has_value() != getBarrier().has_value())
    return emitOpError() << "expected 'offset' and 'barrier' together, but got "
                            "only one";
  return success();
}

LogicalResult ReadOp::verify() {
  return verifyRegisterAccess(*this, getSource().getType(), getIndices(),
                              getTile().getType(), getInBounds(),
                              /*minRank=*/1);
}

LogicalResult StoreOp::verify() {
  return verifyRegisterAccess(*this, getDest().getType(), getIndices(),
                              getTile().getType(), getInBounds(),
                              /*minRank=*/2);
}

//===----------------------------------------------------------------------===//
// MmaOp, BroadcastOp
//===----------------------------------------------------------------------===//

LogicalResult MmaOp::verify() {
  SharedType a = getA().getType(), b = getB().getType();
  RankedTensorType acc = getAcc().getType();
  // (C1)
  if (acc.getRank() != 2 || a.getRows() != acc.getDimSize(0) ||
      b.getColumns() != acc.getDimSize(1) || a.getColumns() != b.getRows())
    return emitOpError() << "expected tiles MxK, KxN and MxN, but got " << a
                         << ", " << b << " and " << acc;
  // (C2)
  Type type = a.getElementType();
  if (type != b.getElementType() || !(type.isF16() || type.isBF16()) ||
      !acc.getElementType().isF32())
    return emitOpError() << "expected two tiles of f16 or of bf16 and an f32 "
                            "accumulator, but got "
                         << a << ", " << b << " and " << acc;
  return success();
}

LogicalResult BroadcastOp::verify() {
  RankedTensorType source = getSource().getType(),
                   result = getResult().getType();
  // (C1)
  int64_t dimension = getDimension();
  if (source.getRank() != 1 || result.getRank() != 2 || dimension < 0 ||
      dimension > 1 || source.getDimSize(0) != result.getDimSize(dimension) ||
      source.getElementType() != result.getElementType())
    return emitOpError() << "expected a vector of the size of the tile's "
                            "dimension 0 or 1, but got "
                         << source << ", dimension " << dimension << " and "
                         << result;
  return success();
}

LogicalResult ExtractColumnsOp::verify() {
  // (C1)
  RankedTensorType source = getSource().getType(),
                   result = getResult().getType();
  int64_t offset = getOffset();
  if (source.getRank() != result.getRank() || source.getRank() < 1 ||
      source.getRank() > 2 ||
      source.getShape().drop_back() != result.getShape().drop_back() ||
      source.getElementType() != result.getElementType())
    return emitOpError() << "expected a result of the source's rank, rows and "
                            "element type, but got "
                         << source << " and " << result;
  int64_t end = offset + result.getShape().back();
  if (offset < 0 || offset % 8 != 0 || end % 8 != 0 ||
      end > source.getShape().back())
    return emitOpError() << "expected columns between multiples of 8 in "
                         << source << ", but got " << offset << " to " << end;
  return success();
}
