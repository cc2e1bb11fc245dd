//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The program of one tile of sattn.bsr_attention: the stored blocks of its
// block row, or parts of them, one after the other.

#include "../AttentionTile.h"
#include "../Dropout.h"
#include "../TileParts.h"

#include "sattn/Dialect/SAttn/IR/BsrAttention/BsrAttentionOp.h"

using namespace mlir;
using namespace sattn;

namespace {
class TileProgram {
public:
  TileProgram(OpBuilder &builder, BsrAttentionOp op)
      : b(builder, op.getLoc(), op.getMetaAttr().getTile()[0],
          op.getMetaAttr().getTile()[2], op.getScale().getType()),
        op(op), columns(op.getMetaAttr().getTile()[1]),
        depth(chooseAttentionDepth(op.getHeadDim(), op.getValueDim(), columns,
                                   op.getQ().getType().getElementType())),
        parts(op.getBlockColumns() / b.keys),
        batch(llvm::to_vector_of<OpFoldResult>(
            op.getOrigin().take_front(op.getBatchRank()))),
        tile(b, op.getScale(), op.getQ().getType().getElementType(), columns,
             AttentionTile::needsScaling(op.getScale())) {}

  SmallVector<Value> build();

private:
  using Inner = ImplicitLocOpBuilder;
  using Tensor = TypedValue<RankedTensorType>;

  AttentionBuilder b;
  BsrAttentionOp op;
  /// Columns of V, and of Q and K, in the tile; iterations over a block.
  int64_t columns, depth, parts;
  /// The tile's place in the batch dimensions of the result.
  SmallVector<OpFoldResult> batch;
  AttentionTile tile;
  std::optional<Dropout> dropout;
  /// The number of the tile's batch, of i32, if there is dropout.
  Value batchNumber;
  /// The first block of the tile; where the iterations end whose scores
  /// take the scale's sign.
  Value first, signedEnd;

  OpFoldResult getFirstRow() { return op.getOrigin()[op.getBatchRank()]; }
  OpFoldResult getFirstColumn() {
    return op.splitsColumns()
               ? OpFoldResult(op.getOrigin()[op.getBatchRank() + 1])
               : b.getIndexAttr(0);
  }
  OpFoldResult apply(AffineExpr expr, ArrayRef<OpFoldResult> operands) {
    return affine::makeComposedFoldedAffineApply(b, b.getLoc(), expr, operands);
  }
  SmallVector<OpFoldResult> leadOf(Value operand, int64_t baseRank) {
    return placeInBatches(b, b.getLoc(), operand, baseRank, batch);
  }

  Value findBlocks();
  ResultRange insertPart(scf::ForOp loop, Value factor);
  Value readIndex(Value list, OpFoldResult place);
  Value readKeys(Tensor matrix, OpFoldResult firstKey, OpFoldResult firstColumn,
                 int64_t width);
  Value applySign(Value s, Value iteration);
  Value drop(Value weights, OpFoldResult firstKey);
  void iterate(scf::ForOp loop, Value q);
};
} // namespace

SmallVector<Value> TileProgram::build() {
  Value q = b.readTile(op.getQ(), leadOf(op.getQ(), 2),
                       {getFirstRow(), b.getIndexAttr(0)}, {b.queries, depth});
  tile.readScale();
  if (op.getRandom()) {
    dropout.emplace(b, op.getProbability(), op.getRandom());
    batchNumber = b.asI32(op.getOrigin()[op.getNumLoops()]);
  }
  Value end = findBlocks();
  if (tile.sign)
    signedEnd = arith::SelectOp::create(b, tile.isPositive, b.index(0), end);
  scf::ForOp loop = tile.createLoop(tile.start(), end, op.getPrecision());
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    iterate(loop, q);
  }
  Value factor = dropout ? dropout->factor : Value();
  Value out = tile.computeOut(loop, factor);
  SmallVector<Value> results = {b.insert(out, op.getOut(), op.getBatchRank())};
  if (op.hasParts())
    llvm::append_range(results, insertPart(loop, factor));
  if (op.hasLse())
    results.push_back(
        b.insert(tile.computeLse(loop), op.getLse(), op.getBatchRank()));
  return results;
}

/// The number of iterations: the blocks of the tile, from `first` on, each in
/// its parts.
Value TileProgram::findBlocks() {
  AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
  if (op.hasParts()) {
    first = op.getOrigin().end()[-2];
    return b.asValue(apply(d0 * parts, {OpFoldResult(op.getOrigin().back())}));
  }
  AffineExpr row = d0.floorDiv(op.getBlockRows());
  first = readIndex(op.getCrow(), apply(row, {getFirstRow()}));
  Value last = readIndex(op.getCrow(), apply(row + 1, {getFirstRow()}));
  return b.asValue(
      apply((d1 - d0) * parts, {OpFoldResult(first), OpFoldResult(last)}));
}

/// Stores the result of a part of a block row. Few tiles are parts: the others
/// branch around it.
ResultRange TileProgram::insertPart(scf::ForOp loop, Value factor) {
  int64_t lead = op.getBatchRank();
  Value rows =
      b.asValue(tensor::getMixedSize(b, b.getLoc(), op.getLse(), lead));
  Value isPart =
      arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, rows, b.index(0));
  auto branch = scf::IfOp::create(
      b, ValueRange{op.getPartial(), op.getLse()}.getTypes(), isPart,
      /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, ValueRange{op.getPartial(), op.getLse()});
  b.setInsertionPointToStart(branch.thenBlock());
  Value partial = tile.computeOut(loop, factor, b.wide);
  Value lse = tile.computeLse(loop, /*toBase2=*/true);
  scf::YieldOp::create(b, ValueRange{b.insert(partial, op.getPartial(), lead),
                                     b.insert(lse, op.getLse(), lead)});
  return branch.getResults();
}

Value TileProgram::readIndex(Value list, OpFoldResult place) {
  SmallVector<OpFoldResult> indices = leadOf(list, 1);
  indices.push_back(place);
  Value entry = tensor::ExtractOp::create(
      b, list, getValueOrCreateConstantIndexOp(b, b.getLoc(), indices));
  return arith::IndexCastOp::create(b, b.getIndexType(), entry);
}

void TileProgram::iterate(scf::ForOp loop, Value q) {
  Value iteration = loop.getInductionVar();
  AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
  Value block = readIndex(
      op.getCol(), apply(d0 + d1.floorDiv(parts),
                         {OpFoldResult(first), OpFoldResult(iteration)}));
  OpFoldResult key = apply(d0 * op.getBlockColumns() + d1 % parts * b.keys,
                           {OpFoldResult(block), OpFoldResult(iteration)});
  Value k = readKeys(op.getK(), key, b.getIndexAttr(0), depth);
  Value v = readKeys(op.getV(), key, getFirstColumn(), columns);
  Value s = tile.multiply(q, k);
  if (tile.isModified)
    s = tile.applyScale(s);
  auto dropSome = [&](Value weights) { return drop(weights, key); };
  tile.update(applySign(s, iteration), v, loop, /*maySeeNothing=*/true,
              dropout ? function_ref<Value(Value)>(dropSome) : nullptr);
}

/// Reads rows of a stored block, which all exist: no row is clipped.
Value TileProgram::readKeys(Tensor matrix, OpFoldResult firstKey,
                            OpFoldResult firstColumn, int64_t width) {
  SmallVector<OpFoldResult> offsets = leadOf(matrix, 2);
  SmallVector<OpFoldResult> sizes(offsets.size(), b.getIndexAttr(1));
  offsets.append({firstKey, b.getIndexAttr(0)});
  int64_t all = matrix.getType().getShape().back();
  sizes.append({b.getIndexAttr(b.keys), b.getIndexAttr(all)});
  SmallVector<OpFoldResult> ones(sizes.size(), b.getIndexAttr(1));
  auto type =
      RankedTensorType::get({b.keys, all}, matrix.getType().getElementType());
  Value rows =
      tensor::ExtractSliceOp::create(b, type, matrix, offsets, sizes, ones);
  return b.readTile(rows, {}, {b.getIndexAttr(0), firstColumn},
                    {b.keys, width});
}

/// A scale below 0, which only the run shows, makes the largest product the
/// smallest score. The branch is on the bound of a range of iterations, so that
/// the usual scale has a loop of its own.
Value TileProgram::applySign(Value s, Value iteration) {
  if (!tile.sign)
    return s;
  Value condition =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, iteration, signedEnd);
  auto branch = scf::IfOp::create(b, s.getType(), condition,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, s);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, tile.applySign(s));
  return branch.getResult(0);
}

Value TileProgram::drop(Value weights, OpFoldResult firstKey) {
  Value row = b.asI32(getFirstRow()), key = b.asI32(firstKey);
  return b.generic(
      weights, b.tile, tile.scores, b.tile,
      [&](Inner &inner, ValueRange args) -> Value {
        Value isKept = dropout->isKept(inner, b.position(inner, 1, key),
                                       b.position(inner, 0, row), batchNumber);
        return arith::SelectOp::create(inner, isKept, args[0], b.zero);
      });
}

FailureOr<SmallVector<Value>> BsrAttentionOp::lowerToTileProgram(OpBuilder &b) {
  if (!isTile())
    return emitOpError("expected one tile, but got a whole problem");
  return TileProgram(b, *this).build();
}
