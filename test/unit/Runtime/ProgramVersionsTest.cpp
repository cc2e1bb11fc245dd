//===- ProgramVersionsTest.cpp - Versions that an image lacks -------------===//

#include "ProgramFixture.h"

#include "sattn/Runtime/Explain.h"

#include <atomic>
#include <thread>

using namespace sattn::runtime;

namespace {

/// A program that plans by the index arrays, then launches `kernel` where b is
/// TMA-compatible; `kernel_generic` is missing. The other program has that
/// alone.
class ProgramVersionsTest : public ProgramTest {
protected:
  ProgramVersionsTest() {
    manifest["values"] = {
        {{"op", "constant"}, {"value", 1}},
        {{"op", "constant"}, {"value", 0}},
        {{"op", "tma_compatible"}, {"argument", B}},
        {{"op", "eq"}, {"operands", {2, 1}}},
        {{"op", "dim"}, {"argument", Out}, {"index", 0}},
        {{"op", "ne"}, {"operands", {4, 1}}},
        {{"op", "and"}, {"operands", {3, 5}}},
    };
    manifest["scratch"] = {{{"element", "i32"}, {"sizes", {0}}}};
    nlohmann::json step = {
        {"launch", "plan"},
        {"grid", {0, 0, 0}},
        {"block", 32},
        {"shared", 0},
        {"preprocess", true},
        {"arguments", {{{"memref", Crow}}, {{"scratch", 0}}}}};
    nlohmann::json plan = step, product = step;
    product.erase("preprocess");
    product["launch"] = "kernel";
    product["when"] = 2;
    product["version"] = "aligned";
    manifest["steps"] = {plan, product};
    generic = manifest;
    generic["steps"][1]["launch"] = "kernel_generic";
    generic["steps"][1]["when"] = nullptr;
    manifest["missing"] = {{{"kernel", "kernel_generic"},
                            {"when", 6},
                            {"tuning",
                             {{"parameters", "tile = [64, 64, 64]"},
                              {"origin", "the computed default"}}}}};
  }

  ErrorOr<std::unique_ptr<Program>> loadText(const nlohmann::json &text) {
    std::string image;
    for (const char *name : {"plan", "kernel", "kernel_generic"}) {
      image += std::string(".visible .entry ") + name + "(.param .u64 p0";
      for (int i = 1; i < 10; ++i)
        image += ", .param .u64 p" + std::to_string(i);
      image += ") { ret; }\n";
    }
    return Program::load(*device, text.dump(), image);
  }

  /// The program, which completes itself if it may.
  std::unique_ptr<Program> make(bool completes = true) {
    ErrorOr<std::unique_ptr<Program>> program = loadText(manifest);
    EXPECT_TRUE(bool(program)) << messageOf(program);
    if (completes)
      (*program)->setComplete([this] {
        ++completions;
        return loadText(generic);
      });
    return std::move(*program);
  }

  void moveB() {
    TensorView &b = arguments.tensor(B);
    b.data = static_cast<char *>(b.data) + 2;
  }

  /// Kernels in the order of their launches.
  std::vector<std::string> launched() const {
    std::vector<std::string> names;
    for (const std::string &line : logged("launch")) {
      std::istringstream words(line);
      std::string word;
      words >> word >> word;
      names.push_back(word);
    }
    return names;
  }

  nlohmann::json generic;
  std::atomic<int> completions = 0;
};

using Names = std::vector<std::string>;

} // namespace

TEST_F(ProgramVersionsTest, RefusedByName) {
  std::unique_ptr<Program> program = make(/*completes=*/false);
  EXPECT_EQ(messageOf(program->launch(arguments.arguments, nullptr)),
            "<success>");
  moveB();
  for (int call = 0; call < 2; ++call)
    EXPECT_EQ(messageOf(program->launch(arguments.arguments, nullptr)),
              "program 'f': expected arguments that TMA takes, since it "
              "was compiled without kernel 'kernel_generic', but `b` begins 2 "
              "bytes past a multiple of 16; TMA needs a multiple");
  EXPECT_EQ(launched(), Names({"plan", "kernel"}));
}

TEST_F(ProgramVersionsTest, NothingToLaunchIsNotRefused) {
  manifest["values"][4] = {{"op", "constant"}, {"value", 0}};
  std::unique_ptr<Program> program = make(/*completes=*/false);
  moveB();
  EXPECT_EQ(messageOf(program->launch(arguments.arguments, nullptr)),
            "<success>");
}

TEST_F(ProgramVersionsTest, CompletedOnce) {
  std::unique_ptr<Program> program = make();
  EXPECT_EQ(messageOf(program->launch(arguments.arguments, nullptr)),
            "<success>");
  EXPECT_EQ(completions, 0);
  std::vector<Argument> compatible = arguments.arguments;
  moveB();
  for (int call = 0; call < 2; ++call)
    EXPECT_EQ(messageOf(program->launch(arguments.arguments, nullptr)),
              "<success>");
  EXPECT_EQ(messageOf(program->launch(compatible, nullptr)), "<success>");
  EXPECT_EQ(completions, 1);
  EXPECT_EQ(launched(), Names({"plan", "kernel", "plan", "kernel_generic",
                               "plan", "kernel_generic", "plan", "kernel"}));
}

TEST_F(ProgramVersionsTest, CompletedOnceByThreadsAtOnce) {
  std::unique_ptr<Program> program = make();
  moveB();
  std::atomic<int> failures = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      if (program->launch(arguments.arguments, nullptr))
        ++failures;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(completions, 1);
  EXPECT_EQ(logged("launch kernel_generic").size(), 8u);
}

TEST_F(ProgramVersionsTest, AFailureIsTheCallsAndTheNextTriesAgain) {
  std::unique_ptr<Program> program = make(/*completes=*/false);
  program->setComplete([&]() -> ErrorOr<std::unique_ptr<Program>> {
    if (completions++ == 0)
      return Error("no compiler");
    return loadText(generic);
  });
  moveB();
  EXPECT_EQ(messageOf(program->launch(arguments.arguments, nullptr)),
            "no compiler");
  EXPECT_EQ(messageOf(program->launch(arguments.arguments, nullptr)),
            "<success>");
}

TEST_F(ProgramVersionsTest, AnotherProgramIsRefused) {
  std::unique_ptr<Program> program = make(/*completes=*/false);
  program->setComplete([&] { return loadText(manifest); });
  moveB();
  EXPECT_EQ(messageOf(program->launch(arguments.arguments, nullptr)),
            "program 'f': expected one with every specialization of its "
            "kernels");
}

TEST_F(ProgramVersionsTest, PreparedWithArgumentsThatNeedIt) {
  std::unique_ptr<Program> program = make();
  std::vector<Argument> compatible = arguments.arguments;
  moveB();
  ErrorOr<Prepared> prepared = program->prepare(arguments.arguments, nullptr);
  ASSERT_TRUE(bool(prepared)) << messageOf(prepared);
  EXPECT_EQ(completions, 1);
  EXPECT_EQ(launched(), Names({"plan", "plan"}));
  for (const std::vector<Argument> &call : {arguments.arguments, compatible})
    EXPECT_EQ(messageOf(program->launch(*prepared, call, nullptr)),
              "<success>");
  EXPECT_EQ(launched(), Names({"plan", "plan", "kernel_generic", "kernel"}));
}

TEST_F(ProgramVersionsTest, PreparedWithOtherArguments) {
  std::unique_ptr<Program> program = make();
  ErrorOr<Prepared> prepared = program->prepare(arguments.arguments, nullptr);
  ASSERT_TRUE(bool(prepared)) << messageOf(prepared);
  EXPECT_EQ(completions, 0);
  moveB();
  EXPECT_EQ(messageOf(program->launch(*prepared, arguments.arguments, nullptr)),
            "<success>");
  // The other program's plans are computed from the indices in the call.
  EXPECT_EQ(launched(), Names({"plan", "plan", "kernel_generic"}));
}

TEST_F(ProgramVersionsTest, Explained) {
  moveB();
  auto choices = explainCall(parseOrDie(manifest), arguments.arguments);
  ASSERT_TRUE(bool(choices)) << messageOf(choices);
  ASSERT_EQ(choices->size(), 2u);
  const KernelChoice &choice = choices->at(1);
  EXPECT_EQ(choice.kernel, "kernel_generic");
  EXPECT_EQ(choice.version, "generic");
  EXPECT_EQ(choice.parameters, "tile = [64, 64, 64]");
  EXPECT_EQ(choice.origin, "the computed default");
  EXPECT_EQ(choice.reasons,
            Names({"`b` begins 2 bytes past a multiple of 16; TMA needs a "
                   "multiple"}));
}

/// The copy stands before the step that reads it.
TEST_F(ProgramVersionsTest, ExplainedInOrder) {
  manifest["missing"][0]["version"] = "copy";
  manifest["missing"][0]["before"] = 0;
  moveB();
  auto choices = explainCall(parseOrDie(manifest), arguments.arguments);
  ASSERT_TRUE(bool(choices)) << messageOf(choices);
  ASSERT_EQ(choices->size(), 2u);
  EXPECT_EQ(choices->at(0).kernel, "kernel_generic");
  EXPECT_EQ(choices->at(0).version, "copy");
  EXPECT_EQ(choices->at(1).kernel, "plan");
}

TEST_F(ProgramVersionsTest, FaultsOfTheManifest) {
  auto message = [&](const char *key, nlohmann::json value) {
    nlohmann::json text = manifest;
    text["missing"][0][key] = std::move(value);
    return messageOf(parseManifest(text.dump()));
  };
  EXPECT_EQ(message("grid", 0),
            "manifest: root.missing[0]: unknown key 'grid'");
  EXPECT_EQ(message("when", 7),
            "manifest: root.missing[0].when: expected an index "
            "of one of 7 values, but got 7");
  EXPECT_EQ(message("kernel", 3),
            "manifest: root.missing[0].kernel: expected a string, but got 3");
  EXPECT_EQ(message("version", 3),
            "manifest: root.missing[0].version: expected a string, but got 3");
  EXPECT_EQ(message("before", 2), "<success>");
  EXPECT_EQ(message("before", 3),
            "manifest: root.missing[0].before: expected an index of one of 3 "
            "places among steps, but got 3");
}
