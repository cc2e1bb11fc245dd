//===- FlexAttentionBackwardTest.cpp - Gradients by differences -----------===//

#include "TestArray.h"

#include "sattn/Reference/FlexAttentionBackward.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace sattn::reference;
using sattn::runtime::rowMajorView;

namespace {
/// One head of queries 0, 1 and keys 0, 1 in one column; values 2 and 6. The
/// cotangent of the result is 1 and 10.
struct Problem {
  std::vector<double> q = {0, 1}, k = {0, 1}, v = {2, 6}, dout = {1, 10};

  FlexAttentionOperands operands() {
    FlexAttentionOperands op;
    op.q = rowMajorView(q.data(), DType::F64, {1, 2, 1});
    op.k = rowMajorView(k.data(), DType::F64, {1, 2, 1});
    op.v = rowMajorView(v.data(), DType::F64, {1, 2, 1});
    return op;
  }
  FlexAttentionCotangents cotangents() {
    FlexAttentionCotangents result;
    result.out = rowMajorView(dout.data(), DType::F64, {1, 2, 1});
    return result;
  }
};

/// Operands of random numbers, and the sum that the gradients are of: of the
/// results times their cotangents.
struct RandomProblem {
  std::mt19937_64 random{7};
  std::vector<double> q, k, v, dout, dlse;
  std::vector<int32_t> lengths = {5, 3};
  double slope = 0.75;
  FlexAttentionOperands op;
  FlexAttentionCotangents cotangents;

  std::vector<double> make(int64_t count) {
    std::uniform_real_distribution<double> numbers(-1, 1);
    std::vector<double> result(count);
    for (double &number : result)
      number = numbers(random);
    return result;
  }

  /// Two batches, four heads of four queries, five keys of three
  /// columns and values of two.
  RandomProblem(int64_t packedHeads, int64_t group, int64_t batchesOfK)
      : q(make(2 * 4 * 4 * 3)), dout(make(2 * 4 * 4 * 2)),
        dlse(make(2 * 4 * 4)) {
    int64_t heads = 4 / packedHeads, headsOfK = heads / group;
    k = make(batchesOfK * headsOfK * 5 * 3);
    v = make(batchesOfK * headsOfK * 5 * 2);
    op.scale = -0.7;
    op.packedHeads = packedHeads;
    op.group = group;
    int64_t rows = 4 * packedHeads;
    op.q = rowMajorView(q.data(), DType::F64, {2, heads, rows, 3});
    op.k = rowMajorView(k.data(), DType::F64, {batchesOfK, headsOfK, 5, 3});
    op.v = rowMajorView(v.data(), DType::F64, {batchesOfK, headsOfK, 5, 2});
    cotangents.out = rowMajorView(dout.data(), DType::F64, {2, heads, rows, 2});
    cotangents.lse = rowMajorView(dlse.data(), DType::F64, {2, heads, rows});
  }

  double computeSum() {
    auto result = flexAttention(op);
    double sum = 0;
    for (size_t i = 0; i < dout.size(); ++i)
      sum += dout[i] * result->out[i];
    for (size_t i = 0; i < dlse.size(); ++i)
      if (result->lse[i] != -kInfinity)
        sum += dlse[i] * result->lse[i];
    return sum;
  }

  double computeDifference(double &number) {
    constexpr double kStep = 1e-6;
    double before = number;
    number = before + kStep;
    double above = computeSum();
    number = before - kStep;
    double below = computeSum();
    number = before;
    return (above - below) / (2 * kStep);
  }

  void check() {
    auto result = flexAttentionBackward(op, cotangents);
    ASSERT_TRUE(bool(result));
    std::pair<std::vector<double> *, std::vector<double> *> pairs[] = {
        {&q, &result->q}, {&k, &result->k}, {&v, &result->v}};
    for (auto [operand, gradient] : pairs) {
      ASSERT_EQ(operand->size(), gradient->size());
      for (size_t i = 0; i < operand->size(); ++i)
        EXPECT_NEAR((*gradient)[i], computeDifference((*operand)[i]), 1e-8);
    }
  }
};

/// Weights are 1/2 twice, then 1 and e over 1 + e; the derivative of the result
/// by a score is p_0 p_1 (6 - 2).
TEST(FlexAttentionBackwardTest, HasGradientsByHand) {
  Problem problem;
  auto result = flexAttentionBackward(problem.operands(), problem.cotangents());
  ASSERT_TRUE(bool(result));
  double e = std::exp(1.0), slope = 40 * e / ((1 + e) * (1 + e));
  EXPECT_DOUBLE_EQ(result->q[0], 1);
  EXPECT_DOUBLE_EQ(result->q[1], slope);
  EXPECT_DOUBLE_EQ(result->k[0], -slope);
  EXPECT_DOUBLE_EQ(result->k[1], slope);
  EXPECT_DOUBLE_EQ(result->v[0], 0.5 + 10 / (1 + e));
  EXPECT_DOUBLE_EQ(result->v[1], 0.5 + 10 * e / (1 + e));
}

/// The logarithm's gradient is that of the scores times their weights.
TEST(FlexAttentionBackwardTest, AddsTheGradientThroughLse) {
  Problem problem;
  problem.dout = {0, 0};
  std::vector<double> dlse = {2, 0};
  FlexAttentionCotangents cotangents = problem.cotangents();
  cotangents.lse = rowMajorView(dlse.data(), DType::F64, {1, 2});
  auto result = flexAttentionBackward(problem.operands(), cotangents);
  ASSERT_TRUE(bool(result));
  EXPECT_DOUBLE_EQ(result->q[0], 1);
  EXPECT_EQ(result->q[1], 0);
  EXPECT_EQ(result->k[0], 0);
  EXPECT_EQ(result->v[0], 0);
}

TEST(FlexAttentionBackwardTest, AgreesWithDifferences) {
  for (auto [packed, group, batches] :
       {std::tuple(1, 1, 2), std::tuple(1, 2, 2), std::tuple(1, 4, 1),
        std::tuple(2, 2, 1), std::tuple(4, 1, 2)})
    RandomProblem(packed, group, batches).check();
}

TEST(FlexAttentionBackwardTest, FollowsMasks) {
  RandomProblem problem(1, 2, 2);
  problem.op.left = 2;
  problem.op.right = 0;
  problem.op.prefix = 1;
  problem.op.bottomRight = true;
  problem.op.keyLengths = rowMajorView(problem.lengths.data(), DType::I32, {2});
  problem.op.maskMod = [](int64_t, int64_t h, int64_t i, int64_t j) {
    return (h + i + j) % 3 != 0;
  };
  problem.check();
}

/// Its gradients and those of what it captures.
TEST(FlexAttentionBackwardTest, DerivesFunctions) {
  RandomProblem problem(2, 1, 1);
  problem.op.scoreMod = [&](double score, int64_t, int64_t h, int64_t i,
                            int64_t j) {
    return i == j ? -kInfinity : std::tanh(score) + problem.slope * h * j;
  };
  double dslope = 0;
  problem.cotangents.scoreMod = [&](double score, double cotangent, int64_t,
                                    int64_t h, int64_t i, int64_t j) {
    EXPECT_NE(i, j);
    dslope += cotangent * h * j;
    return cotangent * (1 - std::tanh(score) * std::tanh(score));
  };
  problem.check();
  EXPECT_NEAR(dslope, problem.computeDifference(problem.slope), 1e-8);
}

TEST(FlexAttentionBackwardTest, LeavesOutQueriesThatSeeNothing) {
  Problem problem;
  problem.dout[0] = kNaN;
  problem.v[1] = kNaN;
  FlexAttentionOperands op = problem.operands();
  op.right = -1; // Query 0 sees nothing, query 1 sees key 0.
  auto result = flexAttentionBackward(op, problem.cotangents());
  ASSERT_TRUE(bool(result));
  EXPECT_EQ(result->q, (std::vector<double>{0, 0}));
  EXPECT_EQ(result->k, (std::vector<double>{0, 0}));
  EXPECT_EQ(result->v, (std::vector<double>{10, 0}));
}

TEST(FlexAttentionBackwardTest, NamesTheCotangent) {
  Problem problem;
  FlexAttentionCotangents cotangents = problem.cotangents();
  cotangents.out.shape[1] = 1;
  auto result = flexAttentionBackward(problem.operands(), cotangents);
  ASSERT_FALSE(bool(result));
  EXPECT_EQ(result.takeError().message(),
            "expected 'dout' of shape 1 x 2 x 1, but got 1 x 1 x 1");
  cotangents = problem.cotangents();
  cotangents.lse = rowMajorView(problem.dout.data(), DType::I32, {1, 2});
  result = flexAttentionBackward(problem.operands(), cotangents);
  ASSERT_FALSE(bool(result));
  EXPECT_EQ(result.takeError().message(),
            "expected element type f16, bf16, f32 or f64 of 'dlse', but got "
            "i32");
  FlexAttentionOperands op = problem.operands();
  op.group = 0;
  EXPECT_FALSE(bool(flexAttentionBackward(op, problem.cotangents())));
}

/// Problem with weights and deltas that no softmax has: lse2 = 1 gives weights
/// exp(score) / 2, of query 0 1/2 twice, of query 1 1/2 and e/2.
struct SumsProblem : Problem {
  std::vector<double> lse2 = {1, 1}, delta = {3, -20}, maxScores = {0, 1};

  FlexAttentionSums sums() {
    FlexAttentionSums result;
    result.lse2 = rowMajorView(lse2.data(), DType::F64, {1, 2});
    result.delta = rowMajorView(delta.data(), DType::F64, {1, 2});
    return result;
  }
};

/// Products of dout and v are 2 and 6, then 20 and 60: ds are -1/2 and 3/2,
/// then 20 and 40 e.
TEST(FlexAttentionBackwardTest, TakesGivenSums) {
  SumsProblem problem;
  auto result = flexAttentionBackward(problem.operands(), problem.cotangents(),
                                      problem.sums());
  ASSERT_TRUE(bool(result));
  double e = std::exp(1.0);
  EXPECT_DOUBLE_EQ(result->q[0], 1.5);
  EXPECT_DOUBLE_EQ(result->q[1], 40 * e);
  EXPECT_DOUBLE_EQ(result->k[0], 20);
  EXPECT_DOUBLE_EQ(result->k[1], 40 * e);
  EXPECT_DOUBLE_EQ(result->v[0], 0.5 + 5);
  EXPECT_DOUBLE_EQ(result->v[1], 0.5 + 5 * e);
}

/// A greatest score of 1 divides query 1's weights by e.
TEST(FlexAttentionBackwardTest, SubtractsGivenMaxScores) {
  SumsProblem problem;
  FlexAttentionSums sums = problem.sums();
  sums.maxScores = rowMajorView(problem.maxScores.data(), DType::F64, {1, 2});
  auto result =
      flexAttentionBackward(problem.operands(), problem.cotangents(), sums);
  ASSERT_TRUE(bool(result));
  EXPECT_DOUBLE_EQ(result->q[0], 1.5);
  EXPECT_DOUBLE_EQ(result->q[1], 40);
  EXPECT_DOUBLE_EQ(result->v[1], 0.5 + 5);
}

/// The derivative is not asked for where the weight is 0.
TEST(FlexAttentionBackwardTest, LeavesOutQueriesOfInfiniteSums) {
  SumsProblem problem;
  problem.lse2[1] = kInfinity;
  problem.dout[1] = problem.delta[1] = kNaN;
  FlexAttentionCotangents cotangents = problem.cotangents();
  cotangents.scoreMod = [](double, double cotangent, int64_t, int64_t,
                           int64_t i, int64_t) {
    EXPECT_EQ(i, 0);
    return 2 * cotangent;
  };
  auto result =
      flexAttentionBackward(problem.operands(), cotangents, problem.sums());
  ASSERT_TRUE(bool(result));
  EXPECT_EQ(result->q, (std::vector<double>{3, 0}));
  EXPECT_EQ(result->k, (std::vector<double>{0, 0}));
  EXPECT_EQ(result->v, (std::vector<double>{0.5, 0.5}));
}

/// With the forward's own sums both forms agree.
TEST(FlexAttentionBackwardTest, AgreesWithTheForwardsSums) {
  RandomProblem problem(1, 2, 1);
  problem.op.right = 0;
  problem.op.keyLengths = rowMajorView(problem.lengths.data(), DType::I32, {2});
  auto forward = flexAttention(problem.op);
  ASSERT_TRUE(bool(forward));
  std::vector<double> lse2, delta;
  for (size_t row = 0; row < problem.dlse.size(); ++row) {
    lse2.push_back(forward->lse[row] / std::log(2.0));
    delta.push_back(-problem.dlse[row]);
    for (size_t column = 2 * row; column < 2 * row + 2; ++column)
      delta.back() += problem.dout[column] * forward->out[column];
  }
  FlexAttentionSums sums;
  sums.lse2 = rowMajorView(lse2.data(), DType::F64, {2, 4, 4});
  sums.delta = rowMajorView(delta.data(), DType::F64, {2, 4, 4});
  auto expected = flexAttentionBackward(problem.op, problem.cotangents);
  ASSERT_TRUE(bool(expected));
  problem.cotangents.lse.reset();
  auto result = flexAttentionBackward(problem.op, problem.cotangents, sums);
  ASSERT_TRUE(bool(result));
  for (auto [found, own] : {std::pair(&result->q, &expected->q),
                            std::pair(&result->k, &expected->k),
                            std::pair(&result->v, &expected->v)}) {
    ASSERT_EQ(found->size(), own->size());
    for (size_t i = 0; i < own->size(); ++i)
      EXPECT_NEAR((*found)[i], (*own)[i], 1e-12);
  }
}

TEST(FlexAttentionBackwardTest, NamesTheSum) {
  SumsProblem problem;
  FlexAttentionCotangents cotangents = problem.cotangents();
  FlexAttentionSums sums = problem.sums();
  sums.delta.shape[1] = 1;
  auto result = flexAttentionBackward(problem.operands(), cotangents, sums);
  ASSERT_FALSE(bool(result));
  EXPECT_EQ(result.takeError().message(),
            "expected 'delta' of shape 1 x 2, but got 1 x 1");
  sums = problem.sums();
  sums.lse2.dtype = DType::I64;
  result = flexAttentionBackward(problem.operands(), cotangents, sums);
  ASSERT_FALSE(bool(result));
  EXPECT_EQ(result.takeError().message(),
            "expected element type f16, bf16, f32 or f64 of 'lse2', but got "
            "i64");
  sums = problem.sums();
  sums.maxScores = sums.lse2;
  sums.maxScores->shape[1] = 3;
  EXPECT_FALSE(
      bool(flexAttentionBackward(problem.operands(), cotangents, sums)));
  cotangents.lse = problem.sums().delta;
  result =
      flexAttentionBackward(problem.operands(), cotangents, problem.sums());
  ASSERT_FALSE(bool(result));
  EXPECT_EQ(result.takeError().message(), "expected no 'dlse' beside 'delta'");
}
} // namespace
