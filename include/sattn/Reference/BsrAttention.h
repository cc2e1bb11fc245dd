//===- BsrAttention.h - bsr_attention in double precision -------*- C++ -*-===//
//
// The definition of sattn.bsr_attention once more, to compare with.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_REFERENCE_BSRATTENTION_H
#define SATTN_REFERENCE_BSRATTENTION_H

#include "sattn/Runtime/Error.h"
#include "sattn/Runtime/Tensor.h"

#include <optional>
#include <vector>

namespace sattn::reference {

/// Operands in host memory, any strides. `*` is any number of leading batch
/// dimensions; those of out are the result's, and those of the others broadcast
/// to them as NumPy does (missing, 1 or equal).
///
///   crow    (*, M / blockRows + 1)  i32 or i64; offsets into col, the first of
///                                   which need not be 0
///   col     (*, nnz)                i32 or i64; block columns, in any order
///   q       (*, M, D)               f16, bf16, f32 or f64
///   k       (*, N, D)               the type of q; N is a multiple of
///                                   blockColumns
///   v       (*, N, E)               the type of q
///   random  (2)                     i64: the key, and the counter's last word
///   out     (*, M, E)               f16, bf16, f32 or f64
struct BsrAttentionOperands {
  double scale = 1;
  runtime::TensorView crow, col, q, k, v;
  int64_t blockRows = 0, blockColumns = 0;
  /// Rounded to f32 but with q of f64, as the op's operand is. Without random
  /// nothing is dropped.
  double probability = 0;
  std::optional<runtime::TensorView> random;
  runtime::TensorView out;
};

struct BsrAttentionResult {
  /// Elements in row-major order: (*, M, E) and (*, M).
  std::vector<double> out, lse;
};

/// Softmax over the keys in the stored blocks of a row, times v, where weights
/// are dropped by Philox, and those that are kept divided by 1 - probability. A
/// row without a block, or only keys of score -inf, gives 0. Rows of k and v
/// outside of a row's blocks are not read for it. lse is the natural logarithm
/// of the sum of exponentials, -inf for such a row. In double, and not rounded
/// to out's type. Writes nothing.
///
/// Errors name the operand: a rank, type or extent that does not fit, offsets
/// that decrease or pass nnz, a block column outside k.
runtime::ErrorOr<BsrAttentionResult> bsrAttention(const BsrAttentionOperands &);

} // namespace sattn::reference

#endif // SATTN_REFERENCE_BSRATTENTION_H
