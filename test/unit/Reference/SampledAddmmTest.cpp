//===- SampledAddmmTest.cpp - sampled_addmm on values found by hand -------===//

#include "sattn/Reference/SampledAddmm.h"

#include "gtest/gtest.h"

#include <limits>

using namespace sattn::reference;
using sattn::runtime::DType;
using sattn::runtime::rowMajorView;

namespace {
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Blocks of 2 x 1 of a 4 x 3 matrix: (1, 2) and (1, 0), in rows of 3 columns.
struct Problem {
  std::vector<int32_t> crow = {0, 0, 2}, col = {2, 0};
  std::vector<double> mat1 = {kNaN, kNaN, kNaN, kNaN, 1, 2, 3, 4};
  std::vector<double> mat2 = {1, kNaN, 10, 2, kNaN, 20};
  std::vector<double> input = {1, 2, 3, 4}, out = {5, 6, 7, 8};

  SampledAddmmOperands operands() {
    SampledAddmmOperands op;
    op.alpha = 1;
    op.beta = 0;
    op.crow = rowMajorView(crow.data(), DType::I32, {3});
    op.col = rowMajorView(col.data(), DType::I32,
                          {static_cast<int64_t>(col.size())});
    op.mat1 = rowMajorView(mat1.data(), DType::F64, {4, 2});
    op.mat2 = rowMajorView(mat2.data(), DType::F64, {2, 3});
    op.out = rowMajorView(out.data(), DType::F64, {2, 2, 1});
    return op;
  }
};

std::vector<double> compute(const SampledAddmmOperands &op) {
  auto result = sampledAddmm(op);
  EXPECT_TRUE(bool(result));
  return result ? *result : std::vector<double>();
}

std::string errorOf(const SampledAddmmOperands &op) {
  auto result = sampledAddmm(op);
  EXPECT_FALSE(bool(result));
  return result ? "" : result.takeError().message();
}

TEST(SampledAddmmTest, MultipliesWhereBlocksAre) {
  Problem problem;
  EXPECT_EQ(compute(problem.operands()), (std::vector<double>{50, 110, 5, 11}));
}

TEST(SampledAddmmTest, AddsInputOrOut) {
  Problem problem;
  SampledAddmmOperands op = problem.operands();
  op.alpha = 2;
  op.beta = 10;
  EXPECT_EQ(compute(op), (std::vector<double>{150, 280, 80, 102}));
  op.input = rowMajorView(problem.input.data(), DType::F64, {2, 2, 1});
  EXPECT_EQ(compute(op), (std::vector<double>{110, 240, 40, 62}));
}

TEST(SampledAddmmTest, ReadsTransposedMatrix) {
  Problem problem;
  problem.mat2 = {1, 2, kNaN, kNaN, 10, 20};
  SampledAddmmOperands op = problem.operands();
  op.mat2.shape = {3, 2};
  op.mat2.strides = {2, 1};
  op.transposeMat2 = true;
  EXPECT_EQ(compute(op), (std::vector<double>{50, 110, 5, 11}));
}

TEST(SampledAddmmTest, LeavesOutWhatIsScaledByZero) {
  Problem problem;
  SampledAddmmOperands op = problem.operands();
  op.alpha = 0;
  op.beta = 1;
  op.mat1.data = op.mat2.data = nullptr;
  problem.col = {100, -1};
  EXPECT_EQ(compute(op), problem.out);
  problem = Problem();
  op = problem.operands();
  problem.out.assign(4, kNaN);
  EXPECT_EQ(compute(op), (std::vector<double>{50, 110, 5, 11}));
}

TEST(SampledAddmmTest, BlocksOfNoRowAreInput) {
  Problem problem;
  problem.crow = {1, 1, 2};
  problem.col = {100, 0};
  SampledAddmmOperands op = problem.operands();
  op.beta = 1;
  op.alpha = 1;
  EXPECT_EQ(compute(op), (std::vector<double>{5, 6, 12, 19}));
}

TEST(SampledAddmmTest, EmptySumsAreZeroForAnyAlpha) {
  Problem problem;
  SampledAddmmOperands op = problem.operands();
  op.mat1 = rowMajorView(problem.mat1.data(), DType::F64, {4, 0});
  op.mat2 = rowMajorView(problem.mat2.data(), DType::F64, {0, 3});
  op.alpha = kInfinity;
  EXPECT_EQ(compute(op), (std::vector<double>(4, 0)));
}

TEST(SampledAddmmTest, BatchesBroadcast) {
  Problem problem;
  std::vector<double> mat1 = problem.mat1;
  for (double element : problem.mat1)
    mat1.push_back(2 * element);
  std::vector<double> out(8);
  SampledAddmmOperands op = problem.operands();
  op.mat1 = rowMajorView(mat1.data(), DType::F64, {2, 4, 2});
  op.out = rowMajorView(out.data(), DType::F64, {2, 2, 2, 1});
  EXPECT_EQ(compute(op),
            (std::vector<double>{50, 110, 5, 11, 100, 220, 10, 22}));
}

TEST(SampledAddmmTest, NamesWhatIsWrong) {
  Problem problem;
  SampledAddmmOperands op = problem.operands();
  op.mat2 = rowMajorView(problem.mat2.data(), DType::F64, {3, 2});
  EXPECT_EQ(errorOf(op), "expected mat2's rows to be mat1's columns, 2, but "
                         "got 3");
  op = problem.operands();
  op.mat1.dtype = DType::F32;
  EXPECT_EQ(errorOf(op), "expected mat2 of mat1's type, f32, but got f64");
  op = problem.operands();
  op.crow = rowMajorView(problem.crow.data(), DType::I32, {2});
  EXPECT_EQ(errorOf(op), "expected crow's last extent to be one more than "
                         "mat1's block rows, 3, but got 2");
  problem.col[1] = 3;
  EXPECT_EQ(errorOf(problem.operands()),
            "expected col[1] to be from 0 to below 3, but got 3");
}
} // namespace
