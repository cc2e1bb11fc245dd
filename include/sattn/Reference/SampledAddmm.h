//===- SampledAddmm.h - sampled_addmm in double precision -------*- C++ -*-===//
//
// The definition of sattn.sampled_addmm, in the plainest form; compiled
// programs are checked against it.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_REFERENCE_SAMPLEDADDMM_H
#define SATTN_REFERENCE_SAMPLEDADDMM_H

#include "sattn/Runtime/Error.h"
#include "sattn/Runtime/Tensor.h"

#include <optional>
#include <vector>

namespace sattn::reference {

/// Operands in host memory, any strides. `*` is any number of leading batch
/// dimensions; those of out are the result's, and those of the others broadcast
/// to them as NumPy does (missing, 1 or equal).
///
///   crow    (*, M / BM + 1)    i32 or i64; offsets into col and out, the first
///                              of which need not be 0
///   col     (*, nnz)           i32 or i64; block columns, in any order
///   mat1    (*, M, K)          f16, bf16, f32, f64, i8 or f8
///   mat2    (*, K, N)          the type of mat1, of f8 one of the two; N a
///                              multiple of BN
///   input   (*, nnz, BM, BN)   the type of mat1; with 8 bits that of out
///   out     (*, nnz, BM, BN)   f16, bf16, f32 or f64; with i8 i32 too
struct SampledAddmmOperands {
  double alpha;
  double beta;
  runtime::TensorView crow, col, mat1, mat2;
  std::optional<runtime::TensorView> input;
  runtime::TensorView out;
  /// Whether mat2 is (*, N, K).
  bool transposeMat2 = false;
  /// Whether mat1 is (*, K, M).
  bool transposeMat1 = false;
};

/// beta * input + alpha * (mat1 @ mat2) at the stored blocks, where an absent
/// input is out as it is before the call. Sums are in double and not rounded to
/// out's type. Returns out's elements in row-major order; writes nothing.
///
/// Operands that are not read may hold anything, a NaN or no memory at all:
///   beta == 0    input, or out in its place
///   alpha == 0   crow, col, mat1, mat2
///   out empty    anything
/// A block that no block row has is beta * input.
///
/// Errors name the operand: a rank, type or extent that does not fit, offsets
/// that decrease or pass nnz, a block column outside mat2.
runtime::ErrorOr<std::vector<double>>
sampledAddmm(const SampledAddmmOperands &);

} // namespace sattn::reference

#endif // SATTN_REFERENCE_SAMPLEDADDMM_H
