//===- BsrAddmmTest.cpp - bsr_addmm by hand, and its edges ----------------===//

#include "sattn/Reference/BsrAddmm.h"

#include "TestArray.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace sattn::reference;

namespace {

/// The matrix [1 2 0 0; 3 4 0 0; 0 0 0 0; 0 0 0 0; 9 10 5 6; 11 12 7 8] in
/// blocks of 2 x 2, the middle block row empty and the last one unsorted, times
/// b = [1 0; 0 1; 2 0; 0 -1], that is A @ b = [1 2; 3 4; 0 0; 0 0; 19 4; 25 4].
struct Example {
  TestArray crow{DType::I64, {4}, {0, 1, 1, 3}};
  TestArray col{DType::I32, {3}, {0, 1, 0}};
  TestArray values{
      DType::F32, {3, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}};
  TestArray b{DType::F32, {4, 2}, {1, 0, 0, 1, 2, 0, 0, -1}};
  TestArray input{DType::F32, {6, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}};
  TestArray left{DType::F32, {6}, {1, 2, 3, 4, 5, 6}};
  TestArray right{DType::F32, {2}, {1, -1}};
  TestArray out{DType::F32, {6, 2}, std::vector<double>(12, 100)};

  BsrAddmmOperands operands(double alpha, double beta) {
    return {alpha,    beta,         crow.view(),  col.view(),   values.view(),
            b.view(), std::nullopt, std::nullopt, std::nullopt, out.view()};
  }
};

std::vector<double> run(const BsrAddmmOperands &operands) {
  auto result = bsrAddmm(operands);
  EXPECT_TRUE(bool(result)) << result.error().message();
  return result ? *result : std::vector<double>();
}

using Doubles = std::vector<double>;

TEST(BsrAddmmTest, Product) {
  Example e;
  EXPECT_EQ(run(e.operands(1, 0)),
            (Doubles{1, 2, 3, 4, 0, 0, 0, 0, 19, 4, 25, 4}));
}

TEST(BsrAddmmTest, AlphaBetaInputLeftRight) {
  Example e;
  BsrAddmmOperands operands = e.operands(2, 10);
  operands.input = e.input.view();
  EXPECT_EQ(run(operands),
            (Doubles{12, 24, 36, 48, 50, 60, 70, 80, 128, 108, 160, 128}));
  operands.left = e.left.view();
  operands.right = e.right.view();
  // beta * input + left * (alpha * product) * right.
  EXPECT_EQ(run(operands), (Doubles{12, 16, 42, 24, 50, 60, 70, 80, 90 + 190,
                                    100 - 40, 110 + 300, 120 - 48}));
}

TEST(BsrAddmmTest, OutIsTheInputWhereThereIsNone) {
  Example e;
  EXPECT_EQ(run(e.operands(1, 0.5)),
            (Doubles{51, 52, 53, 54, 50, 50, 50, 50, 69, 54, 75, 54}));
  // And is left as it was.
  for (int64_t i = 0; i < 12; ++i)
    EXPECT_EQ(loadElement(e.out.view(), i), 100);
}

TEST(BsrAddmmTest, SumsOfF64HaveMoreBits) {
  TestArray crow(DType::I32, {2}, {0, 1}), col(DType::I32, {1}, {0});
  TestArray values(DType::F64, {1, 1, 3}, {0x1p53, 1, -0x1p53});
  TestArray b(DType::F64, {3, 1}, {1, 1, 1}), out(DType::F64, {1, 1}, {0});
  EXPECT_EQ(run({1, 0, crow.view(), col.view(), values.view(), b.view(),
                 std::nullopt, std::nullopt, std::nullopt, out.view()}),
            Doubles{1});
}

TEST(BsrAddmmTest, Transposed) {
  Example e;
  TestArray b(DType::F32, {2, 4}, {1, 0, 2, 0, 0, 1, 0, -1});
  TestArray out(DType::F32, {2, 6}, std::vector<double>(12, 100));
  BsrAddmmOperands operands = e.operands(1, 0);
  operands.b = b.view();
  operands.transposeB = true;
  EXPECT_EQ(run(operands), (Doubles{1, 2, 3, 4, 0, 0, 0, 0, 19, 4, 25, 4}));
  operands.out = out.view();
  operands.transposeOut = true;
  EXPECT_EQ(run(operands), (Doubles{1, 3, 0, 0, 19, 25, 2, 4, 0, 0, 4, 4}));
  // A vector is added to each row of out.
  operands.beta = 10;
  operands.input = e.left.view();
  EXPECT_EQ(run(operands),
            (Doubles{11, 23, 30, 40, 69, 85, 12, 24, 30, 40, 54, 64}));
}

TEST(BsrAddmmTest, DuplicatesAddUp) {
  Example e;
  e.col = TestArray(DType::I32, {3}, {0, 1, 1});
  // Blocks [5 6; 7 8] and [9 10; 11 12] in one place: [14 16; 18 20].
  EXPECT_EQ(run(e.operands(1, 0)),
            (Doubles{1, 2, 3, 4, 0, 0, 0, 0, 28, -16, 36, -20}));
}

TEST(BsrAddmmTest, OffsetsNeedNotStartAtZero) {
  Example e;
  e.crow = TestArray(DType::I32, {4}, {1, 2, 2, 3});
  EXPECT_EQ(run(e.operands(1, 0)),
            (Doubles{10, -6, 14, -8, 0, 0, 0, 0, 9, 10, 11, 12}));
}

TEST(BsrAddmmTest, BetaZeroDoesNotReadTheInput) {
  Example e;
  Doubles expected = run(e.operands(1, 0));
  e.out = TestArray(DType::F32, {6, 2}, Doubles(12, kNaN));
  EXPECT_EQ(run(e.operands(1, 0)), expected);
  BsrAddmmOperands operands = e.operands(1, -0.0);
  operands.input = e.input.view();
  operands.input->data = nullptr;
  EXPECT_EQ(run(operands), expected);
}

TEST(BsrAddmmTest, AlphaZeroReadsNothingButTheInput) {
  Example e;
  BsrAddmmOperands operands = e.operands(0, 2);
  operands.input = e.input.view();
  operands.left = e.left.view();
  operands.right = e.right.view();
  for (TensorView *view : {&operands.crow, &operands.col, &operands.values,
                           &operands.b, &*operands.left, &*operands.right})
    view->data = nullptr;
  EXPECT_EQ(run(operands),
            (Doubles{2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24}));
  operands.beta = 0;
  operands.input->data = nullptr;
  EXPECT_EQ(run(operands), Doubles(12, 0));
}

TEST(BsrAddmmTest, NaNIsReadWhereItCounts) {
  Example e;
  BsrAddmmOperands operands = e.operands(kNaN, 0);
  EXPECT_TRUE(std::isnan(run(operands)[0]));
  operands = e.operands(1, kNaN);
  EXPECT_TRUE(std::isnan(run(operands)[4]));
  // A stored zero times a NaN is a NaN, in that column only.
  e.b = TestArray(DType::F32, {4, 2}, {1, 0, 0, 1, kNaN, 0, 0, -1});
  e.values =
      TestArray(DType::F32, {3, 2, 2}, {1, 2, 3, 4, 0, 0, 0, 0, 9, 10, 11, 12});
  Doubles result = run(e.operands(1, 0));
  EXPECT_EQ(result[0], 1);
  EXPECT_TRUE(std::isnan(result[8]));
  EXPECT_EQ(result[9], 10);
}

TEST(BsrAddmmTest, RowsOfBThatNoBlockNeedsDoNotShow) {
  Example e;
  e.col = TestArray(DType::I32, {3}, {0, 0, 0});
  e.b = TestArray(DType::F32, {4, 2}, {1, 0, 0, 1, kNaN, kNaN, kNaN, kNaN});
  EXPECT_EQ(run(e.operands(1, 0)),
            (Doubles{1, 2, 3, 4, 0, 0, 0, 0, 14, 16, 18, 20}));
}

TEST(BsrAddmmTest, EmptyBlockRowGivesTheInputWhateverTheScales) {
  Example e;
  BsrAddmmOperands operands = e.operands(kInfinity, 3);
  operands.input = e.input.view();
  e.left = TestArray(DType::F32, {6}, {1, 1, kNaN, kInfinity, 1, 1});
  operands.left = e.left.view();
  Doubles result = run(operands);
  EXPECT_EQ(Doubles(result.begin() + 4, result.begin() + 8),
            (Doubles{15, 18, 21, 24}));
}

TEST(BsrAddmmTest, NoStoredBlock) {
  TestArray crow(DType::I32, {3}, {0, 0, 0}), col(DType::I32, {0});
  TestArray values(DType::F16, {0, 2, 2}), b(DType::F16, {4, 1}, {1, 2, 3, 4});
  TestArray out(DType::F32, {4, 1}, {1, 2, 3, 4});
  BsrAddmmOperands operands{1,
                            2,
                            crow.view(),
                            col.view(),
                            values.view(),
                            b.view(),
                            std::nullopt,
                            std::nullopt,
                            std::nullopt,
                            out.view()};
  EXPECT_EQ(run(operands), (Doubles{2, 4, 6, 8}));
  operands.beta = 0;
  EXPECT_EQ(run(operands), (Doubles{0, 0, 0, 0}));
  // Offsets may be anywhere as long as they are equal.
  col = TestArray(DType::I32, {5}, Doubles(5, -1));
  values = TestArray(DType::F16, {5, 2, 2}, Doubles(20, kNaN));
  crow = TestArray(DType::I32, {3}, {5, 5, 5});
  operands.crow = crow.view();
  operands.col = col.view();
  operands.values = values.view();
  EXPECT_EQ(run(operands), (Doubles{0, 0, 0, 0}));
}

TEST(BsrAddmmTest, EmptyDimensions) {
  auto shaped = [](int64_t batch, int64_t blockRows, int64_t K, int64_t N) {
    TestArray crow(DType::I32, {blockRows + 1}), col(DType::I32, {0});
    TestArray values(DType::F32, {0, 2, 2}), b(DType::F32, {batch, K, N});
    TestArray out(DType::F32, {batch, blockRows * 2, N},
                  Doubles(batch * blockRows * 2 * N, 1));
    return run({1, 1, crow.view(), col.view(), values.view(), b.view(),
                std::nullopt, std::nullopt, std::nullopt, out.view()});
  };
  EXPECT_EQ(shaped(1, 0, 4, 3), Doubles());
  EXPECT_EQ(shaped(1, 2, 4, 0), Doubles());
  EXPECT_EQ(shaped(0, 2, 4, 3), Doubles());
  EXPECT_EQ(shaped(1, 1, 0, 3), Doubles(6, 1));
  EXPECT_EQ(shaped(2, 1, 4, 1), Doubles(4, 1));
}

TEST(BsrAddmmTest, BatchesBroadcast) {
  // One pattern, values of two batches, b of three: out (3, 2, 1, 1).
  TestArray crow(DType::I32, {2}, {0, 1}), col(DType::I32, {1, 1}, {0});
  TestArray values(DType::F32, {2, 1, 1, 1}, {2, 3});
  TestArray b(DType::F32, {3, 1, 1, 1}, {10, 20, 30});
  TestArray input(DType::F32, {1}, {1});
  TestArray left(DType::F32, {2, 1}, {1, 2});
  TestArray out(DType::F32, {3, 2, 1, 1});
  BsrAddmmOperands operands{1,
                            1,
                            crow.view(),
                            col.view(),
                            values.view(),
                            b.view(),
                            input.view(),
                            left.view(),
                            std::nullopt,
                            out.view()};
  EXPECT_EQ(run(operands), (Doubles{21, 61, 41, 121, 61, 181}));
}

TEST(BsrAddmmTest, PatternsOfBatchesMayDifferInTheirNumberOfBlocks) {
  // One col and values for both, as dense-stacked batches unpack.
  TestArray crow(DType::I32, {2, 2}, {0, 1, 1, 3});
  TestArray col(DType::I32, {3}, {0, 0, 1});
  TestArray values(DType::F32, {3, 1, 1}, {2, 3, 4});
  TestArray b(DType::F32, {2, 1}, {1, 10});
  TestArray out(DType::F32, {2, 1, 1});
  EXPECT_EQ(run({1, 0, crow.view(), col.view(), values.view(), b.view(),
                 std::nullopt, std::nullopt, std::nullopt, out.view()}),
            (Doubles{2, 43}));
}

TEST(BsrAddmmTest, SumsAreNotRounded) {
  // 1 + 2^-20 needs more than f16, and 1e5 more than its range.
  TestArray crow(DType::I32, {2}, {0, 1}), col(DType::I32, {1}, {0});
  TestArray values(DType::F16, {1, 1, 2}, {1, std::pow(2.0, -10)});
  TestArray b(DType::F16, {2, 2}, {1, 50000, std::pow(2.0, -10), 0});
  TestArray out(DType::F16, {1, 2});
  EXPECT_EQ(
      run({2, 0, crow.view(), col.view(), values.view(), b.view(), std::nullopt,
           std::nullopt, std::nullopt, out.view()}),
      (Doubles{2 + std::pow(2.0, -19), 2 * roundToElement(DType::F16, 50000)}));
}

} // namespace
