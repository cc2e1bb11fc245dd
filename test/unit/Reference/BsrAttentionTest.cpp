//===- BsrAttentionTest.cpp - Attention by hand ---------------------------===//

#include "TestArray.h"

#include "sattn/Reference/BsrAttention.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace sattn::reference;

namespace {
/// Blocks of 1 x 2: row 0 has block 1, row 1 none, row 2 both, block 1 first.
struct Problem {
  TestArray crow{DType::I32, {4}, {0, 1, 1, 3}},
      col{DType::I32, {3}, {1, 1, 0}};
  TestArray q{DType::F64, {3, 1}, {1, 1, 2}};
  TestArray k{DType::F64, {4, 1}, {0, std::log(3), 0, std::log(2)}};
  TestArray v{DType::F64, {4, 1}, {1, 2, 4, 8}}, out{DType::F64, {3, 1}};

  BsrAttentionOperands operands() const {
    BsrAttentionOperands op;
    op.crow = crow.view();
    op.col = col.view();
    op.q = q.view();
    op.k = k.view();
    op.v = v.view();
    op.blockRows = 1;
    op.blockColumns = 2;
    op.out = out.view();
    return op;
  }
};

std::vector<double> compute(const BsrAttentionOperands &op) {
  auto result = bsrAttention(op);
  EXPECT_TRUE(bool(result));
  return result ? result->out : std::vector<double>();
}

std::string errorOf(const BsrAttentionOperands &op) {
  auto result = bsrAttention(op);
  return result ? "" : result.takeError().message();
}

TEST(BsrAttentionTest, WeightsByHand) {
  Problem problem;
  BsrAttentionOperands op = problem.operands();
  std::vector<double> out = compute(op);
  EXPECT_NEAR(out[0], (4 + 2 * 8) / 3., 1e-14);
  EXPECT_EQ(out[1], 0);
  EXPECT_NEAR(out[2], (1 + 9 * 2 + 4 + 4 * 8) / 15., 1e-14);
  op.scale = 0.5;
  EXPECT_NEAR(compute(op)[2], (1 + 3 * 2 + 4 + 2 * 8) / 7., 1e-14);
}

TEST(BsrAttentionTest, LogarithmsOfSums) {
  Problem problem;
  auto result = bsrAttention(problem.operands());
  ASSERT_TRUE(bool(result));
  EXPECT_NEAR(result->lse[0], std::log(1 + 2), 1e-14);
  EXPECT_EQ(result->lse[1], -std::numeric_limits<double>::infinity());
  EXPECT_NEAR(result->lse[2], std::log(1 + 9 + 1 + 4), 1e-14);
}

TEST(BsrAttentionTest, RepeatedBlocksCountTwice) {
  Problem problem;
  problem.col = TestArray(DType::I32, {3}, {1, 0, 0});
  EXPECT_NEAR(compute(problem.operands())[2], (1 + 9 * 2) / 10., 1e-14);
  problem.crow = TestArray(DType::I32, {4}, {0, 3, 3, 3});
  EXPECT_NEAR(compute(problem.operands())[0],
              (2 * (1 + 3 * 2) + 4 + 2 * 8) / 11., 1e-14);
}

TEST(BsrAttentionTest, WhatIsNotReadMayBeNaN) {
  Problem problem;
  problem.crow = TestArray(DType::I32, {4}, {0, 1, 1, 1});
  problem.k = TestArray(DType::F64, {4, 1}, {kNaN, kNaN, 0, std::log(2)});
  problem.v = TestArray(DType::F64, {4, 1}, {kNaN, kNaN, 4, 8});
  std::vector<double> out = compute(problem.operands());
  EXPECT_NEAR(out[0], (4 + 2 * 8) / 3., 1e-14);
  EXPECT_EQ(out[2], 0);
}

TEST(BsrAttentionTest, ScoresOfInfinity) {
  Problem problem;
  problem.k = TestArray(DType::F64, {4, 1}, {0, 0, -kInfinity, 0});
  EXPECT_EQ(compute(problem.operands())[0], 8);
  problem.k = TestArray(DType::F64, {4, 1}, {0, 0, -kInfinity, -kInfinity});
  EXPECT_EQ(compute(problem.operands())[0], 0);
  problem.k = TestArray(DType::F64, {4, 1}, {0, 0, kInfinity, 0});
  EXPECT_TRUE(std::isnan(compute(problem.operands())[0]));
}

TEST(BsrAttentionTest, DropoutKeepsTheSum) {
  Problem problem;
  BsrAttentionOperands op = problem.operands();
  TestArray random(DType::I64, {2}, {5, 1});
  op.random = random.view();
  op.probability = 0;
  EXPECT_NEAR(compute(op)[0], (4 + 2 * 8) / 3., 1e-14);
  op.probability = 1;
  EXPECT_EQ(compute(op), (std::vector<double>{0, 0, 0}));
  // Row 0 has two keys, of weights 1/3 and 2/3: four results are possible, and
  // each one comes.
  op.probability = 0.5;
  std::vector<int> count(4);
  for (int seed = 0; seed < 64; ++seed) {
    random = TestArray(DType::I64, {2}, {double(seed), 1});
    op.random = random.view();
    double kept = compute(op)[0] * 3 / 8; // 0, 1 (of 4), 4 (of 8), or both.
    int which = int(std::lround(kept));
    ASSERT_NEAR(kept, which, 1e-12);
    ASSERT_TRUE(which == 0 || which == 1 || which == 4 || which == 5);
    ++count[(which & 1) + (which & 4) / 2];
  }
  for (int number : count)
    EXPECT_GT(number, 4);
}

TEST(BsrAttentionTest, BatchesBroadcast) {
  Problem problem;
  problem.v = TestArray(DType::F64, {2, 4, 1}, {1, 2, 4, 8, 10, 20, 40, 80});
  problem.out = TestArray(DType::F64, {2, 3, 1});
  std::vector<double> out = compute(problem.operands());
  ASSERT_EQ(out.size(), 6u);
  for (int row = 0; row < 3; ++row)
    EXPECT_NEAR(out[3 + row], 10 * out[row], 1e-12);
}

TEST(BsrAttentionTest, WhatDoesNotFit) {
  Problem good;
  auto errorWith = [&](auto change) {
    BsrAttentionOperands op = good.operands();
    change(op);
    return errorOf(op);
  };
  TestArray floats(DType::F32, {4}), three(DType::F64, {3, 1}),
      wide(DType::F64, {4, 2}), f32(DType::F32, {4, 1}),
      far(DType::I32, {3}, {1, 2, 0}), down(DType::I32, {4}, {0, 2, 1, 3}),
      i32(DType::I32, {2});
  EXPECT_EQ(errorWith([&](auto &op) { op.crow = floats.view(); }),
            "expected crow of type i32 or i64, but got f32");
  EXPECT_EQ(errorWith([&](auto &op) { op.k = f32.view(); }),
            "expected k of q's type, f64, but got f32");
  EXPECT_EQ(errorWith([&](auto &op) { op.blockRows = 2; }),
            "expected q's rows to be a multiple of the block's 2, but got 3");
  EXPECT_EQ(
      errorWith([&](auto &op) { op.blockRows = 3; }),
      "expected crow's last extent to be one more than q's block rows, 2, "
      "but got 4");
  EXPECT_EQ(errorWith([&](auto &op) { op.k = three.view(); }),
            "expected k's rows to be a multiple of the block's 2 columns, but "
            "got 3");
  EXPECT_EQ(errorWith([&](auto &op) { op.k = wide.view(); }),
            "expected k's columns to be those of q, 1, but got 2");
  EXPECT_EQ(errorWith([&](auto &op) { op.v = three.view(); }),
            "expected v's rows to be those of k, 4, but got 3");
  EXPECT_EQ(errorWith([&](auto &op) { op.out = wide.view(); }),
            "expected out's rows to be those of q, 3, but got 4");
  EXPECT_EQ(errorWith([&](auto &op) { op.random = i32.view(); }),
            "expected random of two elements of i64, but got i32 of shape (2)");
  EXPECT_EQ(errorWith([&](auto &op) { op.col = far.view(); }),
            "expected col[1] to be from 0 to below 2, but got 2");
  EXPECT_EQ(errorWith([&](auto &op) { op.crow = down.view(); }),
            "expected crow[2] to be from 2 to 3, but got 1");
}
} // namespace
