//===- ProgramPrepareTest.cpp - Scratch, and operands kept over calls -----===//

#include "ProgramFixture.h"

#include <cstring>

using namespace sattn::runtime;

namespace {

/// A step with `preprocess` that writes scratch from crow and col, and one that
/// reads it.
class ProgramPrepareTest : public ProgramTest {
protected:
  ProgramPrepareTest() {
    // values: M, 3, 2, 1
    manifest["scratch"] = {{{"element", "i32"}, {"sizes", {0, 1}}},
                           {{"element", "i64"}, {"sizes", {2}}}};
    nlohmann::json step = manifest["steps"][0];
    step["grid"] = {3, 3, 3};
    step["shared"] = 0;
    nlohmann::json plan = step, use = step;
    plan["launch"] = "plan";
    plan["preprocess"] = true;
    plan["arguments"] = {
        {{"memref", Crow}}, {{"memref", Col}}, {{"scratch", 0}}};
    use["launch"] = "use";
    use["arguments"] = {{{"memref", Crow}}, {{"scratch", 0}}, {{"scratch", 1}}};
    manifest["steps"] = {plan, use};
  }

  ErrorOr<std::unique_ptr<Program>> loadBoth() {
    // Words of the last memref: of rank 1 or 2.
    int last = manifest["scratch"][1]["sizes"].size() == 1 ? 5 : 7;
    auto entry = [](const std::string &name, int words) {
      std::string text = ".visible .entry " + name + "(.param .u64 p0";
      for (int i = 1; i < words; ++i)
        text += ", .param .u64 p" + std::to_string(i);
      return text + ") { ret; }\n";
    };
    // Five words for each memref of rank 1, seven for rank 2.
    return Program::load(*device, manifest.dump(),
                         entry("plan", 5 + 5 + 7) + entry("use", 5 + 7 + last));
  }

  /// The words that launch `i` passed.
  std::vector<std::string> parameters(size_t i) {
    std::vector<std::string> launches = logged("launch");
    if (i >= launches.size())
      return {};
    std::istringstream words(
        launches[i].substr(launches[i].find("params") + strlen("params")));
    return std::vector<std::string>(std::istream_iterator<std::string>(words),
                                    {});
  }
};

} // namespace

TEST_F(ProgramPrepareTest, CapturedScratchIsOnePieceForTheTimeOfACall) {
  ScopedVariable capture{"STUB_CUDA_CAPTURE", "1"};
  ErrorOr<std::unique_ptr<Program>> program = loadBoth();
  ASSERT_TRUE(bool(program)) << messageOf(program);
  ASSERT_EQ(messageOf((*program)->launch(arguments.arguments, nullptr)),
            "<success>");
  ASSERT_EQ(logged("scratch").size(), 1u);
  EXPECT_EQ(logged("free-scratch").size(), 1u);
  // 128 x 3 of i32, then 2 of i64, each a multiple of 256 bytes.
  EXPECT_TRUE(contains(logged("scratch")[0], "scratch 1792 at"));
  // The second launch reads the memory that the first one writes.
  std::vector<std::string> plan = parameters(0), use = parameters(1);
  ASSERT_EQ(plan.size(), 17u);
  ASSERT_EQ(use.size(), 17u);
  EXPECT_EQ(plan[10], use[5]);
  EXPECT_NE(use[5], use[12]);
}

TEST_F(ProgramPrepareTest, CapturedScratchIsZeroWhereTheManifestSaysSo) {
  ScopedVariable capture{"STUB_CUDA_CAPTURE", "1"};
  manifest["scratch"][1]["zero"] = true;
  ErrorOr<std::unique_ptr<Program>> program = loadBoth();
  ASSERT_TRUE(bool(program)) << messageOf(program);
  ASSERT_EQ(messageOf((*program)->launch(arguments.arguments, nullptr)),
            "<success>");
  EXPECT_EQ(logged("set"), std::vector<std::string>{"set 16 to 0"});
  // Each call has its own.
  ErrorOr<Prepared> prepared =
      (*program)->prepare(arguments.arguments, nullptr);
  ASSERT_TRUE(bool(prepared)) << messageOf(prepared);
  EXPECT_EQ(logged("set").size(), 1u);
  ASSERT_EQ(
      messageOf((*program)->launch(*prepared, arguments.arguments, nullptr)),
      "<success>");
  EXPECT_EQ(logged("set").size(), 2u);
  ScopedVariable fail{"STUB_CUDA_FAIL", "cuMemsetD8Async:1"};
  size_t launches = logged("launch").size();
  EXPECT_TRUE(contains(
      messageOf((*program)->launch(*prepared, arguments.arguments, nullptr)),
      "cuMemsetD8Async failed"));
  EXPECT_EQ(logged("launch").size(), launches);
}

TEST_F(ProgramPrepareTest, ACapturedCallFillsNothingThatItLeavesZero) {
  manifest["scratch"][0]["zero"] = true;
  manifest["scratch"][0]["left_zero"] = true;
  manifest["scratch"][1] = manifest["scratch"][0];
  ErrorOr<std::unique_ptr<Program>> program = loadBoth();
  ASSERT_TRUE(bool(program)) << messageOf(program);
  size_t fills = logged("set").size();
  ScopedVariable capture{"STUB_CUDA_CAPTURE", "global"};
  for (int i = 0; i < 2; ++i)
    ASSERT_EQ(messageOf((*program)->launch(arguments.arguments, nullptr)),
              "<success>");
  EXPECT_EQ(logged("set").size(), fills);
  EXPECT_TRUE(logged("scratch").empty());
  std::vector<std::string> plan = parameters(0), use = parameters(1),
                           again = parameters(3);
  ASSERT_EQ(again.size(), 19u);
  // The first array is the same in both launches of a call, the others are
  // apart.
  EXPECT_EQ(plan[10], use[5]);
  EXPECT_NE(use[5], use[12]);
  EXPECT_NE(use[5], again[5]);
  EXPECT_NE(use[12], again[12]);
}

TEST_F(ProgramPrepareTest, CopiesOfIndicesAreReadEarly) {
  manifest["steps"][1]["programmatic"] = true;
  manifest["steps"][1]["reads_indices_early"] = true;
  ErrorOr<std::unique_ptr<Program>> program = loadBoth();
  ASSERT_TRUE(bool(program)) << messageOf(program);
  ASSERT_EQ(messageOf((*program)->launch(arguments.arguments, nullptr)),
            "<success>");
  ErrorOr<Prepared> prepared =
      (*program)->prepare(arguments.arguments, nullptr);
  ASSERT_TRUE(bool(prepared)) << messageOf(prepared);
  ASSERT_EQ(
      messageOf((*program)->launch(*prepared, arguments.arguments, nullptr)),
      "<success>");
  std::vector<std::string> launches = logged("launch use");
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_FALSE(contains(launches[0], "programmatic"));
  EXPECT_TRUE(contains(launches[1], "programmatic"));
}

TEST_F(ProgramPrepareTest, PreparationIsWaitedFor) {
  ErrorOr<std::unique_ptr<Program>> program = loadBoth();
  ASSERT_TRUE(bool(program)) << messageOf(program);
  ScopedVariable fail{"STUB_CUDA_FAIL", "cuStreamSynchronize:700"};
  ErrorOr<Prepared> prepared =
      (*program)->prepare(arguments.arguments, nullptr);
  EXPECT_TRUE(contains(messageOf(prepared), "cuStreamSynchronize failed"));
}

TEST_F(ProgramPrepareTest, PreparedStepsAreNotLaunchedAgain) {
  ErrorOr<std::unique_ptr<Program>> program = loadBoth();
  ASSERT_TRUE(bool(program)) << messageOf(program);
  ErrorOr<Prepared> prepared =
      (*program)->prepare(arguments.arguments, nullptr);
  ASSERT_TRUE(bool(prepared)) << messageOf(prepared);
  // Three entries of crow and of col, and the scratch.
  EXPECT_EQ(prepared->bytes(), 12u + 12u + 1536u);
  ASSERT_EQ(logged("launch").size(), 1u);
  EXPECT_TRUE(contains(logged("launch")[0], "launch plan"));

  for (int i = 0; i < 2; ++i)
    ASSERT_EQ(
        messageOf((*program)->launch(*prepared, arguments.arguments, nullptr)),
        "<success>");
  ASSERT_EQ(logged("launch").size(), 3u);
  std::vector<std::string> plan = parameters(0), use = parameters(2);
  ASSERT_EQ(use.size(), 17u);
  EXPECT_TRUE(contains(logged("launch")[2], "launch use"));
  EXPECT_EQ(plan[10], use[5]);
  // Both had the same copy of crow.
  EXPECT_EQ(plan[0], use[0]);
  // Scratch that was not prepared is the stream's, for both calls.
  EXPECT_EQ(logged("scratch").size(), 1u);
  EXPECT_NE(use[5], use[12]);
}

TEST_F(ProgramPrepareTest, ANewSizeOfScratchIsANewKindOfCall) {
  ErrorOr<std::unique_ptr<Program>> program = loadBoth();
  ASSERT_TRUE(bool(program)) << messageOf(program);
  ErrorOr<Prepared> prepared =
      (*program)->prepare(arguments.arguments, nullptr);
  ASSERT_TRUE(bool(prepared)) << messageOf(prepared);
  for (int64_t rows : {128, 256, 128}) {
    arguments.make(Crow, DType::I32, {rows / 64 + 1});
    arguments.make(Out, DType::BF16, {rows, 40});
    arguments.make(Input, DType::BF16, {rows, 40});
    arguments.make(Left, DType::F32, {rows});
    EXPECT_EQ(messageOf((*program)->launch(arguments.arguments, nullptr)),
              "<success>");
    // The plan's rows of scratch[0].
    EXPECT_EQ(parameters(logged("launch").size() - 1)[8],
              parameters(logged("launch").size() - 2)[13]);
  }
}

TEST_F(ProgramPrepareTest, EachPreparedHasItsOwnCalls) {
  ErrorOr<std::unique_ptr<Program>> program = loadBoth();
  ASSERT_TRUE(bool(program)) << messageOf(program);
  std::vector<std::string> scratch;
  for (int i = 0; i < 2; ++i) {
    ErrorOr<Prepared> prepared =
        (*program)->prepare(arguments.arguments, nullptr);
    ASSERT_TRUE(bool(prepared)) << messageOf(prepared);
    ASSERT_EQ(
        messageOf((*program)->launch(*prepared, arguments.arguments, nullptr)),
        "<success>");
    std::vector<std::string> plan = parameters(2 * i),
                             use = parameters(2 * i + 1);
    EXPECT_EQ(plan[10], use[5]);
    EXPECT_EQ(plan[0], use[0]);
  }
}

TEST_F(ProgramPrepareTest, OnlyShapesOfTheOthersCount) {
  ErrorOr<std::unique_ptr<Program>> program = loadBoth();
  ASSERT_TRUE(bool(program)) << messageOf(program);
  for (size_t i : {Values, B, Input, Left, Right, Out})
    arguments.tensor(i).data = nullptr;
  EXPECT_TRUE(bool((*program)->prepare(arguments.arguments, nullptr)));
  arguments.tensor(Crow).data = nullptr;
  EXPECT_TRUE(
      contains(messageOf((*program)->prepare(arguments.arguments, nullptr)),
               "argument 'crow': expected a pointer"));
}

TEST_F(ProgramPrepareTest, OtherShapesThanPreparedAreRefused) {
  ErrorOr<std::unique_ptr<Program>> program = loadBoth(), other = loadBoth();
  ASSERT_TRUE(program && other);
  ErrorOr<Prepared> prepared =
      (*program)->prepare(arguments.arguments, nullptr);
  ASSERT_TRUE(bool(prepared)) << messageOf(prepared);
  EXPECT_EQ(
      messageOf((*other)->launch(*prepared, arguments.arguments, nullptr)),
      "program 'f': expected an operand that this program prepared");
  arguments.make(Col, DType::I32, {4});
  EXPECT_EQ(
      messageOf((*program)->launch(*prepared, arguments.arguments, nullptr)),
      "argument 'col': expected the prepared array, of shape [3] of i32, but "
      "got "
      "shape [4] of i32");
}

TEST_F(ProgramPrepareTest, ScratchThatDoesNotFit) {
  manifest["values"][1]["value"] = int64_t(1) << 60;
  ErrorOr<std::unique_ptr<Program>> program = loadBoth();
  ASSERT_TRUE(bool(program)) << messageOf(program);
  EXPECT_TRUE(
      contains(messageOf((*program)->launch(arguments.arguments, nullptr)),
               "expected scratch[0] of a size that fits in memory"));
  EXPECT_TRUE(logged("launch").empty());
}

TEST_F(ProgramPrepareTest, WhatAPrepareStepCannotHave) {
  nlohmann::json good = manifest;
  manifest["steps"][0]["when"] = 0;
  EXPECT_TRUE(contains(messageOf(loadBoth()),
                       "expected no 'when' of a step with 'preprocess'"));
  manifest = good;
  manifest["steps"][0]["arguments"][1] = {{"memref", Values}};
  EXPECT_TRUE(contains(messageOf(loadBoth()), "but parameter 1 is another"));
  manifest = good;
  manifest["steps"][0]["preprocess"] = 1;
  EXPECT_TRUE(
      contains(messageOf(loadBoth()), "expected true or false, but got 1"));
}

TEST_F(ProgramPrepareTest, OutOfMemorySaysWhatItWasFor) {
  ErrorOr<std::unique_ptr<Program>> program = loadBoth();
  ASSERT_TRUE(bool(program)) << messageOf(program);
  const std::vector<Argument> &given = arguments.arguments;
  {
    // crow and col are 12 bytes each, scratch is 1536.
    ScopedVariable memory("STUB_CUDA_MEMORY", "11");
    EXPECT_EQ(messageOf((*program)->prepare(given, nullptr)),
              "out of device memory: could not allocate 12 bytes of a copy of "
              "argument 'crow' on device 0 'Stub GPU'");
  }
  {
    ScopedVariable memory("STUB_CUDA_MEMORY", "1535");
    EXPECT_EQ(messageOf((*program)->prepare(given, nullptr)),
              "out of device memory: could not allocate 1536 bytes of scratch "
              "of a prepared operand on device 0 'Stub GPU'");
    EXPECT_EQ(messageOf((*program)->launch(given, nullptr)),
              "out of device memory: could not allocate 65536 bytes of scratch "
              "on device 0 'Stub GPU'");
  }
  EXPECT_TRUE(logged("launch").empty());
  ErrorOr<Prepared> prepared = (*program)->prepare(given, nullptr);
  ASSERT_TRUE(bool(prepared)) << messageOf(prepared);
  EXPECT_EQ(messageOf((*program)->launch(*prepared, given, nullptr)),
            "<success>");
  EXPECT_EQ(messageOf((*program)->launch(given, nullptr)), "<success>");
}
