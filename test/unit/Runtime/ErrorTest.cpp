//===- ErrorTest.cpp ------------------------------------------------------===//

#include "TestUtils.h"
#include "sattn/Runtime/Tensor.h"

#include <memory>

using namespace sattn::runtime;

TEST(Error, ConvertsToTrueWhenThereIsOne) {
  EXPECT_FALSE(bool(Error::success()));
  EXPECT_TRUE(bool(Error("no driver")));
  EXPECT_EQ(Error("no driver").message(), "no driver");
  EXPECT_TRUE(bool(Error("")));
}

TEST(Error, ErrorOrHoldsAValueOrAnError) {
  ErrorOr<std::unique_ptr<int>> value(std::make_unique<int>(3));
  ASSERT_TRUE(bool(value));
  EXPECT_EQ(**value, 3);
  EXPECT_FALSE(bool(value.error()));

  ErrorOr<std::unique_ptr<int>> failure(Error("nothing"));
  ASSERT_FALSE(bool(failure));
  EXPECT_EQ(failure.takeError().message(), "nothing");
}

TEST(Tensor, NamesOfTypesRoundTrip) {
  for (const DTypeFacts &facts : kDTypes) {
    EXPECT_EQ(parseDType(name(facts.dtype)), facts.dtype);
    EXPECT_EQ(name(facts.dtype), facts.name);
    EXPECT_EQ(byteWidth(facts.dtype), facts.bytes);
  }
  EXPECT_EQ(parseDType("f8"), std::nullopt);
}

TEST(Tensor, RowMajorStridesOfEmptyExtents) {
  EXPECT_EQ(rowMajorStrides({2, 3, 4}), (std::vector<int64_t>{12, 4, 1}));
  EXPECT_EQ(rowMajorStrides({2, 0, 4}), (std::vector<int64_t>{4, 4, 1}));
  EXPECT_EQ(rowMajorStrides({}), (std::vector<int64_t>{}));
  EXPECT_EQ(rowMajorView(nullptr, DType::F32, {2, 0}).numElements(), 0);
  EXPECT_EQ(rowMajorView(nullptr, DType::F32, {}).numElements(), 1);
}
