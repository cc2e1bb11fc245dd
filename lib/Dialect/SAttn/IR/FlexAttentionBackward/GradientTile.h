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

#include "../Dropout.h"
#include "../FlexAttention/ScoreTile.h"

namespace sattn::flex_attention {

class GradientTile {
public:
  using Inner = mlir::ImplicitLocOpBuilder;

  explicit GradientTile(TileBuilder &b);

  ScoreTile scores;
  /// Columns of Q and K, and of V, padded as tiles have them.
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
  /// Reads the op's inputs at the tile's queries, or at its keys. `numbers`:
  /// lse2, delta and, or null, greatest scores.
  Queries readQueries(mlir::Value gradOut,
                      const std::array<mlir::Value, 3> &numbers);
  Keys readKeys();
  /// K as a factor of accumulators: in the tile's columns alone, and with
  /// `rows` the rows of the block before that one.
  mlir::Value readFactorK(mlir::OpFoldResult rows = {});
  /// Q and the gradients of the output as factors of accumulators.
  mlir::Value readFactorQ();
  mlir::Value readFactorOfOutput(mlir::Value gradOut);

  /// Tiles of the type of scores: products of queries and keys, the weights of
  /// these, and the products of gradients of the output and values. Weights
  /// that are dropped have the sign of what is negative: they are needed all
  /// the same.
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
  /// Weights without those that are dropped; what is kept is to be multiplied
  /// by the factor, which is null without dropout.
  mlir::Value drop(mlir::Value weights);
  mlir::Value getKeptFactor() { return dropout ? dropout->factor : nullptr; }
  /// A tile of scores' type as an operand of products.
  mlir::Value round(mlir::Value wide);

  /// Computes accumulator + tile other; its rows are those of the tile.
  mlir::Value accumulate(mlir::Value tile, mlir::Value other, mlir::Value sums);
  /// The initial accumulator of a gradient of `count` columns.
  mlir::Value zeros(int64_t count);
  /// A loop over blocks that carries these.
  mlir::scf::ForOp createLoop(mlir::ValueRange carried, mlir::Value end);
  /// An accumulator times a factor, if that is not null, as a result's
  /// elements.
  mlir::Value finish(mlir::Value sums, mlir::Value factor, mlir::Value out);

private:
  int64_t countColumns(int64_t padded);
  mlir::OpFoldResult findFirstColumn(int64_t columns);
  mlir::Value readQueries(mlir::Value source, mlir::OpFoldResult column,
                          int64_t count);
  mlir::Value readKeys(mlir::Value source, mlir::OpFoldResult column,
                       int64_t count, mlir::OpFoldResult rows = {});
  mlir::Value multiply(mlir::Value x, mlir::Value y);
  mlir::Value computeExponents(mlir::Value products, const Rows &rows);
  /// Weights, with the sign that tells those that are dropped.
  mlir::Value markDropped(mlir::Value weights);
  /// Gives those that are dropped their sign again.
  mlir::Value makePositive(mlir::Value weights);
  mlir::Value numberBatch();

  TileBuilder &b;
  ScoreOpInterface op;
  mlir::Value tensor;
  std::optional<Dropout> dropout;
};

} // namespace sattn::flex_attention

#endif // LIB_DIALECT_SATTN_IR_FLEXATTENTIONBACKWARD_GRADIENTTILE_H
