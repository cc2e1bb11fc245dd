//===- BsrAddmmProblem.h - Checked operands of bsr_addmm --------*- C++ -*-===//

#ifndef LIB_REFERENCE_BSRADDMMPROBLEM_H
#define LIB_REFERENCE_BSRADDMMPROBLEM_H

#include "sattn/Reference/BsrAddmm.h"
#include "sattn/Reference/ElementConversion.h"

#include <optional>
#include <string>
#include <vector>

namespace sattn::reference {

using Shape = std::vector<int64_t>;

/// The message "expected `what`, but got `got`".
runtime::Error expected(const std::string &what, const std::string &got);

/// Text for messages: "64", "(2, 3)".
inline std::string str(int64_t value) { return std::to_string(value); }
std::string str(const Shape &shape);

/// An operand whose leading dimensions are broadcast to the batch's. The last
/// dimensions, of the matrix or vector itself, count from the end.
struct Operand {
  const char *name;
  TensorView view;
  /// For each batch dimension; 0 where the operand is broadcast.
  Shape batchStrides;

  int64_t extent(int fromEnd) const {
    return view.shape[view.shape.size() - fromEnd];
  }
  int64_t stride(int fromEnd) const {
    return view.strides[view.strides.size() - fromEnd];
  }
  int64_t offset(const Shape &batchIndex) const {
    int64_t sum = 0;
    for (size_t dim = 0; dim < batchIndex.size(); ++dim)
      sum += batchIndex[dim] * batchStrides[dim];
    return sum;
  }
  double load(int64_t offset) const { return loadElement(view, offset); }
};

/// The operands, after every check that needs no contents: ranks, types and
/// extents fit, and operands that will be read have memory. Transposed matrices
/// are seen as b of K x N, input and out of M x N.
struct BsrAddmmProblem {
  static runtime::ErrorOr<BsrAddmmProblem>
  create(const BsrAddmmOperands &operands);

  double alpha = 0, beta = 0;
  Operand crow, col, values, b, out;
  /// With out's shape, broadcast rows and columns included; out itself where
  /// there is no input.
  Operand input;
  std::optional<Operand> left, right;
  bool inputIsOut = false;
  /// Whether out's elements are those of N x M matrices in row-major order.
  bool isTransposed = false;
  /// out's batch dimensions.
  Shape batch;
  int64_t M = 0, N = 0, K = 0, blockM = 0, blockK = 0, nnz = 0;

private:
  runtime::Error checkViews() const;
  runtime::Error checkTypes() const;
  runtime::Error checkShapes() const;
  runtime::Error broadcastAll();
};

} // namespace sattn::reference

#endif // LIB_REFERENCE_BSRADDMMPROBLEM_H
