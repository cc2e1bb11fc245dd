//===- BsrSoftmax.h - bsr_softmax in double precision -----------*- C++ -*-===//
//
// The definition, to compare with.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_REFERENCE_BSRSOFTMAX_H
#define SATTN_REFERENCE_BSRSOFTMAX_H

#include "sattn/Runtime/Error.h"
#include "sattn/Runtime/Tensor.h"

#include <vector>

namespace sattn::reference {

/// Operands in host memory, any strides. `*` are the batch dimensions of
/// values, to which those of crow broadcast as NumPy does (missing, 1 or
/// equal).
///
///   crow    (*, M / BM + 1)    i32 or i64; offsets into values, the first of
///                              which need not be 0
///   values  (*, nnz, BM, BN)   f16, bf16, f32 or f64
///   out     (*, nnz, BM, BN)   f16, bf16, f32 or f64
struct BsrSoftmaxOperands {
  runtime::TensorView crow;
  runtime::TensorView values;
  runtime::TensorView out;
};

/// exp(x) over the sum of exp(x) of all elements stored in the row of x, by
/// their distance from the row's maximum, in double and not rounded to out's
/// type: 0 where all are -inf, NaN in a row with a NaN or +inf. Blocks of no
/// row are those of out as it is before the call. Returns out's elements in
/// row-major order; writes nothing.
///
/// Errors name the operand: a rank, type or extent that does not fit, offsets
/// that decrease or pass nnz.
runtime::ErrorOr<std::vector<double>> bsrSoftmax(const BsrSoftmaxOperands &);

} // namespace sattn::reference

#endif // SATTN_REFERENCE_BSRSOFTMAX_H
