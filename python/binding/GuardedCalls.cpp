//===- GuardedCalls.cpp - Programs that repeated calls reuse --------------===//

#include "GuardedCalls.h"

#include <tvm/ffi/extra/c_env_api.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>

using namespace sattn::python;
using namespace tvm;

/// The tensor in an argument, or null.
static const DLTensor *tensorOf(const ffi::AnyView &argument) {
  std::optional<DLTensor *> tensor = argument.try_cast<DLTensor *>();
  return tensor ? *tensor : nullptr;
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
/// None, nor a tensor.
bool GuardedCalls::makeKey(const PlainArguments &arguments, Key &key) const {
  key.clear();
  if (arguments.size() != size_t(count))
    return false;
  for (int i = 0; i < count; ++i) {
    const ffi::AnyView &given = arguments[i].view;
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
    key.push_back(int64_t(arguments[i].isArray) << 40 |
                  int64_t(tensor->ndim) << 32 | tensor->dtype.code << 24 |
                  tensor->dtype.bits << 16 | tensor->dtype.lanes);
    key.push_back(int64_t(tensor->device.device_type) << 32 |
                  tensor->device.device_id);
    key.insert(key.end(), tensor->shape, tensor->shape + tensor->ndim);
    key.push_back(isTransposed(*tensor));
    if (i == strided && tensor->strides)
      key.insert(key.end(), tensor->strides, tensor->strides + tensor->ndim);
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
  static constexpr int maxRank = 16, capacity = maxRank + 2;

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

  /// Divides a matrix into parts with so many rows, `split` side by side.
  void setGrid(const DLTensor &from, int rows, int split) {
    set(from, from, false);
    int row = from.ndim - 2, column = from.ndim - 1;
    shape[from.ndim] = rows;
    strides[from.ndim] = strides[row];
    shape[from.ndim + 1] = shape[column] / split;
    strides[from.ndim + 1] = strides[column];
    shape[row] /= rows;
    strides[row] *= rows;
    strides[column] *= shape[column] / split;
    shape[column] = split;
    view.ndim += 2;
  }

  /// Packs heads as rows; returns false where that is no view.
  bool setPacked(const DLTensor &from, int heads) {
    set(from, from, false);
    int64_t share = shape[1] / heads, rows = shape[2];
    if (!from.strides ||
        (share > 1 && rows > 1 && strides[1] != rows * strides[2]))
      return false;
    if (rows == 1)
      strides[2] = strides[1];
    strides[1] *= share;
    shape[1] = heads;
    shape[2] = share * rows;
    return true;
  }

  std::array<int64_t, capacity> shape, strides;
  DLTensor view;
};
} // namespace

void GuardedCalls::insert(const PlainArguments &arguments, Entry entry) {
  Key key;
  if (!makeKey(arguments, key))
    return;
  // Entries that go may run code of Python's: once the table is whole.
  decltype(entries) gone;
  if (entries.size() >= capacity)
    gone.swap(entries);
  std::shared_ptr<const Entry> made = std::make_shared<Entry>(std::move(entry));
  entries[std::move(key)].swap(made);
}

std::shared_ptr<const GuardedCalls::Entry>
GuardedCalls::find(const PlainArguments &arguments) {
  static thread_local Key key;
  if (!makeKey(arguments, key))
    return nullptr;
  auto found = entries.find(key);
  if (found == entries.end())
    return nullptr;
  for (int i = 0; i < count; ++i)
    if (const PlainArgument &one = arguments[i]; one.storage.bytes >= 0)
      if (!liesIn(one.tensor, one.storage))
        return nullptr;
  return found->second;
}

namespace {
/// While it lives, the GIL is free, and the stream for programs is that of the
/// arguments.
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
GuardedCalls::call(const Entry &entry, const ffi::Function &function,
                   const std::vector<ffi::AnyView> &prefix,
                   const PlainArguments &given) const {
  std::vector<ffi::AnyView> passed(prefix);
  passed.reserve(prefix.size() + std::max(given.size(), entry.parts.size()));
  // Their addresses are passed.
  std::vector<View> views;
  views.reserve(std::count_if(entry.parts.begin(), entry.parts.end(),
                              std::mem_fn(&Part::isView)));
  for (size_t i = 0; entry.parts.empty() && i < given.size(); ++i)
    passed.push_back(given[i].view);
  for (const Part &part : entry.parts) {
    const DLTensor *tensor =
        part.isView() ? tensorOf(given[part.place].view) : nullptr;
    if (!tensor) {
      passed.push_back(given[part.place].view);
      continue;
    }
    const DLTensor *like =
        part.like < 0 ? tensor : tensorOf(given[part.like].view);
    if (std::max(tensor->ndim, like->ndim) > View::maxRank)
      return std::nullopt;
    View &view = views.emplace_back();
    if (part.heads) {
      if (!view.setPacked(*tensor, part.heads))
        return std::nullopt;
    } else if (part.rows) {
      view.setGrid(*tensor, part.rows, part.split);
    } else {
      view.set(*tensor, *like, part.isTransposed);
    }
    passed.push_back(&view.view);
  }
  ffi::Any result;
  ProgramScope scope(given);
  function.CallPacked(passed.data(), int(passed.size()), &result);
  return result;
}
