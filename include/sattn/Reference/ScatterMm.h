//===- ScatterMm.h - Definition of scatter_mm -------------------*- C++ -*-===//
//
// The definition of sattn.scatter_mm, in the plainest form; compiled programs
// are checked against it.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_REFERENCE_SCATTERMM_H
#define SATTN_REFERENCE_SCATTERMM_H

#include "sattn/Runtime/Error.h"
#include "sattn/Runtime/Tensor.h"

#include <optional>
#include <vector>

namespace sattn::reference {

/// Operands in host memory, any strides. `*` is any number of batch dimensions.
///
///   offsets  (entries + 1), without p (M / BM + 1)   i32 or i64
///   q        (pairs)                                 i32 or i64
///   blocks   (P, BM, BK)                             f16, bf16, f32 or f64
///   others   (Q, BK, N), with r (*, K / BK, H, BK, N)    the type of blocks
///   p        (pairs)                                 i32 or i64
///   r        (entries)                               i32 or i64
///   out      (entries, BM, N), with r (*, M / BM, H, BM, N)   a float type
///
/// At least one of p and r is there; which of them are makes three formats, as
/// the op's description says.
struct ScatterMmOperands {
  runtime::TensorView offsets, q, blocks, others;
  std::optional<runtime::TensorView> p, r;
  runtime::TensorView out;
  /// Whether the old elements of `out` count as 0.
  bool overwrites = false;
};

/// `out` as it is before the call, to some of whose matrices sums of products
/// of listed pairs are added. Sums are in double and not rounded to out's type.
/// Returns out's elements in row-major order; writes nothing. Entries of r may
/// be equal: all are added.
///
/// Errors name the operand: a rank, type or extent that does not fit, offsets
/// that decrease or pass the list, numbers and offsets of no matrix.
runtime::ErrorOr<std::vector<double>> scatterMm(const ScatterMmOperands &);

} // namespace sattn::reference

#endif // SATTN_REFERENCE_SCATTERMM_H
