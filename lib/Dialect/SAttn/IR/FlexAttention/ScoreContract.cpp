//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScoreContract.h"

#include "sattn/Dialect/SAttn/IR/MaskRegion.h"

using namespace mlir;
using namespace sattn;
using namespace sattn::flex_attention;

static constexpr StringRef kFloats[] = {"f16", "bf16", "f32", "f64"};

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

void flex_attention::constrainRows(ScoreOpInterface op, Value tensor,
                                   ExtentConstraints &constraints) {
  for (int64_t i = 0; i <= op.getLeadRank(); ++i) // (C4)
    constraints.requireEqual(constraints.getExtent(tensor, i),
                             constraints.getExtent(op.getQ(), i));
}

void flex_attention::constrainScores(ScoreOpInterface op,
                                     ExtentConstraints &constraints) {
  auto extent = [&](Value tensor, int64_t dimension) {
    return constraints.getExtent(tensor, dimension);
  };
  int64_t lead = op.getLeadRank();
  AffineExpr one = constraints.getConstant(1);
  AffineExpr rows = extent(op.getQ(), -2), keys = extent(op.getK(), -2);
  int64_t packed = op.getPackedHeads();
  AffineExpr queries = rows.floorDiv(packed);
  if (op.isPacked()) // (C11)
    constraints.requireEqual(queries * packed, rows);
  for (Value tensor : {Value(op.getK()), Value(op.getV())}) { // (C4)
    if (lead == 2 &&
        cast<RankedTensorType>(tensor.getType()).getDimSize(0) != 1)
      constraints.requireEqual(extent(tensor, 0), extent(op.getQ(), 0));
    constraints.requireEqual(extent(op.getQ(), -3),
                             extent(tensor, -3) * int64_t(op.getGroup()));
  }
  constraints.requireEqual(extent(op.getV(), -2), keys);
  if (op.getKeyLengths())
    constraints.requireEqual(extent(op.getKeyLengths(), 0),
                             extent(op.getQ(), 0));
  for (Value list : {op.getPartialCounts(), op.getPartialIndices(),
                     op.getFullCounts(), op.getFullIndices()}) { // (C5)
    if (!list)
      continue;
    for (int64_t i = 0; i < lead; ++i)
      if (cast<RankedTensorType>(list.getType()).getDimSize(i) != 1)
        constraints.requireEqual(extent(list, i), extent(op.getQ(), i));
    ArrayRef<int64_t> size = *op.getBlockSize();
    constraints.requireEqual(extent(list, lead),
                             op.isByKeys() ? keys.ceilDiv(size[1])
                                           : queries.ceilDiv(size[0]));
    if (op.isPacked())
      constraints.requireEqual(extent(list, lead), one,
                               constraints.getConstant(0));
    if (list == op.getFullIndices()) // Its first entry is read in any case.
      constraints.requireAtLeast(extent(list, -1), one);
  }
  if (op.getCrow()) { // (C11)
    for (Value list : {op.getCrow(), op.getCol()})
      for (int64_t i = 0; i < lead; ++i)
        if (cast<RankedTensorType>(list.getType()).getDimSize(i) != 1)
          constraints.requireEqual(extent(list, i), extent(op.getQ(), i));
    ArrayRef<int64_t> size = *op.getBlockSize();
    AffineExpr blocks = extent(op.getCrow(), -1) - 1;
    constraints.requireAtLeast(extent(op.getCrow(), -1), one);
    constraints.requireEqual(op.isByKeys() ? keys : queries,
                             blocks * size[op.isByKeys() ? 1 : 0]);
    constraints.requireEqual((op.isByKeys() ? queries : keys) %
                                 size[op.isByKeys() ? 0 : 1],
                             constraints.getConstant(0));
  }
  constrainCaptures(constraints, op.getCaptures());
}

//===----------------------------------------------------------------------===//
// Contracts
//===----------------------------------------------------------------------===//

LogicalResult ScoreContract::addOperands() {
  int64_t rank = lead + 2;
  if (failed(contract.addScalar("scale", op.getScale())) ||
      failed(contract.addTensor("q", op.getQ(), rank, kFloats)) ||
      failed(contract.addTensor("k", op.getK(), rank, {}, "q")) ||
      failed(contract.addTensor("v", op.getV(), rank, {}, "q")) ||
      failed(addIndices("partial_counts", op.getPartialCounts(), lead + 1)) ||
      failed(addIndices("partial_indices", op.getPartialIndices(), rank)) ||
      failed(addIndices("full_counts", op.getFullCounts(), lead + 1)) ||
      failed(addIndices("full_indices", op.getFullIndices(), rank)) ||
      failed(addIndices("key_lengths", op.getKeyLengths(), 1)))
    return failure();
  for (auto [name, list] :
       {std::pair("crow", op.getCrow()), std::pair("col", op.getCol())})
    if (list && failed(contract.addTensor(name, list, lead + 1, kIndexTypes)))
      return failure();
  static constexpr StringRef longs[] = {"i64"};
  if (op.getRandom() &&
      (failed(contract.addScalar("probability", op.getProbability())) ||
       failed(contract.addTensor("random", op.getRandom(), 1, longs))))
    return failure();
  return addCaptures(contract, op.getCaptures());
}

LogicalResult ScoreContract::addResult(StringRef name, Value result) {
  if (failed(contract.addTensor(name, result, lead + 2, {}, "q")))
    return failure();
  contract.setWritten();
  return success();
}

LogicalResult ScoreContract::addRows(StringRef name, Value rows) {
  static constexpr StringRef kWide[] = {"f32", "f64"};
  bool isF64 = op.getScale().getType().isF64();
  return contract.addTensor(name, rows, lead + 1,
                            ArrayRef(kWide).slice(isF64 ? 1 : 0, 1));
}

LogicalResult ScoreContract::addIndices(StringRef name, Value tensor,
                                        int64_t rank) {
  if (!tensor)
    return success();
  return contract.addTensor(name, tensor, rank,
                            ArrayRef(kIndexTypes).take_front());
}

void ScoreContract::addNumbers() {
  contract.addNumber("group", op.getGroup());
  if (op.isPacked())
    contract.addNumber("packed_heads", op.getPackedHeads());
  contract.addNumber("functions",
                     !op.getScoreMod().empty() || !op.getMaskMod().empty());
  if (auto size = op.getBlockSize()) {
    contract.addNumber("block_queries", (*size)[0]);
    contract.addNumber("block_keys", (*size)[1]);
  }
  std::optional<MaskAttr> mask = op.getMask();
  if (!mask)
    return;
  if (mask->getLeft())
    contract.addNumber("left", *mask->getLeft());
  if (mask->getRight())
    contract.addNumber("right", *mask->getRight());
  contract.addNumber("prefix", mask->getPrefix().value_or(0));
  contract.addNumber("bottom_right", mask->getBottomRight());
}

/// The name of dimension `i` of q: B, H or M.
StringRef ScoreContract::nameOf(int64_t i) {
  static constexpr StringRef names[] = {"B", "H", "M"};
  return names[i + 2 - lead];
}

void ScoreContract::requireEqual(Value tensor, int64_t dimension,
                                 StringRef name, Value other,
                                 int64_t otherDimension) {
  contract.requireEqual(extent(tensor, dimension), name,
                        extent(other, otherDimension));
}

void ScoreContract::requireRows(Value tensor) { // (C4)
  for (int64_t i = 0; i <= lead; ++i)
    requireEqual(tensor, i, nameOf(i), op.getQ(), i);
}

/// Requires an extent to be that of q, unless it is 1.
void ScoreContract::requireBroadcast(Value tensor, int64_t i) {
  if (cast<RankedTensorType>(tensor.getType()).getDimSize(i) != 1)
    requireEqual(tensor, i, nameOf(i), op.getQ(), i);
}

void ScoreContract::addChecks() {
  contract.requireMultiple(extent(op.getQ(), -3), "H", op.getGroup(),
                           "the group");
  if (op.isPacked()) // (C11)
    contract.requireMultiple(extent(op.getQ(), -2), "rows", op.getPackedHeads(),
                             Twine(op.getPackedHeads()) + ", the packed heads");
  for (Value tensor : {Value(op.getK()), Value(op.getV())}) {
    if (lead == 2)
      requireBroadcast(tensor, 0);
    contract.requireEqual(
        extent(tensor, -3), "heads",
        contract.compute(extent(op.getQ(), -3), op.getGroup()),
        "H / " + Twine(op.getGroup()));
  }
  contract.requireEqual(extent(op.getV(), -2), "N", keys());
  if (op.getKeyLengths()) {
    requireEqual(op.getKeyLengths(), 0, nameOf(0), op.getQ(), 0);
    contract.requireWithin(op.getKeyLengths(), "key lengths", keys());
  }
  addListChecks(op.getPartialCounts(), op.getPartialIndices(),
                /*isFull=*/false);
  addListChecks(op.getFullCounts(), op.getFullIndices(), /*isFull=*/true);
  addStoredChecks();
  requireElements(contract, op.getCaptures());
}

void ScoreContract::addStoredChecks() { // (C11)
  if (!op.getCrow())
    return;
  bool isByKeys = op.isByKeys();
  ArrayRef<int64_t> size = *op.getBlockSize();
  DictionaryAttr m = extent(op.getQ(), -2);
  std::string rows = std::to_string(size[0]), columns = std::to_string(size[1]);
  contract.requireMultiple(m, "M", size[0], "the block's " + rows + " rows");
  contract.requireMultiple(keys(), "N", size[1],
                           "the block's " + columns + " columns");
  contract.requireEqual(extent(op.getCrow(), -1), "offsets",
                        isByKeys ? contract.compute(keys(), size[1], 1)
                                 : contract.compute(m, size[0], 1),
                        isByKeys ? "N / " + columns + " + 1"
                                 : "M / " + rows + " + 1");
  for (Value list : {op.getCrow(), op.getCol()})
    for (int64_t i = 0; i < lead; ++i)
      requireBroadcast(list, i);
  int64_t unit = size[isByKeys ? 0 : 1];
  contract.requireIndices({op.getCrow(),
                           op.getCol(),
                           /*values=*/{},
                           size[isByKeys ? 1 : 0],
                           unit,
                           {},
                           {}},
                          isByKeys ? m : keys());
}

void ScoreContract::addListChecks(Value counts, Value indices,
                                  bool isFull) { // (C5)
  if (!counts)
    return;
  ArrayRef<int64_t> size = *op.getBlockSize();
  bool isByKeys = op.isByKeys();
  for (Value list : {counts, indices}) {
    for (int64_t i = 0; i < lead; ++i)
      requireBroadcast(list, i);
    if (isByKeys)
      contract.requireEqual(extent(list, lead), "blocks of keys",
                            contract.computeCeil(keys(), size[1]),
                            "ceil(N / " + Twine(size[1]) + ")");
    else // Rows are queries of each packed head.
      contract.requireEqual(extent(list, lead), "blocks of queries",
                            contract.computeCeil(extent(op.getQ(), -2),
                                                 size[0] * op.getPackedHeads()),
                            "ceil(M / " + Twine(size[0]) + ")");
  }
  DictionaryAttr walked = isByKeys ? extent(op.getQ(), -2) : keys();
  int64_t unit = size[isByKeys ? 0 : 1];
  StringRef what = isByKeys ? "blocks of queries" : "blocks of keys";
  DictionaryAttr blocks = contract.computeCeil(walked, unit);
  if (isFull) {
    contract.requireAtLeast(extent(indices, -1), "entry in a list", 1);
    contract.requireListed(
        indices, counts,
        (what + ", one that ends after " + (isByKeys ? "M" : "N") + " last,")
            .str(),
        contract.compute(walked, unit), blocks);
  } else {
    contract.requireListed(indices, counts, what, blocks);
  }
}

void ScoreContract::addApart(ArrayRef<Value> others) {
  SmallVector<Value> read = {op.getQ(), op.getK(), op.getV()};
  for (Value tensor :
       {op.getPartialCounts(), op.getPartialIndices(), op.getFullCounts(),
        op.getFullIndices(), op.getKeyLengths(), op.getCrow(), op.getCol(),
        op.getRandom()})
    if (tensor)
      read.push_back(tensor);
  llvm::append_range(read, findArguments(op.getCaptures()));
  llvm::append_range(read, others);
  for (Value result : llvm::reverse(op.getOuts())) {
    contract.requireApart(result, read, Value());
    read.push_back(result);
  }
}
