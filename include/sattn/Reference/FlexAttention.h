//===- FlexAttention.h - flex_attention in double precision -----*- C++ -*-===//
//
// The definition of sattn.flex_attention, in the plainest form; compiled
// programs are checked against it.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_REFERENCE_FLEXATTENTION_H
#define SATTN_REFERENCE_FLEXATTENTION_H

#include "sattn/Runtime/Error.h"
#include "sattn/Runtime/Tensor.h"

#include <functional>
#include <optional>
#include <vector>

namespace sattn::reference {

/// Operands in host memory, any strides; of rank 3 batches are missing.
///
///   q            (B, H, M, D)              f16, bf16, f32 or f64
///   k            (B or 1, H / group, N, D) any of these
///   v            (B or 1, H / group, N, E) any of these
///   keyLengths   (B), of rank 3 (H)        i32 or i64
///
/// With packedHeads = P the rows of q are those of P heads, one after the
/// other: q is (B, H / P, P M, D), k and v have H / P / group heads, results
/// are in the order of q's rows.
struct FlexAttentionOperands {
  double scale = 1;
  runtime::TensorView q, k, v;
  std::optional<runtime::TensorView> keyLengths;
  /// Heads of q for each of k and v.
  int64_t group = 1;
  int64_t packedHeads = 1;
  /// Query i sees key j if -left <= j - (i + offset) <= right, where what is
  /// absent does not restrict, or j < prefix; offset is 0, or with bottomRight
  /// the number of keys minus that of queries.
  std::optional<int64_t> left, right;
  int64_t prefix = 0;
  bool bottomRight = false;
  /// Functions of b, h, i, j; absent: the unmodified score, and true. In
  /// partial blocks of lists they apply as well.
  std::function<double(double, int64_t, int64_t, int64_t, int64_t)> scoreMod;
  std::function<bool(int64_t, int64_t, int64_t, int64_t)> maskMod;
  /// Keys that are visible whatever the band and maskMod say, as those of full
  /// blocks; absent: none.
  std::function<bool(int64_t, int64_t, int64_t, int64_t)> isFull;
};

struct FlexAttentionResult {
  /// Elements in row-major order: (B, H, M, E) and, twice, (B, H, M).
  std::vector<double> out, lse, maxScores;
  /// Pairs of a query and a key that it sees.
  int64_t visible = 0;
};

/// Softmax over the keys that a query sees, times v, the natural logarithm of
/// the sum of exponentials, and the greatest score. A query that sees no key,
/// or only keys of score -inf, gives 0, -inf and -inf. Rows of v that a query
/// does not see are not read.
///
/// Errors name the operand: a rank, type or extent that does not fit.
runtime::ErrorOr<FlexAttentionResult>
flexAttention(const FlexAttentionOperands &);

} // namespace sattn::reference

#endif // SATTN_REFERENCE_FLEXATTENTION_H
