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

/// A manifest with every role of bsr_addmm, blocks of 64 x 32, tensors with
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
  return {{"version", 1},
          {"name", "f"},
          {"target", "sm_90a"},
          {"arguments",
           {scalar, scalar, tensor("crow", "i32", 1), tensor("col", "i32", 1),
            tensor("values", "bf16", 3), tensor("b", "bf16", 2),
            tensor("input", "bf16", 2), tensor("left", "f32", 1),
            tensor("right", "bf16", 1), tensor("out", "bf16", 2, "write")}},
          {"contracts",
           {{{"op", "bsr_addmm"},
             {"alpha", {{"argument", Alpha}}},
             {"beta", {{"argument", Beta}}},
             {"crow", Crow},
             {"col", Col},
             {"values", Values},
             {"b", B},
             {"input", Input},
             {"left", Left},
             {"right", Right},
             {"out", Out},
             {"block", {64, 32}}}}}};
}

/// Of the same sparse operand in a product whose b the program computes: M is
/// that of out, K is known.
inline nlohmann::json storageContract() {
  return {{"op", "bsr_storage"},
          {"crow", Crow},
          {"col", Col},
          {"values", Values},
          {"block", {64, 32}},
          {"rows", {{"argument", Out}, {"dimension", 0}}},
          {"columns", {{"constant", 96}}}};
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

/// What the runtime says of these arguments, or "<success>".
inline std::string checkMessage(const Manifest &manifest,
                                const BsrArguments &arguments,
                                ContentCheck contents = ContentCheck::On) {
  return messageOf(checkContracts(manifest, arguments.arguments, contents));
}

} // namespace sattn::runtime

#endif // SATTN_TEST_UNIT_RUNTIME_BSRPROGRAM_H
