//===- KernelParameters.cpp - What a kernel is launched with --------------===//

#include "KernelParameters.h"

#include "ContractParts.h"
#include "Text.h"

#include <cstring>
#include <limits>

using namespace sattn::runtime;

template <class Number> void KernelParameters::append(Number number) {
  uint64_t word = 0;
  static_assert(sizeof(number) <= sizeof(word));
  memcpy(&word, &number, sizeof(number));
  slots.emplace_back(word);
}

void KernelParameters::appendMemref(const TensorView &tensor) {
  append(tensor.data);
  append(tensor.data);
  append(int64_t(0));
  for (int64_t extent : tensor.shape)
    append(extent);
  for (int64_t stride : tensor.strides)
    append(stride);
}

ErrorOr<KernelParameters>
KernelParameters::pack(const Manifest &manifest, const LaunchStep &step,
                       const std::vector<Argument> &arguments,
                       const std::vector<int64_t> &values,
                       const std::vector<TensorView> &scratch,
                       const CudaDriver &driver, TensorMapCache &tensorMaps) {
  KernelParameters packed;
  for (const KernelParameter &parameter : step.parameters) {
    if (const auto *memref = std::get_if<MemrefParameter>(&parameter)) {
      packed.appendMemref(tensorOf(arguments, memref->argument));
    } else if (const auto *array = std::get_if<ScratchParameter>(&parameter)) {
      packed.appendMemref(scratch[array->scratch]);
    } else if (const auto *value = std::get_if<ValueParameter>(&parameter)) {
      int64_t number = values[value->value];
      if (value->type == DType::I64) {
        packed.append(number);
        continue;
      }
      if (number < std::numeric_limits<int32_t>::min() ||
          number > std::numeric_limits<int32_t>::max())
        return makeError("kernel '", step.kernel, "': expected values[",
                         value->value, "] to fit in i32, but got ", number);
      packed.append(int32_t(number));
    } else if (const auto *scalar = std::get_if<ScalarParameter>(&parameter)) {
      packed.append(float(std::get<double>(arguments[scalar->argument])));
    } else {
      const auto &map = std::get<TensorMapParameter>(parameter);
      std::string who = manifest.describeArgument(map.argument);
      ErrorOr<TensorMapFields> fields = describeTensorMap(
          who, tensorOf(arguments, map.argument), map.box, map.swizzle);
      if (!fields)
        return fields.takeError();
      ErrorOr<TensorMap> encoded = tensorMaps.get(driver, who, *fields);
      if (!encoded)
        return encoded.takeError();
      packed.slots.emplace_back(*encoded);
    }
  }
  return packed;
}

std::vector<void *> KernelParameters::pointers() {
  std::vector<void *> result;
  for (Slot &slot : slots)
    result.push_back(
        std::visit([](auto &content) -> void * { return &content; }, slot));
  return result;
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
    } else if (std::holds_alternative<ScalarParameter>(parameter)) {
      sizes.push_back(sizeof(float));
    } else {
      sizes.push_back(sizeof(TensorMap));
    }
  }
  return sizes;
}
