//===- FlexAttentionNamed.cpp - Operands by name --------------------------===//

#include "FlexAttentionNamed.h"

#include "sattn/Reference/ElementConversion.h"

#include <algorithm>

using namespace sattn::reference;
using sattn::runtime::Error;
using sattn::runtime::TensorView;

static std::optional<int64_t> numberOf(const NamedOperands &operands,
                                       const char *name) {
  const NamedOperand *operand = operands.find(name);
  if (!operand)
    return std::nullopt;
  return static_cast<int64_t>(std::get<double>(operand->value));
}

/// Where a batch's and a head's list begins in a tensor with `lead` of these
/// dimensions, of which those of 1 broadcast.
static int64_t findList(const TensorView &tensor, size_t lead, int64_t b,
                        int64_t h) {
  int64_t place[] = {b, h}, offset = 0;
  for (size_t dim = 0; dim < lead; ++dim)
    if (tensor.shape[dim] != 1)
      offset += place[dim + 2 - lead] * tensor.strides[dim];
  return offset;
}

namespace {
/// The blocks that each block of a tile's rows, of queries or of keys, has.
class BlockList {
public:
  /// A list; `lead`: dimensions of batch and head. Those of 1 broadcast.
  BlockList(const TensorView &counts, const TensorView &indices, size_t lead)
      : counts(counts), indices(indices), lead(lead) {}

  bool contains(int64_t b, int64_t h, int64_t rows, int64_t block) const {
    int64_t count = loadIndex(counts, findOffset(counts, b, h, rows));
    int64_t first = findOffset(indices, b, h, rows);
    for (int64_t i = 0; i < count; ++i)
      if (loadIndex(indices, first + i * indices.strides.back()) == block)
        return true;
    return false;
  }

private:
  TensorView counts, indices;
  size_t lead;

  int64_t findOffset(const TensorView &tensor, int64_t b, int64_t h,
                     int64_t rows) const {
    return findList(tensor, lead, b, h) + rows * tensor.strides[lead];
  }
};
} // namespace

/// Whether a list has the block of query i and key j, as a function of b, h, i,
/// j. Without this list it has none.
static std::function<bool(int64_t, int64_t, int64_t, int64_t)>
listOf(const NamedOperands &operands, const std::string &kind, size_t lead,
       ListsOf lists) {
  const TensorView *counts = operands.findTensor(kind + "_counts");
  if (!counts)
    return [](int64_t, int64_t, int64_t, int64_t) { return false; };
  BlockList list(*counts, *operands.findTensor(kind + "_indices"), lead);
  int64_t rows = *numberOf(operands, "block_queries");
  int64_t columns = *numberOf(operands, "block_keys");
  int64_t packed = numberOf(operands, "packed_heads").value_or(1);
  return [=](int64_t b, int64_t h, int64_t i, int64_t j) {
    int64_t queries = i / rows, keys = j / columns;
    return lists == ListsOf::Queries
               ? list.contains(b, h / packed, queries, keys)
               : list.contains(b, h / packed, keys, queries);
  };
}

std::function<int64_t(int64_t, int64_t, int64_t, int64_t)>
sattn::reference::readStored(const NamedOperands &operands, ListsOf lists) {
  const TensorView *given = operands.findTensor("crow");
  if (!given)
    return nullptr;
  TensorView crow = *given, col = *operands.findTensor("col");
  int64_t rows = *numberOf(operands, "block_queries");
  int64_t columns = *numberOf(operands, "block_keys");
  size_t lead = crow.shape.size() - 1;
  return [=](int64_t b, int64_t h, int64_t i, int64_t j) {
    int64_t row = i / rows, column = j / columns;
    if (lists == ListsOf::Keys)
      std::swap(row, column);
    int64_t offsets = findList(crow, lead, b, h) + row * crow.strides.back();
    int64_t first = findList(col, lead, b, h), times = 0;
    int64_t end = loadIndex(crow, offsets + crow.strides.back());
    for (int64_t p = loadIndex(crow, offsets); p < end; ++p)
      times += loadIndex(col, first + p * col.strides.back()) == column;
    return times;
  };
}

FlexAttentionOperands
sattn::reference::readOperands(const NamedOperands &operands, ListsOf lists) {
  FlexAttentionOperands result;
  result.scale = std::get<double>(operands.find("scale")->value);
  result.q = *operands.findTensor("q");
  result.k = *operands.findTensor("k");
  result.v = *operands.findTensor("v");
  if (const TensorView *lengths = operands.findTensor("key_lengths"))
    result.keyLengths = *lengths;
  result.group = numberOf(operands, "group").value_or(1);
  result.packedHeads = numberOf(operands, "packed_heads").value_or(1);
  result.left = numberOf(operands, "left");
  result.right = numberOf(operands, "right");
  result.prefix = numberOf(operands, "prefix").value_or(0);
  result.bottomRight = numberOf(operands, "bottom_right").value_or(0) != 0;
  result.scoreMod = operands.scoreMod;
  result.maskMod = operands.maskMod;
  if (auto times = readStored(operands, lists)) {
    result.maskMod = [=](int64_t b, int64_t h, int64_t i, int64_t j) {
      return times(b, h, i, j) != 0;
    };
  } else if (operands.find("block_queries")) {
    size_t lead = result.q.shape.size() - 2;
    auto isListed = listOf(operands, "partial", lead, lists);
    auto sees = operands.maskMod;
    result.maskMod = [=](int64_t b, int64_t h, int64_t i, int64_t j) {
      return isListed(b, h, i, j) && (!sees || sees(b, h, i, j));
    };
    result.isFull = listOf(operands, "full", lead, lists);
  }
  return result;
}

Error sattn::reference::checkFunctions(const char *op,
                                       const NamedOperands &operands,
                                       bool takesScoreMod) {
  bool isGiven = operands.scoreMod || operands.maskMod;
  if (numberOf(operands, "functions").value_or(0) == 0 ||
      (isGiven && (takesScoreMod || !operands.scoreMod)))
    return Error::success();
  return Error(std::string("expected a sattn.") + op +
               " that the reference computes, but got one with a score_mod" +
               (isGiven ? "" : " or a mask_mod"));
}

/// Pairs of one head, without key lengths.
static double countPairs(const FlexAttentionOperands &op, int64_t queries,
                         int64_t keys) {
  int64_t offset = op.bottomRight ? keys - queries : 0;
  int64_t prefix = std::clamp<int64_t>(op.prefix, 0, keys);
  double pairs = 0;
  for (int64_t i = 0; i < queries; ++i) {
    int64_t begin = op.left ? i + offset - *op.left : 0;
    int64_t end = op.right ? i + offset + *op.right + 1 : keys;
    // The band beyond the prefix, and the prefix.
    begin = std::clamp(begin, prefix, keys);
    pairs += prefix + std::max<int64_t>(std::min(end, keys) - begin, 0);
  }
  return pairs;
}

Description sattn::reference::describeScores(const NamedOperands &operands,
                                             const FlexAttentionOperands &op,
                                             int64_t columns) {
  int64_t m = op.q.shape.end()[-2] / op.packedHeads, d = op.q.shape.back();
  int64_t n = op.k.shape.end()[-2], e = op.v.shape.back();
  int64_t heads = op.packedHeads;
  for (int64_t dim = 0; dim < op.q.rank() - 2; ++dim)
    heads *= op.q.shape[dim];
  std::string dtype = name(op.q.dtype);
  auto text = [](int64_t number) { return std::to_string(number); };
  Description result;
  result.text = text(heads) + " heads, " + text(m) + " queries x " + text(n) +
                " keys, " + text(d) + " and " + text(e) + " columns, " + dtype;
  result.members = {{"heads", heads}, {"queries", m},   {"keys", n},
                    {"head_dim", d},  {"value_dim", e}, {"dtype", dtype}};
  // Pairs that functions and lists leave are not counted.
  if (!op.maskMod && numberOf(operands, "functions").value_or(0) == 0)
    result.operations = 2.0 * columns * heads * countPairs(op, m, n);
  return result;
}
