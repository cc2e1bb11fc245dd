//===- BsrAddmmProblem.h - Checked operands of bsr_addmm --------*- C++ -*-===//

#ifndef LIB_REFERENCE_BSRADDMMPROBLEM_H
#define LIB_REFERENCE_BSRADDMMPROBLEM_H

#include "Operands.h"

#include "sattn/Reference/BsrAddmm.h"

#include <optional>
#include <string>
#include <vector>

namespace sattn::reference {

/// The operands, after every check that needs no contents: ranks, types and
/// extents fit, and operands that will be read have memory. Transposed matrices
/// are taken as b of K x N, input and out of M x N.
struct BsrAddmmProblem {
  static runtime::ErrorOr<BsrAddmmProblem>
  create(const BsrAddmmOperands &operands);

  double alpha = 0, beta = 0;
  Operand crow, col, values, b, out;
  /// The input with out's shape, broadcast rows and columns included; out
  /// itself if there is no input.
  Operand input;
  std::optional<Operand> left, right, order;
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
