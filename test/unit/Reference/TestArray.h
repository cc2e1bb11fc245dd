//===- TestArray.h - Arrays that the tests own ------------------*- C++ -*-===//

#ifndef TEST_UNIT_REFERENCE_TESTARRAY_H
#define TEST_UNIT_REFERENCE_TESTARRAY_H

#include "sattn/Reference/ElementConversion.h"
#include "sattn/Runtime/Tensor.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace sattn::reference {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Host memory and a view of it. Bytes that no element covers are 0xFF: a NaN,
/// and -1 as an index.
class TestArray {
public:
  /// Dense and row-major; `elements` in that order, none for all zeros.
  TestArray(DType dtype, std::vector<int64_t> shape,
            const std::vector<double> &elements = {})
      : TestArray(withStrides(dtype, shape, runtime::rowMajorStrides(shape))) {
    for (int64_t i = 0; i < view().numElements(); ++i)
      storeElement(view(), i, elements.empty() ? 0 : elements.at(i));
  }

  static TestArray withStrides(DType dtype, std::vector<int64_t> shape,
                               std::vector<int64_t> strides) {
    TestArray result;
    int64_t last = 0;
    for (size_t dim = 0; dim < shape.size(); ++dim)
      last += std::max<int64_t>(shape[dim] - 1, 0) * strides[dim];
    result.bytes.assign((last + 1) * runtime::byteWidth(dtype), char(0xFF));
    result.dtype = dtype;
    result.shape = std::move(shape);
    result.strides = std::move(strides);
    return result;
  }

  /// Strides of a random order of the dimensions with random gaps; zero in some
  /// dimensions if `mayRepeat`.
  static TestArray strided(DType dtype, std::vector<int64_t> shape,
                           std::mt19937_64 &random, bool mayRepeat) {
    std::vector<size_t> order(shape.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    std::vector<int64_t> strides(shape.size());
    int64_t running = 1 + random() % 2;
    for (size_t dim : order) {
      if (mayRepeat && random() % 6 == 0)
        continue;
      strides[dim] = running;
      running = running * std::max<int64_t>(shape[dim], 1) + random() % 3;
    }
    return withStrides(dtype, shape, strides);
  }

  TensorView view() const {
    TensorView result;
    result.data = const_cast<char *>(bytes.data());
    result.dtype = dtype;
    result.shape = shape;
    result.strides = strides;
    return result;
  }

  template <typename Function> void fill(Function function) {
    std::vector<int64_t> index(shape.size(), 0);
    for (int64_t i = 0, count = view().numElements(); i < count; ++i) {
      int64_t offset = 0;
      for (size_t dim = 0; dim < shape.size(); ++dim)
        offset += index[dim] * strides[dim];
      storeElement(view(), offset, function(index));
      for (size_t dim = shape.size(); dim-- > 0 && ++index[dim] == shape[dim];)
        index[dim] = 0;
    }
  }

private:
  TestArray() = default;

  DType dtype;
  std::vector<int64_t> shape, strides;
  std::vector<char> bytes;
};

/// Offset of element `index` of a larger shape, to which `view` is broadcast:
/// aligned at the end, extents of 1 repeated.
inline int64_t broadcastOffset(const TensorView &view,
                               const std::vector<int64_t> &index) {
  int64_t offset = 0;
  for (int64_t dim = 0; dim < view.rank(); ++dim) {
    int64_t at = index[index.size() - view.rank() + dim];
    offset += (view.shape[dim] == 1 ? 0 : at) * view.strides[dim];
  }
  return offset;
}

} // namespace sattn::reference

#endif // TEST_UNIT_REFERENCE_TESTARRAY_H
