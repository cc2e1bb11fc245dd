//===- ProgramLaunchTest.cpp - What launches, and with what ---------------===//

#include "ProgramFixture.h"

#include <cstring>
#include <thread>

using namespace sattn::runtime;

namespace {

template <class T> std::string hex(T value) {
  unsigned char bytes[sizeof(T)];
  memcpy(bytes, &value, sizeof(T));
  std::string text;
  for (unsigned char byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

} // namespace

TEST_F(ProgramTest, ParametersArriveAsSpecified) {
  ErrorOr<std::unique_ptr<Program>> program = load();
  ASSERT_TRUE(bool(program)) << messageOf(program);
  ErrorOr<Stream> stream = Stream::create(*device);
  ASSERT_TRUE(bool(stream));
  arguments.tensor(Left).strides = {7};
  ASSERT_EQ(
      messageOf((*program)->launch(arguments.arguments, stream->handle())),
      "<success>");

  std::vector<std::string> launches = logged("launch");
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_TRUE(contains(launches[0], "launch kernel grid 128 3 2 block 384 1 1 "
                                    "shared 1024 stream 0x"));
  std::istringstream words(
      launches[0].substr(launches[0].find("params") + strlen("params")));
  std::vector<std::string> parameters(std::istream_iterator<std::string>(words),
                                      {});
  ASSERT_EQ(parameters.size(), 9u);
  EXPECT_EQ(parameters[0], hex(arguments.tensor(Left).data));
  EXPECT_EQ(parameters[1], hex(arguments.tensor(Left).data));
  EXPECT_EQ(parameters[2], hex(int64_t(0)));
  EXPECT_EQ(parameters[3], hex(int64_t(128)));
  EXPECT_EQ(parameters[4], hex(int64_t(7)));
  EXPECT_EQ(parameters[5], hex(int64_t(128)));
  EXPECT_EQ(parameters[6], hex(int32_t(3)));
  EXPECT_EQ(parameters[7], hex(2.0f));
  ASSERT_EQ(parameters[8].size(), 256u);
  EXPECT_EQ(parameters[8].substr(0, 16), hex(arguments.tensor(B).data));
  // Extents of b, innermost first.
  EXPECT_EQ(parameters[8].substr(32, 32),
            hex(uint64_t(40)) + hex(uint64_t(96)));
}

TEST_F(ProgramTest, MemrefsOfHigherRank) {
  // Sizes first, then strides.
  manifest["steps"][0]["arguments"] = {{{"memref", Values}}};
  std::string text = ".entry kernel(.param .u64 p0";
  for (int i = 1; i < 9; ++i)
    text += ", .param .u64 p" + std::to_string(i);
  // Every second column of a wider array.
  arguments.make(Values, DType::BF16, {3, 64, 64});
  arguments.tensor(Values).shape = {3, 64, 32};
  arguments.tensor(Values).strides = {4096, 64, 2};
  ErrorOr<std::unique_ptr<Program>> program =
      Program::load(*device, manifest.dump(), text + ") {}");
  ASSERT_TRUE(bool(program)) << messageOf(program);
  ASSERT_FALSE(bool((*program)->launch(arguments.arguments, nullptr)));
  std::string expected;
  for (int64_t word : {0, 3, 64, 32, 4096, 64, 2})
    expected += " " + hex(word);
  ASSERT_EQ(logged("launch").size(), 1u);
  EXPECT_TRUE(contains(logged("launch")[0], expected));
}

TEST_F(ProgramTest, ScratchReplacesAnArgumentUnderItsCondition) {
  // Rows of 40 elements, 48 apart.
  manifest["values"].push_back({{"op", "constant"}, {"value", 96}});
  manifest["values"].push_back({{"op", "constant"}, {"value", 40}});
  manifest["values"].push_back({{"op", "constant"}, {"value", 48}});
  manifest["values"].push_back(
      {{"op", "stride"}, {"argument", B}, {"index", 0}});
  manifest["values"].push_back({{"op", "ne"}, {"operands", {7, 5}}});
  manifest["scratch"] = {
      {{"element", "bf16"}, {"sizes", {4, 5}}, {"strides", {6, 3}}}};
  nlohmann::json replaced = {{"when", 8}, {"scratch", 0}};
  manifest["steps"][0]["arguments"] = {{{"memref", B}, {"replaced", replaced}},
                                       {{"tensor_map",
                                         {{"argument", B},
                                          {"replaced", replaced},
                                          {"box", {32, 64}},
                                          {"swizzle", 128}}}}};
  std::string text = ".entry kernel(.param .u64 p0";
  for (int i = 1; i < 7; ++i)
    text += ", .param .u64 p" + std::to_string(i);
  text += ", .param .align 64 .b8 m[128]) {}";
  ErrorOr<std::unique_ptr<Program>> program =
      Program::load(*device, manifest.dump(), text);
  ASSERT_TRUE(bool(program)) << messageOf(program);
  ASSERT_FALSE(bool((*program)->launch(arguments.arguments, nullptr)));
  std::string own = hex(arguments.tensor(B).data);
  ASSERT_EQ(logged("launch").size(), 1u);
  EXPECT_TRUE(contains(logged("launch")[0], own));

  TensorView &b = arguments.tensor(B);
  b.data = static_cast<char *>(b.data) + (int64_t(1) << 30);
  b.strides = {41, 1};
  ASSERT_EQ(messageOf((*program)->launch(arguments.arguments, nullptr)),
            "<success>");
  ASSERT_EQ(logged("launch").size(), 2u);
  std::string expected;
  for (int64_t word : {0, 96, 40, 48, 1})
    expected += " " + hex(word);
  EXPECT_TRUE(contains(logged("launch")[1], expected));
  EXPECT_FALSE(contains(logged("launch")[1], hex(b.data)));
}

TEST_F(ProgramTest, StepsInOrderWhereTheirConditionHolds) {
  manifest["values"].push_back({{"op", "constant"}, {"value", 0}});
  nlohmann::json step = manifest["steps"][0];
  manifest["steps"] = nlohmann::json::array({step, step, step});
  manifest["steps"][0]["grid"] = {1, 3, 3};
  manifest["steps"][1]["when"] = 4;
  manifest["steps"][2]["when"] = 2;
  EXPECT_EQ(launchMessage(), "<success>");
  std::vector<std::string> launches = logged("launch");
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_TRUE(contains(launches[0], "grid 3 1 1"));
  EXPECT_TRUE(contains(launches[1], "grid 128 3 2"));
}

TEST_F(ProgramTest, ProgrammaticLaunches) {
  nlohmann::json step = manifest["steps"][0];
  manifest["steps"] = nlohmann::json::array({step, step, step});
  manifest["steps"][1]["programmatic"] = true;
  manifest["steps"][2]["programmatic"] = false;
  EXPECT_EQ(launchMessage(), "<success>");
  std::vector<std::string> launches = logged("launch");
  ASSERT_EQ(launches.size(), 3u);
  EXPECT_FALSE(contains(launches[0], "programmatic"));
  EXPECT_TRUE(contains(launches[1], "grid 128 3 2 block 384 1 1 shared 1024"));
  EXPECT_TRUE(contains(launches[1], " programmatic"));
  EXPECT_FALSE(contains(launches[2], "programmatic"));
  {
    ScopedVariable fail("STUB_CUDA_FAIL", "cuLaunchKernelEx:719");
    EXPECT_EQ(launchMessage(),
              "kernel 'kernel': cuLaunchKernel failed: "
              "CUDA_ERROR_LAUNCH_FAILED (719): a failure of the stub");
  }
  // Index arrays that are not copies may still be written.
  manifest["steps"][1]["reads_indices_early"] = true;
  EXPECT_EQ(launchMessage(), "<success>");
  launches = logged("launch");
  EXPECT_FALSE(contains(launches[launches.size() - 2], "programmatic"));
  manifest["steps"][1]["programmatic"] = 1;
  EXPECT_TRUE(contains(launchMessage(), "programmatic"));
}

TEST_F(ProgramTest, EmptyGridsAreNotLaunched) {
  for (int axis = 0; axis < 3; ++axis) {
    nlohmann::json former = manifest;
    manifest["values"].push_back({{"op", "constant"}, {"value", 0}});
    manifest["steps"][0]["grid"][axis] = 4;
    EXPECT_EQ(launchMessage(), "<success>");
    manifest = former;
  }
  EXPECT_TRUE(logged("launch").empty());
}

TEST_F(ProgramTest, GridLimits) {
  struct {
    int axis;
    int64_t blocks;
    const char *message;
  } cases[] = {
      {0, int64_t(1) << 31,
       "kernel 'kernel': expected a grid of at most 2147483647 blocks in x, "
       "but got 2147483648"},
      {1, 65536,
       "kernel 'kernel': expected a grid of at most 65535 blocks in y, but got "
       "65536"},
      {2, 65536,
       "kernel 'kernel': expected a grid of at most 65535 blocks in z, but got "
       "65536"},
      {0, -1,
       "kernel 'kernel': expected a grid of at most 2147483647 blocks in x, "
       "but got -1"}};
  for (const auto &entry : cases) {
    nlohmann::json former = manifest;
    manifest["values"].push_back({{"op", "constant"}, {"value", entry.blocks}});
    manifest["steps"][0]["grid"][entry.axis] = 4;
    EXPECT_EQ(launchMessage(), entry.message);
    manifest = former;
  }
  EXPECT_TRUE(logged("launch").empty());
  manifest["values"].push_back({{"op", "constant"}, {"value", 65535}});
  manifest["steps"][0]["grid"] = {3, 4, 4};
  EXPECT_EQ(launchMessage(), "<success>");
  EXPECT_EQ(logged("launch").size(), 1u);
}

TEST_F(ProgramTest, NothingIsLaunchedWhereAContractFails) {
  arguments.make(B, DType::BF16, {100, 40});
  EXPECT_TRUE(contains(launchMessage(), "argument 'b': expected dimension 0"));
  arguments.arguments.pop_back();
  EXPECT_TRUE(contains(launchMessage(), "expected 10 arguments, but got 9"));
  EXPECT_TRUE(logged("launch").empty());
}

TEST_F(ProgramTest, NothingIsLaunchedWhereACheckFails) {
  manifest["values"].push_back({{"op", "constant"}, {"value", 0}});
  manifest["checks"] = {{{"value", 4}, {"message", "expected another b"}}};
  EXPECT_EQ(launchMessage(), "expected another b");
  manifest["values"].push_back({{"op", "mod"}, {"operands", {0, 4}}});
  EXPECT_EQ(launchMessage(), "program 'f': values[5]: division of 128 by zero");
  EXPECT_TRUE(logged("launch").empty());
}

TEST_F(ProgramTest, NothingIsLaunchedWhereALaterStepFails) {
  // The first step is as it should be, the second cannot be.
  nlohmann::json step = manifest["steps"][0];
  manifest["steps"].push_back(step);
  manifest["values"].push_back({{"op", "constant"}, {"value", 70000}});
  manifest["steps"][1]["grid"][1] = 4;
  EXPECT_TRUE(contains(launchMessage(), "blocks in y, but got 70000"));

  manifest["steps"][1] = step;
  manifest["steps"][1]["arguments"][2]["value"] = 4;
  manifest["values"][4]["value"] = int64_t(1) << 31;
  EXPECT_EQ(launchMessage(), "kernel 'kernel': expected values[4] to fit in "
                             "i32, but got 2147483648");

  manifest["steps"][1] = step;
  manifest["steps"][1]["arguments"][4]["tensor_map"]["argument"] = Right;
  manifest["steps"][1]["arguments"][4]["tensor_map"]["box"] = {64};
  arguments.tensor(Right).strides = {2};
  EXPECT_EQ(launchMessage(), "argument 'right': expected the innermost stride "
                             "to be 1 for its tensor map, but got 2");
  EXPECT_TRUE(logged("launch").empty());
}

TEST_F(ProgramTest, StepsThatAreLeftOutAreNotChecked) {
  // Such as the kernel for layouts that TMA takes, beside the one for others.
  manifest["values"].push_back({{"op", "constant"}, {"value", 0}});
  manifest["steps"][0]["when"] = 4;
  arguments.tensor(B).strides = {41, 1};
  EXPECT_EQ(launchMessage(), "<success>");
  EXPECT_TRUE(logged("launch").empty());
}

TEST_F(ProgramTest, TensorMapsOfEmptyTensors) {
  manifest["steps"][0]["arguments"][4]["tensor_map"] = {
      {"argument", Values}, {"box", {1, 64, 32}}, {"swizzle", 64}};
  arguments.make(Values, DType::BF16, {0, 64, 32});
  arguments.make(Col, DType::I32, {0});
  arguments.tensor(Values).data = nullptr;
  EXPECT_EQ(launchMessage(), "<success>");
  ASSERT_EQ(logged("launch").size(), 1u);
  EXPECT_TRUE(contains(logged("launch")[0], " " + std::string(256, '0')));
}

TEST_F(ProgramTest, DriverFailures) {
  {
    ScopedVariable fail("STUB_CUDA_FAIL", "cuLaunchKernel:719");
    EXPECT_EQ(launchMessage(),
              "kernel 'kernel': cuLaunchKernel failed: "
              "CUDA_ERROR_LAUNCH_FAILED (719): a failure of the stub");
  }
  ScopedVariable fail("STUB_CUDA_FAIL", "cuTensorMapEncodeTiled:1");
  EXPECT_TRUE(contains(launchMessage(),
                       "argument 'b': cuTensorMapEncodeTiled failed: "));
  EXPECT_TRUE(logged("launch").empty());
}

TEST_F(ProgramTest, TensorMapsAreMadeOnce) {
  ErrorOr<std::unique_ptr<Program>> program = load();
  ASSERT_TRUE(bool(program));
  for (int i = 0; i < 3; ++i)
    ASSERT_FALSE(bool((*program)->launch(arguments.arguments, nullptr)));
  EXPECT_EQ(logged("tensor-map").size(), 1u);
  arguments.make(B, DType::BF16, {96, 40});
  ASSERT_FALSE(bool((*program)->launch(arguments.arguments, nullptr)));
  EXPECT_EQ(logged("tensor-map").size(), 2u);
  EXPECT_EQ(logged("launch").size(), 4u);
}

TEST_F(ProgramTest, LaunchesFromSeveralThreads) {
  ErrorOr<std::unique_ptr<Program>> program = load();
  ASSERT_TRUE(bool(program));
  constexpr int threadCount = 4, launchCount = 50;
  std::vector<std::string> failures(threadCount);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < threadCount; ++thread)
    threads.emplace_back([&, thread] {
      // Enough tensors to make the cache of tensor maps replace entries.
      BsrArguments own;
      std::unique_ptr<char[]> memory(new char[1 << 16]);
      for (int i = 0; i < launchCount; ++i) {
        own.tensor(B).data = memory.get() + 16 * i;
        if (Error err = (*program)->launch(own.arguments, nullptr))
          failures[thread] = err.message();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, std::vector<std::string>(threadCount));
  EXPECT_EQ(logged("launch").size(), size_t(threadCount * launchCount));
}
