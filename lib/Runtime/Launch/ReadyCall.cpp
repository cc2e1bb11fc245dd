//===- ReadyCall.cpp - What calls of one kind have in common --------------===//

#include "ReadyCall.h"

#include "Checks/ContractParts.h"

using namespace sattn::runtime;

/// Alignment that placement is checked for, and that TMA-compatible tensors
/// have: no element is wider, and tensor maps need as much.
static constexpr uintptr_t alignment = 16;

static uintptr_t addressOf(const TensorView &tensor) {
  return reinterpret_cast<uintptr_t>(tensor.data);
}

ReadyCall::ReadyCall(const Manifest &manifest, const CallTensors &tensors) {
  for (const TensorView *tensor : tensors) {
    Tensor &kind = kinds.emplace_back();
    if (!tensor)
      continue;
    kind.exists = true;
    kind.view = *tensor;
    ByteRange range = byteRange(*tensor).value_or(ByteRange{});
    if (range.begin == range.end)
      continue;
    kind.low = int64_t(range.begin - addressOf(*tensor));
    kind.high = int64_t(range.end - addressOf(*tensor));
  }
  for (const Contract &contract : manifest.contracts)
    for (const ContractCheck &check : contract.checks) {
      if (const auto *apart = std::get_if<ApartCheck>(&check))
        addApart(*apart);
      else if (const auto *readOnly = std::get_if<ReadOnlyCheck>(&check))
        addReadOnly(manifest, tensors, *readOnly);
    }
}

void ReadyCall::addApart(const ApartCheck &check) {
  Result result = {check.argument, check.others, std::nullopt};
  if (check.orExactly && *check.orExactly != check.argument) {
    result.input = check.orExactly;
    TensorView same = kinds[*check.orExactly].view;
    same.data = kinds[check.argument].view.data;
    result.samePlaces = isSameTensor(same, kinds[check.argument].view);
  }
  results.push_back(std::move(result));
}

void ReadyCall::addReadOnly(const Manifest &manifest,
                            const CallTensors &tensors,
                            const ReadOnlyCheck &check) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (!tensors[i] || manifest.arguments[i].access == Access::Read)
      continue;
    Result &result = results.emplace_back();
    result.out = i;
    for (size_t index : check.arguments)
      if (index != i)
        result.others.push_back(index);
  }
}

uint64_t ReadyCall::hash(const CallTensors &tensors) {
  uint64_t hash = 0;
  auto add = [&](uint64_t number) {
    hash = (hash ^ number) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
  };
  for (const TensorView *tensor : tensors) {
    if (!tensor)
      continue;
    add(addressOf(*tensor) % alignment);
    for (int64_t extent : tensor->shape)
      add(uint64_t(extent));
    for (int64_t stride : tensor->strides)
      add(uint64_t(stride));
  }
  return hash;
}

bool ReadyCall::fits(const CallTensors &tensors) const {
  if (tensors.size() != kinds.size())
    return false;
  for (size_t i = 0; i < kinds.size(); ++i) {
    const TensorView *tensor = tensors[i];
    if (bool(tensor) != kinds[i].exists)
      return false;
    if (!tensor)
      continue;
    const TensorView &kind = kinds[i].view;
    if (tensor->dtype != kind.dtype || tensor->shape != kind.shape ||
        tensor->strides != kind.strides ||
        bool(tensor->data) != bool(kind.data) ||
        addressOf(*tensor) % alignment != addressOf(kind) % alignment)
      return false;
  }
  return true;
}

bool ReadyCall::overlap(const CallTensors &tensors, size_t a, size_t b) const {
  const Tensor &kindA = kinds[a], &kindB = kinds[b];
  if (kindA.low == kindA.high || kindB.low == kindB.high)
    return false;
  // Modulo 2^64, where no range that passed the checks ends.
  uint64_t beginA = addressOf(*tensors[a]) + kindA.low;
  uint64_t beginB = addressOf(*tensors[b]) + kindB.low;
  return beginA < addressOf(*tensors[b]) + kindB.high &&
         beginB < addressOf(*tensors[a]) + kindA.high;
}

bool ReadyCall::isApart(const CallTensors &tensors) const {
  for (size_t i = 0; i < kinds.size(); ++i) {
    if (!kinds[i].exists || kinds[i].low == kinds[i].high)
      continue;
    // At another address than the first call's it might not end in memory.
    uint64_t address = addressOf(*tensors[i]);
    if (address + kinds[i].low > address || address + kinds[i].high < address)
      return false;
  }
  for (const Result &result : results) {
    for (size_t other : result.others)
      if (overlap(tensors, result.out, other))
        return false;
    if (!result.input)
      continue;
    bool same = result.samePlaces &&
                tensors[*result.input]->data == tensors[result.out]->data;
    if (!same && overlap(tensors, result.out, *result.input))
      return false;
  }
  return true;
}
