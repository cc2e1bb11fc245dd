//===- BsrSoftmaxRows.h - Rows of stored blocks -----------------*- C++ -*-===//
//
// The common part of the references of ops on the rows of a matrix in BSR
// storage: checked operands, and a walk over all rows.
//
//===----------------------------------------------------------------------===//

#ifndef LIB_REFERENCE_BSRSOFTMAXROWS_H
#define LIB_REFERENCE_BSRSOFTMAXROWS_H

#include "Operands.h"

#include <functional>

namespace sattn::reference {

/// One row: that row of each of its blocks.
class StoredRow {
public:
  /// Stored elements.
  int64_t size() const { return (end - begin) * columns; }
  /// An element of one of the arrays.
  double load(int64_t array, int64_t element) const;
  void store(int64_t element, double value) const;

private:
  friend class StoredRows;

  const std::vector<Operand> *inputs;
  /// The row's first element in block 0 of each of them.
  Shape offsets;
  /// The row's first element in block 0 of the result.
  double *result;
  int64_t begin, end, columns, blockSize;
};

/// The operands of an op. `*` are the batch dimensions of the arrays, to which
/// those of crow broadcast.
class StoredRows {
public:
  /// `inputs`: arrays (*, nnz, BM, BN), the first of which all others, and
  /// `out`, have the shape of.
  StoredRows(const TensorView &crow, std::vector<Operand> inputs, Operand out)
      : crow{"crow", crow, {}}, inputs(std::move(inputs)), out(std::move(out)) {
  }

  bool isF64() const {
    return inputs.front().view.dtype == runtime::DType::F64;
  }

  /// The elements of out in row-major order, as they are before the call where
  /// `compute`, which is called for every row, stores none.
  runtime::ErrorOr<std::vector<double>>
  compute(const std::function<void(const StoredRow &)> &compute);

private:
  runtime::Error check();
  void loadOut(const Shape &batch, double *matrix) const;
  runtime::Error
  computeBatch(const Shape &batch, double *matrix,
               const std::function<void(const StoredRow &)> &compute) const;

  Shape getBatch() const {
    const Shape &shape = inputs.front().view.shape;
    return Shape(shape.begin(), shape.end() - 3);
  }
  int64_t blocks() const { return inputs.front().extent(3); }
  int64_t rows() const { return inputs.front().extent(2); }
  int64_t columns() const { return inputs.front().extent(1); }

  Operand crow;
  std::vector<Operand> inputs;
  Operand out;
};

} // namespace sattn::reference

#endif // LIB_REFERENCE_BSRSOFTMAXROWS_H
