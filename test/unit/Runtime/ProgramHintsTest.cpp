//===- ProgramHintsTest.cpp - Results of hints, kept over calls -----------===//

#include "ProgramFixture.h"

#include <cstring>

using namespace sattn::runtime;

namespace {

/// A step that is a hint, of crow and a value of M, and one that reads what it
/// writes.
class ProgramHintsTest : public ProgramTest {
protected:
  ProgramHintsTest() {
    // values: M, 3, 2, 1
    manifest["scratch"] = {{{"element", "i32"}, {"sizes", {1}}}};
    nlohmann::json step = manifest["steps"][0];
    step["grid"] = {3, 3, 3};
    step["shared"] = 0;
    nlohmann::json order = step, use = step;
    order["launch"] = "order";
    order["preprocess"] = order["hint"] = true;
    order["arguments"] = {
        {{"memref", Crow}}, {{"scratch", 0}}, {{"value", 0}, {"type", "i64"}}};
    use["launch"] = "use";
    use["programmatic"] = use["reads_indices_early"] = true;
    use["arguments"] = {{{"memref", Crow}}, {{"scratch", 0}}};
    manifest["steps"] = {order, use};
  }

  void SetUp() override {
    auto entry = [](const std::string &name, int words) {
      std::string text = ".visible .entry " + name + "(.param .u64 p0";
      for (int i = 1; i < words; ++i)
        text += ", .param .u64 p" + std::to_string(i);
      return text + ") { ret; }\n";
    };
    ErrorOr<std::unique_ptr<Program>> loaded = Program::load(
        *device, manifest.dump(), entry("order", 11) + entry("use", 10));
    ASSERT_TRUE(bool(loaded)) << messageOf(loaded);
    program = std::move(*loaded);
  }

  /// Names and parameters of the launches since this was called before.
  std::vector<std::pair<std::string, std::vector<std::string>>> launches() {
    std::vector<std::string> lines = logged("launch");
    std::vector<std::pair<std::string, std::vector<std::string>>> result;
    for (; seen < lines.size(); ++seen) {
      std::istringstream head(lines[seen]);
      std::string word, name;
      head >> word >> name;
      std::istringstream words(
          lines[seen].substr(lines[seen].find("params") + strlen("params")));
      result.push_back(
          {name, std::vector<std::string>(
                     std::istream_iterator<std::string>(words), {})});
    }
    return result;
  }
  std::vector<std::string> names() {
    std::vector<std::string> result;
    for (auto &[name, words] : launches())
      result.push_back(name);
    return result;
  }

  std::string launch(const Prepared &hints, uintptr_t stream = 0) {
    return messageOf(program->launch(hints, arguments.arguments,
                                     reinterpret_cast<CUstream>(stream)));
  }

  std::string hexOf(const void *address) {
    char text[17];
    std::string bytes;
    auto number = reinterpret_cast<uintptr_t>(address);
    for (int i = 0; i < 8; ++i) {
      std::snprintf(text, sizeof(text), "%02x",
                    unsigned(number >> (8 * i) & 0xff));
      bytes += text;
    }
    return bytes;
  }

  using Names = std::vector<std::string>;
  alignas(256) char memory[256];
  std::unique_ptr<Program> program;
  size_t seen = 0;
};

} // namespace

TEST_F(ProgramHintsTest, ACallWithHintsIsOneLaunch) {
  ErrorOr<size_t> bytes = program->hintBytes(arguments.arguments);
  ASSERT_TRUE(bool(bytes)) << messageOf(bytes);
  EXPECT_EQ(*bytes, 256u);
  ErrorOr<Prepared> hints =
      program->prepareHints(arguments.arguments, memory, nullptr);
  ASSERT_TRUE(bool(hints)) << messageOf(hints);
  auto made = launches();
  ASSERT_EQ(made.size(), 1u);
  EXPECT_EQ(made[0].first, "order");
  EXPECT_EQ(made[0].second[5], hexOf(memory));
  // Nothing is copied, nor waited for.
  EXPECT_EQ(made[0].second[0], hexOf(arguments.tensor(Crow).data));
  EXPECT_TRUE(logged("synchronize").empty());
  EXPECT_EQ(hints->bytes(), 0u);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(launch(*hints), "<success>");
    auto used = launches();
    ASSERT_EQ(used.size(), 1u);
    EXPECT_EQ(used[0].first, "use");
    EXPECT_EQ(used[0].second[0], hexOf(arguments.tensor(Crow).data));
    EXPECT_EQ(used[0].second[5], hexOf(memory));
  }
  EXPECT_TRUE(logged("scratch").empty());
  // Index arrays are the caller's, who may write to them.
  EXPECT_FALSE(contains(logged("launch use")[0], "programmatic"));
}

TEST_F(ProgramHintsTest, HintsOfOtherValuesAreNotUsed) {
  ErrorOr<Prepared> hints =
      program->prepareHints(arguments.arguments, memory, nullptr);
  ASSERT_TRUE(bool(hints)) << messageOf(hints);
  EXPECT_EQ(names(), Names{"order"});
  // As large an order, of other rows.
  for (int64_t rows : {256, 128}) {
    arguments.make(Crow, DType::I32, {rows / 64 + 1});
    arguments.make(Out, DType::BF16, {rows, 40});
    arguments.make(Input, DType::BF16, {rows, 40});
    arguments.make(Left, DType::F32, {rows});
    ASSERT_EQ(launch(*hints), "<success>");
    auto used = launches();
    ASSERT_EQ(used.size(), rows == 128 ? 1u : 2u);
    EXPECT_EQ(used.back().second[5] == hexOf(memory), rows == 128);
  }
}

TEST_F(ProgramHintsTest, AnotherStreamWaitsUntilTheyAreDone) {
  ErrorOr<Prepared> hints =
      program->prepareHints(arguments.arguments, memory, nullptr);
  ASSERT_TRUE(bool(hints)) << messageOf(hints);
  {
    ScopedVariable pending{"STUB_CUDA_FAIL", "cuEventQuery:600"};
    EXPECT_FALSE(hints->isDone());
    ASSERT_EQ(launch(*hints, 0x200), "<success>");
    EXPECT_EQ(logged("wait"), std::vector<std::string>{"wait stream 0x200"});
  }
  EXPECT_TRUE(hints->isDone());
  {
    // It is not asked again.
    ScopedVariable pending{"STUB_CUDA_FAIL", "cuEventQuery:600"};
    ASSERT_EQ(launch(*hints, 0x200), "<success>");
  }
  EXPECT_EQ(logged("wait").size(), 1u);
  EXPECT_EQ(names(), (Names{"order", "use", "use"}));
}

TEST_F(ProgramHintsTest, ACaptureTakesWhatIsDone) {
  ErrorOr<Prepared> hints =
      program->prepareHints(arguments.arguments, memory, nullptr);
  ASSERT_TRUE(bool(hints)) << messageOf(hints);
  EXPECT_EQ(names(), Names{"order"});
  ScopedVariable capture{"STUB_CUDA_CAPTURE", "global"};
  {
    ScopedVariable pending{"STUB_CUDA_FAIL", "cuEventQuery:600"};
    ASSERT_EQ(launch(*hints), "<success>");
    EXPECT_EQ(names(), (Names{"order", "use"}));
  }
  ASSERT_EQ(launch(*hints), "<success>");
  EXPECT_EQ(names(), Names{"use"});
  EXPECT_TRUE(logged("wait").empty());
  EXPECT_TRUE(contains(
      messageOf(program->prepareHints(arguments.arguments, memory, nullptr)),
      "expected hints to be prepared before the capture of a graph"));
}

TEST_F(ProgramHintsTest, FailuresLaunchNothing) {
  for (const char *call : {"cuEventCreate", "cuStreamIsCapturing"}) {
    ScopedVariable fail{"STUB_CUDA_FAIL", std::string(call) + ":1"};
    EXPECT_TRUE(contains(
        messageOf(program->prepareHints(arguments.arguments, memory, nullptr)),
        std::string(call) + " failed"));
  }
  EXPECT_TRUE(launches().empty());
  for (const char *call : {"cuEventRecord", "cuLaunchKernel"}) {
    ScopedVariable fail{"STUB_CUDA_FAIL", std::string(call) + ":1"};
    EXPECT_TRUE(contains(
        messageOf(program->prepareHints(arguments.arguments, memory, nullptr)),
        std::string(call) + " failed"));
  }
  ErrorOr<Prepared> hints =
      program->prepareHints(arguments.arguments, memory, nullptr);
  ASSERT_TRUE(bool(hints)) << messageOf(hints);
  launches();
  ScopedVariable fail{"STUB_CUDA_FAIL", "cuEventQuery:600,cuStreamWaitEvent:1"};
  EXPECT_TRUE(contains(launch(*hints), "cuStreamWaitEvent failed"));
  EXPECT_TRUE(launches().empty());
}

TEST_F(ProgramHintsTest, WhatAHintCannotHave) {
  nlohmann::json good = manifest;
  auto refusal = [&] { return messageOf(parseManifest(manifest.dump())); };
  EXPECT_EQ(refusal(), "<success>");
  manifest["steps"][0].erase("preprocess");
  EXPECT_TRUE(contains(refusal(), "expected 'preprocess' with 'hint'"));
  manifest = good;
  // Scratch of a step that is no hint.
  nlohmann::json plan = manifest["steps"][0];
  plan.erase("hint");
  manifest["steps"].insert(manifest["steps"].begin(), plan);
  EXPECT_TRUE(contains(refusal(),
                       "expected a step with 'hint' to share no scratch array "
                       "with steps without it before, but they have array 0"));
  manifest["steps"][0]["hint"] = true;
  EXPECT_EQ(refusal(), "<success>");
}
