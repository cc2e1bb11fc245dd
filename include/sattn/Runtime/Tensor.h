//===- Tensor.h - Element types and strided views ---------------*- C++ -*-===//
//
// The types that the runtime, the reference and the tools pass arguments in.
// Header only, so that a library can use it without linking the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_RUNTIME_TENSOR_H
#define SATTN_RUNTIME_TENSOR_H

#include "sattn/Runtime/Error.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

namespace sattn::runtime {

/// Element types of arrays at the interface.
enum class DType { I8, I32, I64, F16, BF16, F32, F64 };

/// Bytes of one element.
inline int64_t byteWidth(DType dtype) {
  switch (dtype) {
  case DType::I8:
    return 1;
  case DType::F16:
  case DType::BF16:
    return 2;
  case DType::I32:
  case DType::F32:
    return 4;
  case DType::I64:
  case DType::F64:
    return 8;
  }
  return 0;
}

/// MLIR's spelling of the type: "i32", "bf16", ...
inline const char *name(DType dtype) {
  switch (dtype) {
  case DType::I8:
    return "i8";
  case DType::I32:
    return "i32";
  case DType::I64:
    return "i64";
  case DType::F16:
    return "f16";
  case DType::BF16:
    return "bf16";
  case DType::F32:
    return "f32";
  case DType::F64:
    return "f64";
  }
  return "unknown";
}

/// The inverse of `name`; nothing for any other text.
inline std::optional<DType> parseDType(std::string_view text) {
  for (DType dtype : {DType::I8, DType::I32, DType::I64, DType::F16,
                      DType::BF16, DType::F32, DType::F64})
    if (text == name(dtype))
      return dtype;
  return std::nullopt;
}

/// A strided view of somebody's memory, host or device. Strides are in
/// elements, one for each dimension, and may be zero or negative; element
/// (i, j, ...) lies at data + byteWidth * (i * strides[0] + j * strides[1]..).
struct TensorView {
  void *data = nullptr;
  DType dtype = DType::F32;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;

  int64_t rank() const { return static_cast<int64_t>(shape.size()); }

  /// Product of the extents: 1 for rank 0, 0 when any extent is 0. The caller
  /// has made sure that it fits (memory that exists does).
  int64_t numElements() const {
    if (std::find(shape.begin(), shape.end(), 0) != shape.end())
      return 0;
    int64_t count = 1;
    for (int64_t extent : shape)
      count *= extent;
    return count;
  }
};

/// Bytes of a dense array of that shape, whose extents are at least 0; nothing
/// where 2^63 or more. An extent of 0 does not excuse the others: strides are
/// computed from them.
inline std::optional<int64_t> byteSize(DType dtype,
                                       const std::vector<int64_t> &shape) {
  int64_t size = byteWidth(dtype);
  for (int64_t extent : shape)
    if (extent > 0 && __builtin_mul_overflow(size, extent, &size))
      return std::nullopt;
  return std::find(shape.begin(), shape.end(), 0) == shape.end() ? size : 0;
}

/// The strides, in elements, of a dense row-major array of that shape.
/// Extents of 0 count as 1, as in NumPy.
inline std::vector<int64_t> rowMajorStrides(const std::vector<int64_t> &shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t running = 1;
  for (size_t dim = shape.size(); dim-- > 0;) {
    strides[dim] = running;
    if (shape[dim] > 1)
      running *= shape[dim];
  }
  return strides;
}

/// A dense row-major view of `data`.
inline TensorView rowMajorView(void *data, DType dtype,
                               std::vector<int64_t> shape) {
  TensorView view;
  view.data = data;
  view.dtype = dtype;
  view.strides = rowMajorStrides(shape);
  view.shape = std::move(shape);
  return view;
}

/// One argument of a program: a scalar, or a tensor.
using Argument = std::variant<double, TensorView>;

} // namespace sattn::runtime

#endif // SATTN_RUNTIME_TENSOR_H
