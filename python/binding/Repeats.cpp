//===- Repeats.cpp - Products of a kind that was made before --------------===//

#include "Repeats.h"

#include <algorithm>
#include <array>
#include <optional>

using namespace sattn::python;
using namespace tvm;

/// The tensor in an operand, or null.
static const DLTensor *tensorOf(const ffi::AnyView &operand) {
  std::optional<DLTensor *> tensor = operand.try_cast<DLTensor *>();
  return tensor ? *tensor : nullptr;
}

/// Whether a tensor has elements, but no memory: one that PyTorch traces.
static bool lacksMemory(const DLTensor &tensor) {
  return !tensor.data && std::find(tensor.shape, tensor.shape + tensor.ndim,
                                   0) == tensor.shape + tensor.ndim;
}

/// Whether a matrix lies in memory as its transpose: the columns, not the rows,
/// are contiguous. The package decides by the same rule (`is_transposed`).
static bool isTransposed(const DLTensor &tensor) {
  if (tensor.ndim < 2)
    return false;
  int last = tensor.ndim - 1;
  if (!tensor.strides)
    return tensor.shape[last] == 1;
  return tensor.strides[last - 1] == 1 &&
         (tensor.strides[last] != 1 || tensor.shape[last] == 1);
}

/// Writes the key; returns false for an operand that is neither a tensor with
/// memory nor None.
static bool makeKey(int64_t number, const ffi::AnyView *operands,
                    std::vector<int64_t> &key) {
  key.clear();
  key.push_back(number);
  for (int i = 0; i < Repeats::numOperands; ++i) {
    if (operands[i] == nullptr) {
      key.push_back(-1);
      continue;
    }
    const DLTensor *tensor = tensorOf(operands[i]);
    if (!tensor || lacksMemory(*tensor))
      return false;
    key.push_back(int64_t(tensor->ndim) << 32 | tensor->dtype.code << 24 |
                  tensor->dtype.bits << 16 | tensor->dtype.lanes);
    key.push_back(int64_t(tensor->device.device_type) << 32 |
                  tensor->device.device_id);
    key.insert(key.end(), tensor->shape, tensor->shape + tensor->ndim);
    if (i == Repeats::Dense || i == Repeats::Out)
      key.push_back(isTransposed(*tensor));
  }
  return true;
}

size_t Repeats::Hash::operator()(const Key &key) const {
  uint64_t hash = 0;
  for (int64_t word : key) {
    hash = (hash ^ uint64_t(word)) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
  }
  return size_t(hash);
}

void Repeats::insert(int64_t number, const ffi::AnyView *operands,
                     Product product) {
  Key key;
  if (!makeKey(number, operands, key))
    return;
  std::lock_guard<std::mutex> lock(mutex);
  if (products.size() >= capacity)
    products.clear();
  products[std::move(key)] = std::move(product);
}

namespace {
/// A view of a tensor that broadcasts to another's shape.
struct Expanded {
  static constexpr int maxRank = 16;

  Expanded(const DLTensor &from, const DLTensor &like) : view(from) {
    int lead = like.ndim - from.ndim;
    int64_t running = 1;
    for (int dim = like.ndim - 1; dim >= 0; --dim) {
      int own = dim - lead;
      int64_t extent = own < 0 ? 1 : from.shape[own];
      int64_t stride = own < 0 ? 0 : from.strides ? from.strides[own] : running;
      running *= extent;
      shape[dim] = like.shape[dim];
      strides[dim] = extent == like.shape[dim] ? stride : 0;
    }
    view.ndim = like.ndim;
    view.shape = shape.data();
    view.strides = strides.data();
  }

  std::array<int64_t, maxRank> shape, strides;
  DLTensor view;
};

/// A view of a matrix with its last two dimensions swapped.
struct Transposed : Expanded {
  explicit Transposed(const DLTensor &from) : Expanded(from, from) {
    std::swap(shape[from.ndim - 2], shape[from.ndim - 1]);
    std::swap(strides[from.ndim - 2], strides[from.ndim - 1]);
  }
};
} // namespace

static bool haveSameShape(const DLTensor &a, const DLTensor &b) {
  return a.ndim == b.ndim && std::equal(a.shape, a.shape + a.ndim, b.shape);
}

bool Repeats::call(int64_t number, double alpha, double beta,
                   const ffi::AnyView *operands) {
  static thread_local Key key;
  if (!makeKey(number, operands, key))
    return false;
  Product product;
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = products.find(key);
    if (found == products.end())
      return false;
    product = found->second;
  }
  ffi::AnyView arguments[2 + numOperands];
  int count = 0;
  auto add = [&](ffi::AnyView argument) { arguments[count++] = argument; };
  add(alpha);
  if (product.takesBeta)
    add(beta);
  for (int i = 0; i < numOperands; ++i) {
    if (i == Crow && operands[i] == nullptr)
      add(product.crow);
    else if (i == Col && operands[i] == nullptr)
      add(product.col);
    else if (operands[i] != nullptr && (i != Input || product.takesInput))
      add(operands[i]);
  }
  const DLTensor *dense = tensorOf(operands[Dense]);
  const DLTensor *input =
      product.takesInput ? tensorOf(operands[Input]) : nullptr;
  const DLTensor *out = tensorOf(operands[Out]);
  // Views instead of operands; they live until the call is over.
  std::optional<Expanded> expanded;
  std::optional<Transposed> views[3];
  int firstPlace = 1 + product.takesBeta;
  if (std::max(out->ndim, dense->ndim) > Expanded::maxRank)
    return false;
  if (input && !haveSameShape(*input, *out)) {
    input = &expanded.emplace(*input, *out).view;
    arguments[firstPlace + Input] = &expanded->view;
  }
  if (product.transposesDense)
    arguments[firstPlace + Dense] = &views[0].emplace(*dense).view;
  if (product.transposesOut) {
    if (input)
      arguments[firstPlace + Input] = &views[1].emplace(*input).view;
    arguments[count - 1] = &views[2].emplace(*out).view;
  }
  ffi::Any result;
  product.program.CallPacked(arguments, count, &result);
  return true;
}
