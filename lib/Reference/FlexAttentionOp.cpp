//===- FlexAttentionOp.cpp - flex_attention for tools ---------------------===//

#include "sattn/Reference/FlexAttention.h"
#include "sattn/Reference/Op.h"

#include <algorithm>

using namespace sattn::reference;
using sattn::runtime::ErrorOr;
using sattn::runtime::TensorView;

static std::optional<int64_t> numberOf(const NamedOperands &operands,
                                       const char *name) {
  const NamedOperand *operand = operands.find(name);
  if (!operand)
    return std::nullopt;
  return static_cast<int64_t>(std::get<double>(operand->value));
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
  result.left = numberOf(operands, "left");
  result.right = numberOf(operands, "right");
  result.prefix = numberOf(operands, "prefix").value_or(0);
  result.bottomRight = numberOf(operands, "bottom_right").value_or(0) != 0;
  return result;
}

static ErrorOr<std::vector<double>> compute(const NamedOperands &operands) {
  ErrorOr<FlexAttentionResult> result = flexAttention(operandsOf(operands));
  if (!result)
    return result.takeError();
  return std::move(result->out);
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
  int64_t m = op.q.shape.end()[-2], d = op.q.shape.back();
  int64_t n = op.k.shape.end()[-2], e = op.v.shape.back();
  int64_t heads = 1;
  for (int64_t dim = 0; dim < op.q.rank() - 2; ++dim)
    heads *= op.q.shape[dim];
  std::string dtype = name(op.q.dtype);
  auto text = [](int64_t number) { return std::to_string(number); };
  Description result;
  result.text = text(heads) + " heads, " + text(m) + " queries x " + text(n) +
                " keys, " + text(d) + " and " + text(e) + " columns, " + dtype;
  result.members = {{"heads", heads}, {"queries", m},   {"keys", n},
                    {"head_dim", d},  {"value_dim", e}, {"dtype", dtype}};
  result.operations = 2.0 * (d + e) * heads * countPairs(op, m, n);
  result.sizes = {m, e, n};
  return result;
}

namespace sattn::reference {
extern const Op kFlexAttentionOp = {"flex_attention", "out", compute,
                                    inferShape, describe};
} // namespace sattn::reference
