//===- BsrSoftmaxBackwardOp.cpp - Its gradient for tools ------------------===//

#include "BsrSoftmaxNamed.h"

#include "sattn/Reference/BsrSoftmaxBackward.h"

using namespace sattn::reference;
using sattn::runtime::ErrorOr;

static ErrorOr<std::vector<Result>> compute(const NamedOperands &operands) {
  ErrorOr<std::vector<double>> gradient = bsrSoftmaxBackward(
      {tensorOf(operands, "crow"), tensorOf(operands, "output"),
       tensorOf(operands, "grad_out"), tensorOf(operands, "grad_in")});
  if (!gradient)
    return gradient.takeError();
  return std::vector<Result>{{"grad_in", std::move(*gradient)}};
}

static ErrorOr<std::vector<int64_t>> inferShape(const NamedOperands &operands) {
  return shapeLike(operands.findTensor("output"));
}

static Description describe(const NamedOperands &operands) {
  return describeRows(operands, tensorOf(operands, "output"));
}

namespace sattn::reference {
extern const Op kBsrSoftmaxBackwardOp = {"bsr_softmax_backward", "grad_in",
                                         compute, inferShape, describe};
} // namespace sattn::reference
