//===- ContractShapesTest.cpp - Kinds, types and shapes of arguments ------===//

#include "BsrProgram.h"
#include "sattn/Runtime/Contract.h"

using namespace sattn::runtime;

namespace {

/// The message after one argument became another tensor.
std::string messageWith(size_t index, DType dtype, std::vector<int64_t> shape,
                        std::vector<int64_t> batch = {}) {
  static const Manifest plain = parseOrDie(bsrManifest());
  static const Manifest batched = parseOrDie(bsrManifest(2));
  BsrArguments arguments(batch);
  arguments.make(index, dtype, std::move(shape));
  return checkMessage(batch.empty() ? plain : batched, arguments);
}

} // namespace

TEST(ContractShapes, AcceptsWhatMatches) {
  EXPECT_EQ(checkMessage(parseOrDie(bsrManifest()), BsrArguments()),
            "<success>");
  EXPECT_EQ(checkMessage(parseOrDie(bsrManifest(2)), BsrArguments({2, 3})),
            "<success>");
}

TEST(ContractShapes, NumberAndKindsOfArguments) {
  Manifest manifest = parseOrDie(bsrManifest());
  BsrArguments arguments;
  arguments.arguments.pop_back();
  EXPECT_EQ(checkMessage(manifest, arguments),
            "program 'f': expected 10 arguments, but got 9");
  BsrArguments scalar;
  scalar.arguments[B] = 1.0;
  EXPECT_EQ(checkMessage(manifest, scalar),
            "argument 'b': expected a tensor, but got a scalar");
  BsrArguments tensor;
  tensor.make(Alpha, DType::F32, {});
  EXPECT_EQ(checkMessage(manifest, tensor),
            "argument 0: expected a scalar, but got a tensor");
}

TEST(ContractShapes, TypesAndRanks) {
  EXPECT_EQ(messageWith(B, DType::F16, {96, 40}),
            "argument 'b': expected elements of bf16, but got f16");
  EXPECT_EQ(messageWith(Crow, DType::I64, {3}),
            "argument 'crow': expected elements of i32, but got i64");
  EXPECT_EQ(messageWith(Values, DType::BF16, {192, 32}),
            "argument 'values': expected rank 3, but got 2 (shape [192, 32])");

  Manifest manifest = parseOrDie(bsrManifest());
  BsrArguments arguments;
  arguments.tensor(B).strides.pop_back();
  EXPECT_EQ(checkMessage(manifest, arguments),
            "argument 'b': expected 2 strides, but got 1");
  BsrArguments negative;
  negative.tensor(B).shape[1] = -1;
  EXPECT_EQ(checkMessage(manifest, negative),
            "argument 'b': expected extents of at least 0, but got shape "
            "[96, -1]");
}

TEST(ContractShapes, EachDimension) {
  EXPECT_EQ(messageWith(Out, DType::BF16, {100, 40}),
            "argument 'out': expected dimension 0 (M) to be a multiple of the "
            "block's 64 rows, but got 100");
  EXPECT_EQ(messageWith(B, DType::BF16, {100, 40}),
            "argument 'b': expected dimension 0 (K) to be a multiple of the "
            "block's 32 columns, but got 100");
  EXPECT_EQ(messageWith(Crow, DType::I32, {4}),
            "argument 'crow': expected dimension 0 (offsets) to be 3 (M / 64 + "
            "1), but got 4");
  EXPECT_EQ(messageWith(Values, DType::BF16, {3, 32, 32}),
            "argument 'values': expected dimension 1 (block rows) to be 64 "
            "(the block's), but got 32");
  EXPECT_EQ(messageWith(Values, DType::BF16, {3, 64, 64}),
            "argument 'values': expected dimension 2 (block columns) to be 32 "
            "(the block's), but got 64");
  EXPECT_EQ(messageWith(Col, DType::I32, {4}),
            "argument 'col': expected dimension 0 (stored blocks) to be 3 (as "
            "in argument 'values'), but got 4");
  EXPECT_EQ(messageWith(B, DType::BF16, {96, 41}),
            "argument 'b': expected dimension 1 (N) to be 40 (as in argument "
            "'out'), but got 41");
  EXPECT_EQ(messageWith(Input, DType::BF16, {64, 40}),
            "argument 'input': expected dimension 0 (M) to be 128 (as in "
            "argument 'out'), but got 64");
  EXPECT_EQ(messageWith(Input, DType::BF16, {128, 1}),
            "argument 'input': expected dimension 1 (N) to be 40 (as in "
            "argument 'out'), but got 1");
  EXPECT_EQ(messageWith(Left, DType::F32, {1}),
            "argument 'left': expected dimension 0 (M) to be 128 (as in "
            "argument 'out'), but got 1");
  EXPECT_EQ(messageWith(Right, DType::BF16, {128}),
            "argument 'right': expected dimension 0 (N) to be 40 (as in "
            "argument 'out'), but got 128");
}

TEST(ContractShapes, BatchesBroadcastToOut) {
  // An extent of 1, and fewer dimensions than out.
  EXPECT_EQ(messageWith(B, DType::BF16, {1, 3, 96, 40}, {2, 3}), "<success>");
  nlohmann::json json = bsrManifest(2);
  json["arguments"][B]["rank"] = 3;
  Manifest manifest = parseOrDie(json);
  BsrArguments arguments({2, 3});
  arguments.make(B, DType::BF16, {3, 96, 40});
  EXPECT_EQ(checkMessage(manifest, arguments), "<success>");
  arguments.make(B, DType::BF16, {2, 96, 40});
  EXPECT_EQ(checkMessage(manifest, arguments),
            "argument 'b': expected dimension 0 (batch) to be 1 or 3 (as in "
            "argument 'out'), but got 2");
}

TEST(ContractShapes, EachBatchDimension) {
  struct {
    BsrArgument argument;
    DType dtype;
    std::vector<int64_t> core;
  } operands[] = {{Crow, DType::I32, {3}},
                  {Col, DType::I32, {3}},
                  {Values, DType::BF16, {3, 64, 32}},
                  {B, DType::BF16, {96, 40}},
                  {Input, DType::BF16, {128, 40}},
                  {Left, DType::F32, {128}},
                  {Right, DType::BF16, {40}}};
  for (const auto &operand : operands)
    for (int wrong : {0, 1}) {
      std::vector<int64_t> shape = {2, 3};
      shape[wrong] = 4;
      shape.insert(shape.end(), operand.core.begin(), operand.core.end());
      std::string expected = "expected dimension " + std::to_string(wrong) +
                             " (batch) to be 1 or " + (wrong == 0 ? "2" : "3") +
                             " (as in argument 'out'), but got 4";
      EXPECT_TRUE(
          contains(messageWith(operand.argument, operand.dtype, shape, {2, 3}),
                   expected));
    }
}

TEST(ContractShapes, OutIsNotBroadcast) {
  // out decides the batch, so that it may not have an extent of 1 for others'.
  EXPECT_TRUE(contains(messageWith(Out, DType::BF16, {1, 3, 128, 40}, {2, 3}),
                       "argument 'crow': expected dimension 0 (batch) to be 1 "
                       "or 1"));
}

TEST(ContractShapes, EmptyDimensions) {
  Manifest manifest = parseOrDie(bsrManifest());
  BsrArguments none;
  none.make(Col, DType::I32, {0});
  none.make(Values, DType::BF16, {0, 64, 32});
  for (int i = 0; i < 3; ++i)
    none.indices(Crow)[i] = 0;
  EXPECT_EQ(checkMessage(manifest, none), "<success>");

  BsrArguments noRows;
  noRows.make(Out, DType::BF16, {0, 40});
  noRows.make(Input, DType::BF16, {0, 40});
  noRows.make(Left, DType::F32, {0});
  noRows.make(Crow, DType::I32, {1});
  EXPECT_EQ(checkMessage(manifest, noRows), "<success>");

  Manifest batched = parseOrDie(bsrManifest(1));
  EXPECT_EQ(checkMessage(batched, BsrArguments({0})), "<success>");
}
