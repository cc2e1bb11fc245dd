//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The weights of a tile of scores, and the cotangents of its products.

#ifndef LIB_DIALECT_SATTN_IR_FLEXATTENTIONBACKWARD_GRADIENTTILE_H
#define LIB_DIALECT_SATTN_IR_FLEXATTENTIONBACKWARD_GRADIENTTILE_H

#include "../FlexAttention/ScoreTile.h"

namespace sattn::flex_attention {

class GradientTile {
public:
  using Inner = mlir::ImplicitLocOpBuilder;

  /// `depth`, `columns`: of Q and K, and of V, padded as tiles have them.
  GradientTile(TileBuilder &b, int64_t depth, int64_t columns);

  ScoreTile scores;
  int64_t depth, columns;

  /// Numbers of queries, as vectors.
  struct Rows {
    mlir::Value lse2, delta, maxScores;
  };
  /// Tiles of queries and keys.
  struct Queries {
    mlir::Value q, gradOut;
    Rows rows;
  };
  struct Keys {
    mlir::Value k, v;
  };
  /// What the op has at the queries, or at the keys, that begin there.
  /// `numbers`: lse2, delta and, or null, greatest scores.
  Queries readQueries(mlir::Value gradOut,
                      const std::array<mlir::Value, 3> &numbers);
  Keys readKeys();
  /// The rows of K before one of the block, as readKeys has them all.
  mlir::Value readK(mlir::OpFoldResult rows);

  /// Tiles of the type of scores: products of queries and keys, the weights of
  /// these, and the products of gradients of the output and values.
  struct Weights {
    mlir::Value products, weights, ofValues;
  };
  Weights computeWeights(const Queries &queries, const Keys &keys,
                         mlir::Value iteration);
  /// Factors times what the products with values are more than delta.
  mlir::Value computeCotangents(mlir::Value factors, const Weights &weights,
                                const Rows &rows);
  /// Cotangents of scaled products, as an operand of products.
  mlir::FailureOr<mlir::Value> computeCotangents(const Weights &weights,
                                                 const Rows &rows);
  /// A tile of scores' type as an operand of products.
  mlir::Value round(mlir::Value wide);

  /// sums + tile other; its rows are those of the tile.
  mlir::Value accumulate(mlir::Value tile, mlir::Value other, mlir::Value sums);
  mlir::Value zeros(int64_t count);
  /// A loop over blocks that carries these.
  mlir::scf::ForOp createLoop(mlir::ValueRange carried, mlir::Value end);
  /// Sums times a factor, if that is not null, as a result's elements.
  mlir::Value finish(mlir::Value sums, mlir::Value factor, mlir::Value out);

private:
  mlir::Value multiply(mlir::Value x, mlir::Value y);
  mlir::Value computeExponents(mlir::Value products, const Rows &rows);

  TileBuilder &b;
  ScoreOpInterface op;
  mlir::Value tensor;
};

/// Columns of tiles of Q, K and of V, by the op's parameters.
std::pair<int64_t, int64_t> chooseColumns(ScoreOpInterface op);

} // namespace sattn::flex_attention

#endif // LIB_DIALECT_SATTN_IR_FLEXATTENTIONBACKWARD_GRADIENTTILE_H
