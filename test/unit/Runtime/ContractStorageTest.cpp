//===- ContractStorageTest.cpp - A sparse operand of a computed product ---===//

#include "BsrProgram.h"
#include "sattn/Runtime/Contract.h"

using namespace sattn::runtime;
using nlohmann::json;

namespace {

/// The program of bsrManifest with the storage's contract alone.
json storageManifest() {
  json manifest = bsrManifest();
  manifest["contracts"] = json::array({storageContract()});
  return manifest;
}

std::string check(const json &manifest, const BsrArguments &arguments,
                  ContentCheck contents = ContentCheck::On) {
  return checkMessage(parseOrDie(manifest), arguments, contents);
}

/// The message after one argument got another shape.
std::string messageWith(size_t argument, DType dtype,
                        std::vector<int64_t> shape) {
  BsrArguments arguments;
  arguments.make(argument, dtype, std::move(shape));
  return check(storageManifest(), arguments, ContentCheck::Off);
}

} // namespace

TEST(ContractStorage, AcceptsWhatMatches) {
  EXPECT_EQ(check(storageManifest(), BsrArguments()), "<success>");
  EXPECT_EQ(messageOf(checkShapes(parseOrDie(storageManifest()),
                                  BsrArguments().arguments)),
            "<success>");
  // Operands that are not its own may be anything.
  EXPECT_EQ(messageWith(B, DType::BF16, {7, 5}), "<success>");
}

TEST(ContractStorage, EachDimension) {
  EXPECT_EQ(messageWith(Crow, DType::I32, {4}),
            "argument 'crow': expected dimension 0 (offsets) to be 3 (M / 64 + "
            "1), but got 4");
  EXPECT_EQ(messageWith(Col, DType::I32, {2}),
            "argument 'col': expected dimension 0 (stored blocks) to be 3 (as "
            "in argument 'values'), but got 2");
  EXPECT_EQ(messageWith(Values, DType::BF16, {3, 32, 32}),
            "argument 'values': expected dimension 1 (block rows) to be 64 "
            "(the block's), but got 32");
  EXPECT_EQ(messageWith(Values, DType::BF16, {3, 64, 16}),
            "argument 'values': expected dimension 2 (block columns) to be 32 "
            "(the block's), but got 16");
  EXPECT_EQ(messageWith(Out, DType::BF16, {100, 40}),
            "argument 'out': expected dimension 0 (M) to be a multiple of the "
            "block's 64 rows, but got 100");
}

TEST(ContractStorage, Contents) {
  BsrArguments arguments;
  arguments.indices(Col)[1] = 3;
  EXPECT_EQ(check(storageManifest(), arguments),
            "argument 'col': expected block columns in [0, 3), but got 3 at "
            "[1]");
  EXPECT_EQ(check(storageManifest(), arguments, ContentCheck::Off),
            "<success>");
  arguments.indices(Crow)[2] = 4;
  EXPECT_EQ(check(storageManifest(), arguments),
            "argument 'crow': expected offsets in [0, 3], the number of stored "
            "blocks, but got 4 at [2]");
}

TEST(ContractStorage, ExtentsThatAreNotKnown) {
  json manifest = storageManifest();
  manifest["contracts"] = json::array({storageContract(0, /*areKnown=*/false)});
  BsrArguments arguments;
  arguments.make(Out, DType::BF16, {100, 40});
  arguments.indices(Col)[1] = 99;
  EXPECT_EQ(check(manifest, arguments), "<success>");
  arguments.indices(Col)[1] = -1;
  EXPECT_TRUE(contains(check(manifest, arguments), "but got -1 at [1]"));
  arguments.make(Crow, DType::I32, {0});
  EXPECT_EQ(check(manifest, arguments),
            "argument 'crow': expected at least 1 offset, but got 0");
}

/// Two batches of two block rows: five offsets.
TEST(ContractStorage, OneListOfOffsets) {
  json manifest = storageManifest();
  manifest["contracts"] =
      json::array({storageContract(0, /*areKnown=*/true, /*isOneList=*/true)});
  BsrArguments arguments;
  arguments.make(Crow, DType::I32, {5});
  std::copy_n(std::array{0, 1, 1, 2, 3}.begin(), 5, arguments.indices(Crow));
  EXPECT_EQ(check(manifest, arguments), "<success>");
  arguments.indices(Crow)[4] = 1;
  EXPECT_TRUE(contains(check(manifest, arguments), "do not decrease"));
  arguments.make(Crow, DType::I32, {4});
  EXPECT_EQ(check(manifest, arguments),
            "argument 'crow': expected one offset and 2 for each batch (M / "
            "64), but got 4");
}

/// The indices lie in the memory of `out`, which is larger than theirs: `out`
/// at the address of one of them could reach others as well.
TEST(ContractStorage, WhatIsWrittenIsApartFromTheIndices) {
  for (auto [index, name] : {std::pair(Crow, "crow"), std::pair(Col, "col")}) {
    BsrArguments arguments;
    std::copy_n(arguments.indices(index), 3, arguments.indices(Out));
    arguments.tensor(index).data = arguments.tensor(Out).data;
    EXPECT_EQ(check(storageManifest(), arguments),
              std::string("argument 'out': expected memory apart from "
                          "argument '") +
                  name + "', but got memory that overlaps it");
  }
}

TEST(ContractStorage, Batches) {
  json manifest = bsrManifest(1);
  manifest["contracts"] = json::array({storageContract(/*dimension=*/1)});
  BsrArguments arguments({2});
  EXPECT_EQ(check(manifest, arguments), "<success>");
  arguments.make(Col, DType::I32, {3, 3});
  EXPECT_TRUE(contains(check(manifest, arguments),
                       "argument 'values': expected dimension 0 (batch) to be "
                       "1 or 3 (as in argument 'col'), but got 2"));
}
