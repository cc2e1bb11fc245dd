//===- KernelParameters.cpp - What a kernel is launched with --------------===//

#include "KernelParameters.h"

#include "Checks/ContractParts.h"
#include "sattn/Runtime/Text.h"

#include <cstring>
#include <limits>

using namespace sattn::runtime;

template <class Number> void ParameterPlan::append(Number number) {
  uint64_t word = 0;
  static_assert(sizeof(number) <= sizeof(word));
  memcpy(&word, &number, sizeof(number));
  places.push_back({/*isMap=*/false, words.size()});
  words.push_back(word);
}

void ParameterPlan::appendMemref(Source source, size_t index,
                                 const TensorView &tensor) {
  for (int i = 0; i < 2; ++i) {
    patches.push_back({source, index, words.size()});
    append(int64_t(0));
  }
  append(int64_t(0));
  for (int64_t extent : tensor.shape)
    append(extent);
  for (int64_t stride : tensor.strides)
    append(stride);
}

ErrorOr<ParameterPlan>
ParameterPlan::create(const Manifest &manifest, const LaunchStep &step,
                      const CallTensors &tensors,
                      const std::vector<int64_t> &values,
                      const std::vector<TensorView> &scratch) {
  ParameterPlan plan;
  // The tensor that a parameter describes, and where its address comes from.
  struct Memory {
    Source source;
    size_t index;
    const TensorView *tensor;
  };
  auto find = [&](size_t argument, const std::optional<Replacement> &replaced) {
    if (replaced && values[replaced->when] != 0)
      return Memory{Source::Scratch, replaced->scratch,
                    &scratch[replaced->scratch]};
    return Memory{Source::Tensor, argument, tensors[argument]};
  };
  for (const KernelParameter &parameter : step.parameters) {
    if (const auto *memref = std::get_if<MemrefParameter>(&parameter)) {
      Memory memory = find(memref->argument, memref->replaced);
      plan.appendMemref(memory.source, memory.index, *memory.tensor);
    } else if (const auto *array = std::get_if<ScratchParameter>(&parameter)) {
      plan.appendMemref(Source::Scratch, array->scratch,
                        scratch[array->scratch]);
    } else if (const auto *value = std::get_if<ValueParameter>(&parameter)) {
      int64_t number = values[value->value];
      if (value->type == DType::I64) {
        plan.append(number);
        continue;
      }
      if (number < std::numeric_limits<int32_t>::min() ||
          number > std::numeric_limits<int32_t>::max())
        return makeError("kernel '", step.kernel, "': expected values[",
                         value->value, "] to fit in i32, but got ", number);
      plan.append(int32_t(number));
    } else if (const auto *scalar = std::get_if<ScalarParameter>(&parameter)) {
      plan.patches.push_back({Source::Scalar, scalar->argument,
                              plan.words.size(),
                              manifest.arguments[scalar->argument].type});
      plan.append(0.0);
    } else {
      const auto &map = std::get<TensorMapParameter>(parameter);
      std::string who = map.scratch ? concat("scratch[", *map.scratch, "]")
                                    : manifest.describeArgument(map.argument);
      Memory memory = map.scratch ? Memory{Source::Scratch, *map.scratch,
                                           &scratch[*map.scratch]}
                                  : find(map.argument, map.replaced);
      ErrorOr<TensorMapFields> fields = describeTensorMap(
          who, *memory.tensor, map.box, map.swizzle, map.packed);
      if (!fields)
        return fields.takeError();
      plan.places.push_back({/*isMap=*/true, plan.maps.size()});
      plan.maps.push_back(
          {memory.source, memory.index, std::move(who), *fields});
    }
  }
  return plan;
}

Error KernelParameters::fill(const ParameterPlan &plan,
                             const CallTensors &tensors,
                             const std::vector<Argument> &arguments,
                             const std::vector<void *> &scratch,
                             const CudaDriver &driver,
                             TensorMapCache &tensorMaps) {
  using Source = ParameterPlan::Source;
  words = plan.words;
  auto addressOf = [&](Source source, size_t index) {
    return source == Source::Tensor ? tensors[index]->data : scratch[index];
  };
  for (const ParameterPlan::Patch &patch : plan.patches) {
    uint64_t &word = words[patch.word];
    if (patch.source == Source::Scalar) {
      auto number = std::get<double>(arguments[patch.index]);
      auto narrow = float(number);
      if (patch.type == DType::F64)
        memcpy(&word, &number, sizeof(number));
      else
        memcpy(&word, &narrow, sizeof(narrow));
      continue;
    }
    word = reinterpret_cast<uintptr_t>(addressOf(patch.source, patch.index));
  }
  maps.resize(plan.maps.size());
  for (size_t i = 0; i < maps.size(); ++i) {
    const ParameterPlan::Map &map = plan.maps[i];
    TensorMapFields fields = map.fields;
    fields.address = addressOf(map.source, map.index);
    ErrorOr<TensorMap> encoded = tensorMaps.get(driver, map.name, fields);
    if (!encoded)
      return encoded.takeError();
    maps[i] = *encoded;
  }
  addresses.clear();
  for (const ParameterPlan::Place &place : plan.places)
    addresses.push_back(place.isMap ? static_cast<void *>(&maps[place.index])
                                    : &words[place.index]);
  return Error::success();
}

std::vector<size_t> sattn::runtime::parameterSizes(const Manifest &manifest,
                                                   const LaunchStep &step) {
  std::vector<size_t> sizes;
  for (const KernelParameter &parameter : step.parameters) {
    if (const auto *memref = std::get_if<MemrefParameter>(&parameter)) {
      size_t rank = size_t(manifest.arguments[memref->argument].rank);
      sizes.insert(sizes.end(), 3 + 2 * rank, sizeof(int64_t));
    } else if (const auto *array = std::get_if<ScratchParameter>(&parameter)) {
      size_t rank = manifest.scratch[array->scratch].sizes.size();
      sizes.insert(sizes.end(), 3 + 2 * rank, sizeof(int64_t));
    } else if (const auto *value = std::get_if<ValueParameter>(&parameter)) {
      sizes.push_back(size_t(byteWidth(value->type)));
    } else if (const auto *scalar = std::get_if<ScalarParameter>(&parameter)) {
      sizes.push_back(
          size_t(byteWidth(manifest.arguments[scalar->argument].type)));
    } else {
      sizes.push_back(sizeof(TensorMap));
    }
  }
  return sizes;
}
