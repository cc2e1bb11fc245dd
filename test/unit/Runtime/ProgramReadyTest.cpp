//===- ProgramReadyTest.cpp - Calls of a kind that was checked before -----===//

#include "ProgramFixture.h"

using namespace sattn::runtime;

namespace {

/// A program that has been called once.
class ProgramReadyTest : public ProgramTest {
protected:
  ProgramReadyTest() {
    ErrorOr<std::unique_ptr<Program>> loaded = load();
    EXPECT_TRUE(bool(loaded)) << messageOf(loaded);
    if (loaded)
      program = std::move(*loaded);
    EXPECT_EQ(launch(), "<success>");
  }

  std::string launch() {
    return messageOf(program->launch(arguments.arguments, nullptr));
  }

  /// The words that the last launch passed.
  std::vector<std::string> last() {
    std::string line = logged("launch").back();
    std::istringstream words(line.substr(line.find("params") + 6));
    return std::vector<std::string>(std::istream_iterator<std::string>(words),
                                    {});
  }

  std::unique_ptr<Program> program;
};

} // namespace

TEST_F(ProgramReadyTest, AddressesAndScalarsAreEachCallsOwn) {
  std::vector<std::string> first = last();
  arguments.arguments[Alpha] = 3.0;
  BsrArguments other;
  arguments.tensor(Left).data = other.tensor(Left).data;
  arguments.tensor(B).data = other.tensor(B).data;
  ASSERT_EQ(launch(), "<success>");
  std::vector<std::string> second = last();
  ASSERT_EQ(second.size(), 9u);
  EXPECT_NE(first[0], second[0]);
  EXPECT_EQ(second[0], second[1]);
  EXPECT_EQ(second[7], "00004040"); // 3
  EXPECT_NE(first[8].substr(0, 16), second[8].substr(0, 16));
  EXPECT_EQ(first[8].substr(16), second[8].substr(16));
}

TEST_F(ProgramReadyTest, OtherShapesAndStridesAreAnotherKind) {
  // Memory for the elements between, so that none of it is another argument's.
  arguments.make(Left, DType::F32, {2 * 128});
  arguments.tensor(Left).shape = {128};
  arguments.tensor(Left).strides = {2};
  ASSERT_EQ(launch(), "<success>");
  EXPECT_EQ(last()[4], "0200000000000000");
  arguments.make(B, DType::BF16, {96, 48});
  EXPECT_TRUE(contains(launch(), "argument 'b': expected dimension 1 (N)"));
  arguments.make(B, DType::F16, {96, 40});
  EXPECT_TRUE(contains(launch(), "argument 'b': expected elements of bf16"));
  arguments.arguments.pop_back();
  EXPECT_TRUE(contains(launch(), "expected 10 arguments, but got 9"));
  EXPECT_EQ(logged("launch").size(), 2u);
}

TEST_F(ProgramReadyTest, AnotherAlignmentIsAnotherKind) {
  char *data = static_cast<char *>(arguments.tensor(B).data);
  arguments.tensor(B).data = data + 1;
  EXPECT_TRUE(contains(launch(), "argument 'b': expected data aligned to the 2 "
                                 "bytes of bf16"));
  arguments.tensor(B).data = data + 2;
  EXPECT_TRUE(contains(launch(), "aligned to 16 bytes for its tensor map"));
  arguments.tensor(B).data = nullptr;
  EXPECT_TRUE(contains(launch(), "argument 'b': expected a pointer to"));
  arguments.tensor(B).data = data;
  EXPECT_EQ(launch(), "<success>");
}

TEST_F(ProgramReadyTest, OverlapIsLookedForInEveryCall) {
  void *out = arguments.tensor(Out).data;
  for (BsrArgument other : {B, Values, Crow, Col, Left, Right}) {
    // Equal modulo 16 bytes, which all of the fixture's addresses are.
    arguments.tensor(Out).data = arguments.tensor(other).data;
    EXPECT_TRUE(contains(launch(), "argument 'out': expected memory apart from "
                                   "argument '"));
  }
  arguments.tensor(Out).data = out;
  EXPECT_EQ(launch(), "<success>");
  // Its first bytes beside the last of b's.
  int64_t bytes = arguments.tensor(B).numElements() * 2;
  arguments.make(Out, DType::BF16, {96 + 128, 40});
  char *memory = static_cast<char *>(arguments.tensor(Out).data);
  arguments.make(Out, DType::BF16, {128, 40});
  arguments.tensor(B).data = memory;
  arguments.tensor(Out).data = memory + bytes - 16;
  EXPECT_TRUE(contains(launch(), "argument 'b', but got memory that overlaps"));
  arguments.tensor(Out).data = memory + bytes;
  EXPECT_EQ(launch(), "<success>");
}

TEST_F(ProgramReadyTest, OverlapWithIndicesOfAStorage) {
  manifest["contracts"] = nlohmann::json::array({storageContract()});
  ErrorOr<std::unique_ptr<Program>> loaded = load();
  ASSERT_TRUE(bool(loaded)) << messageOf(loaded);
  program = std::move(*loaded);
  ASSERT_EQ(launch(), "<success>");
  // Not out where col is: out is longer, and could reach crow as well.
  std::copy_n(arguments.indices(Col), 3, arguments.indices(Out));
  arguments.tensor(Col).data = arguments.tensor(Out).data;
  EXPECT_TRUE(contains(launch(), "argument 'out': expected memory apart from "
                                 "argument 'col'"));
}

TEST_F(ProgramReadyTest, InputMayBeOutExactly) {
  TensorView &input = arguments.tensor(Input);
  const TensorView &out = arguments.tensor(Out);
  input.data = out.data;
  EXPECT_EQ(launch(), "<success>");
  input.data = static_cast<char *>(out.data) + 16;
  EXPECT_TRUE(contains(launch(), "or exactly its own, but got memory that "
                                 "overlaps it in part"));
  // In other places.
  input.data = out.data;
  input.strides = {40, 0};
  EXPECT_TRUE(contains(launch(), "or exactly its own"));
}

TEST_F(ProgramReadyTest, AddressesThatCannotExist) {
  arguments.tensor(B).data =
      reinterpret_cast<void *>(~uintptr_t(0) - 95 * 80 + 1);
  EXPECT_TRUE(contains(launch(), "argument 'b': expected extents and strides "
                                 "within the address space"));
}
