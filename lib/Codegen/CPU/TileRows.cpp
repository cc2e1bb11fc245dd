//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileRows.h"

#include "LoopBounds.h"
#include "SumTaker.h"
#include "TileLoops.h"

#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sattn;

/// Whether the op is the beginning of a sum that registers hold.
static bool isRegisterTile(linalg::LinalgOp op,
                           const RegisterTileSizes &sizes) {
  if (!isa<linalg::FillOp>(op.getOperation()) || !op->hasOneUse() ||
      !isa<scf::ForOp>(*op->user_begin()))
    return false;
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (!type.hasStaticShape() || type.getRank() != 2 ||
      type.getDimSize(1) != sizes.columns(type.getDimSize(1)))
    return false;
  SmallVector<RowBand, 2> bands =
      sizes.bands(type.getDimSize(0), type.getDimSize(1));
  return bands.size() == 1 && bands[0].rows == type.getDimSize(0);
}

bool sattn::isRowwise(linalg::LinalgOp op, const RegisterTileSizes &sizes) {
  SmallVector<utils::IteratorType> loops = op.getIteratorTypesArray();
  if (isRegisterTile(op, sizes))
    return false;
  return !isa<linalg::MatmulOp>(op.getOperation()) && !loops.empty() &&
         llvm::all_of(ArrayRef(loops).drop_back(), linalg::isParallelIterator);
}

/// Whether an elementwise op writes rows and reads columns.
static bool isTransposition(linalg::LinalgOp op) {
  if (op.getNumLoops() != 2 || op.getNumReductionLoops() != 0 ||
      op.getNumDpsInits() != 1 ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return false;
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    return isTransposedMap(op.getMatchingIndexingMap(input));
  });
}

/// Tiles a transposition to squares of vectors, which are transposed in
/// registers; what is left at the end of a dynamic dimension to single rows
/// or columns.
static LogicalResult tileSquares(RewriterBase &rewriter, linalg::LinalgOp op,
                                 const RegisterTileSizes &sizes) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges(), square;
  for (auto [dim, size] : llvm::enumerate(ranges)) {
    FailureOr<int64_t> bound = size;
    if (ShapedType::isDynamic(size))
      bound = sattn::getLargestSize(op, dim);
    if (failed(bound))
      return op->emitOpError("expected rows of bounded length");
    square.push_back(
        sizes.lanes(ShapedType::isDynamic(size)
                        ? llvm::bit_floor(static_cast<uint64_t>(*bound))
                        : size));
  }
  FailureOr<scf::SCFTilingResult> tiled =
      tileToLoops(rewriter, cast<TilingInterface>(op.getOperation()), square);
  if (failed(tiled))
    return failure();
  // Ops that the end clips, and in which dimensions. The inner loop first:
  // the outer one takes it along, with what is left at its end last.
  SmallVector<std::pair<Operation *, SmallVector<int64_t>>> clipped;
  for (int64_t dim : {1, 0}) {
    if (!ShapedType::isDynamic(ranges[dim]) || square[dim] == 1)
      continue;
    auto loop = cast<scf::ForOp>(tiled->loops[dim].getOperation());
    scf::ForOp rest;
    if (failed(scf::peelForLoopAndSimplifyBounds(rewriter, loop, rest)))
      continue;
    SmallVector<int64_t> single(2, 0);
    single[dim] = 1;
    SmallVector<Operation *> ops;
    rest.walk([&](linalg::LinalgOp other) { ops.push_back(other); });
    for (Operation *other : ops) {
      if (other != ops.front())
        single[1] = 1;
      clipped.push_back({other, single});
    }
  }
  for (auto [other, single] : clipped)
    if (failed(tile(rewriter, cast<TilingInterface>(other), single)))
      return failure();
  return success();
}

/// Whether an op reduces the rows of one tile of static size.
static bool isReductionOfRows(linalg::LinalgOp op) {
  return op.getNumLoops() == 2 && op.getNumReductionLoops() == 1 &&
         op.getNumDpsInputs() == 1 && op.getNumDpsInits() == 1 &&
         op.getMatchingIndexingMap(op.getDpsInputOperand(0)).isIdentity() &&
         llvm::none_of(op.getStaticLoopRanges(), ShapedType::isDynamic);
}

/// Whether an op reads elements that few CPUs read under a mask, one for each
/// that it writes.
static bool readsNarrow(linalg::LinalgOp op) {
  return linalg::isElementwise(op) && op.getNumDpsInputs() == 1 &&
         getElementTypeOrSelf(op.getDpsInputOperand(0)->get())
                 .getIntOrFloatBitWidth() < 32 &&
         op.getMatchingIndexingMap(op.getDpsInputOperand(0)).isIdentity();
}

/// Tiles the rows of `op` to whole vectors, and what is left of each to
/// single elements.
static LogicalResult tileWholeVectors(RewriterBase &rewriter,
                                      linalg::LinalgOp op,
                                      ArrayRef<int64_t> tileSizes) {
  FailureOr<scf::SCFTilingResult> tiled = tileToLoops(
      rewriter, cast<TilingInterface>(op.getOperation()), tileSizes);
  if (failed(tiled))
    return failure();
  auto loop = cast<scf::ForOp>(tiled->loops.back().getOperation());
  scf::ForOp rest;
  if (failed(scf::peelForLoopAndSimplifyBounds(rewriter, loop, rest)))
    return success();
  SmallVector<linalg::LinalgOp> ops;
  rest.walk([&](linalg::LinalgOp other) { ops.push_back(other); });
  SmallVector<int64_t> single(tileSizes.size(), 0);
  single.back() = 1;
  for (linalg::LinalgOp other : ops)
    if (failed(tile(rewriter, cast<TilingInterface>(other.getOperation()),
                    single)))
      return failure();
  return success();
}

LogicalResult sattn::tileRows(RewriterBase &rewriter, linalg::LinalgOp op,
                              const RegisterTileSizes &sizes) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  if (isTransposition(op))
    return tileSquares(rewriter, op, sizes);
  if (isReductionOfRows(op))
    if (auto squares = sizes.squares(ranges[0], ranges[1]))
      return tile(
          rewriter, cast<TilingInterface>(op.getOperation()),
          {squares->first, squares->second < ranges[1] ? squares->second : 0});
  int64_t columns = ranges.back();
  if (ShapedType::isDynamic(columns)) {
    FailureOr<int64_t> bound = sattn::getLargestSize(op, ranges.size() - 1);
    if (failed(bound))
      return op->emitOpError("expected rows of bounded length");
    columns = *bound;
  }
  // A clipped row has the tile's own width, or less: the last vector then
  // stays within operands that are padded to that width.
  columns = llvm::alignTo(columns, kColumnAlignment);
  SmallVector<int64_t> tileSizes(ranges.size(), 1);
  // No loop of one iteration, whose counter would hide the values of an
  // index.
  int64_t width = sizes.columns(columns);
  tileSizes.back() = width < columns ? width : 0;
  if (ShapedType::isDynamic(ranges.back()) && width < columns &&
      readsNarrow(op))
    return tileWholeVectors(rewriter, op, tileSizes);
  return tile(rewriter, cast<TilingInterface>(op.getOperation()), tileSizes);
}
