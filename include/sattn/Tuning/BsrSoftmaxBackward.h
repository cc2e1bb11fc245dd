//===- BsrSoftmaxBackward.h - Parameters of its gradient --------*- C++ -*-===//
//
// The parameters of one bsr_softmax_backward are those of one bsr_softmax that
// reads two arrays.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_TUNING_BSRSOFTMAXBACKWARD_H
#define SATTN_TUNING_BSRSOFTMAXBACKWARD_H

#include "sattn/Tuning/BsrSoftmax.h"

namespace sattn::tuning::bsr_softmax_backward {
/// The softmax's result, and the gradient of that.
inline constexpr int64_t kArrays = 2;

/// The rows of tables.
extern const meta::OpSchema kSchema;
} // namespace sattn::tuning::bsr_softmax_backward

#endif // SATTN_TUNING_BSRSOFTMAXBACKWARD_H
