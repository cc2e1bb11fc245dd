//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// TilingInterface of sattn.bsr_addmm: the loops are (batch..., M, N), whatever
// the layout of `out`, and a slice of the op is the op on slices. A slice of
// crow is a crow again, because its first entry need not be 0.

#include "sattn/Dialect/SAttn/IR/BsrAddmm/BsrAddmmOp.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace sattn;

SmallVector<utils::IteratorType> BsrAddmmOp::getLoopIteratorTypes() {
  return SmallVector<utils::IteratorType>(getOut().getType().getRank(),
                                          utils::IteratorType::parallel);
}

/// Swaps what belongs to M and N, the last two, where `out` is transposed: the
/// loops' order becomes that of `out`, and the reverse.
template <typename T> static void orient(BsrAddmmOp op, SmallVector<T> &loops) {
  if (op.getTransposeOut())
    std::swap(loops[op.getBatchRank()], loops[op.getBatchRank() + 1]);
}

SmallVector<Range> BsrAddmmOp::getIterationDomain(OpBuilder &b) {
  SmallVector<Range> ranges;
  for (OpFoldResult size : tensor::getMixedSizes(b, getLoc(), getOut()))
    ranges.push_back({b.getIndexAttr(0), size, b.getIndexAttr(1)});
  orient(*this, ranges);
  return ranges;
}

/// The constant among the operands of a minimum, as in the size
/// min(tile, M - offset) that tiling computes for a dynamic M.
static std::optional<int64_t> getTileSize(OpFoldResult size) {
  auto value = dyn_cast<Value>(size);
  auto min = value ? value.getDefiningOp<affine::AffineMinOp>() : nullptr;
  if (!min)
    return std::nullopt;
  for (AffineExpr expr : min.getMap().getResults())
    if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      return constant.getValue();
  return std::nullopt;
}

/// The rows of a tile of at most one block row, or of a part of it: exactly
/// that, since M and the tile's offset are multiples of it.
static OpFoldResult foldRows(BsrAddmmOp op, OpFoldResult size) {
  if (getTileSize(size) == op.getTileRows())
    return OpBuilder(op).getIndexAttr(op.getTileRows());
  return size;
}

namespace {
/// Slices the operands of one op for a tile, given its offsets and sizes.
struct Slicer {
  OpBuilder &b;
  BsrAddmmOp op;
  ArrayRef<OpFoldResult> offsets, sizes;
  SmallVector<Operation *> slices = {};

  /// Slice of `source` at the tile's batch, then at the given window.
  Value slice(Value source, ArrayRef<OpFoldResult> windowOffsets,
              ArrayRef<OpFoldResult> windowSizes,
              OpFoldResult lastStride = {}) {
    auto type = cast<RankedTensorType>(source.getType());
    int64_t batchRank = type.getRank() - windowOffsets.size();
    int64_t skipped = op.getBatchRank() - batchRank;
    SmallVector<OpFoldResult> sliceOffsets, sliceSizes;
    for (int64_t i = 0; i < batchRank; ++i) {
      sliceOffsets.push_back(
          batchOffset(source, type.getDimSize(i), i, offsets[skipped + i]));
      sliceSizes.push_back(
          batchSize(source, type.getDimSize(i), i, sizes[skipped + i]));
    }
    sliceOffsets.append(windowOffsets.begin(), windowOffsets.end());
    sliceSizes.append(windowSizes.begin(), windowSizes.end());
    return extract(source, sliceOffsets, sliceSizes, lastStride);
  }

  Value extract(Value source, ArrayRef<OpFoldResult> sliceOffsets,
                ArrayRef<OpFoldResult> sliceSizes,
                OpFoldResult lastStride = {}) {
    SmallVector<OpFoldResult> strides(sliceSizes.size(), b.getIndexAttr(1));
    if (lastStride)
      strides.back() = lastStride;
    auto result = tensor::ExtractSliceOp::create(
        b, op.getLoc(), source, sliceOffsets, sliceSizes, strides);
    slices.push_back(result);
    return result;
  }

  /// Element of `source`, an index, at the tile's batch.
  Value element(Value source, ArrayRef<OpFoldResult> indices) {
    auto type = cast<RankedTensorType>(source.getType());
    int64_t batchRank = type.getRank() - indices.size();
    int64_t skipped = op.getBatchRank() - batchRank;
    SmallVector<OpFoldResult> all;
    for (int64_t i = 0; i < batchRank; ++i)
      all.push_back(
          batchOffset(source, type.getDimSize(i), i, offsets[skipped + i]));
    all.append(indices.begin(), indices.end());
    Value value = tensor::ExtractOp::create(
        b, op.getLoc(), source,
        getValueOrCreateConstantIndexOp(b, op.getLoc(), all));
    return arith::IndexCastOp::create(b, op.getLoc(), b.getIndexType(), value);
  }

  /// The whole of a dimension after the batch dimensions of `source`.
  OpFoldResult whole(Value source, int64_t dim) {
    return tensor::getMixedSize(b, op.getLoc(), source, dim);
  }

  /// The number of the tile's columns, from `offset` on, inside dimension `dim`
  /// of `source`, in terms of the operand's own size, not that of `out`: later
  /// passes can then prove that the slice ends where the operand ends.
  OpFoldResult columns(Value source, int64_t dim, OpFoldResult offset,
                       OpFoldResult size) {
    std::optional<int64_t> tile = getTileSize(size);
    if (!tile || !cast<RankedTensorType>(source.getType()).isDynamicDim(dim))
      return size;
    AffineExpr d0 = b.getAffineDimExpr(0), s0 = b.getAffineSymbolExpr(0);
    auto map = AffineMap::get(1, 1, {s0 - d0, b.getAffineConstantExpr(*tile)},
                              b.getContext());
    return affine::makeComposedFoldedAffineMin(b, op.getLoc(), map,
                                               {offset, whole(source, dim)});
  }

private:
  /// The index of a batch: 0 in a dimension of size 1; min(offset, size - 1)
  /// says so for a size that is known only at run time.
  OpFoldResult batchOffset(Value source, int64_t size, int64_t dim,
                           OpFoldResult offset) {
    if (size == 1)
      return b.getIndexAttr(0);
    if (!ShapedType::isDynamic(size))
      return offset;
    AffineExpr d0 = b.getAffineDimExpr(0), s0 = b.getAffineSymbolExpr(0);
    auto map = AffineMap::get(1, 1, {d0, s0 - 1}, b.getContext());
    return affine::makeComposedFoldedAffineMin(b, op.getLoc(), map,
                                               {offset, whole(source, dim)});
  }

  OpFoldResult batchSize(Value source, int64_t size, int64_t dim,
                         OpFoldResult tileSize) {
    if (size == 1)
      return b.getIndexAttr(1);
    if (!ShapedType::isDynamic(size) || isConstantIntValue(tileSize, 1))
      return tileSize;
    AffineExpr d0 = b.getAffineDimExpr(0), s0 = b.getAffineSymbolExpr(0);
    auto map = AffineMap::get(1, 1, {d0, s0}, b.getContext());
    return affine::makeComposedFoldedAffineMin(b, op.getLoc(), map,
                                               {tileSize, whole(source, dim)});
  }
};
} // namespace

/// The first row of `out` that the tile computes: with a plan, that of the
/// block row that the row-block group has in the tile's place.
static OpFoldResult findRow(Slicer &slicer) {
  BsrAddmmOp op = slicer.op;
  OpFoldResult offset = slicer.offsets[op.getBatchRank()];
  if (!op.getSteps())
    return offset;
  OpBuilder &b = slicer.b;
  AffineExpr d0 = b.getAffineDimExpr(0);
  AffineExpr row = d0.floorDiv(op.getBlockRows());
  int64_t groups = op.getBlockRowsPerTile();
  auto apply = [&](AffineExpr expr, OpFoldResult operand) {
    return affine::makeComposedFoldedAffineApply(b, op.getLoc(), expr,
                                                 {operand});
  };
  Value blockRow = slicer.element(
      op.getRowBlockGroups(),
      {apply(row.floorDiv(groups), offset), apply(row % groups + 2, offset)});
  return apply(d0 * op.getBlockRows(), OpFoldResult(blockRow));
}

FailureOr<TilingResult>
BsrAddmmOp::getTiledImplementation(OpBuilder &b, ArrayRef<OpFoldResult> offsets,
                                   ArrayRef<OpFoldResult> sizes) {
  if (isEncoded())
    return failure();
  Location loc = getLoc();
  int64_t batchRank = getBatchRank();
  OpFoldResult zero = b.getIndexAttr(0);
  Slicer slicer{b, *this, offsets, sizes};
  OpFoldResult rowOffset = findRow(slicer);
  OpFoldResult rows = foldRows(*this, sizes[batchRank]);
  OpFoldResult columnOffset = offsets[batchRank + 1];
  auto columns = [&](Value source, int64_t dim) {
    return slicer.columns(
        source, cast<RankedTensorType>(source.getType()).getRank() + dim,
        columnOffset, sizes[batchRank + 1]);
  };

  AffineExpr d0 = b.getAffineDimExpr(0);
  int64_t blockRows = getBlockRows();
  OpFoldResult crowOffset = affine::makeComposedFoldedAffineApply(
      b, loc, d0.floorDiv(blockRows), {rowOffset});
  OpFoldResult crowSize = affine::makeComposedFoldedAffineApply(
      b, loc, d0.ceilDiv(blockRows) + 1, {rows});
  // The tile's blocks are these rows of the blocks.
  OpFoldResult rowInBlock = affine::makeComposedFoldedAffineApply(
      b, loc, d0 % blockRows, {rowOffset});
  if (getTileRows() == blockRows)
    rowInBlock = zero;

  SmallVector<Value> operands = {getAlpha(), getBeta()};
  operands.push_back(slicer.slice(getCrow(), {crowOffset}, {crowSize}));
  int64_t storageBatch = getCol().getType().getRank() - 1;
  operands.push_back(
      slicer.slice(getCol(), {zero}, {slicer.whole(getCol(), storageBatch)}));
  // The last two entries of a window of a matrix, rows first.
  auto window = [](bool isTransposed, OpFoldResult ofRows,
                   OpFoldResult ofColumns) -> std::array<OpFoldResult, 2> {
    if (isTransposed)
      return {ofColumns, ofRows};
    return {ofRows, ofColumns};
  };
  SmallVector<OpFoldResult> blockOffsets = {zero},
                            blockSizes = {
                                slicer.whole(getValues(), storageBatch)};
  llvm::append_range(blockOffsets, window(getTransposeA(), rowInBlock, zero));
  llvm::append_range(blockSizes,
                     window(getTransposeA(), b.getIndexAttr(getTileRows()),
                            b.getIndexAttr(getBlockColumns())));
  operands.push_back(slicer.slice(getValues(), blockOffsets, blockSizes));
  int64_t kDim = getB().getType().getRank() + getBRowDim();
  operands.push_back(
      slicer.slice(getB(), window(getTransposeB(), zero, columnOffset),
                   window(getTransposeB(), slicer.whole(getB(), kDim),
                          columns(getB(), getBColumnDim()))));
  if (getInput())
    operands.push_back(slicer.slice(
        getInput(), window(getTransposeOut(), rowOffset, columnOffset),
        window(getTransposeOut(), rows, columns(getInput(), getColumnDim()))));
  if (getLeft())
    operands.push_back(slicer.slice(getLeft(), {rowOffset}, {rows}));
  if (getRight())
    operands.push_back(
        slicer.slice(getRight(), {columnOffset}, {columns(getRight(), -1)}));
  if (getOrder())
    operands.push_back(slicer.slice(getOrder(), {zero},
                                    {slicer.whole(getOrder(), storageBatch)}));
  // Slices of the plan: the row's row-block group, and of each step the column
  // and the row's own block, columns 0 and 1 + g for block row g.
  if (getSteps()) {
    int64_t groups = getBlockRowsPerTile();
    AffineExpr row = d0.floorDiv(blockRows);
    OpFoldResult rowBlockGroup = affine::makeComposedFoldedAffineApply(
        b, loc, row.floorDiv(groups), {offsets[batchRank]});
    OpFoldResult stride = affine::makeComposedFoldedAffineApply(
        b, loc, row % groups + 1, {offsets[batchRank]});
    OpFoldResult one = b.getIndexAttr(1), two = b.getIndexAttr(2);
    operands.push_back(slicer.slice(getRowBlockGroups(), {rowBlockGroup, zero},
                                    {one, b.getIndexAttr(3)}));
    operands.push_back(
        slicer.slice(getSteps(), {zero, zero},
                     {slicer.whole(getSteps(), storageBatch), two}, stride));
  }
  // No batch of out is broadcast: the tile is where its result goes back, so
  // that bufferization sees one place.
  SmallVector<OpFoldResult> outSizes(sizes);
  outSizes[batchRank] = rows;
  SmallVector<OpFoldResult> outOffsets(offsets);
  outOffsets[batchRank] = rowOffset;
  orient(*this, outSizes);
  orient(*this, outOffsets);
  Value out = slicer.extract(getOut(), outOffsets, outSizes);
  operands.push_back(out);

  Operation *tiled = mlir::clone(b, getOperation(), {out.getType()}, operands);
  return TilingResult{{tiled},
                      SmallVector<Value>(tiled->getResults()),
                      std::move(slicer.slices)};
}

LogicalResult BsrAddmmOp::getResultTilePosition(
    OpBuilder &b, unsigned resultNumber, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  resultOffsets.assign(offsets.begin(), offsets.end());
  Slicer slicer{b, *this, offsets, sizes};
  resultOffsets[getBatchRank()] = findRow(slicer);
  resultSizes.assign(sizes.begin(), sizes.end());
  OpFoldResult &rows = resultSizes[getBatchRank()];
  rows = foldRows(*this, rows);
  orient(*this, resultOffsets);
  orient(*this, resultSizes);
  return success();
}
