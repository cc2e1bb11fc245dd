//===- FlexAttentionBackward.h - Gradients of flex_attention ----*- C++ -*-===//
//
// The gradients of what FlexAttention.h defines, in double precision and the
// plainest form.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_REFERENCE_FLEXATTENTIONBACKWARD_H
#define SATTN_REFERENCE_FLEXATTENTIONBACKWARD_H

#include "sattn/Reference/FlexAttention.h"

namespace sattn::reference {

/// The cotangents of the results, in host memory, any strides.
///
///   out          (B, H, M, E)   f16, bf16, f32 or f64
///   lse          (B, H, M)      any of these; absent: 0
///
/// Batches are missing where q has rank 3. With packedHeads the rows are those
/// of q, as of the results.
struct FlexAttentionCotangents {
  runtime::TensorView out;
  std::optional<runtime::TensorView> lse;
  /// The derivative of scoreMod: of its argument and the cotangent of its
  /// result, then b, h, i, j, the cotangent of its argument. It is called once
  /// for each pair of a query and a key that it sees with a score above -inf,
  /// in row-major order, and may add up cotangents of what scoreMod captures.
  /// With FlexAttentionSums it is not called where the weight is 0. Absent: the
  /// cotangent as it is.
  std::function<double(double, double, int64_t, int64_t, int64_t, int64_t)>
      scoreMod;
};

/// Numbers of each query that stand for the forward's results, in host memory,
/// any strides; of the shape (B, H, M), and of f16, bf16, f32 or f64.
struct FlexAttentionSums {
  /// The logarithm of the sum of exponentials of scores to the base 2, less
  /// log2(e) times the greatest score if that is given; +inf: the query
  /// contributes nothing.
  runtime::TensorView lse2;
  /// dout . o - dlse.
  runtime::TensorView delta;
  std::optional<runtime::TensorView> maxScores;
  /// `times`: how many times a pair b, h, i, j counts, once without a function.
  /// `keep`: the factor of its weight after the softmax, 0 or the reciprocal of
  /// the share that is kept; 1 without a function.
  std::function<int64_t(int64_t, int64_t, int64_t, int64_t)> times;
  std::function<double(int64_t, int64_t, int64_t, int64_t)> keep;
};

struct FlexAttentionGradients {
  /// Gradients, of the shapes of q, k and v, in row-major order. Heads of q
  /// that share one of k and v add up, and so do batches that share one.
  std::vector<double> q, k, v;
};

/// With the weights p_j of a query's keys and o = sum over j of p_j v_j,
///
///   ds_j = scoreMod'(p_j (dout . v_j - dout . o + dlse)),
///   dq = scale * sum over j of ds_j k_j,  dk_j += scale * ds_j q,
///   dv_j += p_j dout.
///
/// A query that sees no key, or only keys of score -inf, contributes nothing,
/// whatever its cotangents are, and neither does such a key to another query.
/// Rows of v that a query does not see are not read. The greatest scores have
/// no gradient.
///
/// Errors name the operand, 'dout' and 'dlse' among them: a rank, type or
/// extent that does not fit.
runtime::ErrorOr<FlexAttentionGradients>
flexAttentionBackward(const FlexAttentionOperands &operands,
                      const FlexAttentionCotangents &cotangents);

/// The same with weights and dout . o - dlse as `sums` give them, even where no
/// softmax has these:
///
///   p_j = exp2(log2(e) (s_j - max) - lse2),
///   ds_j = scoreMod'(p_j (dout . v_j - delta)).
///
/// `cotangents.lse`, which delta has, must be absent. Errors name 'lse2',
/// 'delta' and 'max_scores', too.
runtime::ErrorOr<FlexAttentionGradients>
flexAttentionBackward(const FlexAttentionOperands &operands,
                      const FlexAttentionCotangents &cotangents,
                      const FlexAttentionSums &sums);

} // namespace sattn::reference

#endif // SATTN_REFERENCE_FLEXATTENTIONBACKWARD_H
