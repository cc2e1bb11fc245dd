//===----------------------------------------------------------------------===//
//
// Part of sattn, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// What a sattn.flex_attention requires of extents, and of a program's
// arguments. The constraint numbers are those of the op's description.

#include "sattn/Dialect/SAttn/IR/MaskRegion.h"
#include "sattn/Dialect/SAttn/IR/SAttn.h"

using namespace mlir;
using namespace sattn;

void FlexAttentionOp::constrainExtents(ExtentConstraints &constraints) {
  auto extent = [&](Value tensor, int64_t dimension) {
    return constraints.getExtent(tensor, dimension);
  };
  int64_t lead = getLeadRank();
  AffineExpr one = constraints.getConstant(1);
  AffineExpr rows = extent(getQ(), -2), keys = extent(getK(), -2);
  int64_t packed = getPackedHeads();
  AffineExpr queries = rows.floorDiv(packed);
  if (isPacked()) // (C11)
    constraints.requireEqual(queries * packed, rows);
  for (int64_t i = 0; i <= lead; ++i) { // (C4)
    for (Value result : getOuts())
      constraints.requireEqual(extent(result, i), extent(getQ(), i));
  }
  for (Value tensor : {Value(getK()), Value(getV())}) {
    if (lead == 2 &&
        cast<RankedTensorType>(tensor.getType()).getDimSize(0) != 1)
      constraints.requireEqual(extent(tensor, 0), extent(getQ(), 0));
    constraints.requireEqual(extent(getQ(), -3),
                             extent(tensor, -3) * getGroup());
  }
  constraints.requireEqual(extent(getV(), -2), keys);
  if (getKeyLengths())
    constraints.requireEqual(extent(getKeyLengths(), 0), extent(getQ(), 0));
  for (Value list : {getPartialCounts(), getPartialIndices(), getFullCounts(),
                     getFullIndices()}) { // (C5)
    if (!list)
      continue;
    for (int64_t i = 0; i < lead; ++i)
      if (cast<RankedTensorType>(list.getType()).getDimSize(i) != 1)
        constraints.requireEqual(extent(list, i), extent(getQ(), i));
    constraints.requireEqual(extent(list, lead),
                             queries.ceilDiv((*getBlockSize())[0]));
    if (isPacked())
      constraints.requireEqual(extent(list, lead), one,
                               constraints.getConstant(0));
    if (list == getFullIndices()) // Its first entry is read in any case.
      constraints.requireAtLeast(extent(list, -1), one);
  }
  constrainCaptures(constraints, getCaptures());
}

static constexpr StringRef kFloats[] = {"f16", "bf16", "f32"};

namespace {
/// Adds the operands and checks of one op to a contract.
class ContractBuilder {
public:
  ContractBuilder(FlexAttentionOp op, Contract &contract)
      : op(op), contract(contract), lead(op.getLeadRank()) {}

  LogicalResult addOperands() {
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
    if (failed(addCaptures(contract, op.getCaptures())))
      return failure();
    std::pair<StringRef, Value> rowResults[] = {
        {"lse", op.getLse()}, {"max_scores", op.getMaxScores()}};
    for (auto [name, rows] : rowResults) {
      if (!rows)
        continue;
      if (failed(contract.addTensor(name, rows, rank - 1,
                                    ArrayRef(kFloats).take_back())))
        return failure();
      contract.setWritten();
    }
    addNumbers();
    if (failed(contract.addTensor("out", op.getOut(), rank, {}, "q")))
      return failure();
    contract.setWritten();
    return success();
  }

  void addChecks() {
    for (Value result : op.getOuts()) // (C4)
      for (int64_t i = 0; i <= lead; ++i)
        requireEqual(result, i, op.getQ(), i);
    contract.requireMultiple(extent(op.getQ(), -3), "H", op.getGroup(),
                             "the group");
    if (op.isPacked()) // (C11)
      contract.requireMultiple(
          extent(op.getQ(), -2), "rows", op.getPackedHeads(),
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
      requireEqual(op.getKeyLengths(), 0, op.getQ(), 0);
      contract.requireWithin(op.getKeyLengths(), "key lengths", keys());
    }
    addListChecks(op.getPartialCounts(), op.getPartialIndices(),
                  /*isFull=*/false);
    addListChecks(op.getFullCounts(), op.getFullIndices(), /*isFull=*/true);
    requireElements(contract, op.getCaptures());
    addApart();
  }

private:
  FlexAttentionOp op;
  Contract &contract;
  int64_t lead;

  DictionaryAttr extent(Value tensor, int64_t dimension) {
    return contract.getExtent(tensor, dimension);
  }
  DictionaryAttr keys() { return extent(op.getK(), -2); }

  LogicalResult addIndices(StringRef name, Value tensor, int64_t rank) {
    if (!tensor)
      return success();
    return contract.addTensor(name, tensor, rank,
                              ArrayRef(kIndexTypes).take_front());
  }

  /// For the reference, which knows the op by its operands.
  void addNumbers() {
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

  /// Dimension `i` of q is B, H or M.
  StringRef nameOf(int64_t i) {
    static constexpr StringRef names[] = {"B", "H", "M"};
    return names[i + 2 - lead];
  }
  void requireEqual(Value tensor, int64_t dimension, Value other,
                    int64_t otherDimension) {
    contract.requireEqual(extent(tensor, dimension), nameOf(otherDimension),
                          extent(other, otherDimension));
  }
  /// The extent is that of q, unless it is 1.
  void requireBroadcast(Value tensor, int64_t i) {
    if (cast<RankedTensorType>(tensor.getType()).getDimSize(i) != 1)
      requireEqual(tensor, i, op.getQ(), i);
  }

  void addListChecks(Value counts, Value indices, bool isFull) { // (C5)
    if (!counts)
      return;
    ArrayRef<int64_t> size = *op.getBlockSize();
    for (Value list : {counts, indices}) {
      for (int64_t i = 0; i < lead; ++i)
        requireBroadcast(list, i);
      // Rows are queries of each packed head.
      contract.requireEqual(extent(list, lead), "blocks of queries",
                            contract.computeCeil(extent(op.getQ(), -2),
                                                 size[0] * op.getPackedHeads()),
                            "ceil(M / " + Twine(size[0]) + ")");
    }
    DictionaryAttr blocks = contract.computeCeil(keys(), size[1]);
    if (isFull) {
      contract.requireAtLeast(extent(indices, -1), "entry in a list", 1);
      contract.requireListed(indices, counts,
                             "blocks of keys, one that ends after N last,",
                             contract.compute(keys(), size[1]), blocks);
    } else {
      contract.requireListed(indices, counts, "blocks of keys", blocks);
    }
  }

  void addApart() {
    SmallVector<Value> read = {op.getQ(), op.getK(), op.getV()};
    for (Value tensor :
         {op.getPartialCounts(), op.getPartialIndices(), op.getFullCounts(),
          op.getFullIndices(), op.getKeyLengths()})
      if (tensor)
        read.push_back(tensor);
    llvm::append_range(read, findArguments(op.getCaptures()));
    for (Value result : llvm::reverse(op.getOuts())) {
      contract.requireApart(result, read, Value());
      read.push_back(result);
    }
  }
};
} // namespace

LogicalResult FlexAttentionOp::describeContract(Contract &contract,
                                                Value destination) {
  if (destination)
    return failure();
  ContractBuilder builder(*this, contract);
  if (failed(builder.addOperands()))
    return failure();
  builder.addChecks();
  return success();
}
