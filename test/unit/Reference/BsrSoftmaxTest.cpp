//===- BsrSoftmaxTest.cpp - bsr_softmax on values found by hand -----------===//

#include "TestArray.h"

#include "sattn/Reference/BsrSoftmax.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace sattn::reference;

namespace {
std::vector<double> compute(const TestArray &crow, const TestArray &values,
                            const TestArray &out) {
  auto result = bsrSoftmax({crow.view(), values.view(), out.view()});
  EXPECT_TRUE(bool(result));
  return result ? *result : std::vector<double>();
}

std::string errorOf(const TestArray &crow, const TestArray &values,
                    const TestArray &out) {
  auto result = bsrSoftmax({crow.view(), values.view(), out.view()});
  return result ? "" : result.takeError().message();
}

/// A row has the same row of each of its blocks: here 0 and log 3 in one block,
/// log 2 and log 4 in the other.
TEST(BsrSoftmaxTest, RowsGoThroughBlocks) {
  TestArray crow(DType::I32, {2}, {0, 2});
  TestArray values(DType::F64, {2, 2, 2},
                   {0, std::log(3), 5, 5, std::log(2), std::log(4), 5, 5});
  std::vector<double> out =
      compute(crow, values, TestArray(DType::F64, {2, 2, 2}));
  std::vector<double> expected = {.1, .3, .25, .25, .2, .4, .25, .25};
  for (int i = 0; i < 8; ++i)
    EXPECT_NEAR(out[i], expected[i], 1e-15) << i;
}

TEST(BsrSoftmaxTest, EmptyRowsAndBlocksOfNone) {
  TestArray crow(DType::I64, {4}, {1, 1, 3, 3});
  TestArray values(DType::F32, {4, 1, 1}, {7, 2, 2, 7});
  std::vector<double> out =
      compute(crow, values, TestArray(DType::F32, {4, 1, 1}, {8, 8, 8, 9}));
  EXPECT_EQ(out, (std::vector<double>{8, .5, .5, 9}));
}

TEST(BsrSoftmaxTest, ExtremeElements) {
  TestArray crow(DType::I32, {2}, {0, 1});
  TestArray values(DType::F32, {1, 5, 2},
                   {-kInfinity, -kInfinity, -kInfinity, 1, kInfinity, 0, kNaN,
                    0, 3e38, -3e38});
  std::vector<double> out =
      compute(crow, values, TestArray(DType::F32, {1, 5, 2}));
  EXPECT_EQ(out[0], 0);
  EXPECT_EQ(out[1], 0);
  EXPECT_EQ(out[2], 0);
  EXPECT_EQ(out[3], 1);
  for (int i = 4; i < 8; ++i)
    EXPECT_TRUE(std::isnan(out[i])) << i;
  EXPECT_EQ(out[8], 1);
  EXPECT_EQ(out[9], 0);
}

TEST(BsrSoftmaxTest, BatchesShareOffsets) {
  TestArray crow(DType::I32, {1, 3}, {0, 1, 3});
  TestArray values(DType::BF16, {2, 3, 1, 1}, {4, 1, 1, 4, 2, 2});
  std::vector<double> out =
      compute(crow, values, TestArray(DType::F64, {2, 3, 1, 1}));
  EXPECT_EQ(out, (std::vector<double>{1, .5, .5, 1, .5, .5}));
}

TEST(BsrSoftmaxTest, WhatDoesNotFit) {
  TestArray crow(DType::I32, {2}, {0, 1}), values(DType::F32, {1, 2, 2});
  EXPECT_EQ(errorOf(crow, TestArray(DType::F32, {2, 2}), values),
            "expected values of rank 3 or more, but got rank 2");
  EXPECT_EQ(errorOf(TestArray(DType::I32, {1, 2}, {0, 1}), values, values),
            "expected crow of rank 1 to 1, but got rank 2");
  EXPECT_EQ(errorOf(TestArray(DType::F32, {2}), values, values),
            "expected crow of type i32 or i64, but got f32");
  EXPECT_EQ(errorOf(crow, TestArray(DType::I32, {1, 2, 2}), values),
            "expected values of a float type, but got i32");
  EXPECT_EQ(errorOf(crow, values, TestArray(DType::F32, {2, 2, 2})),
            "expected out of the shape of values, (1, 2, 2), but got (2, 2, "
            "2)");
  EXPECT_EQ(errorOf(TestArray(DType::I32, {0}), values, values),
            "expected crow of at least 1 offset, but got (0)");
  EXPECT_EQ(errorOf(TestArray(DType::I32, {2}, {0, 2}), values, values),
            "expected crow[1] to be from 0 to 1, but got 2");
  EXPECT_EQ(errorOf(TestArray(DType::I32, {2}, {1, 0}), values, values),
            "expected crow[1] to be from 1 to 1, but got 0");
  TestArray batched(DType::F32, {2, 1, 2, 2});
  EXPECT_EQ(errorOf(TestArray(DType::I32, {3, 2}), batched, batched),
            "expected crow's batch dimensions to broadcast to those of values, "
            "(2, 1, 2, 2), but got (3, 2)");
}
} // namespace
