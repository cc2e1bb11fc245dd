//===- BsrSoftmaxOp.cpp - bsr_softmax for tools ---------------------------===//

#include "BsrSoftmaxNamed.h"

#include "sattn/Reference/BsrSoftmax.h"

using namespace sattn::reference;
using sattn::runtime::ErrorOr;

static ErrorOr<std::vector<Result>> compute(const NamedOperands &operands) {
  ErrorOr<std::vector<double>> out =
      bsrSoftmax({tensorOf(operands, "crow"), tensorOf(operands, "values"),
                  tensorOf(operands, "out")});
  if (!out)
    return out.takeError();
  return std::vector<Result>{{"out", std::move(*out)}};
}

static ErrorOr<std::vector<int64_t>> inferShape(const NamedOperands &operands) {
  return shapeLike(operands.findTensor("values"));
}

static Description describe(const NamedOperands &operands) {
  return describeRows(operands, tensorOf(operands, "values"));
}

namespace sattn::reference {
extern const Op kBsrSoftmaxOp = {"bsr_softmax", "out", compute, inferShape,
                                 describe};
} // namespace sattn::reference
