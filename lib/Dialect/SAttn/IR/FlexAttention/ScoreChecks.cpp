//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScoreChecks.h"

#include "../Dropout.h"

#include "sattn/Dialect/SAttn/IR/MaskRegion.h"
#include "sattn/Tuning/FlexAttention.h"

using namespace mlir;
using namespace sattn;
using namespace sattn::flex_attention;

/// Most columns of Q, K, V and the result.
static constexpr int64_t kMaxHeadDim = 512;
/// The number that columns of f64 are a multiple of: the CPU has no code for a
/// row of doubles that ends within a vector.
static constexpr int64_t kF64Multiple = 8;
/// The number that block sizes of lists are multiples of.
static constexpr int64_t kBlockMultiple = 16;
/// The number that sizes of tiles are multiples of, and the largest size.
static constexpr int64_t kTileMultiple = 8, kMaxTileSize = 1024;
static constexpr int64_t kMaxPackedHeads = 1024;

SmallVector<NamedOperand> flex_attention::nameOperands(ScoreOpInterface op) {
  int64_t rank = op.getQ().getType().getRank();
  Type element = op.getQ().getType().getElementType();
  Type i32 = IntegerType::get(op.getContext(), 32);
  SmallVector<NamedOperand> operands;
  auto add = [&](StringRef name, Value value, int64_t expected, Type type) {
    if (value)
      operands.push_back(
          {name, cast<RankedTensorType>(value.getType()), expected, type});
  };
  add("q", op.getQ(), rank, element);
  add("k", op.getK(), rank, element);
  add("v", op.getV(), rank, element);
  add("partial_counts", op.getPartialCounts(), rank - 1, i32);
  add("partial_indices", op.getPartialIndices(), rank, i32);
  add("full_counts", op.getFullCounts(), rank - 1, i32);
  add("full_indices", op.getFullIndices(), rank, i32);
  add("key_lengths", op.getKeyLengths(), 1, i32);
  return operands;
}

LogicalResult flex_attention::verifyTypes(ScoreOpInterface op,
                                          ArrayRef<NamedOperand> operands) {
  RankedTensorType q = op.getQ().getType();
  if (q.getRank() != 3 && q.getRank() != 4)
    return op->emitOpError() << "expected 'q' of rank 3 or 4, but got " << q;
  Type element = q.getElementType();
  if (!element.isF16() && !element.isBF16() && !element.isF32() &&
      !element.isF64())
    return op->emitOpError()
           << "expected element type f16, bf16, f32 or f64 of 'q', but got "
           << element;
  for (const NamedOperand &operand : operands) {
    if (operand.type.getRank() != operand.rank)
      return op->emitOpError() << "expected '" << operand.name << "' of rank "
                               << operand.rank << ", but got " << operand.type;
    if (operand.type.getElementType() != operand.element)
      return op->emitOpError()
             << "expected element type " << operand.element << " of '"
             << operand.name << "', but got " << operand.type.getElementType();
  }
  return verifyCaptures(op, op.getCaptures());
}

static bool mayMatch(int64_t a, int64_t b) {
  return ShapedType::isDynamic(a) || ShapedType::isDynamic(b) || a == b;
}

LogicalResult flex_attention::verifyExtent(ScoreOpInterface op, StringRef name,
                                           Value tensor, int64_t dim,
                                           StringRef what, int64_t expected,
                                           bool mayBeOne) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (dim < 0)
    dim += type.getRank();
  int64_t actual = type.getDimSize(dim);
  if (mayMatch(actual, expected) || (mayBeOne && actual == 1))
    return success();
  return op->emitOpError() << "expected " << what << " of '" << name
                           << "' (dimension " << dim << ") to be "
                           << (mayBeOne ? "1 or " : "") << expected
                           << ", but got " << actual;
}

LogicalResult flex_attention::verifyRows(ScoreOpInterface op, StringRef name,
                                         Value tensor) {
  static constexpr StringRef kNames[] = {"B", "H", "M"};
  ArrayRef<int64_t> q = op.getQ().getType().getShape().drop_back();
  for (unsigned i = 0; i < q.size(); ++i)
    if (failed(
            verifyExtent(op, name, tensor, i, kNames[i + 3 - q.size()], q[i])))
      return failure();
  return success();
}

/// Verifies (C4).
static LogicalResult verifyExtents(ScoreOpInterface op) {
  int64_t group = op.getGroup();
  if (group < 1)
    return op->emitOpError()
           << "expected 'group' of at least 1, but got " << group;
  ArrayRef<int64_t> q = op.getQ().getType().getShape();
  int64_t heads = q.end()[-3];
  if (!ShapedType::isDynamic(heads) && heads % group != 0)
    return op->emitOpError()
           << "expected H of 'q' to be a multiple of 'group', " << group
           << ", but got " << heads;
  int64_t groups = ShapedType::isDynamic(heads) ? heads : heads / group;
  bool isBatched = q.size() == 4;
  for (auto [name, tensor] : {std::pair<StringRef, Value>("k", op.getK()),
                              std::pair<StringRef, Value>("v", op.getV())}) {
    if (isBatched && failed(verifyExtent(op, name, tensor, 0, "B", q[0], true)))
      return failure();
    if (failed(verifyExtent(op, name, tensor, -3, "heads", groups)))
      return failure();
  }
  ArrayRef<int64_t> k = op.getK().getType().getShape();
  if (isBatched && failed(verifyExtent(op, "v", op.getV(), 0, "B", k[0])))
    return failure();
  if (failed(verifyExtent(op, "v", op.getV(), -2, "N", k.end()[-2])) ||
      failed(verifyExtent(op, "k", op.getK(), -1, "D", q.back())))
    return failure();
  if (!op.getKeyLengths())
    return success();
  return verifyExtent(op, "key_lengths", op.getKeyLengths(), 0, "B", q.front());
}

/// Verifies (C5).
static LogicalResult verifyLists(ScoreOpInterface op) {
  std::optional<ArrayRef<int64_t>> size = op.getBlockSize();
  if (size.has_value() != op.hasLists())
    return op->emitOpError("expected 'block_size' if and only if there is a "
                           "block list");
  if (!size)
    return success();
  if (size->size() != 2 || llvm::any_of(*size, [](int64_t extent) {
        return extent <= 0 || extent % kBlockMultiple != 0;
      }))
    return op->emitOpError() << "expected 'block_size' of two positive "
                                "multiples of 16, but got ["
                             << *size << "]";
  ArrayRef<int64_t> q = op.getQ().getType().getShape();
  bool isByKeys = op.isByKeys();
  int64_t rows =
      isByKeys ? op.getK().getType().getShape().end()[-2] : q.end()[-2];
  int64_t packed = op.getPackedHeads(), unit = (*size)[isByKeys ? 1 : 0];
  int64_t blocks = ShapedType::isDynamic(rows)
                       ? rows
                       : llvm::divideCeil(rows / packed, unit);
  if (packed != 1 && !ShapedType::isDynamic(rows) && blocks > 1)
    return op->emitOpError() << "expected at most " << unit
                             << " queries of each of 'packed_heads', one block "
                                "of 'block_size', but got "
                             << rows / packed;
  std::pair<StringRef, Value> lists[] = {
      {"partial_counts", op.getPartialCounts()},
      {"partial_indices", op.getPartialIndices()},
      {"full_counts", op.getFullCounts()},
      {"full_indices", op.getFullIndices()}};
  for (auto [name, list] : lists) {
    if (!list)
      continue;
    int64_t lead = q.size() - 2;
    for (int64_t i = 0; i < lead; ++i)
      if (failed(verifyExtent(op, name, list, i, i == lead - 1 ? "H" : "B",
                              q[i], /*mayBeOne=*/true)))
        return failure();
    if (failed(verifyExtent(op, name, list, lead,
                            isByKeys ? "blocks of keys" : "blocks of queries",
                            blocks)))
      return failure();
  }
  return success();
}

/// Verifies (C11) of the gradients.
static LogicalResult verifyStored(ScoreOpInterface op) {
  auto crow = op.getCrow(), col = op.getCol();
  if (!crow)
    return success();
  RankedTensorType q = op.getQ().getType();
  for (auto [name, list] : {std::pair("crow", crow), std::pair("col", col)})
    if (list.getType().getRank() != q.getRank() - 1)
      return op->emitOpError()
             << "expected '" << name << "' of rank " << q.getRank() - 1
             << ", but got " << list.getType();
  Type element = crow.getType().getElementType();
  if (!element.isSignlessInteger(32) && !element.isSignlessInteger(64))
    return op->emitOpError()
           << "expected element type i32 or i64 of 'crow', but got " << element;
  if (Type other = col.getType().getElementType(); other != element)
    return op->emitOpError() << "expected element type " << element
                             << " of 'col', but got " << other;
  if (op.getPartialCounts() || op.getFullCounts() || op.getKeyLengths() ||
      op.getMask() || !op.getScoreMod().empty() || !op.getMaskMod().empty())
    return op->emitOpError("expected 'stored' without lists, key lengths, a "
                           "mask or functions");
  bool isByKeys = op.isByKeys();
  ArrayRef<int64_t> size = *op.getBlockSize();
  int64_t m = q.getShape().end()[-2],
          n = op.getK().getType().getShape().end()[-2];
  for (auto [name, extent, unit] :
       {std::tuple("M", m, size[0]), std::tuple("N", n, size[1])})
    if (!ShapedType::isDynamic(extent) && extent % unit != 0)
      return op->emitOpError()
             << "expected " << name << " to be a multiple of " << unit
             << " of 'block_size', but got " << extent;
  int64_t lead = q.getRank() - 2, rows = isByKeys ? n : m,
          unit = size[isByKeys ? 1 : 0];
  for (auto [name, list] : {std::pair("crow", crow), std::pair("col", col)})
    for (int64_t i = 0; i < lead; ++i)
      if (failed(verifyExtent(op, name, list, i, i == lead - 1 ? "H" : "B",
                              q.getDimSize(i), /*mayBeOne=*/true)))
        return failure();
  return verifyExtent(op, "crow", crow, lead, "offsets",
                      ShapedType::isDynamic(rows) ? rows : rows / unit + 1);
}

/// Verifies (C11).
static LogicalResult verifyPackedHeads(ScoreOpInterface op) {
  int64_t packed = op.getPackedHeads();
  int64_t rows = op.getQ().getType().getShape().end()[-2];
  if (packed < 1 || packed > kMaxPackedHeads)
    return op->emitOpError() << "expected 'packed_heads' from 1 to "
                             << kMaxPackedHeads << ", but got " << packed;
  if (!ShapedType::isDynamic(rows) && rows % packed != 0)
    return op->emitOpError() << "expected 'packed_heads' to divide the " << rows
                             << " rows of 'q', but got " << packed;
  return success();
}

/// Verifies (C8).
static LogicalResult verifyMeta(ScoreOpInterface op) {
  MetaAttr meta = op.getMetaAttr();
  if (!meta)
    return success();
  ArrayRef<int64_t> tile = meta.getTile();
  int64_t columns = llvm::alignTo(op.getTiledColumns(),
                                  tuning::flex_attention::kPaddedColumns);
  if (tile[1] % kTileMultiple != 0 || tile[1] > columns)
    return op->emitOpError()
           << "expected N of the tile to be a multiple of 8 from 8 to "
           << columns << ", all columns and their padding, but got " << tile[1];
  std::pair<StringRef, int64_t> sizes[] = {{"M", tile[0]}, {"K", tile[2]}};
  for (auto [number, entry] : llvm::enumerate(sizes)) {
    auto [name, size] = entry;
    if (size % kTileMultiple != 0 || size > kMaxTileSize)
      return op->emitOpError()
             << "expected " << name
             << " of the tile to be a multiple of 8 from 8 to " << kMaxTileSize
             << ", but got " << size;
    // A list has one block of queries for all rows of packed heads.
    bool isDivided = op.getBlockSize() && (number == 1 || !op.isPacked());
    if (isDivided && (*op.getBlockSize())[number] % size != 0)
      return op->emitOpError()
             << "expected " << name << " of the tile to divide "
             << (*op.getBlockSize())[number] << " of 'block_size', but got "
             << size;
  }
  return success();
}

/// Verifies (C3).
static LogicalResult verifyColumns(ScoreOpInterface op) {
  for (auto [name, size] :
       {std::pair<StringRef, int64_t>("D", op.getHeadDim()),
        std::pair<StringRef, int64_t>("E", op.getValueDim())})
    if (ShapedType::isDynamic(size) || size < 1 || size > kMaxHeadDim)
      return op->emitOpError()
             << "expected " << name << " to be static and from 1 to "
             << kMaxHeadDim << ", but got "
             << (name == "D" ? op.getQ() : op.getV()).getType();
  bool isF64 = op.getScale().getType().isF64();
  if (isF64 && (op.getHeadDim() % kF64Multiple != 0 ||
                op.getValueDim() % kF64Multiple != 0))
    return op->emitOpError()
           << "expected D and E to be multiples of " << kF64Multiple
           << " with elements of f64, but got " << op.getHeadDim() << " and "
           << op.getValueDim();
  return success();
}

/// Verifies (C10).
static LogicalResult verifyPrecision(ScoreOpInterface op) {
  StringRef precision = op.getPrecision();
  bool isF32 = op.getQ().getType().getElementType().isF32();
  if (precision != "ieee" && (precision != "tf32" || !isF32))
    return op->emitOpError()
           << "expected precision \"ieee\"" << (isF32 ? " or \"tf32\"" : "")
           << ", but got \"" << precision << "\" for elements of "
           << op.getQ().getType().getElementType();
  return success();
}

LogicalResult flex_attention::verifyScores(ScoreOpInterface op) {
  TypeRange captures = op.getCaptures().getTypes();
  if (failed(verifyColumns(op)) || failed(verifyPrecision(op)) ||
      failed(verifyExtents(op)) || failed(verifyPackedHeads(op)) ||
      failed(verifyLists(op)) || failed(verifyStored(op)) ||
      (op.getRandom() && failed(verifyRandom(op, op.getRandom().getType()))) ||
      failed(verifyElementFunction(op, "score_mod", op.getScoreMod(), // (C7)
                                   captures, op.getScale().getType())) ||
      failed(verifyElementFunction(op, "mask_mod", op.getMaskMod(), captures,
                                   /*score=*/Type())))
    return failure();
  return verifyMeta(op);
}

LogicalResult flex_attention::verifyOrigin(ScoreOpInterface op, int64_t loops) {
  int64_t count = op.getOrigin().size();
  if (count != 0 && count != loops)
    return op->emitOpError()
           << "expected " << loops << " numbers in 'origin', but got " << count;
  return success();
}
