//===- BsrSoftmaxBackwardTest.cpp - Its gradient on values found by hand --===//

#include "TestArray.h"

#include "sattn/Reference/BsrSoftmaxBackward.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace sattn::reference;

namespace {
std::vector<double> compute(const TestArray &crow, const TestArray &output,
                            const TestArray &gradOut, const TestArray &gradIn) {
  auto result = bsrSoftmaxBackward(
      {crow.view(), output.view(), gradOut.view(), gradIn.view()});
  EXPECT_TRUE(bool(result));
  return result ? *result : std::vector<double>();
}

std::string errorOf(const TestArray &crow, const TestArray &output,
                    const TestArray &gradOut, const TestArray &gradIn) {
  auto result = bsrSoftmaxBackward(
      {crow.view(), output.view(), gradOut.view(), gradIn.view()});
  return result ? "" : result.takeError().message();
}

/// The sum of a row goes through its blocks: here 1/2 * 1 + 1/4 * 4 + 1/4 * 2
/// is 2, and in the other row 1.
TEST(BsrSoftmaxBackwardTest, RowsGoThroughBlocks) {
  TestArray crow(DType::I32, {2}, {0, 2});
  TestArray output(DType::F32, {2, 2, 2}, {.5, .25, 1, 0, .25, 0, 0, 0});
  TestArray gradOut(DType::F32, {2, 2, 2}, {1, 4, 1, 3, 2, 8, 5, 7});
  EXPECT_EQ(compute(crow, output, gradOut, TestArray(DType::F32, {2, 2, 2})),
            (std::vector<double>{-.5, .5, 0, 0, 0, 0, 0, 0}));
}

TEST(BsrSoftmaxBackwardTest, EmptyRowsAndBlocksOfNone) {
  TestArray crow(DType::I64, {4}, {1, 1, 3, 3});
  TestArray output(DType::F32, {4, 1, 1}, {7, .5, .5, 7});
  TestArray gradOut(DType::F64, {4, 1, 1}, {7, 2, 4, 7});
  EXPECT_EQ(compute(crow, output, gradOut,
                    TestArray(DType::F32, {4, 1, 1}, {8, 8, 8, 9})),
            (std::vector<double>{8, -.5, .5, 9}));
}

/// Rows of zeros are those of nothing but -inf.
TEST(BsrSoftmaxBackwardTest, ZerosAndExtremeElements) {
  TestArray crow(DType::I32, {2}, {0, 1});
  TestArray output(DType::F32, {1, 3, 2}, {0, 0, 1, 0, .5, .5});
  TestArray gradOut(DType::F32, {1, 3, 2},
                    {3e38, -3e38, 1, kInfinity, 3e38, -3e38});
  std::vector<double> gradIn =
      compute(crow, output, gradOut, TestArray(DType::F32, {1, 3, 2}));
  EXPECT_EQ(gradIn[0], 0);
  EXPECT_EQ(gradIn[1], 0);
  EXPECT_TRUE(std::isnan(gradIn[2]));
  EXPECT_TRUE(std::isnan(gradIn[3]));
  EXPECT_FLOAT_EQ(gradIn[4], 1.5e38);
  EXPECT_FLOAT_EQ(gradIn[5], -1.5e38);
}

TEST(BsrSoftmaxBackwardTest, BatchesShareOffsets) {
  TestArray crow(DType::I32, {1, 3}, {0, 1, 3});
  TestArray output(DType::BF16, {2, 3, 1, 1}, {1, .5, .5, 1, .25, .75});
  TestArray gradOut(DType::BF16, {2, 3, 1, 1}, {9, 2, 4, 9, 4, 0});
  EXPECT_EQ(compute(crow, output, gradOut, TestArray(DType::F64, {2, 3, 1, 1})),
            (std::vector<double>{0, -.5, .5, 0, .75, -.75}));
}

TEST(BsrSoftmaxBackwardTest, WhatDoesNotFit) {
  TestArray crow(DType::I32, {2}, {0, 1}), array(DType::F32, {1, 2, 2}),
      other(DType::F32, {2, 2, 2}), matrix(DType::F32, {2, 2});
  EXPECT_EQ(errorOf(crow, matrix, array, array),
            "expected output of rank 3 or more, but got rank 2");
  EXPECT_EQ(errorOf(crow, array, TestArray(DType::I32, {1, 2, 2}), array),
            "expected grad_out of a float type, but got i32");
  EXPECT_EQ(errorOf(crow, array, other, array),
            "expected grad_out of the shape of output, (1, 2, 2), but got (2, "
            "2, 2)");
  EXPECT_EQ(errorOf(crow, array, array, other),
            "expected grad_in of the shape of output, (1, 2, 2), but got (2, "
            "2, 2)");
  EXPECT_EQ(errorOf(TestArray(DType::I32, {2}, {0, 2}), array, array, array),
            "expected crow[1] to be from 0 to 1, but got 2");
}
} // namespace
