//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// The walk over the stored blocks of a tile's rows, in the programs of one tile
// of the ops on stored rows: loops go over the blocks by matrices that are some
// columns of a block, or of several blocks for one row of these. Then each row
// of the matrix is that row's part in another block, and what belongs to the
// row is a number.
//
// The first steps of a row that is a tile by itself, its head, are read before
// anything of them is computed and stay in registers. Steps that a row does not
// have are branches that are not taken. Loops go over what is longer.

#ifndef LIB_DIALECT_SATTN_IR_BSRSOFTMAX_ROWWALK_H
#define LIB_DIALECT_SATTN_IR_BSRSOFTMAX_ROWWALK_H

#include "StoredRows.h"

#include "../TileOpBuilder.h"

namespace sattn {

/// A builder of the program of one tile.
class RowWalk : public TileOpBuilder {
public:
  using Inner = mlir::ImplicitLocOpBuilder;

  /// The part of each array that is read at once: a matrix of `sizes` without
  /// the dimensions of 1.
  struct Matrix {
    llvm::SmallVector<mlir::OpFoldResult> offsets, sizes;
    /// Rows and columns of the matrix, at most the `height` and `columns` of
    /// all.
    mlir::OpFoldResult rows, width;
  };

  /// Matrices that are read together.
  struct Step {
    llvm::SmallVector<Matrix> matrices;
    /// The tiles that were read: for each matrix one of every array.
    llvm::SmallVector<mlir::Value> inputs;
    /// Whether the row has any of it, where it may lack all.
    mlir::Value exists;
  };

  /// Creates the builder; elements beyond the blocks are `padding`.
  RowWalk(mlir::OpBuilder &b, const StoredRows &rows, double padding);

  /// Whether a tile is one row, whose parts in several blocks make up a matrix.
  bool isOneRow() const { return blocksPerMatrix != 1; }
  /// The number of rows of a matrix.
  int64_t getHeight() const { return height; }

  /// The element type of the arrays, and that of the arithmetic.
  mlir::Type element, wideType;
  /// Maps of the two loops over a matrix: to all of it, and to its rows; the
  /// map of a loop over a vector.
  mlir::AffineMap tile, row, vector;

  /// A number of the arithmetic.
  mlir::Value constant(double value);

  /// An element in the type of the arithmetic.
  mlir::Value widen(Inner &inner, mlir::Value narrow);

  /// Reads the head: all of it before anything else, each step as soon as it is
  /// known where it is, if the row has any of it.
  void readHead();
  llvm::ArrayRef<Step> getHead() const { return head; }

  /// The result of `update` on a value if the row has any of a step.
  mlir::Value whereIs(const Step &step, mlir::Value old,
                      llvm::function_ref<mlir::Value(mlir::Value)> update);

  /// A loop over what comes after the head; `build` gets what an iteration
  /// reads and what it carries.
  llvm::SmallVector<mlir::Value>
  loopOver(mlir::ValueRange carried,
           llvm::function_ref<llvm::SmallVector<mlir::Value>(const Step &,
                                                             mlir::ValueRange)>
               build);

  /// The elements of matrices, reduced to `initial`, which is a number or a
  /// vector of the rows.
  mlir::Value reduce(mlir::ValueRange inputs, mlir::Value initial, Body body);

  /// The result's new content: `body` gets the element of each array, widened,
  /// and `ofRow`, the values of its row, each a vector of the rows or the
  /// number of the one row. Its result is rounded.
  mlir::Value writeAll(mlir::ValueRange ofRow, Body body);

private:
  mlir::Value compute(mlir::AffineExpr expr, mlir::OpFoldResult operand);
  int64_t matricesPerBlock() const { return llvm::divideCeil(width, columns); }
  bool hasTail() const { return width % columns != 0; }
  bool isPadded(const Matrix &matrix) const;
  /// The least of `most` and `size` minus the operand.
  mlir::OpFoldResult clip(int64_t most, mlir::AffineExpr size,
                          llvm::ArrayRef<mlir::OpFoldResult> operands);
  Matrix locate(mlir::OpFoldResult iteration, int64_t place, bool hasBlocks);
  Step locateAll(mlir::OpFoldResult first);
  mlir::Value slice(mlir::Value source, const Matrix &matrix);
  mlir::Value readMatrix(mlir::Value source, const Matrix &matrix);
  mlir::Value readIf(mlir::Value condition, mlir::Value source,
                     const Matrix &matrix);
  void read(Step &step);
  mlir::Value computeElements(mlir::ValueRange inputs, mlir::ValueRange ofRow,
                              mlir::Value target, Body body);
  mlir::Value write(const Step &step, mlir::Value out, mlir::ValueRange ofRow,
                    Body body);
  mlir::Value insert(mlir::Value result, const Matrix &matrix, mlir::Value out);

  StoredRows rows;
  double padding;
  /// Stored blocks of the tile's block row.
  mlir::OpFoldResult blocks;
  int64_t width, columns, blocksPerMatrix, height, matricesPerStep, headSteps;
  /// The number of the tile's rows' matrices; null before the first loop, the
  /// head does without.
  mlir::Value matrices;
  llvm::SmallVector<Step> head;
};

} // namespace sattn

#endif // LIB_DIALECT_SATTN_IR_BSRSOFTMAX_ROWWALK_H
