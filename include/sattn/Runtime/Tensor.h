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
enum class DType { I8, I32, I64, F8E4M3FN, F8E5M2, F16, BF16, F32, F64 };

struct DTypeFacts {
  DType dtype;
  /// MLIR's spelling.
  const char *name;
  int64_t bytes;
};

/// Facts of the element types, in the order of the enumeration.
inline constexpr DTypeFacts kDTypes[] = {
    {DType::I8, "i8", 1},         {DType::I32, "i32", 4},
    {DType::I64, "i64", 8},       {DType::F8E4M3FN, "f8E4M3FN", 1},
    {DType::F8E5M2, "f8E5M2", 1}, {DType::F16, "f16", 2},
    {DType::BF16, "bf16", 2},     {DType::F32, "f32", 4},
    {DType::F64, "f64", 8},
};

/// Bytes of one element.
inline int64_t byteWidth(DType dtype) {
  return kDTypes[static_cast<size_t>(dtype)].bytes;
}

/// MLIR's spelling of the type: "i32", "bf16", ...
inline const char *name(DType dtype) {
  return kDTypes[static_cast<size_t>(dtype)].name;
}

/// The inverse of `name`; nothing for any other text.
inline std::optional<DType> parseDType(std::string_view text) {
  for (const DTypeFacts &facts : kDTypes)
    if (text == facts.name)
      return facts.dtype;
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
