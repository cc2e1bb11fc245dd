//===- FlexAttentionProblem.h - Rows of scores ------------------*- C++ -*-===//
//
// The part that the forward and the backward of flex_attention share.
//
//===----------------------------------------------------------------------===//

#ifndef LIB_REFERENCE_FLEXATTENTIONPROBLEM_H
#define LIB_REFERENCE_FLEXATTENTIONPROBLEM_H

#include "sattn/Reference/FlexAttention.h"

namespace sattn::reference {

class FlexAttentionProblem {
public:
  /// A tensor of rank 4, or of rank 3 as if it had one batch.
  class Operand {
  public:
    explicit Operand(const runtime::TensorView &view);

    /// An extent of 1 serves all batches.
    double load(int64_t b, int64_t h, int64_t row, int64_t column) const;
    /// The place of a row's first element in row-major order.
    int64_t placeOf(int64_t b, int64_t h, int64_t row) const;

    runtime::TensorView view;
    std::vector<int64_t> shape, strides;
  };

  /// The keys of one query, up to the key length.
  struct Row {
    /// Scaled scores before and after score_mod; -inf where the key is not
    /// visible.
    std::vector<double> products, scores;
    /// The largest score after score_mod, and the sum of all weights.
    double largest, total;
    int64_t visible = 0;

    /// Whether a key is visible and its score is not -inf.
    bool hasWeight(size_t j) const;
    /// exp(score - largest) of a key, 0 where it has no weight.
    double weigh(size_t j) const;
    /// The logarithm of the sum of exponentials, -inf where no key is visible.
    double computeLse() const;
  };

  explicit FlexAttentionProblem(const FlexAttentionOperands &op)
      : op(op), q(op.q), k(op.k), v(op.v) {}

  /// Checks ranks and element types, before a problem is made; then extents.
  static runtime::Error checkOperands(const FlexAttentionOperands &op);
  runtime::Error check() const;
  /// Whether elements are floats.
  static runtime::Error checkType(const char *name,
                                  const runtime::TensorView &view);

  Row computeRow(int64_t b, int64_t h, int64_t i) const;

  /// Heads and queries as the definition counts them, and its functions.
  int64_t countHeads() const { return q.shape[1] * op.packedHeads; }
  int64_t countQueries() const { return q.shape[2] / op.packedHeads; }
  /// Where a query of a head is in q's tensor, and which head of k it has.
  int64_t headInQ(int64_t h) const { return h / op.packedHeads; }
  int64_t rowInQ(int64_t h, int64_t i) const {
    return h % op.packedHeads * countQueries() + i;
  }
  int64_t headInK(int64_t h) const { return headInQ(h) / op.group; }

  const FlexAttentionOperands &op;
  Operand q, k, v;

private:
  bool sees(int64_t b, int64_t h, int64_t i, int64_t j, int64_t length) const;
  int64_t lengthOf(int64_t b, int64_t h) const;
};

/// Calls `function` with b, h and i of each query, in row-major order.
template <typename Function>
void forEachQuery(const FlexAttentionProblem &problem, Function function) {
  for (int64_t b = 0; b < problem.q.shape[0]; ++b)
    for (int64_t h = 0; h < problem.countHeads(); ++h)
      for (int64_t i = 0; i < problem.countQueries(); ++i)
        function(b, h, i);
}

} // namespace sattn::reference

#endif // LIB_REFERENCE_FLEXATTENTIONPROBLEM_H
