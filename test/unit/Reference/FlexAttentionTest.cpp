//===- FlexAttentionTest.cpp - flex_attention on values found by hand -----===//

#include "sattn/Reference/FlexAttention.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace sattn::reference;
using sattn::runtime::DType;
using sattn::runtime::rowMajorView;
using sattn::runtime::TensorView;

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// One head of queries 0, 1 and keys 0, 1 in one column; values 2 and 6.
struct Problem {
  std::vector<double> q = {0, 1}, k = {0, 1}, v = {2, 6};

  FlexAttentionOperands operands() {
    FlexAttentionOperands op;
    op.q = rowMajorView(q.data(), DType::F64, {1, 2, 1});
    op.k = rowMajorView(k.data(), DType::F64, {1, 2, 1});
    op.v = rowMajorView(v.data(), DType::F64, {1, 2, 1});
    return op;
  }
};

/// Two heads of one query each in the rows of one.
TEST(FlexAttentionTest, PackedHeadsAreRows) {
  Problem problem;
  FlexAttentionOperands op = problem.operands();
  op.packedHeads = 2;
  op.right = 0;
  op.bottomRight = true;
  op.scoreMod = [](double score, int64_t, int64_t h, int64_t i, int64_t) {
    EXPECT_EQ(i, 0);
    return score + std::log(h + 1.0);
  };
  auto result = flexAttention(op);
  ASSERT_TRUE(bool(result));
  double e = std::exp(1.0);
  EXPECT_DOUBLE_EQ(result->out[0], 4);
  EXPECT_DOUBLE_EQ(result->out[1], (2 + 6 * e) / (1 + e));
  EXPECT_DOUBLE_EQ(result->lse[1], std::log(2 + 2 * e));
  op.packedHeads = 3;
  result = flexAttention(op);
  ASSERT_FALSE(bool(result));
  EXPECT_EQ(result.takeError().message(),
            "expected packed heads that divide the 2 rows of 'q', but got 3");
}

TEST(FlexAttentionTest, WeighsByExponentials) {
  Problem problem;
  auto result = flexAttention(problem.operands());
  ASSERT_TRUE(bool(result));
  double e = std::exp(1.0);
  EXPECT_DOUBLE_EQ(result->out[0], 4);
  EXPECT_DOUBLE_EQ(result->out[1], (2 + 6 * e) / (1 + e));
  EXPECT_DOUBLE_EQ(result->lse[0], std::log(2.0));
  EXPECT_DOUBLE_EQ(result->lse[1], std::log(1 + e));
  EXPECT_DOUBLE_EQ(result->maxScores[0], 0);
  EXPECT_DOUBLE_EQ(result->maxScores[1], 1);
  EXPECT_EQ(result->visible, 4);
}

TEST(FlexAttentionTest, MasksByDistance) {
  Problem problem;
  FlexAttentionOperands op = problem.operands();
  op.right = 0;
  auto causal = flexAttention(op);
  EXPECT_DOUBLE_EQ(causal->out[0], 2);
  EXPECT_EQ(causal->visible, 3);
  op.right = -1;
  auto strict = flexAttention(op);
  EXPECT_EQ(strict->out[0], 0);
  EXPECT_EQ(strict->lse[0], -kInfinity);
  EXPECT_EQ(strict->maxScores[0], -kInfinity);
  EXPECT_DOUBLE_EQ(strict->out[1], 2);
  op.prefix = 1;
  EXPECT_DOUBLE_EQ(flexAttention(op)->out[0], 2);
}

TEST(FlexAttentionTest, CallsFunctions) {
  Problem problem;
  FlexAttentionOperands op = problem.operands();
  op.maskMod = [](int64_t, int64_t, int64_t i, int64_t j) { return i != j; };
  op.scoreMod = [](double score, int64_t, int64_t, int64_t i, int64_t) {
    return i == 0 ? -kInfinity : score;
  };
  auto result = flexAttention(op);
  EXPECT_EQ(result->out[0], 0);
  EXPECT_EQ(result->lse[0], -kInfinity);
  EXPECT_DOUBLE_EQ(result->out[1], 2);
}

TEST(FlexAttentionTest, DoesNotReadUnseenValues) {
  Problem problem;
  problem.v[1] = std::nan("");
  FlexAttentionOperands op = problem.operands();
  std::vector<int32_t> lengths = {1};
  op.keyLengths = rowMajorView(lengths.data(), DType::I32, {1});
  auto result = flexAttention(op);
  EXPECT_DOUBLE_EQ(result->out[0], 2);
  EXPECT_DOUBLE_EQ(result->out[1], 2);
}

TEST(FlexAttentionTest, NamesTheOperand) {
  Problem problem;
  FlexAttentionOperands op = problem.operands();
  op.k.shape[1] = 1;
  auto result = flexAttention(op);
  ASSERT_FALSE(bool(result));
  EXPECT_EQ(result.error().message(),
            "expected the keys of 'v' to be 1, but got 2");
}
} // namespace
