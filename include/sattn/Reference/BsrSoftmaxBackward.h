//===- BsrSoftmaxBackward.h - Its gradient in double precision --*- C++ -*-===//
//
// The definition, to compare with.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_REFERENCE_BSRSOFTMAXBACKWARD_H
#define SATTN_REFERENCE_BSRSOFTMAXBACKWARD_H

#include "sattn/Runtime/Error.h"
#include "sattn/Runtime/Tensor.h"

#include <vector>

namespace sattn::reference {

/// Operands in host memory, any strides. `*` are the batch dimensions of
/// output, to which those of crow broadcast as NumPy does (missing, 1 or
/// equal).
///
///   crow      (*, M / BM + 1)    i32 or i64; offsets into the arrays, the
///   first
///                                of which need not be 0
///   output    (*, nnz, BM, BN)   f16, bf16, f32 or f64; a softmax
///   gradOut   (*, nnz, BM, BN)   f16, bf16, f32 or f64
///   gradIn    (*, nnz, BM, BN)   f16, bf16, f32 or f64
struct BsrSoftmaxBackwardOperands {
  runtime::TensorView crow;
  runtime::TensorView output;
  runtime::TensorView gradOut;
  runtime::TensorView gradIn;
};

/// output * (gradOut - the sum of output * gradOut over all elements stored in
/// the row), in double and not rounded to gradIn's type. Blocks of no row are
/// those of gradIn as it is before the call. Returns gradIn's elements in
/// row-major order; writes nothing.
///
/// Errors name the operand, as those of bsrSoftmax; gradOut is grad_out there,
/// gradIn grad_in.
runtime::ErrorOr<std::vector<double>>
bsrSoftmaxBackward(const BsrSoftmaxBackwardOperands &);

} // namespace sattn::reference

#endif // SATTN_REFERENCE_BSRSOFTMAXBACKWARD_H
