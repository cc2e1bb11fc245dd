//===- BsrAddmmRandomTest.cpp - bsr_addmm against dense matrices ----------===//
//
// Random shapes, types, batches, strides and patterns, each against A expanded
// to a dense matrix of doubles and multiplied by the definition.
//
//===----------------------------------------------------------------------===//

#include "sattn/Reference/BsrAddmm.h"

#include "TestArray.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace sattn::reference;

namespace {

using Shape = std::vector<int64_t>;

class RandomProblem {
public:
  explicit RandomProblem(uint64_t seed) : random(seed) {
    blockM = pick({1, 2, 3, 8, 16});
    blockK = pick({1, 2, 5, 8});
    blockRows = pick({0, 1, 2, 5});
    blockColumns = pick({0, 1, 2, 4});
    N = pick({0, 1, 7, 16, 33, 129, 257});
    nnz = pick({0, 1, 3, 9});
    for (int64_t rank = pick({0, 0, 1, 2}); rank > 0; --rank)
      batch.push_back(pick({0, 1, 2, 3}));
    alpha = pick({0, 1, 2, 3}) * 0.5;
    beta = pick({0, 1, 2, -3}) * 0.5;
    dtype = pick({DType::F16, DType::BF16, DType::F32, DType::F64});
  }

  BsrAddmmOperands operands() {
    BsrAddmmOperands result;
    result.alpha = alpha;
    result.beta = beta;
    result.crow = makeCrow();
    result.col = makeCol();
    result.values = makeFloats(dtype, {nnz, blockM, blockK}, alpha != 0);
    result.b = makeFloats(dtype, {blockColumns * blockK, N}, alpha != 0);
    bool hasInput = random() % 2;
    if (hasInput)
      result.input = makeInput();
    if (random() % 2)
      result.left = makeFloats(scaleType(), {blockRows * blockM}, alpha != 0);
    if (random() % 2)
      result.right = makeFloats(scaleType(), {N}, alpha != 0);
    Shape outShape = batch;
    outShape.insert(outShape.end(), {blockRows * blockM, N});
    DType outType = pick({DType::F16, DType::BF16, DType::F32, DType::F64});
    arrays.push_back(TestArray::strided(outType, outShape, random, false));
    fill(arrays.back(), !hasInput && beta != 0);
    result.out = arrays.back().view();
    return result;
  }

private:
  template <typename T> T pick(std::initializer_list<T> choices) {
    return choices.begin()[random() % choices.size()];
  }
  DType indexType() { return pick({DType::I32, DType::I64}); }
  DType scaleType() { return pick({dtype, DType::F32}); }

  /// Batch dimensions that broadcast to the result's, and the operand's own.
  Shape batched(const Shape &own) {
    Shape shape(batch.begin() + random() % (batch.size() + 1), batch.end());
    for (int64_t &extent : shape)
      if (random() % 3 == 0)
        extent = 1;
    shape.insert(shape.end(), own.begin(), own.end());
    return shape;
  }

  /// Random elements, or NaN for what must not be read.
  void fill(TestArray &array, bool isRead) {
    std::uniform_real_distribution<double> uniform(-1, 1);
    array.fill([&](const Shape &) { return isRead ? uniform(random) : kNaN; });
  }

  TensorView makeFloats(DType type, const Shape &own, bool isRead) {
    arrays.push_back(TestArray::strided(type, batched(own), random, true));
    fill(arrays.back(), isRead);
    return arrays.back().view();
  }

  TensorView makeInput() {
    Shape shape = batched({blockRows * blockM, N});
    // Rows and columns broadcast too.
    if (random() % 4 == 0)
      shape.back() = 1;
    if (random() % 4 == 0)
      shape = {N};
    arrays.push_back(TestArray::strided(dtype, shape, random, true));
    fill(arrays.back(), beta != 0);
    return arrays.back().view();
  }

  /// Offsets between `first` and `last`, different in every batch.
  TensorView makeCrow() {
    first = nnz ? random() % nnz : 0;
    last = blockColumns ? nnz - random() % (nnz - first + 1) : first;
    arrays.push_back(TestArray::strided(indexType(), batched({blockRows + 1}),
                                        random, false));
    int64_t offset = first;
    arrays.back().fill([&](const Shape &index) {
      if (index.back() == 0)
        offset = first;
      offset = std::min<int64_t>(last, offset + random() % 3);
      return offset;
    });
    return arrays.back().view();
  }

  /// Block columns in any order, repeated or not; nonsense where no offset
  /// points.
  TensorView makeCol() {
    arrays.push_back(
        TestArray::strided(indexType(), batched({nnz}), random, false));
    arrays.back().fill([&](const Shape &index) {
      bool isUsed = index.back() >= first && index.back() < last;
      return isUsed ? int64_t(random() % blockColumns) : int64_t(-9);
    });
    return arrays.back().view();
  }

  std::mt19937_64 random;
  std::vector<TestArray> arrays;
  int64_t blockM, blockK, blockRows, blockColumns, N, nnz;
  int64_t first = 0, last = 0;
  double alpha, beta;
  DType dtype;
  Shape batch;
};

/// Element `tail` of the matrix or vector of batch `index` of an operand.
template <typename Load>
auto at(const TensorView &view, Shape index, const Shape &tail, Load load) {
  index.insert(index.end(), tail.begin(), tail.end());
  // Own dimensions are not broadcast: give the batch's offset and add them.
  Shape zeros = index;
  std::fill(zeros.end() - tail.size(), zeros.end(), 0);
  int64_t offset = broadcastOffset(view, zeros);
  for (size_t i = 0; i < tail.size(); ++i)
    offset += tail[i] * view.strides[view.strides.size() - tail.size() + i];
  return load(view, offset);
}

std::vector<double> denseResult(const BsrAddmmOperands &o) {
  std::vector<double> result;
  const Shape &outShape = o.out.shape;
  int64_t M = outShape[outShape.size() - 2], N = outShape.back();
  int64_t K = o.b.shape[o.b.shape.size() - 2];
  int64_t blockM = o.values.shape[o.values.shape.size() - 2];
  int64_t blockK = o.values.shape.back();
  Shape index(outShape.size() - 2, 0);
  for (int64_t count = o.out.numElements();
       static_cast<int64_t>(result.size()) < count;) {
    std::vector<std::vector<double>> a(M, std::vector<double>(K, 0));
    std::vector<bool> isStored(M, false);
    for (int64_t row = 0; o.alpha != 0 && row < M / blockM; ++row) {
      int64_t begin = at(o.crow, index, {row}, loadIndex);
      int64_t end = at(o.crow, index, {row + 1}, loadIndex);
      for (int64_t p = begin; p < end; ++p) {
        int64_t column = at(o.col, index, {p}, loadIndex);
        for (int64_t i = 0; i < blockM; ++i) {
          isStored[row * blockM + i] = true;
          for (int64_t k = 0; k < blockK; ++k)
            a[row * blockM + i][column * blockK + k] +=
                at(o.values, index, {p, i, k}, loadElement);
        }
      }
    }
    for (int64_t i = 0; i < M; ++i)
      for (int64_t j = 0; j < N; ++j) {
        double value = 0;
        if (isStored[i]) {
          for (int64_t k = 0; k < K; ++k)
            value += a[i][k] * at(o.b, index, {k, j}, loadElement);
          value *= o.alpha;
          value *= o.left ? at(*o.left, index, {i}, loadElement) : 1;
          value *= o.right ? at(*o.right, index, {j}, loadElement) : 1;
        }
        if (o.beta != 0) {
          Shape element = index;
          element.insert(element.end(), {i, j});
          const TensorView &input = o.input ? *o.input : o.out;
          value += o.beta * loadElement(input, broadcastOffset(input, element));
        }
        result.push_back(value);
      }
    for (size_t dim = index.size(); dim-- > 0 && ++index[dim] == outShape[dim];)
      index[dim] = 0;
  }
  return result;
}

TEST(BsrAddmmRandomTest, AgreesWithDense) {
  int64_t elements = 0, products = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    RandomProblem problem(seed);
    BsrAddmmOperands operands = problem.operands();
    auto result = bsrAddmm(operands);
    ASSERT_TRUE(bool(result))
        << "seed " << seed << ": " << result.error().message();
    std::vector<double> expected = denseResult(operands);
    ASSERT_EQ(result->size(), expected.size()) << "seed " << seed;
    for (size_t i = 0; i < expected.size(); ++i) {
      ASSERT_NEAR((*result)[i], expected[i], 1e-12)
          << "seed " << seed << " element " << i;
      products += operands.alpha != 0 && expected[i] != 0;
    }
    elements += expected.size();
  }
  // The seeds are not all empty.
  EXPECT_GT(elements, 100000);
  EXPECT_GT(products, 50000);
}

} // namespace
