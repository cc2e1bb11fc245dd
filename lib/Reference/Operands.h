//===- Operands.h - Checked operands of references --------------*- C++ -*-===//
//
// The common part of the references of ops on matrices in BSR storage.
//
//===----------------------------------------------------------------------===//

#ifndef LIB_REFERENCE_OPERANDS_H
#define LIB_REFERENCE_OPERANDS_H

#include "sattn/Reference/ElementConversion.h"
#include "sattn/Runtime/Error.h"

#include <string>
#include <vector>

namespace sattn::reference {

using Shape = std::vector<int64_t>;

/// The message "expected `what`, but got `got`".
runtime::Error expected(const std::string &what, const std::string &got);

/// Texts for messages: "64", "(2, 3)".
inline std::string str(int64_t value) { return std::to_string(value); }
std::string str(const Shape &shape);

/// An operand whose leading dimensions are broadcast to the batch's. The last
/// dimensions, of the matrix or vector itself, count from the end.
struct Operand {
  const char *name;
  TensorView view;
  /// The stride of each batch dimension; 0 if the operand is broadcast along
  /// it.
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

/// Whether a type is f16, bf16, f32 or f64.
bool isFloat(runtime::DType dtype);

/// Checks the element types of a product: `factor` is that of the operand
/// `name`.
runtime::Error checkProductTypes(const char *name, runtime::DType factor,
                                 runtime::DType out);
/// Whether elements of two types are multiplied with each other.
bool canMultiply(runtime::DType factor, runtime::DType other);
/// The element type of what is added to a product.
runtime::DType addedType(runtime::DType factor, runtime::DType out);

/// Checks that an operand has strides and a rank, and memory if it is read.
runtime::Error checkView(const Operand &operand, int minRank, bool isRead);

/// Strides by which the operand, but for its last `trailing` dimensions, walks
/// `shape`.
runtime::ErrorOr<Shape> broadcast(const Operand &operand, int trailing,
                                  const Shape &shape);

/// The index of the `number`th batch, in row-major order.
Shape indexOf(int64_t number, const Shape &batch);

/// The stored blocks of one batch, checked: block row r has those at
/// positions offsets[r] to offsets[r+1] of col and values.
struct Pattern {
  Shape offsets;
  /// The columns of positions offsets.front() to offsets.back().
  Shape columns;
};

/// Reads and checks the pattern of one batch of operands whose batch strides
/// are set; `nnz` blocks, each in one of `blockColumns` columns.
runtime::ErrorOr<Pattern> loadPattern(const Operand &crow, const Operand &col,
                                      int64_t nnz, int64_t blockColumns,
                                      const Shape &batchIndex);

} // namespace sattn::reference

#endif // LIB_REFERENCE_OPERANDS_H
