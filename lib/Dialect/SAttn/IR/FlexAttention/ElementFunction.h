//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A score_mod or mask_mod, inlined into ops on elements of tiles.

#ifndef LIB_DIALECT_SATTN_IR_FLEXATTENTION_ELEMENTFUNCTION_H
#define LIB_DIALECT_SATTN_IR_FLEXATTENTION_ELEMENTFUNCTION_H

#include "TileBuilder.h"

#include "mlir/IR/IRMapping.h"

namespace sattn::flex_attention {

/// The fast-math flags of scores. With operands of 16 bits, sums and products
/// may be reassociated and contracted, and divisions made products with a
/// reciprocal, but not for values that are compared or become integers.
mlir::arith::FastMathFlags getScoreFlags(ScoreOpInterface op);

/// A function of elements, score_mod or mask_mod, in a tile program. Values
/// that depend on batch and head only are computed before the loop over blocks.
/// Captured tensors that are read at the query, at the key or at both become
/// tiles beside the scores; other reads stay reads of elements. Where heads are
/// packed, values read at a row's head and query become a vector of the rows.
class ElementFunction {
public:
  ElementFunction(ScoreOpInterface op, mlir::Region &region, bool isScore);

  bool isEmpty() const { return region.empty(); }

  /// Computes, before the loop over blocks, the values that all blocks share.
  /// Where heads are packed, vectors say which query of which head each row is;
  /// a vector that no function needs may be null.
  void hoist(TileBuilder &b, mlir::Value queryOfRow, mlir::Value headOfRow);
  /// Reads, in the loop, the captured elements of the block.
  void readBlock(TileBuilder &b);
  /// Appends the inputs that `compute` needs, with their maps.
  void addInputs(TileBuilder &b, llvm::SmallVectorImpl<mlir::Value> &inputs,
                 llvm::SmallVectorImpl<mlir::AffineMap> &maps);
  /// Where heads are packed: whether `compute` needs the head, and the query.
  bool needsHead() const { return !isEmpty() && !head.use_empty(); }
  bool needsQuery() const { return !isEmpty() && !query.use_empty(); }
  /// Whether scores may be so large in size that they are infinite to the base
  /// 2, such as the lowest number of f32, which users take for "nearly masked".
  bool mayBeHuge();
  /// The arguments for an element. `score` may be null, and so may `head` where
  /// heads are not packed; `query` and `key` are computed if they are needed.
  struct Place {
    mlir::Value score, head;
    llvm::function_ref<mlir::Value()> query, key;
  };
  /// The function's value; `inputs` are the elements of those added.
  mlir::Value compute(mlir::ImplicitLocOpBuilder &b, const Place &place,
                      mlir::ValueRange inputs);
  /// The cotangent of the score or, if that is given, of a captured number, by
  /// that of the function's value; null where an op has no derivative, with an
  /// error.
  mlir::Value differentiate(mlir::ImplicitLocOpBuilder &b, const Place &place,
                            mlir::ValueRange inputs, mlir::Value cotangent,
                            std::optional<int64_t> capture);

private:
  /// A captured tensor read at the tile's queries, its keys, or both.
  struct Read {
    mlir::tensor::ExtractOp op;
    bool byQuery, byKey;
    mlir::Value tile;
  };
  enum Dependence { OnQuery = 1, OnKey = 2, OnScore = 4 };

  void analyze();
  /// Whether a value is the same for all of a tile's elements of one head.
  bool isUniform(mlir::Value value);
  /// The greatest size of an op's value, infinite where it has no bound.
  double boundSize(mlir::Operation &inner,
                   const llvm::DenseMap<mlir::Value, double> &sizes);
  void clone(mlir::OpBuilder &b, mlir::Operation &inner,
             mlir::IRMapping &values);
  /// Sets the flags that getScoreFlags allows, in an op whose result need not
  /// be exact.
  void allowFastMath(mlir::Operation &inner);
  /// The captured tensor that `read` reads.
  mlir::Value captureOf(mlir::tensor::ExtractOp read);
  void readAt(TileBuilder &b, Read &read);
  /// Whether the read elements differ between blocks.
  bool isWalked(const Read &read) {
    return op.isByKeys() ? read.byQuery : read.byKey;
  }
  /// The values of the region for an element.
  mlir::IRMapping evaluate(mlir::ImplicitLocOpBuilder &b, const Place &place,
                           mlir::ValueRange inputs);
  void readRows(TileBuilder &b, Read &read, mlir::Value queryOfRow,
                mlir::Value headOfRow);
  /// The element nearest to the index.
  mlir::Value extractClamped(mlir::ImplicitLocOpBuilder &b,
                             mlir::tensor::ExtractOp read,
                             mlir::IRMapping &values);
  mlir::Value clamp(mlir::ImplicitLocOpBuilder &b, mlir::Value index,
                    mlir::Value tensor, int64_t dim);

  ScoreOpInterface op;
  mlir::Region &region;
  /// Arguments of the region; `score` is null in a mask_mod.
  mlir::BlockArgument score, batch, head, query, key;
  llvm::DenseMap<mlir::Value, unsigned> dependence;
  /// Ops whose results are compared or become integers in the end.
  llvm::DenseSet<mlir::Operation *> exact;
  llvm::SmallVector<Read> reads;
  /// Bounds of indices into captured tensors, by dimension.
  mlir::Value firstIndex;
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value> lastIndex;
  /// Values of the region outside of it.
  mlir::IRMapping outside;
};

} // namespace sattn::flex_attention

#endif // LIB_DIALECT_SATTN_IR_FLEXATTENTION_ELEMENTFUNCTION_H
