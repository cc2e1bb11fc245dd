//===- ElementConversion.h - Elements of views as doubles -------*- C++ -*-===//
//
// Reads and writes elements of strided views of any type through double, which
// holds f8, f16, bf16, f32, i8 and i32 exactly. Formats: IEEE 754 binary16 and
// binary32; bfloat16 is binary32 without its low 16 bits; E5M2 and E4M3 of the
// Open Compute Project's "8-bit Floating Point Specification".
//
//===----------------------------------------------------------------------===//

#ifndef SATTN_REFERENCE_ELEMENTCONVERSION_H
#define SATTN_REFERENCE_ELEMENTCONVERSION_H

#include "sattn/Runtime/Tensor.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace sattn::reference {

using runtime::DType;
using runtime::TensorView;

/// A binary floating-point format of at most 32 bits, laid out as IEEE 754 does
/// it: sign, biased exponent, mantissa; subnormals, infinities, NaNs.
struct FloatFormat {
  int exponentBits;
  int mantissaBits;
  /// Whether there is no infinity, and one NaN, of all ones: the other patterns
  /// of the largest exponent are numbers.
  bool isFinite = false;

  constexpr int bias() const { return (1 << (exponentBits - 1)) - 1; }
  constexpr int minExponent() const { return 1 - bias(); }
  /// The first pattern that is no number: infinity's or, of a finite format,
  /// the NaN's.
  constexpr uint32_t infinity() const {
    uint32_t ones = (1u << (exponentBits + mantissaBits)) - 1;
    return isFinite ? ones : ones >> mantissaBits << mantissaBits;
  }
  constexpr int maxExponent() const { return isFinite ? bias() + 1 : bias(); }
  constexpr uint32_t signBit() const {
    return 1u << (exponentBits + mantissaBits);
  }
};

inline constexpr FloatFormat kF8E4M3FN{4, 3, /*isFinite=*/true};
inline constexpr FloatFormat kF8E5M2{5, 2};
inline constexpr FloatFormat kF16{5, 10};
inline constexpr FloatFormat kBF16{8, 7};
inline constexpr FloatFormat kF32{8, 23};

/// The value of `bits`, exactly; a NaN gives a NaN.
inline double decodeFloat(FloatFormat format, uint32_t bits) {
  uint64_t sign = bits & format.signBit() ? uint64_t(1) << 63 : 0;
  uint32_t magnitude = bits & (format.signBit() - 1);
  uint64_t exponent = magnitude >> format.mantissaBits;
  uint64_t mantissa = magnitude & ((1u << format.mantissaBits) - 1);
  if (exponent == 0) {
    double value = std::ldexp(static_cast<double>(mantissa),
                              format.minExponent() - format.mantissaBits);
    return sign ? -value : value;
  }
  uint64_t wide =
      magnitude >= format.infinity() ? 0x7FF : exponent - format.bias() + 1023;
  uint64_t encoded = sign | wide << 52 | mantissa << (52 - format.mantissaBits);
  double value;
  std::memcpy(&value, &encoded, sizeof(value));
  return value;
}

/// `value` rounded once, to nearest even, into `format`. Values from the
/// largest finite one plus half its spacing on give infinity, or the NaN of a
/// format without; a NaN gives the quiet NaN of its sign.
inline uint32_t encodeFloat(FloatFormat format, double value) {
  uint32_t sign = std::signbit(value) ? format.signBit() : 0;
  if (std::isnan(value))
    return sign | format.infinity() | 1u << (format.mantissaBits - 1);
  if (std::isinf(value))
    return sign | format.infinity();
  if (value == 0)
    return sign;
  int exponent = std::max(std::ilogb(value), format.minExponent());
  if (exponent > format.maxExponent())
    return sign | format.infinity();
  // In units of the last place the value is below 2^(mantissaBits + 1), so the
  // scaling is exact. Adding the exponent to the integer, hidden bit and all,
  // lets a carry move to the next binade or to infinity.
  double units = std::ldexp(std::fabs(value), format.mantissaBits - exponent);
  uint32_t rounded = static_cast<uint32_t>(std::nearbyint(units));
  uint32_t binade = static_cast<uint32_t>(exponent - format.minExponent());
  return sign |
         std::min(rounded + (binade << format.mantissaBits), format.infinity());
}

namespace detail {
template <typename T> T loadBits(const TensorView &view, int64_t offset) {
  T value;
  std::memcpy(&value,
              static_cast<const char *>(view.data) +
                  offset * static_cast<int64_t>(sizeof(T)),
              sizeof(T));
  return value;
}
template <typename T>
void storeBits(const TensorView &view, int64_t offset, T value) {
  std::memcpy(static_cast<char *>(view.data) +
                  offset * static_cast<int64_t>(sizeof(T)),
              &value, sizeof(T));
}
} // namespace detail

/// The element `offset` elements from view.data, in host memory. Exact but for
/// i64 beyond 2^53 (see loadIndex).
inline double loadElement(const TensorView &view, int64_t offset) {
  switch (view.dtype) {
  case DType::I8:
    return detail::loadBits<int8_t>(view, offset);
  case DType::I32:
    return detail::loadBits<int32_t>(view, offset);
  case DType::I64:
    return static_cast<double>(detail::loadBits<int64_t>(view, offset));
  case DType::F8E4M3FN:
    return decodeFloat(kF8E4M3FN, detail::loadBits<uint8_t>(view, offset));
  case DType::F8E5M2:
    return decodeFloat(kF8E5M2, detail::loadBits<uint8_t>(view, offset));
  case DType::F16:
    return decodeFloat(kF16, detail::loadBits<uint16_t>(view, offset));
  case DType::BF16:
    return decodeFloat(kBF16, detail::loadBits<uint16_t>(view, offset));
  case DType::F32:
    return detail::loadBits<float>(view, offset);
  case DType::F64:
    return detail::loadBits<double>(view, offset);
  }
  return 0;
}

/// The integer `offset` elements from view.data: i8, i32 or i64.
inline int64_t loadIndex(const TensorView &view, int64_t offset) {
  switch (view.dtype) {
  case DType::I8:
    return detail::loadBits<int8_t>(view, offset);
  case DType::I32:
    return detail::loadBits<int32_t>(view, offset);
  case DType::I64:
    return detail::loadBits<int64_t>(view, offset);
  default:
    assert(false && "no integer type");
    return 0;
  }
}

namespace detail {
/// `value` rounded to nearest even and saturated; a NaN is the least integer.
template <typename T> T roundToInteger(double value) {
  constexpr T least = std::numeric_limits<T>::min(),
              most = std::numeric_limits<T>::max();
  if (!(value > double(least)))
    return least;
  if (value >= double(most))
    return most;
  return static_cast<T>(std::nearbyint(value));
}
} // namespace detail

/// Writes `value`, rounded to nearest even, `offset` elements from view.data.
/// Integers saturate.
inline void storeElement(const TensorView &view, int64_t offset, double value) {
  switch (view.dtype) {
  case DType::I8:
    return detail::storeBits(view, offset,
                             detail::roundToInteger<int8_t>(value));
  case DType::I32:
    return detail::storeBits(view, offset,
                             detail::roundToInteger<int32_t>(value));
  case DType::I64:
    return detail::storeBits(view, offset,
                             detail::roundToInteger<int64_t>(value));
  case DType::F8E4M3FN:
    return detail::storeBits(
        view, offset, static_cast<uint8_t>(encodeFloat(kF8E4M3FN, value)));
  case DType::F8E5M2:
    return detail::storeBits(view, offset,
                             static_cast<uint8_t>(encodeFloat(kF8E5M2, value)));
  case DType::F16:
    return detail::storeBits(view, offset,
                             static_cast<uint16_t>(encodeFloat(kF16, value)));
  case DType::BF16:
    return detail::storeBits(view, offset,
                             static_cast<uint16_t>(encodeFloat(kBF16, value)));
  case DType::F32:
    return detail::storeBits(view, offset, encodeFloat(kF32, value));
  case DType::F64:
    return detail::storeBits(view, offset, value);
  }
}

/// `value` as storeElement would leave it in an element of `dtype`.
inline double roundToElement(DType dtype, double value) {
  uint64_t memory;
  TensorView view = runtime::rowMajorView(&memory, dtype, {});
  storeElement(view, 0, value);
  return loadElement(view, 0);
}

/// The distance between neighbouring numbers of `dtype` at |value|, a finite
/// number: a unit in the last place. 1 for integers.
inline double unitInLastPlace(DType dtype, double value) {
  auto spacing = [&](int minExponent, int mantissaBits) {
    int exponent = value == 0 ? minExponent : std::ilogb(value);
    return std::ldexp(1.0, std::max(exponent, minExponent) - mantissaBits);
  };
  switch (dtype) {
  case DType::F8E4M3FN:
    return spacing(kF8E4M3FN.minExponent(), kF8E4M3FN.mantissaBits);
  case DType::F8E5M2:
    return spacing(kF8E5M2.minExponent(), kF8E5M2.mantissaBits);
  case DType::F16:
    return spacing(kF16.minExponent(), kF16.mantissaBits);
  case DType::BF16:
    return spacing(kBF16.minExponent(), kBF16.mantissaBits);
  case DType::F32:
    return spacing(kF32.minExponent(), kF32.mantissaBits);
  case DType::F64:
    return spacing(-1022, 52);
  default:
    return 1;
  }
}

} // namespace sattn::reference

#endif // SATTN_REFERENCE_ELEMENTCONVERSION_H
