//===- ContractMemoryTest.cpp - Where arguments lie in memory -------------===//

#include "BsrProgram.h"
#include "sattn/Runtime/Contract.h"

#include <limits>

using namespace sattn::runtime;

namespace {

class ContractMemory : public ::testing::Test {
protected:
  std::string check() {
    return checkMessage(manifest, arguments, ContentCheck::Off);
  }

  /// out becomes a view of `memory` from this byte on.
  void placeOut(size_t byte) { arguments.tensor(Out).data = memory + byte; }

  alignas(16) char memory[1 << 16] = {};
  Manifest manifest = parseOrDie(bsrManifest());
  BsrArguments arguments;
};

} // namespace

TEST_F(ContractMemory, OutMayBeInputExactly) {
  arguments.tensor(Out) = arguments.tensor(Input);
  EXPECT_EQ(check(), "<success>");
}

TEST_F(ContractMemory, OutMayNotBeInputInPart) {
  arguments.tensor(Input).data = memory;
  placeOut(2);
  std::string message = "argument 'out': expected memory apart from argument "
                        "'input' or exactly its own, but got memory that "
                        "overlaps it in part";
  EXPECT_EQ(check(), message);
  // The same bytes in another order.
  placeOut(0);
  arguments.tensor(Out).strides = {1, 128};
  EXPECT_EQ(check(), message);
  // One byte past the end.
  arguments.tensor(Out).strides = {40, 1};
  placeOut(128 * 40 * 2);
  EXPECT_EQ(check(), "<success>");
  placeOut(128 * 40 * 2 - 2);
  EXPECT_EQ(check(), message);
}

TEST_F(ContractMemory, OutMayNotOverlapOthers) {
  struct {
    BsrArgument argument;
    const char *name;
    size_t bytes;
  } others[] = {{Values, "values", 3 * 64 * 32 * 2},
                {B, "b", 96 * 40 * 2},
                {Crow, "crow", 3 * 4},
                {Col, "col", 3 * 4},
                {Left, "left", 128 * 4},
                {Right, "right", 40 * 2}};
  for (const auto &other : others) {
    void *former = arguments.tensor(other.argument).data;
    arguments.tensor(other.argument).data = memory;
    std::string message = std::string("argument 'out': expected memory apart "
                                      "from argument '") +
                          other.name + "', but got memory that overlaps it";
    placeOut(0);
    EXPECT_EQ(check(), message);
    placeOut(other.bytes - 2);
    EXPECT_EQ(check(), message);
    placeOut(other.bytes);
    EXPECT_EQ(check(), "<success>") << other.name;
    arguments.tensor(other.argument).data = former;
  }
}

TEST_F(ContractMemory, OutMayNotOverlapItself) {
  TensorView &out = arguments.tensor(Out);
  out.data = memory;
  for (auto [row, column] :
       {std::pair(0, 1), std::pair(40, 0), std::pair(1, 1), std::pair(39, 1)}) {
    out.strides = {row, column};
    EXPECT_TRUE(contains(check(), "argument 'out': expected every element to "
                                  "have memory of its own, but got shape "
                                  "[128, 40] with strides ["))
        << row << " " << column;
  }
  for (auto [row, column] :
       {std::pair(41, 1), std::pair(1, 128), std::pair(80, 2)}) {
    out.strides = {row, column};
    EXPECT_EQ(check(), "<success>") << row << " " << column;
  }
  out.data = memory + sizeof(memory) - 2;
  out.strides = {-40, -1};
  EXPECT_EQ(check(), "<success>");
}

TEST_F(ContractMemory, InputsMayBeBroadcastByStrides) {
  arguments.tensor(B).strides = {0, 0};
  arguments.tensor(Input).strides = {0, 1};
  arguments.tensor(Left).strides = {0};
  EXPECT_EQ(check(), "<success>");
}

TEST_F(ContractMemory, NullAndMisaligned) {
  arguments.tensor(B).data = nullptr;
  EXPECT_EQ(check(), "argument 'b': expected a pointer to 7680 bytes, but got "
                     "null");
  arguments.tensor(B).data = memory + 1;
  EXPECT_EQ(check(), "argument 'b': expected data aligned to the 2 bytes of "
                     "bf16, but got an address that is 1 past a multiple");
  arguments.tensor(B).data = memory + 2;
  EXPECT_EQ(check(), "<success>");
}

TEST_F(ContractMemory, AddressesThatCannotExist) {
  arguments.tensor(B).strides = {std::numeric_limits<int64_t>::max(), 1};
  EXPECT_TRUE(contains(check(), "argument 'b': expected extents and strides "
                                "within the address space"));
  // Fits in 64 bits as elements, not as bytes.
  arguments.tensor(B).strides = {int64_t(1) << 56, 1};
  EXPECT_TRUE(contains(check(), "within the address space"));
  // Before the first address.
  arguments.tensor(B).strides = {-(int64_t(1) << 54), 1};
  EXPECT_TRUE(contains(check(), "within the address space"));
}

TEST_F(ContractMemory, EmptyTensorsLieNowhere) {
  manifest = parseOrDie(bsrManifest());
  arguments.make(Values, DType::BF16, {0, 64, 32});
  arguments.make(Col, DType::I32, {0});
  arguments.tensor(Values).data = nullptr;
  arguments.tensor(Col).data = nullptr;
  EXPECT_EQ(check(), "<success>");
  arguments.tensor(Values).data = arguments.tensor(Out).data;
  EXPECT_EQ(check(), "<success>");
}
