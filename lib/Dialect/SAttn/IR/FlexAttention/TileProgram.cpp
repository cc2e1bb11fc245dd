//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The program of one tile of sattn.flex_attention: the keys block by block,
// with the running maximum and sum of the weights.

#include "ScoreTile.h"
#include "VisibleKeys.h"

#include "../AttentionTile.h"

#include "sattn/Dialect/SAttn/IR/FlexAttention/FlexAttentionOp.h"

using namespace mlir;
using namespace sattn;
using namespace sattn::flex_attention;

static constexpr float kLog2E = 1.44269504f;

namespace {
class TileProgram {
public:
  TileProgram(TileBuilder &b, FlexAttentionOp op)
      : b(b), op(op), scores(b),
        depth(chooseAttentionDepth(op.getHeadDim(), op.getValueDim(),
                                   op.getMetaAttr().getTile()[1],
                                   op.getQ().getType().getElementType())),
        columns(op.getMetaAttr().getTile()[1]),
        tile(b, op.getScale(), op.getQ().getType().getElementType(), columns,
             // The largest score is that of the largest product only if the
             // scale is positive.
             !scores.scoreMod.isEmpty() ||
                 AttentionTile::needsScaling(op.getScale()),
             scores.scoreMod.mayBeHuge()) {}

  SmallVector<Value> build();

private:
  void iterate(scf::ForOp loop);
  Value modify(Value s);

  TileBuilder &b;
  FlexAttentionOp op;
  ScoreTile scores;
  int64_t depth, columns;
  AttentionTile tile;
  std::optional<VisibleKeys> visible;
  Value q;
};
} // namespace

SmallVector<Value> TileProgram::build() {
  q = b.readTile(op.getQ(), b.leadOf(op.getQ(), b.getHead()),
                 {b.getFirstRow(), b.getIndexAttr(0)}, {b.queries, depth});
  tile.readScale();
  scores.hoist();
  SmallVector<Value> carried = tile.start();
  scores.range.emplace(b, tile.isPositive);
  visible.emplace(b, *scores.range);
  scf::ForOp loop =
      tile.createLoop(carried, scores.range->end, op.getPrecision());
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    iterate(loop);
  }
  int64_t lead = op.getLeadRank();
  SmallVector<Value> results = {
      b.insert(tile.computeOut(loop), op.getOut(), lead)};
  if (op.getLse())
    results.push_back(b.insert(tile.computeLse(loop), op.getLse(), lead));
  if (op.getMaxScores())
    results.push_back(
        b.insert(tile.computeMaxScores(loop), op.getMaxScores(), lead));
  return results;
}

void TileProgram::iterate(scf::ForOp loop) {
  Value iteration = loop.getInductionVar();
  b.setBlock(scores.range->getFirst(iteration));
  OpFoldResult head = b.getKeyHead(), none = b.getIndexAttr(0);
  OpFoldResult column =
      op.splitsColumns() ? OpFoldResult(op.getOrigin().back()) : none;
  Value k = b.readTile(op.getK(), b.leadOf(op.getK(), head),
                       {b.getBlockStart(), none}, {b.keys, depth});
  Value v = b.readTile(op.getV(), b.leadOf(op.getV(), head),
                       {b.getBlockStart(), column}, {b.keys, columns},
                       visible->countRows(iteration));
  bool maySeeNothing =
      scores.range->isMasked || tile.isModified || op.hasLists();
  Value s = scores.mask(modify(tile.multiply(q, k)), iteration,
                        [&](Value s) { return tile.applySign(s); });
  tile.update(s, v, loop, maySeeNothing);
}

/// Scores, scaled, where `score_mod` takes them scaled: to the base 2, unless
/// they may be too large.
Value TileProgram::modify(Value s) {
  if (!tile.isModified)
    return s;
  if (scores.scoreMod.isEmpty())
    return tile.applyScale(s);
  Value log2E = tile.isHuge || b.wide.isF64() ? Value() : b.constant(kLog2E);
  arith::FastMathFlags flags = getScoreFlags(op);
  return scores.modify(
      s, [&](ImplicitLocOpBuilder &inner, Value score) -> Value {
        if (!log2E)
          return score;
        return arith::MulFOp::create(inner, score, log2E, flags);
      });
}

FailureOr<SmallVector<Value>>
FlexAttentionOp::lowerToTileProgram(OpBuilder &builder) {
  if (getOrigin().empty())
    return emitOpError("expected one tile, but got a whole problem");
  TileBuilder b(builder, *this);
  return TileProgram(b, *this).build();
}
