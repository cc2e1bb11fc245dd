//===- ElementConversionTest.cpp - Conversions against brute force --------===//

#include "sattn/Reference/ElementConversion.h"

#include "TestArray.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

using namespace sattn::reference;

namespace {

/// The definition of a format's value, by powers of two.
double valueOf(int exponentBits, int mantissaBits, uint32_t bits) {
  int exponent = bits >> mantissaBits & ((1 << exponentBits) - 1);
  double fraction =
      (bits & ((1 << mantissaBits) - 1)) / std::pow(2.0, mantissaBits);
  double sign = bits >> (exponentBits + mantissaBits) ? -1 : 1;
  int bias = (1 << (exponentBits - 1)) - 1;
  if (exponent == (1 << exponentBits) - 1)
    return fraction != 0 ? kNaN : sign * kInfinity;
  if (exponent == 0)
    return sign * fraction * std::pow(2.0, 1 - bias);
  return sign * (1 + fraction) * std::pow(2.0, exponent - bias);
}

float floatOf(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

TEST(ElementConversionTest, EveryHalfDecodesAndReturns) {
  for (FloatFormat format : {kF16, kBF16})
    for (uint32_t bits = 0; bits < 65536; ++bits) {
      double value = decodeFloat(format, bits);
      double expected = valueOf(format.exponentBits, format.mantissaBits, bits);
      if (std::isnan(expected)) {
        ASSERT_TRUE(std::isnan(value)) << bits;
        ASSERT_TRUE(
            std::isnan(decodeFloat(format, encodeFloat(format, value))));
        continue;
      }
      ASSERT_EQ(value, expected) << bits;
      ASSERT_EQ(std::signbit(value), bits >> 15 != 0) << bits;
      ASSERT_EQ(encodeFloat(format, value), bits);
    }
}

TEST(ElementConversionTest, BF16IsTheUpperHalfOfF32) {
  for (uint32_t bits = 0; bits < 65536; bits += 7) {
    float value = floatOf(bits << 16);
    if (!std::isnan(value)) {
      ASSERT_EQ(decodeFloat(kBF16, bits), value);
    }
  }
}

/// Between every two neighbours: below the middle gives the lower, above it the
/// upper, the middle the one whose last bit is 0.
TEST(ElementConversionTest, RoundsToNearestEven) {
  for (FloatFormat format : {kF16, kBF16})
    for (uint32_t bits = 0; bits + 1 < format.infinity(); ++bits) {
      double low = decodeFloat(format, bits);
      double high = decodeFloat(format, bits + 1);
      double middle = (low + high) / 2;
      ASSERT_EQ(encodeFloat(format, middle), bits % 2 ? bits + 1 : bits);
      ASSERT_EQ(encodeFloat(format, std::nextafter(middle, 0.0)), bits);
      ASSERT_EQ(encodeFloat(format, std::nextafter(middle, kInfinity)),
                bits + 1);
      ASSERT_EQ(encodeFloat(format, -middle),
                encodeFloat(format, middle) | format.signBit());
    }
}

TEST(ElementConversionTest, OverflowsToInfinity) {
  // The largest finite f16 is 65504, half its spacing 16.
  EXPECT_EQ(encodeFloat(kF16, 65519.999), 0x7BFFu);
  EXPECT_EQ(encodeFloat(kF16, 65520), 0x7C00u);
  EXPECT_EQ(encodeFloat(kF16, -1e300), 0xFC00u);
  EXPECT_EQ(encodeFloat(kBF16, 3.4e38), 0x7F80u);
  EXPECT_EQ(encodeFloat(kF16, kInfinity), 0x7C00u);
  EXPECT_EQ(encodeFloat(kF16, 1e-300), 0u);
  EXPECT_EQ(encodeFloat(kF16, -1e-300), 0x8000u);
}

/// Rounding once from double differs from rounding through f32: 1 + 2^-11 +
/// 2^-40 is just above the middle of two f16.
TEST(ElementConversionTest, RoundsOnce) {
  double value = 1 + std::pow(2.0, -11) + std::pow(2.0, -40);
  EXPECT_EQ(encodeFloat(kF16, value), 0x3C01u);
  EXPECT_EQ(encodeFloat(kF16, static_cast<float>(value)), 0x3C00u);
}

TEST(ElementConversionTest, F32IsTheCompilersConversion) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100000; ++i) {
    uint64_t bits = random();
    // Exponents around f32's range, its subnormals included.
    bits = (bits & 0x800FFFFFFFFFFFFF) | (1023 - 160 + bits % 300) << 52;
    double value;
    std::memcpy(&value, &bits, sizeof(value));
    if (std::fabs(value) <= std::numeric_limits<float>::max()) {
      ASSERT_EQ(encodeFloat(kF32, value), bitsOf(static_cast<float>(value)));
    }
    ASSERT_EQ(decodeFloat(kF32, encodeFloat(kF32, value)),
              floatOf(encodeFloat(kF32, value)));
  }
}

TEST(ElementConversionTest, LoadsWhatWasStored) {
  for (const sattn::runtime::DTypeFacts &facts : sattn::runtime::kDTypes) {
    TestArray array(facts.dtype, {3}, {1, -2, 96});
    EXPECT_EQ(loadElement(array.view(), 0), 1) << facts.name;
    EXPECT_EQ(loadElement(array.view(), 1), -2) << facts.name;
    EXPECT_EQ(loadElement(array.view(), 2), 96) << facts.name;
  }
}

TEST(ElementConversionTest, IndicesAreExact) {
  int64_t large = (int64_t(1) << 53) + 1;
  EXPECT_EQ(loadIndex(sattn::runtime::rowMajorView(&large, DType::I64, {}), 0),
            large);
  int32_t negative = -5;
  EXPECT_EQ(
      loadIndex(sattn::runtime::rowMajorView(&negative, DType::I32, {}), 0),
      -5);
}

TEST(ElementConversionTest, RoundToElement) {
  EXPECT_EQ(roundToElement(DType::BF16, 1 + 1.0 / 256), 1);
  EXPECT_EQ(roundToElement(DType::F16, 1 + 1.0 / 256), 1 + 1.0 / 256);
  EXPECT_EQ(roundToElement(DType::F64, 0.1), 0.1);
  EXPECT_EQ(roundToElement(DType::F32, 0.1), 0.1f);
}

/// From the tables of the Open Compute Project's specification.
TEST(ElementConversionTest, Float8) {
  for (uint32_t bits = 0; bits < 256; ++bits)
    for (FloatFormat format : {kF8E4M3FN, kF8E5M2}) {
      double value = decodeFloat(format, bits);
      if (std::isnan(value))
        EXPECT_GT(bits & 0x7F, format.isFinite ? 0x7Eu : 0x7Cu);
      else
        EXPECT_EQ(encodeFloat(format, value), bits);
    }
  EXPECT_EQ(decodeFloat(kF8E4M3FN, 0x7E), 448);
  EXPECT_EQ(decodeFloat(kF8E4M3FN, 0x01), std::pow(2.0, -9));
  EXPECT_TRUE(std::isnan(decodeFloat(kF8E4M3FN, 0x7F)));
  EXPECT_EQ(decodeFloat(kF8E5M2, 0x7B), 57344);
  EXPECT_EQ(decodeFloat(kF8E5M2, 0x01), std::pow(2.0, -16));
  EXPECT_EQ(decodeFloat(kF8E5M2, 0xFC), -INFINITY);
  // Halves go to even; what is beyond the largest number is none.
  EXPECT_EQ(encodeFloat(kF8E4M3FN, 17), 0x58u);
  EXPECT_EQ(encodeFloat(kF8E4M3FN, 19), 0x5Au);
  EXPECT_EQ(encodeFloat(kF8E4M3FN, 464), 0x7Eu);
  EXPECT_EQ(encodeFloat(kF8E4M3FN, 465), 0x7Fu);
  EXPECT_EQ(encodeFloat(kF8E4M3FN, -INFINITY), 0xFFu);
  EXPECT_EQ(encodeFloat(kF8E5M2, 1e9), 0x7Cu);
}

TEST(ElementConversionTest, IntegersRoundAndSaturate) {
  EXPECT_EQ(roundToElement(DType::I32, 2.5), 2);
  EXPECT_EQ(roundToElement(DType::I32, -3.5), -4);
  EXPECT_EQ(roundToElement(DType::I32, 3e9), 2147483647);
  EXPECT_EQ(roundToElement(DType::I32, -3e9), -2147483648.0);
  EXPECT_EQ(roundToElement(DType::I32, NAN), -2147483648.0);
  EXPECT_EQ(roundToElement(DType::I8, 127.5), 127);
  EXPECT_EQ(roundToElement(DType::I64, 1e19), 9223372036854775807.0);
}

TEST(ElementConversionTest, UnitInLastPlace) {
  EXPECT_EQ(unitInLastPlace(DType::F16, 1), std::pow(2.0, -10));
  EXPECT_EQ(unitInLastPlace(DType::F16, -1.99), std::pow(2.0, -10));
  EXPECT_EQ(unitInLastPlace(DType::BF16, 4), std::pow(2.0, -5));
  EXPECT_EQ(unitInLastPlace(DType::F32, 1), std::pow(2.0, -23));
  EXPECT_EQ(unitInLastPlace(DType::F64, 1), std::pow(2.0, -52));
  EXPECT_EQ(unitInLastPlace(DType::F16, 0), std::pow(2.0, -24));
  EXPECT_EQ(unitInLastPlace(DType::I32, 7), 1);
}

} // namespace
