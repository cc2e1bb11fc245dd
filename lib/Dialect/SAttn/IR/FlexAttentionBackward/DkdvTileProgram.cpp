//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The program of one tile of sattn.flex_attention_dkdv: the queries block by
// block, of each head and batch that share the keys one after the other, with
// the sums of their rows times the cotangents and times the weights.

#include "GradientTile.h"

#include "sattn/Dialect/SAttn/IR/FlexAttentionBackward/FlexAttentionDkdvOp.h"

#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace sattn;
using namespace sattn::flex_attention;

/// Arguments of functions after the score.
static constexpr unsigned kBatchArgument = 0, kHeadArgument = 1;

namespace {
class TileProgram {
public:
  TileProgram(TileBuilder &b, FlexAttentionDkdvOp op) : b(b), op(op), tile(b) {}

  FailureOr<SmallVector<Value>> build();

private:
  bool spansBatches();
  bool hasManyLengths();
  bool isUniform();
  void place(Value number);
  Value countBlocks();
  std::pair<Value, Value> divide(Value iteration);
  Value locateBlock(Value iteration);

  TileBuilder &b;
  FlexAttentionDkdvOp op;
  GradientTile tile;
  /// The number of pairs of a batch and a head of queries that share the keys;
  /// null: one.
  Value pairs;
  /// Iterations for each pair.
  Value blocks;
};
} // namespace

/// Whether the keys are those of all batches.
bool TileProgram::spansBatches() {
  return op.getLeadRank() == 2 && op.getK().getType().getDimSize(0) == 1 &&
         op.getQ().getType().getDimSize(0) != 1;
}

/// Whether pairs have key lengths of their own: without batches each head of
/// queries has one.
bool TileProgram::hasManyLengths() {
  return op.getKeyLengths() &&
         (spansBatches() || (op.getLeadRank() == 1 && op.getGroup() != 1));
}

/// Whether all pairs walk the same blocks.
bool TileProgram::isUniform() {
  bool manyHeads = op.getGroup() != 1, manyBatches = spansBatches();
  int64_t lead = op.getLeadRank();
  for (Value counts :
       {op.getPartialCounts(), op.getFullCounts(), op.getCrow()}) {
    if (!counts)
      continue;
    auto type = cast<RankedTensorType>(counts.getType());
    if ((manyHeads && type.getDimSize(lead - 1) != 1) ||
        (manyBatches && type.getDimSize(0) != 1))
      return false;
  }
  std::optional<MaskAttr> mask = op.getMask();
  if (hasManyLengths() && mask && mask->getBottomRight())
    return false;
  if (op.hasLists() || op.getMaskMod().empty())
    return true;
  Region &maskMod = op.getMaskMod();
  return (!manyHeads || maskMod.getArgument(kHeadArgument).use_empty()) &&
         (!manyBatches || maskMod.getArgument(kBatchArgument).use_empty());
}

/// Sets the batch and the head of a pair.
void TileProgram::place(Value number) {
  int64_t group = op.getGroup();
  AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
  OpFoldResult batch = b.getIndexAttr(0);
  if (spansBatches())
    batch = affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), d0.floorDiv(group), {OpFoldResult(number)});
  else if (op.getLeadRank() == 2)
    batch = op.getOrigin().front();
  b.setPlace(batch, affine::makeComposedFoldedAffineApply(
                        b, b.getLoc(), d1 * group + d0 % group,
                        {OpFoldResult(number), b.getKeyHead()}));
}

/// The most iterations that a pair has.
Value TileProgram::countBlocks() {
  if (op.hasLists() && !isUniform()) {
    auto loop = scf::ForOp::create(b, b.index(0), pairs, b.index(1),
                                   ValueRange{b.index(0)});
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    place(loop.getInductionVar());
    Value most = arith::MaxSIOp::create(b, loop.getRegionIterArg(0),
                                        WalkedBlocks(b).end);
    scf::YieldOp::create(b, most);
    return loop.getResult(0);
  }
  if (pairs)
    place(b.index(0));
  tile.scores.range.emplace(b, Value(), /*skips=*/isUniform());
  return tile.scores.range->end;
}

/// The pair of an iteration and its number among those of the pair. MMAs of an
/// iteration wait for both, and a division by a number that is not constant
/// takes some 200 cycles: a pair among few is found by halving.
std::pair<Value, Value> TileProgram::divide(Value iteration) {
  if (spansBatches())
    return {arith::DivUIOp::create(b, iteration, blocks),
            arith::RemUIOp::create(b, iteration, blocks)};
  // In i32, which holds the iterations of all queries that fit in memory.
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, value, /*width=*/32);
  };
  Value number = constant(0), block = b.asI32(iteration), all = b.asI32(blocks);
  for (int64_t step = llvm::bit_ceil(uint64_t(op.getGroup())) / 2; step > 0;
       step /= 2) {
    Value iterations = arith::MulIOp::create(b, all, constant(step));
    Value isBehind =
        arith::CmpIOp::create(b, arith::CmpIPredicate::uge, block, iterations);
    block = arith::SelectOp::create(
        b, isBehind, arith::SubIOp::create(b, block, iterations), block);
    number = arith::SelectOp::create(
        b, isBehind, arith::AddIOp::create(b, number, constant(step)), number);
  }
  number = arith::IndexCastUIOp::create(b, b.getIndexType(), number);
  block = arith::IndexCastUIOp::create(b, b.getIndexType(), block);
  return {number, block};
}

/// Goes to an iteration of the loop; returns its number among those of its
/// pair.
Value TileProgram::locateBlock(Value iteration) {
  if (!pairs) {
    b.setBlock(tile.scores.range->getFirst(iteration));
    return iteration;
  }
  auto [number, block] = divide(iteration);
  place(number);
  if (!isUniform())
    tile.scores.range.emplace(b, Value(), /*skips=*/op.hasLists());
  if (!op.hasLists() || isUniform()) {
    b.setBlock(tile.scores.range->getFirst(block));
    return block;
  }
  // A pair with fewer blocks has iterations at the end of the queries, where it
  // reads no list.
  Value isSome = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, block,
                                       tile.scores.range->end);
  auto branch = scf::IfOp::create(b, b.getIndexType(), isSome,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, b.asValue(tile.scores.range->getFirst(block)));
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, b.asValue(b.getQueryCount()));
  b.setBlock(branch.getResult(0));
  return block;
}

FailureOr<SmallVector<Value>> TileProgram::build() {
  GradientTile::Keys keys = tile.readKeys();
  if (op.getGroup() != 1 || spansBatches()) {
    pairs = b.index(op.getGroup());
    if (spansBatches())
      pairs = arith::MulIOp::create(
          b, pairs, tensor::DimOp::create(b, op.getQ(), b.index(0)));
  }
  blocks = countBlocks();
  Value end = blocks;
  if (pairs)
    end = arith::MulIOp::create(b, pairs, blocks);
  else
    tile.scores.hoist();
  Value outOfKeys = op.getGradient("dk"), outOfValues = op.getGradient("dv");
  SmallVector<Value> zeros;
  if (outOfValues)
    zeros.push_back(tile.zeros(tile.columns));
  if (outOfKeys)
    zeros.push_back(tile.zeros(tile.depth));
  scf::ForOp loop = tile.createLoop(zeros, end);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value iteration = locateBlock(loop.getInductionVar());
    if (pairs)
      tile.scores.hoist();
    GradientTile::Queries queries = tile.readQueries(
        op.getGradOut(), {op.getLse2(), op.getDelta(), op.getMaxScores()});
    GradientTile::Weights weights =
        tile.computeWeights(queries, keys, iteration);
    Value rounded, cotangents;
    if (outOfValues)
      rounded = tile.round(tile.drop(weights.weights));
    if (outOfKeys) {
      FailureOr<Value> found = tile.computeCotangents(weights, queries.rows);
      if (failed(found))
        return failure();
      cotangents = *found;
    }
    SmallVector<Value> sums;
    if (outOfValues)
      sums.push_back(tile.accumulate(rounded,
                                     tile.readFactorOfOutput(op.getGradOut()),
                                     loop.getRegionIterArgs().front()));
    if (outOfKeys)
      sums.push_back(tile.accumulate(cotangents, tile.readFactorQ(),
                                     loop.getRegionIterArgs().back()));
    scf::YieldOp::create(b, sums);
  }
  SmallVector<Value> results;
  if (outOfKeys)
    results.push_back(
        tile.finish(loop.getResults().back(), op.getScale(), outOfKeys));
  if (outOfValues)
    results.push_back(tile.finish(loop.getResults().front(),
                                  tile.getKeptFactor(), outOfValues));
  return results;
}

FailureOr<SmallVector<Value>>
FlexAttentionDkdvOp::lowerToTileProgram(OpBuilder &builder) {
  if (getOrigin().empty())
    return emitOpError("expected one tile, but got a whole problem");
  TileBuilder b(builder, *this);
  return TileProgram(b, *this).build();
}
