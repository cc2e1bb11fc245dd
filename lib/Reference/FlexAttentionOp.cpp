//===- FlexAttentionOp.cpp - flex_attention for tools ---------------------===//

#include "sattn/Reference/ElementConversion.h"
#include "sattn/Reference/FlexAttention.h"
#include "sattn/Reference/Op.h"

#include <algorithm>

using namespace sattn::reference;
using sattn::runtime::Error;
using sattn::runtime::ErrorOr;
using sattn::runtime::TensorView;

static std::optional<int64_t> numberOf(const NamedOperands &operands,
                                       const char *name) {
  const NamedOperand *operand = operands.find(name);
  if (!operand)
    return std::nullopt;
  return static_cast<int64_t>(std::get<double>(operand->value));
}

namespace {
/// The blocks of keys that each block of queries sees.
class BlockList {
public:
  /// `lead`: dimensions of batch and head. Those of 1 broadcast.
  BlockList(const TensorView &counts, const TensorView &indices, size_t lead)
      : counts(counts), indices(indices), lead(lead) {}

  bool contains(int64_t b, int64_t h, int64_t queries, int64_t keys) const {
    int64_t count = loadIndex(counts, findOffset(counts, b, h, queries));
    int64_t first = findOffset(indices, b, h, queries);
    for (int64_t i = 0; i < count; ++i)
      if (loadIndex(indices, first + i * indices.strides.back()) == keys)
        return true;
    return false;
  }

private:
  TensorView counts, indices;
  size_t lead;

  int64_t findOffset(const TensorView &tensor, int64_t b, int64_t h,
                     int64_t queries) const {
    int64_t place[] = {b, h, queries};
    int64_t offset = 0;
    for (size_t dim = 0; dim <= lead; ++dim)
      if (dim == lead || tensor.shape[dim] != 1)
        offset += place[dim + 2 - lead] * tensor.strides[dim];
    return offset;
  }
};
} // namespace

/// Whether a list has the block of query i and key j, as a function of b, h, i,
/// j. Without this list it has none.
static std::function<bool(int64_t, int64_t, int64_t, int64_t)>
listOf(const NamedOperands &operands, const std::string &kind, size_t lead) {
  const TensorView *counts = operands.findTensor(kind + "_counts");
  if (!counts)
    return [](int64_t, int64_t, int64_t, int64_t) { return false; };
  BlockList list(*counts, *operands.findTensor(kind + "_indices"), lead);
  int64_t rows = *numberOf(operands, "block_queries");
  int64_t columns = *numberOf(operands, "block_keys");
  int64_t packed = numberOf(operands, "packed_heads").value_or(1);
  return [=](int64_t b, int64_t h, int64_t i, int64_t j) {
    return list.contains(b, h / packed, i / rows, j / columns);
  };
}

static FlexAttentionOperands operandsOf(const NamedOperands &operands) {
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
  if (operands.find("block_queries")) {
    size_t lead = result.q.shape.size() - 2;
    result.maskMod = listOf(operands, "partial", lead);
    result.isFull = listOf(operands, "full", lead);
  }
  return result;
}

static ErrorOr<std::vector<Result>> compute(const NamedOperands &operands) {
  if (numberOf(operands, "functions").value_or(0) != 0)
    return Error("expected a sattn.flex_attention that the reference computes, "
                 "but got one with a score_mod or a mask_mod");
  ErrorOr<FlexAttentionResult> result = flexAttention(operandsOf(operands));
  if (!result)
    return result.takeError();
  std::vector<Result> results = {{"out", std::move(result->out)}};
  if (operands.find("lse"))
    results.push_back({"lse", std::move(result->lse)});
  if (operands.find("max_scores"))
    results.push_back({"max_scores", std::move(result->maxScores)});
  return results;
}

static ErrorOr<std::vector<int64_t>> inferShape(const NamedOperands &operands) {
  const TensorView *q = operands.findTensor("q");
  const TensorView *v = operands.findTensor("v");
  if (!q || !v || q->rank() < 1 || v->rank() < 1)
    return sattn::runtime::Error("");
  std::vector<int64_t> shape = q->shape;
  shape.back() = v->shape.back();
  return shape;
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

static Description describe(const NamedOperands &operands) {
  FlexAttentionOperands op = operandsOf(operands);
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
  // What functions and lists leave is not counted.
  if (!op.maskMod && numberOf(operands, "functions").value_or(0) == 0)
    result.operations = 2.0 * (d + e) * heads * countPairs(op, m, n);
  result.sizes = {m, e, n};
  return result;
}

namespace sattn::reference {
extern const Op kFlexAttentionOp = {"flex_attention", "out", compute,
                                    inferShape, describe};
} // namespace sattn::reference
