//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A tile of scores: products of queries and keys, modified and masked by what
// the op says.

#ifndef LIB_DIALECT_SATTN_IR_FLEXATTENTION_SCORETILE_H
#define LIB_DIALECT_SATTN_IR_FLEXATTENTION_SCORETILE_H

#include "ElementFunction.h"
#include "WalkedBlocks.h"

namespace sattn::flex_attention {

class ScoreTile {
public:
  using Inner = mlir::ImplicitLocOpBuilder;

  explicit ScoreTile(TileBuilder &b);

  ElementFunction scoreMod, maskMod;
  /// The blocks that are walked, once they are known.
  std::optional<WalkedBlocks> range;

  /// Computes what is the same for all blocks; call it before the loop, or in
  /// an iteration where the batch or the head is that of an iteration.
  void hoist();
  /// Applies `score_mod` to products times the scale, and then `finish`.
  mlir::Value
  modify(mlir::Value products,
         llvm::function_ref<mlir::Value(Inner &, mlir::Value)> finish);
  /// The cotangents of scaled products or, if that is given, of a captured
  /// number for each of them, by those of the scores, `cotangents`.
  mlir::FailureOr<mlir::Value>
  differentiate(mlir::Value products, mlir::Value cotangents,
                std::optional<int64_t> capture = std::nullopt);
  /// Masks scores: -inf for keys that are not visible to a query, in iterations
  /// with a mask, before which `prepare` changes the tile.
  mlir::Value mask(mlir::Value s, mlir::Value iteration,
                   llvm::function_ref<mlir::Value(mlir::Value)> prepare = {});

private:
  void locateRows();
  void addRows(llvm::SmallVectorImpl<mlir::Value> &inputs,
               llvm::SmallVectorImpl<mlir::AffineMap> &maps);
  /// Calls `compute` with the place of an element, and the elements that the
  /// function reads, for each element of `tiles`.
  mlir::Value
  forEach(ElementFunction &function, mlir::ValueRange tiles,
          mlir::arith::IntegerOverflowFlags flags,
          llvm::function_ref<mlir::Value(Inner &, ElementFunction::Place,
                                         mlir::ValueRange, mlir::ValueRange)>
              compute);
  mlir::Value applyMask(mlir::Value s, mlir::Value iteration);
  mlir::Value applyFunction(mlir::Value s, mlir::Value isFull);
  mlir::Value applyBounds(mlir::Value s, MaskAttr band, mlir::Value isFull);
  mlir::Value isCut(MaskAttr band);
  /// Whether key lengths restrict a tile of keys.
  bool hasEnd() { return op.isByKeys() && op.getKeyLengths(); }

  TileBuilder &b;
  ScoreOpInterface op;
  /// A tensor that tiles are written to.
  mlir::Value scores;
  /// The query and the head of each row, of i32, where heads are packed and a
  /// function needs them.
  mlir::Value queryOfRow, headOfRow;
};

} // namespace sattn::flex_attention

#endif // LIB_DIALECT_SATTN_IR_FLEXATTENTION_SCORETILE_H
