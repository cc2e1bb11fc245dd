//===- BsrProgram.h - A bsr_addmm for the tests of manifests ----*- C++ -*-===//

#ifndef SATTN_TEST_UNIT_RUNTIME_BSRPROGRAM_H
#define SATTN_TEST_UNIT_RUNTIME_BSRPROGRAM_H

#include "TestUtils.h"
#include "sattn/Runtime/Contract.h"
#include "sattn/Runtime/Manifest.h"

#include <memory>
#include <nlohmann/json.hpp>

namespace sattn::runtime {

/// Indices of the program's arguments.
enum BsrArgument {
  Alpha,
  Beta,
  Crow,
  Col,
  Values,
  B,
  Input,
  Left,
  Right,
  Out,
  NumArguments
};

/// The extent of an argument's dimension, which may count from the end.
inline nlohmann::json extentOf(int argument, int dimension) {
  return {{"argument", argument}, {"dimension", dimension}};
}

/// A check of such an extent.
inline nlohmann::json extentCheck(const char *check, int argument,
                                  int dimension, const char *what,
                                  nlohmann::json more) {
  more["check"] = check;
  more["extent"] = extentOf(argument, dimension);
  more["what"] = what;
  return more;
}

/// Checks that blocks are of 64 x 32, and as many as columns.
inline nlohmann::json blockChecks() {
  return {extentCheck("equal", Values, -2, "block rows",
                      {{"to", {{"constant", 64}}}, {"reason", "the block's"}}),
          extentCheck("equal", Values, -1, "block columns",
                      {{"to", {{"constant", 32}}}, {"reason", "the block's"}}),
          extentCheck("equal", Col, -1, "stored blocks",
                      {{"to", extentOf(Values, -3)}})};
}

/// Checks of the contents of the index arrays; `below` is the number of block
/// columns, or null.
inline nlohmann::json contentChecks(nlohmann::json below) {
  return {{{"check", "offsets"},
           {"argument", Crow},
           {"into", Col},
           {"equally_many", {Col, Values}}},
          {{"check", "indices"},
           {"argument", Col},
           {"offsets", Crow},
           {"below", below}}};
}

inline void append(nlohmann::json &list, const nlohmann::json &items) {
  list.insert(list.end(), items.begin(), items.end());
}

inline nlohmann::json tensorOperand(const char *name, int argument, int rank,
                                    std::vector<const char *> types,
                                    const char *sameTypeAs = nullptr) {
  nlohmann::json operand = {
      {"name", name}, {"argument", argument}, {"rank", rank}};
  if (!types.empty())
    operand["types"] = types;
  if (sameTypeAs)
    operand["type_of"] = sameTypeAs;
  return operand;
}

/// As the compiler writes it of a bsr_addmm on arguments alone.
inline nlohmann::json bsrContract() {
  nlohmann::json of64 = {{"of", 64}, {"reason", "the block's 64 rows"}};
  nlohmann::json of32 = {{"of", 32}, {"reason", "the block's 32 columns"}};
  nlohmann::json m = {{"to", extentOf(Out, -2)}};
  nlohmann::json n = {{"to", extentOf(Out, -1)}};
  nlohmann::json rows = extentOf(Out, -2), columns = extentOf(B, -2);
  rows["divided_by"] = 64;
  rows["plus"] = 1;
  columns["divided_by"] = 32;
  nlohmann::json checks = {
      extentCheck("multiple", Out, -2, "M", of64),
      extentCheck("multiple", B, -2, "K", of32),
      extentCheck("equal", Crow, -1, "offsets",
                  {{"to", rows}, {"reason", "M / 64 + 1"}})};
  append(checks, blockChecks());
  append(checks, {extentCheck("equal", B, -1, "N", n),
                  extentCheck("equal", Input, -2, "M", m),
                  extentCheck("equal", Input, -1, "N", n),
                  extentCheck("equal", Left, -1, "M", m),
                  extentCheck("equal", Right, -1, "N", n),
                  {{"check", "apart"},
                   {"argument", Out},
                   {"from", {Values, B, Crow, Col, Left, Right}},
                   {"or_exactly", Input}}});
  append(checks, contentChecks(columns));
  nlohmann::json out = tensorOperand("out", Out, 2, {"f16", "bf16", "f32"});
  out["written"] = true;
  return {{"op", "bsr_addmm"},
          {"operands",
           {{{"name", "alpha"}, {"argument", Alpha}},
            {{"name", "beta"}, {"argument", Beta}},
            tensorOperand("crow", Crow, 1, {"i32", "i64"}),
            tensorOperand("col", Col, 1, {"i32", "i64"}),
            tensorOperand("values", Values, 3, {"f16", "bf16", "f32"}),
            tensorOperand("b", B, 2, {}, "values"),
            tensorOperand("input", Input, 2, {}, "values"),
            tensorOperand("left", Left, 1, {"f32"}, "values"),
            tensorOperand("right", Right, 1, {"f32"}, "values"),
            out}},
          {"batches", "out"},
          {"checks", checks}};
}

/// A manifest with every operand of bsr_addmm, blocks of 64 x 32, tensors with
/// that many batch dimensions, no values and no steps.
inline nlohmann::json bsrManifest(int batchRank = 0) {
  auto tensor = [&](const char *name, const char *element, int rank,
                    const char *access = "read") {
    return nlohmann::json{{"kind", "tensor"},
                          {"element", element},
                          {"rank", rank + batchRank},
                          {"name", name},
                          {"access", access}};
  };
  nlohmann::json scalar = {{"kind", "scalar"}, {"type", "f32"}};
  return {{"version", 3},
          {"name", "f"},
          {"target", "sm_90a"},
          {"arguments",
           {scalar, scalar, tensor("crow", "i32", 1), tensor("col", "i32", 1),
            tensor("values", "bf16", 3), tensor("b", "bf16", 2),
            tensor("input", "bf16", 2), tensor("left", "f32", 1),
            tensor("right", "bf16", 1), tensor("out", "bf16", 2, "write")}},
          {"contracts", {bsrContract()}}};
}

/// The storage contract of the same sparse operand in a product whose b the
/// program computes: M is that of out, in this dimension, K is known.
inline nlohmann::json storageContract(int dimension = 0, bool areKnown = true,
                                      bool isOneList = false) {
  nlohmann::json rows = extentOf(Out, dimension), columns = nullptr;
  rows["divided_by"] = 64;
  nlohmann::json checks = blockChecks();
  if (areKnown)
    checks.push_back(
        extentCheck("multiple", Out, dimension, "M",
                    {{"of", 64}, {"reason", "the block's 64 rows"}}));
  checks.push_back(extentCheck("at_least", Crow, -1, "offset", {{"least", 1}}));
  if (areKnown && isOneList) {
    checks.push_back(extentCheck("stacked", Crow, -1, "offset",
                                 {{"each", rows}, {"reason", "M / 64"}}));
  } else if (areKnown) {
    rows["plus"] = 1;
    checks.push_back(extentCheck("equal", Crow, -1, "offsets",
                                 {{"to", rows}, {"reason", "M / 64 + 1"}}));
  }
  if (areKnown)
    columns = {{"constant", 96}, {"divided_by", 32}};
  checks.push_back({{"check", "read_only"}, {"arguments", {Crow, Col}}});
  append(checks, contentChecks(columns));
  return {{"op", "bsr_storage"},
          {"operands",
           {tensorOperand("values", Values, 3, {}),
            tensorOperand("col", Col, 1, {"i32", "i64"}),
            tensorOperand("crow", Crow, 1, {"i32", "i64"})}},
          {"checks", checks}};
}

inline Manifest parseOrDie(const nlohmann::json &json) {
  ErrorOr<Manifest> manifest = parseManifest(json.dump());
  if (!manifest) {
    ADD_FAILURE() << manifest.error().message();
    return {};
  }
  return *manifest;
}

/// Arguments that meet the manifest's contract, in host memory: M 128 (two
/// block rows), N 40, K 96 (three block columns), three stored blocks.
class BsrArguments {
public:
  explicit BsrArguments(std::vector<int64_t> batch = {})
      : arguments(NumArguments) {
    arguments[Alpha] = 2.0;
    arguments[Beta] = 0.5;
    int64_t batches = 1;
    for (int64_t extent : batch)
      batches *= extent;
    auto shape = [&](std::vector<int64_t> core) {
      core.insert(core.begin(), batch.begin(), batch.end());
      return core;
    };
    make(Crow, DType::I32, shape({3}));
    make(Col, DType::I32, shape({3}));
    for (int64_t i = 0; i < batches; ++i) {
      std::copy_n(std::array{0, 2, 3}.begin(), 3, indices(Crow) + 3 * i);
      std::copy_n(std::array{2, 0, 1}.begin(), 3, indices(Col) + 3 * i);
    }
    make(Values, DType::BF16, shape({3, 64, 32}));
    make(B, DType::BF16, shape({96, 40}));
    make(Input, DType::BF16, shape({128, 40}));
    make(Left, DType::F32, shape({128}));
    make(Right, DType::BF16, shape({40}));
    make(Out, DType::BF16, shape({128, 40}));
  }

  /// Replaces an argument by a zeroed dense tensor.
  void make(size_t index, DType dtype, std::vector<int64_t> shape) {
    TensorView view = rowMajorView(nullptr, dtype, std::move(shape));
    size_t bytes = size_t(view.numElements() * byteWidth(dtype));
    memory.emplace_back(new char[bytes + 1]());
    view.data = memory.back().get();
    arguments[index] = view;
  }

  TensorView &tensor(size_t index) {
    return std::get<TensorView>(arguments[index]);
  }
  int32_t *indices(size_t index) {
    return static_cast<int32_t *>(tensor(index).data);
  }

  std::vector<Argument> arguments;

private:
  std::vector<std::unique_ptr<char[]>> memory;
};

/// The runtime's message on these arguments, or "<success>".
inline std::string checkMessage(const Manifest &manifest,
                                const BsrArguments &arguments,
                                ContentCheck contents = ContentCheck::On) {
  return messageOf(checkContracts(manifest, arguments.arguments, contents));
}

} // namespace sattn::runtime

#endif // SATTN_TEST_UNIT_RUNTIME_BSRPROGRAM_H
