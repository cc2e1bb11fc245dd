//===- FlexAttention.cpp - flex_attention in double precision -------------===//

#include "sattn/Reference/FlexAttention.h"

#include "sattn/Reference/ElementConversion.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace sattn::reference;
using sattn::runtime::Error;
using sattn::runtime::ErrorOr;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

static Error mismatch(const std::string &what, int64_t wanted, int64_t got) {
  return Error("expected " + what + " to be " + std::to_string(wanted) +
               ", but got " + std::to_string(got));
}

namespace {
/// A tensor of rank 4, or of rank 3 as if it had one batch.
class Operand {
public:
  explicit Operand(const TensorView &view)
      : view(view), shape(view.shape), strides(view.strides) {
    if (shape.size() == 3) {
      shape.insert(shape.begin(), 1);
      strides.insert(strides.begin(), 0);
    }
  }

  double load(int64_t b, int64_t h, int64_t row, int64_t column) const {
    return loadElement(view, (shape[0] == 1 ? 0 : b) * strides[0] +
                                 h * strides[1] + row * strides[2] +
                                 column * strides[3]);
  }

  TensorView view;
  std::vector<int64_t> shape, strides;
};

class Evaluator {
public:
  explicit Evaluator(const FlexAttentionOperands &op)
      : op(op), q(op.q), k(op.k), v(op.v) {}

  Error check() const;
  FlexAttentionResult compute() const;

private:
  /// Of the functions, as of the definition.
  int64_t countHeads() const { return q.shape[1] * op.packedHeads; }
  int64_t countQueries() const { return q.shape[2] / op.packedHeads; }
  double loadQ(int64_t b, int64_t h, int64_t i, int64_t d) const {
    return q.load(b, h / op.packedHeads,
                  h % op.packedHeads * countQueries() + i, d);
  }
  bool sees(int64_t b, int64_t h, int64_t i, int64_t j, int64_t length) const;
  int64_t lengthOf(int64_t b, int64_t h) const;
  void computeRow(int64_t b, int64_t h, int64_t i,
                  FlexAttentionResult &result) const;

  const FlexAttentionOperands &op;
  Operand q, k, v;
};
} // namespace

static Error checkView(const char *name, const TensorView &view, size_t rank) {
  if (view.shape.size() != rank)
    return mismatch(std::string("the rank of '") + name + "'", rank,
                    view.shape.size());
  if (view.dtype != DType::F16 && view.dtype != DType::BF16 &&
      view.dtype != DType::F32 && view.dtype != DType::F64)
    return Error(std::string("expected element type f16, bf16, f32 or f64 of "
                             "'") +
                 name + "', but got " + sattn::runtime::name(view.dtype));
  return Error::success();
}

static Error checkOperands(const FlexAttentionOperands &op) {
  size_t rank = op.q.shape.size();
  if (rank != 3 && rank != 4)
    return Error("expected 'q' of rank 3 or 4, but got rank " +
                 std::to_string(rank));
  for (auto [name, view] :
       {std::pair("q", &op.q), std::pair("k", &op.k), std::pair("v", &op.v)})
    if (Error error = checkView(name, *view, rank))
      return error;
  if (op.group < 1)
    return Error("expected a group of at least 1, but got " +
                 std::to_string(op.group));
  if (op.packedHeads < 1 || op.q.shape[rank - 2] % op.packedHeads != 0)
    return Error("expected packed heads that divide the " +
                 std::to_string(op.q.shape[rank - 2]) +
                 " rows of 'q', but got " + std::to_string(op.packedHeads));
  return Error::success();
}

Error Evaluator::check() const {
  int64_t heads = q.shape[1];
  if (heads % op.group != 0)
    return Error("expected the heads of 'q' to be a multiple of " +
                 std::to_string(op.group) + ", but got " +
                 std::to_string(heads));
  for (auto [name, operand] : {std::pair("'k'", &k), std::pair("'v'", &v)}) {
    if (operand->shape[0] != 1 && operand->shape[0] != q.shape[0])
      return mismatch(std::string("the batches of ") + name, q.shape[0],
                      operand->shape[0]);
    if (operand->shape[1] != heads / op.group)
      return mismatch(std::string("the heads of ") + name, heads / op.group,
                      operand->shape[1]);
  }
  if (v.shape[2] != k.shape[2])
    return mismatch("the keys of 'v'", k.shape[2], v.shape[2]);
  if (k.shape[3] != q.shape[3])
    return mismatch("the columns of 'k'", q.shape[3], k.shape[3]);
  if (op.keyLengths && (op.keyLengths->shape.size() != 1 ||
                        op.keyLengths->shape[0] != op.q.shape[0]))
    return Error("expected 'key_lengths' of one number for each batch");
  return Error::success();
}

int64_t Evaluator::lengthOf(int64_t b, int64_t h) const {
  int64_t keys = k.shape[2];
  if (!op.keyLengths)
    return keys;
  int64_t place = op.q.shape.size() == 4 ? b : h;
  int64_t length = loadIndex(*op.keyLengths, place * op.keyLengths->strides[0]);
  return std::clamp<int64_t>(length, 0, keys);
}

bool Evaluator::sees(int64_t b, int64_t h, int64_t i, int64_t j,
                     int64_t length) const {
  if (op.isFull && op.isFull(b, h, i, j))
    return true;
  int64_t distance = j - i - (op.bottomRight ? length - countQueries() : 0);
  bool isInBand = (!op.left || distance >= -*op.left) &&
                  (!op.right || distance <= *op.right);
  return (isInBand || j < op.prefix) && (!op.maskMod || op.maskMod(b, h, i, j));
}

void Evaluator::computeRow(int64_t b, int64_t h, int64_t i,
                           FlexAttentionResult &result) const {
  int64_t packed = h / op.packedHeads; // The head of q's tensor.
  int64_t length = lengthOf(b, packed), head = packed / op.group;
  std::vector<double> scores(length, -kInfinity);
  std::vector<bool> isSeen(length);
  double largest = -kInfinity;
  for (int64_t j = 0; j < length; ++j) {
    isSeen[j] = sees(b, h, i, j, length);
    if (!isSeen[j])
      continue;
    ++result.visible;
    double sum = 0;
    for (int64_t d = 0; d < q.shape[3]; ++d)
      sum += loadQ(b, h, i, d) * k.load(b, head, j, d);
    scores[j] = op.scale * sum;
    if (op.scoreMod)
      scores[j] = op.scoreMod(scores[j], b, h, i, j);
    largest = std::max(largest, scores[j]);
  }
  size_t begin = result.out.size();
  result.out.resize(begin + v.shape[3], 0.0);
  double total = 0;
  for (int64_t j = 0; j < length; ++j) {
    if (!isSeen[j] || scores[j] == -kInfinity)
      continue;
    double weight = std::exp(scores[j] - largest);
    total += weight;
    for (int64_t e = 0; e < v.shape[3]; ++e)
      result.out[begin + e] += weight * v.load(b, head, j, e);
  }
  result.maxScores.push_back(largest);
  result.lse.push_back(total == 0 ? -kInfinity : largest + std::log(total));
  for (int64_t e = 0; total != 0 && e < v.shape[3]; ++e)
    result.out[begin + e] /= total;
}

FlexAttentionResult Evaluator::compute() const {
  FlexAttentionResult result;
  for (int64_t b = 0; b < q.shape[0]; ++b)
    for (int64_t h = 0; h < countHeads(); ++h)
      for (int64_t i = 0; i < countQueries(); ++i)
        computeRow(b, h, i, result);
  return result;
}

ErrorOr<FlexAttentionResult>
sattn::reference::flexAttention(const FlexAttentionOperands &operands) {
  if (Error error = checkOperands(operands))
    return error;
  Evaluator evaluator(operands);
  if (Error error = evaluator.check())
    return error;
  return evaluator.compute();
}
