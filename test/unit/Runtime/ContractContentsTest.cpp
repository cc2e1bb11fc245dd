//===- ContractContentsTest.cpp - What index arrays hold ------------------===//

#include "BsrProgram.h"
#include "sattn/Runtime/Contract.h"

using namespace sattn::runtime;

namespace {

/// The message for one batch with these indices.
std::string messageWith(std::vector<int32_t> crow, std::vector<int32_t> col) {
  BsrArguments arguments;
  std::copy(crow.begin(), crow.end(), arguments.indices(Crow));
  std::copy(col.begin(), col.end(), arguments.indices(Col));
  return checkMessage(parseOrDie(bsrManifest()), arguments);
}

} // namespace

TEST(ContractContents, AcceptsAnyOrderOffsetsAndEmptyRows) {
  EXPECT_EQ(messageWith({0, 2, 3}, {2, 0, 1}), "<success>");
  EXPECT_EQ(messageWith({0, 0, 3}, {2, 2, 2}), "<success>");
  EXPECT_EQ(messageWith({0, 0, 0}, {7, 7, -1}), "<success>");
  // Blocks outside the rows are never referred to.
  EXPECT_EQ(messageWith({1, 1, 2}, {-5, 2, 99}), "<success>");
}

TEST(ContractContents, OffsetsOutOfRange) {
  EXPECT_EQ(messageWith({0, 2, 4}, {0, 1, 2}),
            "argument 'crow': expected offsets in [0, 3], the number of stored "
            "blocks, but got 4 at [2]");
  EXPECT_EQ(messageWith({-1, 2, 3}, {0, 1, 2}),
            "argument 'crow': expected offsets in [0, 3], the number of stored "
            "blocks, but got -1 at [0]");
}

TEST(ContractContents, OffsetsThatDecrease) {
  EXPECT_EQ(messageWith({0, 3, 2}, {0, 1, 2}),
            "argument 'crow': expected offsets that do not decrease, but got 2 "
            "after 3 at [2]");
}

TEST(ContractContents, ColumnsOutOfRange) {
  EXPECT_EQ(messageWith({0, 2, 3}, {0, 3, 1}),
            "argument 'col': expected block columns in [0, 3), but got 3 at "
            "[1]");
  EXPECT_EQ(messageWith({0, 2, 3}, {0, 2, -1}),
            "argument 'col': expected block columns in [0, 3), but got -1 at "
            "[2]");
}

TEST(ContractContents, OffLeavesTheContentsAlone) {
  BsrArguments arguments;
  arguments.indices(Crow)[1] = 99;
  arguments.indices(Col)[1] = 99;
  Manifest manifest = parseOrDie(bsrManifest());
  EXPECT_FALSE(
      bool(checkContracts(manifest, arguments.arguments, ContentCheck::Off)));
}

TEST(ContractContents, PositionsInBatches) {
  Manifest manifest = parseOrDie(bsrManifest(2));
  BsrArguments arguments({2, 3});
  // Batch [1, 2], its second entry.
  arguments.indices(Col)[5 * 3 + 1] = 7;
  EXPECT_TRUE(
      contains(checkMessage(manifest, arguments), "but got 7 at [1, 2, 1]"));
  arguments.indices(Crow)[4 * 3 + 2] = 1;
  EXPECT_TRUE(contains(checkMessage(manifest, arguments),
                       "but got 1 after 2 at [1, 1, 2]"));
}

TEST(ContractContents, BatchesHaveEquallyManyBlocks) {
  Manifest manifest = parseOrDie(bsrManifest(1));
  BsrArguments arguments({3});
  // Other offsets, the same number: fine.
  std::copy_n(std::array{0, 1, 3}.begin(), 3, arguments.indices(Crow) + 3);
  EXPECT_EQ(checkMessage(manifest, arguments), "<success>");
  arguments.indices(Crow)[2 * 3 + 2] = 2;
  EXPECT_EQ(checkMessage(manifest, arguments),
            "argument 'crow': expected 3 stored blocks in every batch, as in "
            "the first, but got 2 in batch [2]");
}

TEST(ContractContents, BatchesThatShareBlocksMayDiffer) {
  // All batches refer to parts of one list of blocks.
  Manifest manifest = parseOrDie(bsrManifest(1));
  BsrArguments arguments({2});
  arguments.make(Col, DType::I32, {1, 5});
  arguments.make(Values, DType::BF16, {1, 5, 64, 32});
  std::copy_n(std::array{0, 1, 2, 2, 3, 5}.begin(), 6, arguments.indices(Crow));
  EXPECT_EQ(checkMessage(manifest, arguments), "<success>");
  // The second batch's last block.
  arguments.indices(Col)[4] = 3;
  EXPECT_TRUE(
      contains(checkMessage(manifest, arguments), "but got 3 at [0, 4]"));
}

TEST(ContractContents, OneCrowForAllBatchesOfCol) {
  Manifest manifest = parseOrDie(bsrManifest(1));
  BsrArguments arguments({2});
  arguments.make(Crow, DType::I32, {1, 3});
  std::copy_n(std::array{0, 1, 3}.begin(), 3, arguments.indices(Crow));
  EXPECT_EQ(checkMessage(manifest, arguments), "<success>");
  arguments.indices(Col)[1 * 3 + 2] = 4;
  EXPECT_TRUE(
      contains(checkMessage(manifest, arguments), "but got 4 at [1, 2]"));
}

TEST(ContractContents, BatchesOfDifferentRankAlignAtTheEnd) {
  nlohmann::json json = bsrManifest(2);
  json["arguments"][Col]["rank"] = 2;
  Manifest manifest = parseOrDie(json);
  BsrArguments arguments({2, 3});
  arguments.make(Col, DType::I32, {3, 3});
  EXPECT_EQ(checkMessage(manifest, arguments), "<success>");
  // Read by the batches [0, 2] and [1, 2].
  arguments.indices(Col)[2 * 3] = 3;
  EXPECT_TRUE(
      contains(checkMessage(manifest, arguments), "but got 3 at [2, 0]"));
}

TEST(ContractContents, StridesAndWideIndices) {
  nlohmann::json json = bsrManifest();
  json["arguments"][Crow]["element"] = "i64";
  json["arguments"][Col]["element"] = "i64";
  Manifest manifest = parseOrDie(json);
  BsrArguments arguments;
  arguments.make(Crow, DType::I64, {6});
  arguments.make(Col, DType::I64, {3});
  // Every second entry, backwards: 0, 2, 3.
  auto *crow = static_cast<int64_t *>(arguments.tensor(Crow).data);
  std::copy_n(std::array<int64_t, 6>{-1, 3, -1, 2, -1, 0}.begin(), 6, crow);
  arguments.tensor(Crow).data = crow + 5;
  arguments.tensor(Crow).shape = {3};
  arguments.tensor(Crow).strides = {-2};
  EXPECT_EQ(checkMessage(manifest, arguments), "<success>");
  // A column whose low 32 bits would be in range.
  static_cast<int64_t *>(arguments.tensor(Col).data)[1] = int64_t(1) << 32;
  EXPECT_TRUE(
      contains(checkMessage(manifest, arguments), "but got 4294967296 at"));
}
