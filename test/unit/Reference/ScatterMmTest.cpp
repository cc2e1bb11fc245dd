//===- ScatterMmTest.cpp - scatter_mm on values found by hand -------------===//

#include "sattn/Reference/ScatterMm.h"

#include "gtest/gtest.h"

#include <limits>

using namespace sattn::reference;
using sattn::runtime::DType;
using sattn::runtime::rowMajorView;
using sattn::runtime::TensorView;

namespace {
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Blocks of 1 x 2: (1, 2), (3, 4) and (5, 6); a grid of 2 x 2 matrices of
/// 2 x 1, whose columns are (1, 10), (2, 20), (3, 30) and (4, 40).
struct Problem {
  std::vector<int32_t> offsets = {0, 2, 3}, q = {0, 3, 1}, p = {0, 2, 1};
  std::vector<int64_t> r = {1, 2};
  std::vector<double> blocks = {1, 2, 3, 4, 5, 6};
  std::vector<double> others = {1, 10, 2, 20, 3, 30, 4, 40};
  std::vector<double> out = {100, 200, 300, 400};

  template <typename T> static TensorView list(std::vector<T> &entries) {
    return rowMajorView(entries.data(),
                        sizeof(T) == 4 ? DType::I32 : DType::I64,
                        {static_cast<int64_t>(entries.size())});
  }

  /// out[0] and out[1] of a list of matrices.
  ScatterMmOperands matrices() {
    return {list(offsets),
            list(q),
            rowMajorView(blocks.data(), DType::F64, {3, 1, 2}),
            rowMajorView(others.data(), DType::F64, {4, 2, 1}),
            list(p),
            {},
            rowMajorView(out.data(), DType::F64, {2, 1, 1})};
  }
  /// Rows of a matrix of 4 x 2 in `others`, of 2 x 2 in `out`.
  ScatterMmOperands strided() {
    q = {0, 5, 1};
    ScatterMmOperands op = matrices();
    op.q = list(q);
    op.r = list(r);
    op.others.shape = {2, 2, 2, 1};
    op.others.strides = {4, 2, 1, 1};
    op.out = rowMajorView(out.data(), DType::F64, {2, 2, 1, 1});
    return op;
  }
  /// Row 0 has blocks 0 and 1, row 1 has block 2.
  ScatterMmOperands compressed() {
    q = {0, 4, 1, 5, 4, 5};
    ScatterMmOperands op = strided();
    q = {0, 4, 1, 5, 4, 5};
    op.q = list(q);
    op.p = {};
    return op;
  }
};

std::vector<double> compute(const ScatterMmOperands &op) {
  auto result = scatterMm(op);
  EXPECT_TRUE(bool(result));
  return result ? *result : std::vector<double>();
}

std::string errorOf(const ScatterMmOperands &op) {
  auto result = scatterMm(op);
  EXPECT_FALSE(bool(result));
  return result ? "" : result.takeError().message();
}

TEST(ScatterMmTest, AddsToEachMatrix) {
  Problem problem;
  // (1, 2) (1, 10) + (5, 6) (4, 40) and (3, 4) (2, 20).
  EXPECT_EQ(compute(problem.matrices()),
            (std::vector<double>{100 + 21 + 260, 200 + 86}));
}

TEST(ScatterMmTest, AddsAtOffsets) {
  Problem problem;
  // Entry 0 is at row 0, column 1, entry 1 at row 1, column 0.
  EXPECT_EQ(compute(problem.strided()),
            (std::vector<double>{100, 200 + 21 + 260, 300 + 86, 400}));
}

TEST(ScatterMmTest, FindsPairsOfABlockRow) {
  Problem problem;
  // Row 0, column 1: (1, 2) (2, 20) + (3, 4) (4, 40); row 1, column 0:
  // (5, 6) (3, 30).
  EXPECT_EQ(compute(problem.compressed()),
            (std::vector<double>{100, 200 + 42 + 172, 300 + 195, 400}));
}

TEST(ScatterMmTest, AddsEqualPlacesTogether) {
  Problem problem;
  problem.r = {3, 3};
  EXPECT_EQ(compute(problem.strided()),
            (std::vector<double>{100, 200, 300, 400 + 21 + 260 + 86}));
}

TEST(ScatterMmTest, ReadsOnlyWhatPairsSay) {
  Problem problem;
  problem.offsets = {1, 1, 2};
  problem.p = {99, 1, -1};
  problem.blocks[0] = problem.others[0] = kNaN;
  ScatterMmOperands op = problem.strided();
  problem.q = {-5, 1, 77};
  EXPECT_EQ(compute(op), (std::vector<double>{100, 200, 300 + 86, 400}));
}

TEST(ScatterMmTest, BatchesShareListsAndBlocks) {
  Problem problem;
  std::vector<double> others = problem.others, out(8);
  for (double element : problem.others)
    others.push_back(2 * element);
  ScatterMmOperands op = problem.strided();
  op.others = {others.data(), DType::F64, {2, 2, 2, 2, 1}, {8, 4, 2, 1, 1}};
  op.out = rowMajorView(out.data(), DType::F64, {2, 2, 2, 1, 1});
  EXPECT_EQ(compute(op), (std::vector<double>{0, 281, 86, 0, 0, 562, 172, 0}));
}

TEST(ScatterMmTest, NamesWhatIsWrong) {
  Problem problem;
  ScatterMmOperands op = problem.matrices();
  op.p = {};
  EXPECT_EQ(errorOf(op), "expected p or r, but got neither");
  op = problem.matrices();
  op.blocks.dtype = DType::F32;
  EXPECT_EQ(errorOf(op), "expected others of the type of blocks, f32, but got "
                         "f64");
  op = problem.matrices();
  op.offsets.shape = {2};
  EXPECT_EQ(errorOf(op), "expected 3 offsets, but got 2");
  problem.q[1] = 4;
  EXPECT_EQ(errorOf(problem.matrices()),
            "expected q[1] to be the number of a matrix of (4, 2, 1), but got "
            "4");
  problem.p[0] = 3;
  problem.q[1] = 3;
  EXPECT_EQ(errorOf(problem.matrices()),
            "expected blocks of more than 3 matrices, but got 3");
  problem = Problem();
  problem.r[1] = 4;
  EXPECT_EQ(errorOf(problem.strided()),
            "expected r[1] to be the offset of a matrix of (2, 2, 1, 1), but "
            "got 4");
  problem = Problem();
  problem.offsets = {0, 2, 1};
  EXPECT_EQ(errorOf(problem.matrices()),
            "expected offsets[2] to be 2 or more, but got 1");
  problem.offsets = {0, 2, 4};
  EXPECT_EQ(errorOf(problem.matrices()),
            "expected p of 4 entries or more, but got 3");
}
} // namespace
