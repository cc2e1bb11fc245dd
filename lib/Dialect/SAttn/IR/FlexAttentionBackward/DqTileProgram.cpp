//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The program of one tile of sattn.flex_attention_dq: the keys block by block,
// with the sum of their rows times the cotangents.

#include "GradientTile.h"

#include "../FlexAttention/VisibleKeys.h"

#include "sattn/Dialect/SAttn/IR/FlexAttentionBackward/FlexAttentionDqOp.h"

using namespace mlir;
using namespace sattn;
using namespace sattn::flex_attention;

FailureOr<SmallVector<Value>>
FlexAttentionDqOp::lowerToTileProgram(OpBuilder &builder) {
  if (getOrigin().empty())
    return emitOpError("expected one tile, but got a whole problem");
  TileBuilder b(builder, *this);
  GradientTile tile(b);
  GradientTile::Queries queries =
      tile.readQueries(getGradOut(), {getLse2(), getDelta(), getMaxScores()});
  tile.scores.hoist();
  tile.scores.range.emplace(b);
  VisibleKeys visible(b, *tile.scores.range);
  scf::ForOp loop =
      tile.createLoop(tile.zeros(tile.depth), tile.scores.range->end);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value iteration = loop.getInductionVar();
    b.setBlock(tile.scores.range->getFirst(iteration));
    GradientTile::Keys keys = tile.readKeys();
    FailureOr<Value> cotangents = tile.computeCotangents(
        tile.computeWeights(queries, keys, iteration), queries.rows);
    if (failed(cotangents))
      return failure();
    Value factor = tile.readFactorK(visible.countRows(iteration));
    scf::YieldOp::create(
        b, tile.accumulate(*cotangents, factor, loop.getRegionIterArg(0)));
  }
  return SmallVector<Value>{
      tile.finish(loop.getResult(0), getScale(), getOuts()[0])};
}
