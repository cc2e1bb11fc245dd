//===- GuardedCalls.cpp - Programs that repeated calls reuse --------------===//

#include "GuardedCalls.h"

#include <tvm/ffi/extra/c_env_api.h>

#include <algorithm>
#include <array>
#include <optional>

using namespace sattn::python;
using namespace tvm;

/// The tensor in an argument, or null.
static const DLTensor *tensorOf(const ffi::AnyView &argument) {
  std::optional<DLTensor *> tensor = argument.try_cast<DLTensor *>();
  return tensor ? *tensor : nullptr;
}

static bool hasElements(const DLTensor &tensor) {
  return std::find(tensor.shape, tensor.shape + tensor.ndim, 0) ==
         tensor.shape + tensor.ndim;
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

/// Whether all elements lie within a storage.
static bool liesIn(const DLTensor &tensor, const Storage &storage) {
  if (!hasElements(tensor))
    return true;
  int64_t least = 0, most = 0, running = 1;
  for (int dim = tensor.ndim - 1; dim >= 0; --dim) {
    int64_t stride = tensor.strides ? tensor.strides[dim] : running;
    running *= tensor.shape[dim];
    (stride < 0 ? least : most) += (tensor.shape[dim] - 1) * stride;
  }
  int64_t width = (tensor.dtype.bits * tensor.dtype.lanes + 7) / 8;
  int64_t offset = reinterpret_cast<int64_t>(tensor.data) +
                   int64_t(tensor.byte_offset) - storage.address;
  return offset + least * width >= 0 &&
         offset + (most + 1) * width <= storage.bytes;
}

/// Writes the key; returns false for an argument that is neither a number, nor
/// None, nor a tensor that has memory if it has elements.
bool GuardedCalls::makeKey(const ffi::AnyView *arguments, Key &key) const {
  key.clear();
  for (int i = 0; i < count; ++i) {
    const ffi::AnyView &given = arguments[i];
    if (given == nullptr) {
      key.push_back(-1);
      continue;
    }
    const DLTensor *tensor = tensorOf(given);
    if (!tensor) {
      if (!given.try_cast<double>())
        return false;
      key.push_back(-2);
      continue;
    }
    if (!tensor->data && hasElements(*tensor))
      return false;
    key.push_back(int64_t(tensor->ndim) << 32 | tensor->dtype.code << 24 |
                  tensor->dtype.bits << 16 | tensor->dtype.lanes);
    key.push_back(int64_t(tensor->device.device_type) << 32 |
                  tensor->device.device_id);
    key.insert(key.end(), tensor->shape, tensor->shape + tensor->ndim);
    key.push_back(isTransposed(*tensor));
  }
  return true;
}

size_t GuardedCalls::Hash::operator()(const Key &key) const {
  uint64_t hash = 0;
  for (int64_t word : key) {
    hash = (hash ^ uint64_t(word)) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
  }
  return size_t(hash);
}

namespace {
/// A view of a tensor that is broadcast to another's shape, and of which the
/// last two dimensions may be swapped.
struct View {
  static constexpr int maxRank = 16;

  void set(const DLTensor &from, const DLTensor &like, bool isTransposed) {
    view = from;
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
    if (isTransposed) {
      std::swap(shape[like.ndim - 2], shape[like.ndim - 1]);
      std::swap(strides[like.ndim - 2], strides[like.ndim - 1]);
    }
    view.ndim = like.ndim;
    view.shape = shape.data();
    view.strides = strides.data();
  }

  std::array<int64_t, maxRank> shape, strides;
  DLTensor view;
};
} // namespace

void GuardedCalls::insert(const ffi::AnyView *arguments, Entry entry) {
  Key key;
  if (!makeKey(arguments, key))
    return;
  for (const Part &part : entry.parts) {
    for (int place : {part.place, part.like}) {
      const DLTensor *tensor =
          place < 0 || place >= count ? nullptr : tensorOf(arguments[place]);
      if (tensor && tensor->ndim > View::maxRank)
        return;
    }
  }
  std::lock_guard<std::mutex> lock(mutex);
  if (entries.size() >= capacity)
    entries.clear();
  entries[std::move(key)] = std::make_shared<const Entry>(std::move(entry));
}

namespace {
/// What a call of a program needs: the GIL is free, and its stream is that of
/// the arguments.
class ProgramScope {
public:
  explicit ProgramScope(const PlainArguments &arguments)
      : stream(arguments.stream()), thread(PyEval_SaveThread()) {
    if (stream)
      TVMFFIEnvSetStream(stream->first.device_type, stream->first.device_id,
                         stream->second, &before);
  }
  ~ProgramScope() {
    if (stream && before != stream->second)
      TVMFFIEnvSetStream(stream->first.device_type, stream->first.device_id,
                         before, nullptr);
    PyEval_RestoreThread(thread);
  }

private:
  const std::optional<std::pair<DLDevice, void *>> &stream;
  PyThreadState *thread;
  void *before = nullptr;
};
} // namespace

std::optional<ffi::Any>
GuardedCalls::call(const PlainArguments &given,
                   const std::optional<ffi::Function> &instead) {
  static thread_local Key key;
  const ffi::AnyView *arguments = given.views().data();
  if (given.views().size() != size_t(count) || !makeKey(arguments, key))
    return std::nullopt;
  std::shared_ptr<const Entry> entry;
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = entries.find(key);
    if (found == entries.end())
      return std::nullopt;
    entry = found->second;
  }
  for (int i = 0; i < count; ++i)
    if (const std::optional<Storage> &storage = given.storages()[i])
      if (!liesIn(*tensorOf(arguments[i]), *storage))
        return std::nullopt;
  ProgramScope scope(given);
  const ffi::Function &program = instead ? *instead : entry->program;
  ffi::Any result;
  if (entry->parts.empty()) {
    program.CallPacked(arguments, count, &result);
    return result;
  }
  static thread_local std::vector<ffi::AnyView> passed;
  // Their addresses are passed until the call is over.
  static thread_local std::vector<View> views;
  passed.clear();
  views.resize(std::max(views.size(), entry->parts.size()));
  for (const auto &[place, isTransposed, like] : entry->parts) {
    if (place >= count) {
      passed.push_back(entry->kept[place - count]);
      continue;
    }
    const ffi::AnyView &given = arguments[place];
    const DLTensor *tensor =
        isTransposed || like >= 0 ? tensorOf(given) : nullptr;
    if (!tensor) {
      passed.push_back(given);
      continue;
    }
    View &view = views[passed.size()];
    view.set(*tensor, like < 0 ? *tensor : *tensorOf(arguments[like]),
             isTransposed);
    passed.push_back(&view.view);
  }
  program.CallPacked(passed.data(), int(passed.size()), &result);
  return result;
}
