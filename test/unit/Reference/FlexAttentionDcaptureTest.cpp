//===- FlexAttentionDcaptureTest.cpp - The gradient of a number -----------===//

#include "TestArray.h"

#include "sattn/Reference/Op.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace sattn::reference;
using sattn::runtime::rowMajorView;

namespace {
/// One head of queries 0, 1 and keys 0, 1, 2 in one column; values 2, 6, 4;
/// the cotangent of the result is 1 and 10. Weights are 1, 2 and 0 in query 0
/// and exp(score) in query 1.
struct Problem {
  std::vector<double> q = {0, 1}, k = {0, 1, 2}, v = {2, 6, 4}, dout = {1, 10},
                      lse2 = {0, 0}, delta = {3, 5};
  NamedOperands operands;

  Problem() {
    auto add = [&](const char *name, sattn::runtime::Argument value) {
      operands.push_back({name, name, std::move(value)});
    };
    add("scale", 1.0);
    add("q", rowMajorView(q.data(), DType::F64, {1, 2, 1}));
    add("k", rowMajorView(k.data(), DType::F64, {1, 3, 1}));
    add("v", rowMajorView(v.data(), DType::F64, {1, 3, 1}));
    add("grad_out", rowMajorView(dout.data(), DType::F64, {1, 2, 1}));
    add("lse2", rowMajorView(lse2.data(), DType::F64, {1, 2}));
    add("delta", rowMajorView(delta.data(), DType::F64, {1, 2}));
    add("functions", 1.0);
    add("group", 1.0);
    // The number is added to the score, 100 times the score and a row's number.
    operands.scoreMod = [](double score, int64_t, int64_t, int64_t, int64_t) {
      return score;
    };
    operands.numberCotangent = [](double score, double cotangent, int64_t,
                                  int64_t, int64_t i, int64_t) {
      return cotangent * (1 + 100 * score + double(i));
    };
  }
};
} // namespace

static const Op &op() { return *findOp("flex_attention_dcapture"); }

TEST(FlexAttentionDcaptureTest, EachPairHasItsOwn) {
  Problem problem;
  auto result = op().compute(problem.operands);
  ASSERT_TRUE(bool(result));
  ASSERT_EQ(result->size(), 1u);
  EXPECT_STREQ(result->front().operand, "grad");
  const std::vector<double> &grad = result->front().elements;
  ASSERT_EQ(grad.size(), 6u);
  // ds = p (dout v - delta), with p = exp(q k).
  EXPECT_DOUBLE_EQ(grad[0], 1 * (1 * 2 - 3) * 1.0);
  EXPECT_DOUBLE_EQ(grad[1], 1 * (1 * 6 - 3) * 1.0);
  EXPECT_DOUBLE_EQ(grad[2], 1 * (1 * 4 - 3) * 1.0);
  EXPECT_NEAR(grad[3], 1 * (10 * 2 - 5) * 2.0, 1e-9);
  EXPECT_NEAR(grad[4], std::exp(1) * (10 * 6 - 5) * 102, 1e-9);
  EXPECT_NEAR(grad[5], std::exp(2) * (10 * 4 - 5) * 202, 1e-9);
}

TEST(FlexAttentionDcaptureTest, WhatIsNotSeenHasNone) {
  Problem problem;
  problem.operands.push_back({"right", "right", 0.0});
  // Nor has a query whose sum is infinite.
  problem.lse2[1] = kInfinity;
  auto result = op().compute(problem.operands);
  ASSERT_TRUE(bool(result));
  EXPECT_EQ(result->front().elements, (std::vector<double>{-1, 0, 0, 0, 0, 0}));
}

TEST(FlexAttentionDcaptureTest, Shape) {
  Problem problem;
  auto shape = op().inferShape(problem.operands);
  ASSERT_TRUE(bool(shape));
  EXPECT_EQ(*shape, (std::vector<int64_t>{1, 2, 3}));
  problem.operands.erase(problem.operands.begin() + 2);
  EXPECT_FALSE(bool(op().inferShape(problem.operands)));
  EXPECT_EQ(op().describe(Problem().operands).sizes,
            (std::array<int64_t, 3>{2, 1, 3}));
}

TEST(FlexAttentionDcaptureTest, NobodyGaveTheDerivative) {
  Problem problem;
  problem.operands.numberCotangent = nullptr;
  auto result = op().compute(problem.operands);
  ASSERT_FALSE(bool(result));
  EXPECT_EQ(result.error().message(),
            "expected a sattn.flex_attention_dcapture that the reference "
            "computes, but got one with a score_mod");
}
