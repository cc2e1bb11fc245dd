//===- CompareTest.cpp - Error reports ------------------------------------===//

#include "sattn/Reference/Compare.h"

#include "TestArray.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace sattn::reference;

namespace {

ErrorReport report(const std::vector<double> &reference,
                   const TestArray &actual) {
  auto result = compare(reference, actual.view());
  EXPECT_TRUE(bool(result)) << result.error().message();
  return result ? *result : ErrorReport();
}

TEST(CompareTest, Equal) {
  ErrorReport equal =
      report({1, -2, 3}, TestArray(DType::F32, {3}, {1, -2, 3}));
  EXPECT_EQ(equal.relFrobenius, 0);
  EXPECT_EQ(equal.maxAbs, 0);
  EXPECT_EQ(equal.maxUlps, 0);
  EXPECT_EQ(equal.nonFiniteMismatches, 0);
  EXPECT_EQ(equal.worstElement, -1);
  EXPECT_TRUE(equal.within(0));
}

TEST(CompareTest, Norms) {
  ErrorReport norms =
      report({3, 4, 0, 0}, TestArray(DType::F64, {2, 2}, {3, 4, 0.3, -0.4}));
  EXPECT_DOUBLE_EQ(norms.relFrobenius, 0.1);
  EXPECT_DOUBLE_EQ(norms.maxAbs, 0.4);
  EXPECT_EQ(norms.worstElement, 3);
  EXPECT_TRUE(norms.within(0.11));
  EXPECT_FALSE(norms.within(0.09));
  EXPECT_FALSE(norms.within(kNaN));
}

TEST(CompareTest, RoundingOnceIsHalfAUlp) {
  ErrorReport half =
      report({1 + std::pow(2.0, -8)}, TestArray(DType::BF16, {1}, {1.0}));
  EXPECT_EQ(half.maxUlps, 0.5);
}

TEST(CompareTest, ZeroNorms) {
  EXPECT_EQ(report({0, 0}, TestArray(DType::F16, {2})).relFrobenius, 0);
  EXPECT_EQ(report({0, 0}, TestArray(DType::F16, {2}, {0, 1})).relFrobenius,
            kInfinity);
  EXPECT_EQ(report({}, TestArray(DType::F16, {2, 0})).relFrobenius, 0);
}

TEST(CompareTest, NonFinite) {
  TestArray actual(DType::F16, {6},
                   {kNaN, kInfinity, -kInfinity, 1, kNaN, kInfinity});
  ErrorReport same =
      report({kNaN, kInfinity, -kInfinity, 1, kNaN, 1e6}, actual);
  EXPECT_EQ(same.nonFiniteMismatches, 0);
  EXPECT_TRUE(same.within(0));
  ErrorReport different = report({kNaN, kNaN, kInfinity, 1.5, 0, 6e4}, actual);
  EXPECT_EQ(different.nonFiniteMismatches, 4);
  EXPECT_EQ(different.worstElement, 1);
  EXPECT_EQ(different.maxAbs, 0.5);
  EXPECT_FALSE(different.within(kInfinity));
  // The reference is finite in double only: it may overflow, not be a NaN.
  EXPECT_EQ(report({-1e6}, TestArray(DType::F16, {1}, {kInfinity}))
                .nonFiniteMismatches,
            1);
  EXPECT_EQ(report({kNaN}, TestArray(DType::F16, {1}, {1})).nonFiniteMismatches,
            1);
}

TEST(CompareTest, StridesAreFollowed) {
  // Transposed, with gaps of NaN between the elements.
  TestArray actual = TestArray::withStrides(DType::F32, {2, 3}, {2, 5});
  actual.fill([](const std::vector<int64_t> &index) {
    return double(10 * index[0] + index[1]);
  });
  EXPECT_TRUE(report({0, 1, 2, 10, 11, 12}, actual).within(0));
  ErrorReport different = report({0, 1, 2, 10, 11, 13}, actual);
  EXPECT_EQ(different.worstElement, 5);
  // One element, repeated.
  TestArray repeated = TestArray::withStrides(DType::F32, {2, 2}, {0, 0});
  repeated.fill([](const std::vector<int64_t> &) { return 7.0; });
  EXPECT_TRUE(report({7, 7, 7, 7}, repeated).within(0));
}

TEST(CompareTest, NumbersOfElements) {
  auto result = compare({1, 2}, TestArray(DType::F32, {3}).view());
  ASSERT_FALSE(bool(result));
  EXPECT_EQ(result.error().message(), "expected as many elements as the "
                                      "reference has, 2, but got 3");
}

} // namespace
