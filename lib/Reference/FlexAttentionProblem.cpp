//===- FlexAttentionProblem.cpp - Rows of scores --------------------------===//

#include "FlexAttentionProblem.h"

#include "sattn/Reference/ElementConversion.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace sattn::reference;
using sattn::runtime::Error;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

static Error mismatch(const std::string &what, int64_t wanted, int64_t got) {
  return Error("expected " + what + " to be " + std::to_string(wanted) +
               ", but got " + std::to_string(got));
}

FlexAttentionProblem::Operand::Operand(const TensorView &view)
    : view(view), shape(view.shape), strides(view.strides) {
  if (shape.size() == 3) {
    shape.insert(shape.begin(), 1);
    strides.insert(strides.begin(), 0);
  }
}

double FlexAttentionProblem::Operand::load(int64_t b, int64_t h, int64_t row,
                                           int64_t column) const {
  return loadElement(view, (shape[0] == 1 ? 0 : b) * strides[0] +
                               h * strides[1] + row * strides[2] +
                               column * strides[3]);
}

int64_t FlexAttentionProblem::Operand::placeOf(int64_t b, int64_t h,
                                               int64_t row) const {
  return (((shape[0] == 1 ? 0 : b) * shape[1] + h) * shape[2] + row) * shape[3];
}

Error FlexAttentionProblem::checkType(const char *name,
                                      const TensorView &view) {
  if (view.dtype != DType::F16 && view.dtype != DType::BF16 &&
      view.dtype != DType::F32 && view.dtype != DType::F64)
    return Error(std::string("expected element type f16, bf16, f32 or f64 of "
                             "'") +
                 name + "', but got " + sattn::runtime::name(view.dtype));
  return Error::success();
}

static Error checkView(const char *name, const TensorView &view, size_t rank) {
  if (view.shape.size() != rank)
    return mismatch(std::string("the rank of '") + name + "'", rank,
                    view.shape.size());
  return FlexAttentionProblem::checkType(name, view);
}

Error FlexAttentionProblem::checkOperands(const FlexAttentionOperands &op) {
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

Error FlexAttentionProblem::check() const {
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

int64_t FlexAttentionProblem::lengthOf(int64_t b, int64_t h) const {
  int64_t keys = k.shape[2];
  if (!op.keyLengths)
    return keys;
  int64_t place = op.q.shape.size() == 4 ? b : h;
  int64_t length = loadIndex(*op.keyLengths, place * op.keyLengths->strides[0]);
  return std::clamp<int64_t>(length, 0, keys);
}

bool FlexAttentionProblem::sees(int64_t b, int64_t h, int64_t i, int64_t j,
                                int64_t length) const {
  if (op.isFull && op.isFull(b, h, i, j))
    return true;
  int64_t distance = j - i - (op.bottomRight ? length - countQueries() : 0);
  bool isInBand = (!op.left || distance >= -*op.left) &&
                  (!op.right || distance <= *op.right);
  return (isInBand || j < op.prefix) && (!op.maskMod || op.maskMod(b, h, i, j));
}

bool FlexAttentionProblem::Row::hasWeight(size_t j) const {
  return scores[j] != -kInfinity;
}

double FlexAttentionProblem::Row::weigh(size_t j) const {
  return hasWeight(j) ? std::exp(scores[j] - largest) : 0;
}

double FlexAttentionProblem::Row::computeLse() const {
  return total == 0 ? -kInfinity : largest + std::log(total);
}

FlexAttentionProblem::Row FlexAttentionProblem::computeRow(int64_t b, int64_t h,
                                                           int64_t i) const {
  int64_t length = lengthOf(b, headInQ(h));
  Row row;
  row.products.assign(length, -kInfinity);
  row.scores = row.products;
  row.largest = -kInfinity;
  row.total = 0;
  for (int64_t j = 0; j < length; ++j) {
    if (!sees(b, h, i, j, length))
      continue;
    ++row.visible;
    double sum = 0;
    for (int64_t d = 0; d < q.shape[3]; ++d)
      sum +=
          q.load(b, headInQ(h), rowInQ(h, i), d) * k.load(b, headInK(h), j, d);
    row.products[j] = row.scores[j] = op.scale * sum;
    if (op.scoreMod)
      row.scores[j] = op.scoreMod(row.products[j], b, h, i, j);
    row.largest = std::max(row.largest, row.scores[j]);
  }
  for (int64_t j = 0; j < length; ++j)
    row.total += row.weigh(j);
  return row;
}
