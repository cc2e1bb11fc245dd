//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The common part of attention's tile programs, whichever keys they read: ops
// on elements of tiles, and the online softmax along the keys, block by block,
// with the running maximum and sum of the weights.

#ifndef LIB_DIALECT_SATTN_IR_ATTENTIONTILE_H
#define LIB_DIALECT_SATTN_IR_ATTENTIONTILE_H

#include "TileOpBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace sattn {

class AttentionBuilder : public TileOpBuilder {
public:
  AttentionBuilder(mlir::OpBuilder &b, mlir::Location loc, int64_t queries,
                   int64_t keys, mlir::Type wide = {});

  /// Rows of the tile, which are queries; keys of an iteration.
  int64_t queries, keys;
  /// The type of scores, sums and constants: f32 unless another is given.
  mlir::Type wide;
  /// Indexing maps. Of two loops: all of a tile, its rows, its columns; of one:
  /// all of a vector.
  mlir::AffineMap tile, row, column, vector;
  mlir::Value zero, lowest;

  mlir::Value constant(double value);

  /// The tile of this shape from `first` on, in the source's last dimensions,
  /// at `lead` of the others; zeros beyond its end, and from `rows` on.
  mlir::Value readTile(mlir::Value source,
                       llvm::ArrayRef<mlir::OpFoldResult> lead,
                       llvm::ArrayRef<mlir::OpFoldResult> first,
                       llvm::ArrayRef<int64_t> shape,
                       mlir::OpFoldResult rows = {});

  /// The rows of a tile divided by their sums (not where a sum is 0), times
  /// `times` if that is not null, in type `element`.
  mlir::Value divide(mlir::Value dividend, mlir::Value sums, mlir::Type element,
                     mlir::Value times = {});

  /// The tile clipped to the rows and columns of a result, which has `lead`
  /// dimensions before them.
  mlir::Value insert(mlir::Value tile, mlir::Value out, int64_t lead);

  /// An element's position along a dimension, in i32: in the tile, or, with its
  /// `start`, in the tensor.
  static mlir::Value position(mlir::ImplicitLocOpBuilder &inner, int64_t dim,
                              mlir::Value start = {},
                              mlir::arith::IntegerOverflowFlags flags =
                                  mlir::arith::IntegerOverflowFlags::none);
};

/// Columns of a tile of Q or K, padded as those of V are, of which a tile has
/// `columns`.
int64_t chooseAttentionDepth(int64_t headDim, int64_t valueDim, int64_t columns,
                             mlir::Type element);

class AttentionTile {
public:
  using Inner = mlir::ImplicitLocOpBuilder;

  /// Creates the tile. `isModified`: scores come scaled, and to the base 2 or
  /// e; else they are products that are scaled after their maximum is found,
  /// which requires a positive scale. `isHuge`: modified scores come to the
  /// base e, since they may be too large for the base 2, which their
  /// differences then get. `element`: of Q, K and V; `columns`: of V in the
  /// tile.
  AttentionTile(AttentionBuilder &b, mlir::Value scale, mlir::Type element,
                int64_t columns, bool isModified, bool isHuge = false);

  bool isModified, isHuge;
  /// The scale, without its sign, to the base 2 or, in f64, e; the sign, where
  /// it is known at run time only; then, of i1, whether it is plus: with
  /// another one scores need `negate`.
  mlir::Value factor, sign, isPositive;
  /// Tensors that tiles and vectors are written to.
  mlir::Value scores, vectors;

  /// Whether scores must be multiplied by the scale before they are compared: a
  /// constant that is not positive.
  static bool needsScaling(mlir::Value scale);

  /// Reads the scale, before the loop.
  void readScale();
  /// The initial values that the loop carries: accumulators, maximum and sum.
  llvm::SmallVector<mlir::Value> start();
  /// A loop of `end` iterations that carries these values.
  mlir::scf::ForOp createLoop(llvm::ArrayRef<mlir::Value> carried,
                              mlir::Value end, llvm::StringRef precision);

  /// q k^T
  mlir::Value multiply(mlir::Value q, mlir::Value k);
  /// Products as scaled scores, where these are wanted (`isModified`).
  mlir::Value applyScale(mlir::Value s);
  /// Scores times the scale's sign.
  mlir::Value applySign(mlir::Value s);
  /// Ends an iteration: adds the keys' weights to what the loop carries.
  /// `maySeeNothing`: a row may have no key but those of -inf. `change`, if
  /// there is one, gives the weights that V's rows are multiplied by.
  void update(mlir::Value s, mlir::Value v, mlir::scf::ForOp loop,
              bool maySeeNothing,
              llvm::function_ref<mlir::Value(mlir::Value)> change = {});

  /// The tile's rows divided by their sums, times `times` if that is not null,
  /// in type `result`, by default the operands' element type.
  mlir::Value computeOut(mlir::scf::ForOp loop, mlir::Value times = {},
                         mlir::Type result = {});
  /// The logarithm of the sums of exponentials, to the base e or, not in f64,
  /// 2.
  mlir::Value computeLse(mlir::scf::ForOp loop, bool toBase2 = false);
  /// The greatest scores: the maximum is one of scores to the base 2 or e, or
  /// of products without the scale.
  mlir::Value computeMaxScores(mlir::scf::ForOp loop);

private:
  mlir::Value computeNaturalLse(mlir::scf::ForOp loop);
  mlir::Value computeShift(mlir::Value maximum, bool maySeeNothing);
  /// A tile of scores' type in the operands' element type.
  mlir::Value round(mlir::Value wide, llvm::ArrayRef<int64_t> shape);

  AttentionBuilder &b;
  mlir::Value scale;
  mlir::Type element;
  /// Whether powers have the base e: in f64 the rounding of log2(e) would show,
  /// and so would products of scale and maximum that are subtracted.
  bool isNatural;
  int64_t columns;
  bool mayBeNegative;
};

} // namespace sattn

#endif // LIB_DIALECT_SATTN_IR_ATTENTIONTILE_H
