//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_DIALECT_SATTN_IR_SCOREOPINTERFACE_TD
#define SATTN_DIALECT_SATTN_IR_SCOREOPINTERFACE_TD

include "mlir/IR/OpBase.td"

def SAttn_ScoreOpInterface : OpInterface<"ScoreOpInterface"> {
  let cppNamespace = "::sattn";
  let description = [{
    An op over the scores of attention: the forward, or one of those that compute
    gradients. They agree in which key is visible to a query and in what its score
    is, and share the code that walks blocks, masks and modifies scores.
  }];
  let methods = [
    InterfaceMethod<
      /*desc=*/[{The factor of products of queries and keys.}],
      /*retTy=*/"::mlir::Value", /*methodName=*/"getScale">,
    InterfaceMethod<
      /*desc=*/[{The queries: (B, H, M, D), or (H, M, D).}],
      /*retTy=*/"::mlir::TypedValue<::mlir::RankedTensorType>", /*methodName=*/"getQ">,
    InterfaceMethod<
      /*desc=*/[{The keys: (B or 1, H / group, N, D).}],
      /*retTy=*/"::mlir::TypedValue<::mlir::RankedTensorType>", /*methodName=*/"getK">,
    InterfaceMethod<
      /*desc=*/[{The values: (B or 1, H / group, N, E).}],
      /*retTy=*/"::mlir::TypedValue<::mlir::RankedTensorType>", /*methodName=*/"getV">,
    InterfaceMethod<
      /*desc=*/[{Counts of the blocks that the mask applies to; null where there are none.}],
      /*retTy=*/"::mlir::TypedValue<::mlir::RankedTensorType>", /*methodName=*/"getPartialCounts">,
    InterfaceMethod<
      /*desc=*/[{Which blocks these are.}],
      /*retTy=*/"::mlir::TypedValue<::mlir::RankedTensorType>", /*methodName=*/"getPartialIndices">,
    InterfaceMethod<
      /*desc=*/[{Counts of the wholly visible blocks; null without such lists.}],
      /*retTy=*/"::mlir::TypedValue<::mlir::RankedTensorType>", /*methodName=*/"getFullCounts">,
    InterfaceMethod<
      /*desc=*/[{Which blocks these are.}],
      /*retTy=*/"::mlir::TypedValue<::mlir::RankedTensorType>", /*methodName=*/"getFullIndices">,
    InterfaceMethod<
      /*desc=*/[{Where the stored blocks of each block of the tiled rows begin in `col`: (B or 1, H or 1, blocks + 1); null where blocks are not stored.}],
      /*retTy=*/"::mlir::TypedValue<::mlir::RankedTensorType>", /*methodName=*/"getCrow",
      /*args=*/(ins), /*methodBody=*/"", /*defaultImplementation=*/"return {};">,
    InterfaceMethod<
      /*desc=*/[{Which blocks are walked for these.}],
      /*retTy=*/"::mlir::TypedValue<::mlir::RankedTensorType>", /*methodName=*/"getCol",
      /*args=*/(ins), /*methodBody=*/"", /*defaultImplementation=*/"return {};">,
    InterfaceMethod<
      /*desc=*/[{The probability that a weight is dropped; null where none is.}],
      /*retTy=*/"::mlir::Value", /*methodName=*/"getProbability",
      /*args=*/(ins), /*methodBody=*/"", /*defaultImplementation=*/"return {};">,
    InterfaceMethod<
      /*desc=*/[{The seed and the offset of the numbers that say which.}],
      /*retTy=*/"::mlir::TypedValue<::mlir::RankedTensorType>", /*methodName=*/"getRandom",
      /*args=*/(ins), /*methodBody=*/"", /*defaultImplementation=*/"return {};">,
    InterfaceMethod<
      /*desc=*/[{The number of keys of each batch, (B); null where it is N.}],
      /*retTy=*/"::mlir::TypedValue<::mlir::RankedTensorType>", /*methodName=*/"getKeyLengths">,
    InterfaceMethod<
      /*desc=*/[{What the functions get after the positions.}],
      /*retTy=*/"::mlir::Operation::operand_range", /*methodName=*/"getCaptures">,
    InterfaceMethod<
      /*desc=*/[{Where the tile is, one number for each loop; empty: the op is the whole problem.}],
      /*retTy=*/"::mlir::Operation::operand_range", /*methodName=*/"getOrigin">,
    InterfaceMethod<
      /*desc=*/[{The tensors that results are written to.}],
      /*retTy=*/"::mlir::Operation::operand_range", /*methodName=*/"getOuts">,
    InterfaceMethod<
      /*desc=*/[{Heads of queries for each of keys.}],
      /*retTy=*/"uint64_t", /*methodName=*/"getGroup">,
    InterfaceMethod<
      /*desc=*/[{The band that queries see.}],
      /*retTy=*/"::std::optional<::sattn::MaskAttr>", /*methodName=*/"getMask">,
    InterfaceMethod<
      /*desc=*/[{Queries and keys of a block of the lists.}],
      /*retTy=*/"::std::optional<::llvm::ArrayRef<int64_t>>", /*methodName=*/"getBlockSize">,
    InterfaceMethod<
      /*desc=*/[{"ieee" or "tf32".}],
      /*retTy=*/"::llvm::StringRef", /*methodName=*/"getPrecision">,
    InterfaceMethod<
      /*desc=*/[{How many heads a tile's rows are of.}],
      /*retTy=*/"uint64_t", /*methodName=*/"getPackedHeads">,
    InterfaceMethod<
      /*desc=*/[{The tile's sizes; null before they are chosen.}],
      /*retTy=*/"::sattn::MetaAttr", /*methodName=*/"getMetaAttr">,
    InterfaceMethod<
      /*desc=*/[{Modifies scores; empty: they stay.}],
      /*retTy=*/"::mlir::Region &", /*methodName=*/"getScoreMod">,
    InterfaceMethod<
      /*desc=*/[{Says which keys are visible; empty: all.}],
      /*retTy=*/"::mlir::Region &", /*methodName=*/"getMaskMod">,
    InterfaceMethod<
      /*desc=*/[{Whether a tile is one of keys, which walks blocks of queries; else of queries, which walks blocks of keys.}],
      /*retTy=*/"bool", /*methodName=*/"isByKeys">,
    InterfaceMethod<
      /*desc=*/[{Columns of which a tile has N, all or a part: those of the values, or of the widest gradient.}],
      /*retTy=*/"int64_t", /*methodName=*/"getTiledColumns">,
  ];
  let extraSharedClassDeclaration = [{
    bool hasLists() {
      return $_op.getPartialCounts() || $_op.getFullCounts() || $_op.getCrow();
    }
    /// Whether a row of `q` is not the query of its number.
    bool isPacked() { return $_op.getPackedHeads() != 1; }
    /// Dimensions before queries or keys: batch and head, or head.
    int64_t getLeadRank() { return $_op.getQ().getType().getRank() - 2; }
    int64_t getHeadDim() { return $_op.getQ().getType().getShape().back(); }
    int64_t getValueDim() { return $_op.getV().getType().getShape().back(); }
    /// Whether a tile has a part of the columns: the scores are then computed
    /// for each part.
    bool splitsColumns() {
      ::sattn::MetaAttr meta = $_op.getMetaAttr();
      return meta && meta.getTile()[1] < $_op.getTiledColumns();
    }
    /// Number of loops over tiles: leading dimensions, rows, and parts of the
    /// columns.
    int64_t getNumLoops() { return getLeadRank() + 1 + splitsColumns(); }
  }];
}

#endif // SATTN_DIALECT_SATTN_IR_SCOREOPINTERFACE_TD
