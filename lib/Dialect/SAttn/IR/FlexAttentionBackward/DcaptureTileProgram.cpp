//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The program of one tile of sattn.flex_attention_dcapture: the keys block by
// block, each of which is stored.

#include "GradientTile.h"

#include "sattn/Dialect/SAttn/IR/FlexAttentionBackward/FlexAttentionDcaptureOp.h"

using namespace mlir;
using namespace sattn;
using namespace sattn::flex_attention;

/// The tile in a block's columns of the result's rows.
static Value insertBlock(TileBuilder &b, Value tile, Value out) {
  int64_t lead = b.op.getLeadRank();
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  OpFoldResult rows = tensor::getMixedSize(b, b.getLoc(), out, lead);
  OpFoldResult columns = affine::makeComposedFoldedAffineMin(
      b, b.getLoc(),
      AffineMap::get(1, 1,
                     {b.getAffineConstantExpr(b.walked),
                      b.getAffineSymbolExpr(0) - b.getAffineDimExpr(0)},
                     b.getContext()),
      {b.getBlockStart(), tensor::getMixedSize(b, b.getLoc(), out, lead + 1)});
  Value clip = tensor::ExtractSliceOp::create(b, tile, ArrayRef{zero, zero},
                                              ArrayRef{rows, columns},
                                              ArrayRef{one, one});
  SmallVector<OpFoldResult> offsets(lead + 1, zero), sizes(lead, one),
      strides(lead + 2, one);
  offsets.push_back(b.getBlockStart());
  sizes.append({rows, columns});
  return tensor::InsertSliceOp::create(b, clip, out, offsets, sizes, strides);
}

FailureOr<SmallVector<Value>>
FlexAttentionDcaptureOp::lowerToTileProgram(OpBuilder &builder) {
  if (getOrigin().empty())
    return emitOpError("expected one tile, but got a whole problem");
  TileBuilder b(builder, *this);
  GradientTile tile(b);
  GradientTile::Queries queries =
      tile.readQueries(getGradOut(), {getLse2(), getDelta(), getMaxScores()});
  tile.scores.hoist();
  tile.scores.range.emplace(b);
  scf::ForOp loop = tile.createLoop(getOuts()[0], tile.scores.range->end);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value iteration = loop.getInductionVar();
    b.setBlock(tile.scores.range->getFirst(iteration));
    GradientTile::Weights weights =
        tile.computeWeights(queries, tile.readKeys(), iteration);
    Value cotangents =
        tile.computeCotangents(weights.weights, weights, queries.rows);
    FailureOr<Value> gradients =
        tile.scores.differentiate(weights.products, cotangents, getNumber());
    if (failed(gradients))
      return failure();
    scf::YieldOp::create(b,
                         insertBlock(b, *gradients, loop.getRegionIterArg(0)));
  }
  return SmallVector<Value>{loop.getResult(0)};
}
