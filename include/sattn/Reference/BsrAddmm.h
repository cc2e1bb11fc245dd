//===- BsrAddmm.h - bsr_addmm in double precision ---------------*- C++ -*-===//
//
// The definition of sattn.bsr_addmm, in the plainest form; compiled programs
// are checked against it.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_REFERENCE_BSRADDMM_H
#define SATTN_REFERENCE_BSRADDMM_H

#include "sattn/Runtime/Error.h"
#include "sattn/Runtime/Tensor.h"

#include <optional>
#include <vector>

namespace sattn::reference {

/// Operands in host memory, any strides. `*` is any number of leading batch
/// dimensions; those of out are the result's, and those of the others broadcast
/// to them as NumPy does (missing, 1 or equal).
///
///   crow    (*, M / BM + 1)    i32 or i64; offsets into col and values, the
///                              first of which need not be 0
///   col     (*, nnz)           i32 or i64; block columns, in any order; blocks
///                              of the same place add up
///   values  (*, nnz, BM, BK)   f16, bf16, f32, f64, i8 or f8
///   b       (*, K, N)          the type of values, of f8 one of the two; K a
///                              multiple of BK
///   input   broadcasts to out  the type of values; with 8 bits that of out
///   left    (*, M)             the type of values, or f32
///   right   (*, N)             the type of values, or f32
///   out     (*, M, N)          f16, bf16, f32 or f64; with i8 values i32 too
struct BsrAddmmOperands {
  double alpha;
  double beta;
  runtime::TensorView crow;
  runtime::TensorView col;
  runtime::TensorView values;
  runtime::TensorView b;
  std::optional<runtime::TensorView> input;
  std::optional<runtime::TensorView> left;
  std::optional<runtime::TensorView> right;
  runtime::TensorView out;
  /// The place of each block of the pattern in values, (*, nnz) with the
  /// batches of col; absent: its own.
  std::optional<runtime::TensorView> order = std::nullopt;
  /// Whether values is (*, nnz, BK, BM).
  bool transposeA = false;
  /// Whether b is (*, N, K).
  bool transposeB = false;
  /// Whether out is (*, N, M), and input broadcasts to that.
  bool transposeOut = false;
};

/// beta * input + left[:, None] * (alpha * (A @ b)) * right[None, :], where A
/// is the BSR matrix, absent left and right are ones, and an absent input is
/// out as it is before the call. Sums are in double and not rounded to out's
/// type. Returns out's elements in row-major order; writes nothing.
///
/// Operands that are not read may hold anything, a NaN or no memory at all:
///   beta == 0    input, or out in its place
///   alpha == 0   crow, col, values, b, left, right
///   out empty    anything
/// A block row with no stored block gives beta * input whatever left and right
/// hold. Stored zeros are multiplied: 0 * NaN is NaN.
///
/// Errors name the operand: a rank, type or extent that does not fit, offsets
/// that decrease or pass nnz, a block column outside b.
runtime::ErrorOr<std::vector<double>> bsrAddmm(const BsrAddmmOperands &);

} // namespace sattn::reference

#endif // SATTN_REFERENCE_BSRADDMM_H
