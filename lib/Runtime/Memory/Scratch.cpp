//===- Scratch.cpp - Scratch arrays of a call -----------------------------===//

#include "Scratch.h"
#include "sattn/Runtime/Text.h"

using namespace sattn::runtime;

/// The alignment of cuMemAlloc, so that every array is aligned as if it were
/// alone; and that of the last part, where arrays are words.
static constexpr int64_t alignment = 256;
static constexpr int64_t leftZeroAlignment = ScratchMemory::leftZeroAlignment;

/// An array without its address.
static TensorView describe(const ScratchSpec &spec,
                           const std::vector<int64_t> &values) {
  std::vector<int64_t> shape;
  for (size_t size : spec.sizes)
    shape.push_back(values[size]);
  TensorView view = rowMajorView(nullptr, spec.type, std::move(shape));
  for (size_t i = 0; i < spec.strides.size(); ++i)
    view.strides[i] = values[spec.strides[i]];
  return view;
}

/// The bytes from an array's first element to its last; nothing if sizes or
/// strides are negative, or the number does not fit.
static std::optional<int64_t> countBytes(const TensorView &view) {
  int64_t last = 0;
  bool isEmpty = false;
  for (size_t i = 0; i < view.shape.size(); ++i) {
    int64_t step = 0;
    if (view.shape[i] < 0 || view.strides[i] < 0)
      return std::nullopt;
    isEmpty |= view.shape[i] == 0;
    if (view.shape[i] > 0 &&
        (__builtin_mul_overflow(view.shape[i] - 1, view.strides[i], &step) ||
         __builtin_add_overflow(last, step, &last)))
      return std::nullopt;
  }
  int64_t bytes = 0;
  if (isEmpty)
    return bytes;
  if (__builtin_add_overflow(last, 1, &last) ||
      __builtin_mul_overflow(last, byteWidth(view.dtype), &bytes))
    return std::nullopt;
  return bytes;
}

ErrorOr<ScratchLayout> ScratchLayout::create(const Manifest &manifest,
                                             const std::vector<int64_t> &values,
                                             const std::vector<bool> &wanted) {
  ScratchLayout layout;
  layout.places.resize(manifest.scratch.size());
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < manifest.scratch.size(); ++i) {
    const ScratchSpec &spec = manifest.scratch[i];
    TensorView view = describe(spec, values);
    std::optional<int64_t> bytes = countBytes(view);
    if (!bytes)
      return makeError("program '", manifest.name, "': expected scratch[", i,
                       "] of a size that fits in memory, but got shape ",
                       listText(view.shape), " of ", name(spec.type));
    sizes.push_back(*bytes);
    layout.arrays.push_back(std::move(view));
  }
  int64_t total = 0;
  size_t ends[3] = {};
  for (size_t part = 0; part < 3; ++part) {
    layout.begins[part] = size_t(total);
    int64_t unit = part == 2 ? leftZeroAlignment : alignment;
    for (size_t i = 0; i < sizes.size(); ++i) {
      const ScratchSpec &spec = manifest.scratch[i];
      if (!wanted[i] || size_t(spec.zero) + size_t(spec.leftZero) != part)
        continue;
      size_t offset = size_t(total) - layout.begins[part];
      layout.places[i] = Place{part, offset};
      if (sizes[i] > 0)
        ends[part] = offset + size_t(sizes[i]);
      if (__builtin_add_overflow(total, sizes[i], &total) ||
          __builtin_add_overflow(total, alignment - 1, &total))
        return makeError("program '", manifest.name, "': expected scratch[", i,
                         "] of a size that fits in memory, but got shape ",
                         listText(layout.arrays[i].shape), " of ",
                         name(manifest.scratch[i].type));
      total = (total - (alignment - unit)) / unit * unit;
    }
  }
  layout.total = size_t(total);
  layout.bytes = {layout.begins[1], ends[1], ends[2]};
  return layout;
}

void *ScratchLayout::address(size_t array, void *unset, void *zeros,
                             void *leftZeros) const {
  if (!places[array])
    return nullptr;
  void *parts[] = {unset, zeros, leftZeros};
  return static_cast<char *>(parts[places[array]->part]) +
         places[array]->offset;
}

void ScratchLayout::place(void *memory) {
  for (size_t i = 0; i < arrays.size(); ++i)
    if (places[i])
      arrays[i].data = static_cast<char *>(memory) + begins[places[i]->part] +
                       places[i]->offset;
}
